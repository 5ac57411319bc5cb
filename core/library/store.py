# SPDX-License-Identifier: GPL-3.0-or-later
"""Store: the index of a folder, one SQLite file in it, in which every take has a row for each of its figures.

A row is written whole or not at all, whenever whoever writes is stopped. Who searches reads the moments of all takes once,
and the features of those that are looked at closely.
"""

from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..numeric import Later
from ..numeric.refusal import Refusal
from .alike import WIDTH, moments
from .features import packed, unpacked
from .measures import EVERY, MEASURES, measured

sqlite3 = Later("sqlite3")
FILE = ".motion_signal.index"  # in the folder that it is of
KIND, VERSION = 0x4D536978, 2  # by which SQLite's file is known as an index, and as one of this form
TABLE = """CREATE TABLE takes (
    path TEXT, figure TEXT, size INTEGER, changed INTEGER, digest TEXT, problem TEXT,
    fps REAL, first_frame INTEGER, frames INTEGER, leg REAL, moments BLOB, measures BLOB, features BLOB,
    PRIMARY KEY (path, figure))"""
COLUMNS = 13


class Known(NamedTuple):
    """What an index knows of a file: by which it is known again, and why it could not be read, if so."""

    size: int
    changed: int
    digest: str
    problem: str


class Entry(NamedTuple):
    """A take of a library: its file, its figure, and what its rows are."""

    path: str
    figure: str
    fps: float
    first_frame: int
    frames: int
    leg: float
    number: int  # of its row in the index


def index_of(folder):
    """Where the index of a folder is."""
    return Path(folder) / FILE


@contextmanager
def opened(path, writing=False):
    """An index that is open, or a Refusal: where there is none, it is of a newer version, or no index at all."""
    path = Path(path)
    if not writing and not path.is_file():
        raise Refusal(f"{path.parent}: it has no index yet, or is not there any more; index it first")
    try:
        base = sqlite3.connect(path if writing else f"{path.absolute().as_uri()}?mode=ro", uri=not writing, timeout=10)
        try:
            check(base, path, writing)
            with base:
                yield base
        finally:
            base.close()
    except sqlite3.Error as error:
        raise Refusal(f"{path}: the index cannot be {'written' if writing else 'read'} ({error})") from None


def check(base, path, writing):
    """See that a file is an index of this version; an older one is emptied by who writes, to be made anew."""
    try:
        kind, version = (base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        tables = base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise Refusal(f"{path}: it is no index of takes ({error}); move it away to have one made") from None
    if tables and kind != KIND:
        raise Refusal(f"{path}: it is no index of takes; move it away to have one made")
    if version > VERSION:
        raise Refusal(f"{path}: the index is of version {version}, and this Motion Signal knows {VERSION}; update it")
    if not writing and version < VERSION:
        raise Refusal(f"{path}: the index is of an older version; index the folder again")
    if version < VERSION:
        begin(base)


def begin(base):
    """Make an index that is empty, all at once: whoever is stopped leaves none, and of two who begin together one does."""
    with base:
        base.execute("BEGIN IMMEDIATE")
        if base.execute("PRAGMA user_version").fetchone()[0] < VERSION:
            base.execute("DROP TABLE IF EXISTS takes")
            base.execute(TABLE)
            base.execute(f"PRAGMA application_id = {KIND}")
            base.execute(f"PRAGMA user_version = {VERSION}")


def known(base):
    """What is known of every file, by its path."""
    rows = base.execute("SELECT path, size, changed, digest, problem FROM takes")
    return {path: Known(*rest) for path, *rest in rows}


def forget(base, paths):
    with base:
        base.executemany("DELETE FROM takes WHERE path = ?", [(path,) for path in paths])


def touch(base, path, size, changed):
    """Note that a file is what it was, by another time."""
    with base:
        base.execute("UPDATE takes SET size = ?, changed = ? WHERE path = ?", (size, changed, path))


def keep(base, path, stamp, digest, figures):
    """Put what a file holds in place of what was known of it: `figures` is {name: row}, as `row_of` makes them."""
    with base:
        base.execute("DELETE FROM takes WHERE path = ?", (path,))
        slots = ", ".join("?" * COLUMNS)
        base.executemany(
            f"INSERT INTO takes VALUES ({slots})",
            [(path, name, *stamp, digest, "", *row) for name, row in figures.items()],
        )


def keep_problem(base, path, stamp, digest, problem):
    """Note why a file could not be read, so that it is not tried again before it changes."""
    with base:
        base.execute("DELETE FROM takes WHERE path = ?", (path,))
        base.execute(f"INSERT INTO takes VALUES ({', '.join('?' * COLUMNS)})", (path, "", *stamp, digest, problem, *[None] * 7))


def row_of(features, frames):
    """What is kept of a figure of a take."""
    rows = moments(features)[::EVERY].astype("<f2").tobytes()
    return (
        features.fps,
        features.first_frame,
        frames,
        features.leg,
        rows,
        measured(features).astype("<f2").tobytes(),
        packed(features),
    )


class Library:
    """All takes of an index, as who searches needs them: moments and measures in one array each, and where each take's are."""

    def __init__(self, path):
        self.path = Path(path)
        with opened(self.path) as base:
            rows = base.execute(
                "SELECT path, figure, fps, first_frame, frames, leg, rowid, moments, measures FROM takes"
                " WHERE problem = '' ORDER BY path, figure"
            ).fetchall()
        self.setup([Entry(*row[:7]) for row in rows], [row[7] for row in rows], [row[8] for row in rows])
        self.kept, self.near, self.ways = {}, {}, None

    def setup(self, entries, moment_blobs, measure_blobs):
        self.entries = entries
        whole = np.frombuffer(b"".join(moment_blobs), "<f2").reshape(-1, WIDTH)
        self.moments = whole.astype(np.float32)
        self.measures = np.frombuffer(b"".join(measure_blobs), "<f2").reshape(-1, len(MEASURES)).astype(np.float32)
        counts = np.array([len(blob) // (2 * WIDTH) for blob in moment_blobs], dtype=int)
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        self.take = np.repeat(np.arange(len(counts)), counts)  # which take each moment is of
        self.squares = np.einsum("rn,rn->r", self.moments, self.moments)

    def fetch(self, indices):
        """Read the features of takes that are not read yet."""
        missing = [index for index in indices if index not in self.kept]
        if not missing:
            return
        with opened(self.path) as base:
            for index in missing:
                entry = self.entries[index]
                found = base.execute(
                    "SELECT features FROM takes WHERE rowid = ? AND path = ?", (entry.number, entry.path)
                ).fetchone()
                if found is None:
                    raise Refusal(f"{entry.path}: the index has changed since it was read; search again")
                self.kept[index] = unpacked(found[0], entry.fps, entry.first_frame, entry.leg)

    def features(self, index):
        """The features of a take, read when they are first asked for."""
        self.fetch([index])
        return self.kept[index]

    def close(self, index):
        """All moments of a take."""
        if index not in self.near:
            self.near[index] = moments(self.features(index))
        return self.near[index]


def problems(path):
    """Files that could not be read, and why, [(path, reason)]."""
    with opened(path) as base:
        return base.execute("SELECT path, problem FROM takes WHERE problem != '' ORDER BY path").fetchall()
