# SPDX-License-Identifier: GPL-3.0-or-later
"""Index: what all takes of a folder do, kept in a file in it. Only what has changed is read again, on all cores.

Every file is kept as soon as it is read: who is stopped goes on from there.
"""

import os
from pathlib import Path
from typing import NamedTuple

from ...core.library import store
from ...core.numeric.refusal import Refusal
from ..batch.one_take import stamp
from ..batch.order import LIMIT
from ..batch.plan import found
from ..batch.spread import over_processes
from . import one_file

WORK = "motion_signal.operators.library.one_file"
ALONE = 3  # files that are sooner read here than by processes that have to be started


class Indexed(NamedTuple):
    """What became of an index."""

    takes: int
    frames: int
    read: int
    gone: int
    problems: tuple  # (file, why)

    def words(self):
        told = f"{self.takes} takes, {self.frames:,} frames; {self.read} read anew" + (
            f", {self.gone} gone" if self.gone else ""
        )
        return told + (f", {len(self.problems)} cannot be read" if self.problems else "")


def update(folder, jobs=None, progress=lambda done, total: None):
    """Bring the index of a folder up to date; what it holds then. `progress` is told of every file."""
    folder = Path(folder)
    if not folder.is_dir():
        raise Refusal(f"{folder}: there is no such folder")
    files = {path.relative_to(folder).as_posix(): path for path in found(folder)}
    path = store.index_of(folder)
    if not files and not path.exists():
        raise Refusal(f"{folder}: there are no motion files in it")
    with store.opened(path, writing=True) as base:
        known = store.known(base)
        gone = [name for name in known if name not in files]
        store.forget(base, gone)
        todo = [job for name, each in files.items() if (job := changed(base, folder, name, each, known.get(name)))]
        for count, answer in enumerate(answers(todo, jobs), 1):
            keep(base, answer)
            progress(count, len(todo))
        totals = base.execute("SELECT count(*), coalesce(sum(frames), 0) FROM takes WHERE problem = ''").fetchone()
    return Indexed(*totals, len(todo), len(gone), tuple(store.problems(path)))


def changed(base, folder, name, path, known):
    """The job of a file that is not what is known of it, or None; one that only has another time is noted as such."""
    try:
        size, when = stamp(path)
        if known and (known.size, known.changed) == (size, when):
            return None
        if known and known.size == size and known.digest == one_file.digest(path):
            store.touch(base, name, size, when)
            return None
    except OSError:  # it vanished meanwhile, or may not be read: whoever reads it says so
        size, when = 0, 0
    job = {"work": WORK, "takes": str(folder), "source": name, "stamp": [size, when], "limit": LIMIT}
    return job | {"target": "", "record": "", "output": "", "digest": "", "log": ""}


def answers(jobs, count):
    """What the files hold, as they are read."""
    count = min(count or os.cpu_count() or 1, len(jobs))
    if len(jobs) <= ALONE and all(job["source"].lower().endswith(".bvh") for job in jobs):
        yield from map(one_file.work, jobs)
    elif jobs:
        yield from over_processes(jobs, count)


def keep(base, answer):
    """Put an answer into the index; that of a process that was lost says so."""
    problem = answer.get("problem", "") or answer.get("reason", "")
    size_and_time = answer.get("stamp") or [0, 0]
    if problem or not answer.get("figures"):
        store.keep_problem(base, answer["source"], size_and_time, answer.get("digest", ""), problem or "nothing in it moves")
    else:
        rows = {name: one_file.read(row) for name, row in answer["figures"].items()}
        store.keep(base, answer["source"], size_and_time, answer["digest"], rows)
