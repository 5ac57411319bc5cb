# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands index and find: a folder of takes as something that can be asked."""

import argparse
import json
import re
import sys
import time
from pathlib import Path

from ...core.declare.version import TYPED
from ...core.library.find import find_like, find_pose
from ...core.library.store import Library, index_of
from ...core.library.ways import find_way
from ...core.library.words import MEASURES, OVER, PHRASES, find_words, told
from ...core.numeric.refusal import Refusal
from ..library import index as indexing
from ..library.one_file import figures
from .arguments import count

TOLD = ("path", "figure", "first", "last", "mirrored", "distance")
FRAMES = re.compile(r"(-?\d{1,7})-(-?\d{1,7})")


def add_commands(below, wide):
    """The parsers of both."""
    one = below.add_parser(
        "index",
        help="Index a folder of takes, so that it can be searched",
        description="Read what the takes of a folder do, and keep it in a file in it. Only what has changed is read again.",
    )
    one.set_defaults(work=make_index)
    one.add_argument("folder", help="folder of motion files")
    one.add_argument("--jobs", type=count, metavar="N", help="how many files are read at once, each on a core [all cores]")
    measures = ", ".join(measure.name for measure in (*MEASURES, *OVER))
    one = below.add_parser(
        "find",
        help="Find stretches of motion in a folder of takes",
        usage=f'{TYPED} find FOLDER ["WORDS"] [--like FILE [--frames A-B] | --pose FILE --frames A | --way X,Y X,Y ...]',
        description="Find stretches in a folder that was indexed: like a stretch of a take, like a pose, along a way, or by "
        f"words such as 'speed > 1.5, turn < 20'. Measured are {measures}; {', '.join(PHRASES)} are short for such.",
        formatter_class=wide,
    )
    one.set_defaults(work=search)
    one.add_argument("folder", help="folder that was indexed")
    one.add_argument("words", nargs="?", default="", help="what is asked for, such as 'speed > 1.5, turn < 20'")
    one.add_argument("--like", metavar="FILE", help="take that the stretches are to be like")
    one.add_argument("--pose", metavar="FILE", help="take with a pose that is looked for, at the first of --frames")
    one.add_argument("--frames", type=frames, metavar="A-B", help="frames of that take [all]")
    one.add_argument("--way", type=point, nargs="+", metavar="X,Y", help="points of a way in metres that is to be gone along")
    one.add_argument("--no-mirror", action="store_true", help="do not look in the mirror")
    one.add_argument("--count", type=count, default=10, metavar="N", help="how many are told [10]")
    one.add_argument("--json", action="store_true", help="print what is found as JSON")


def frames(text):
    found = FRAMES.fullmatch(text) or re.fullmatch(r"(-?\d{1,7})", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} are no frames such as 120-180")
    return int(found[1]), int(found[found.re.groups])


def point(text):
    try:
        x, y = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no point such as 1.5,2") from None
    return x, y


def make_index(chosen):
    """Bring an index up to date, and say what is in it; 1 where files could not be read."""
    began = time.perf_counter()
    done = indexing.update(chosen.folder, chosen.jobs)
    for path, problem in done.problems:
        print(f"{TYPED}: {path}: {problem}", file=sys.stderr)
    print(f"{chosen.folder}: {done.words()}, in {time.perf_counter() - began:.1f} s")
    return 1 if done.problems else 0


def search(chosen):
    """Look for what is asked, and print it."""
    asked = [name for name in ("words", "like", "pose", "way") if getattr(chosen, name)]
    if len(asked) != 1:
        raise Refusal(f"find: say what is looked for, as one of words, --like, --pose and --way, not {len(asked)} of them")
    library = Library(index_of(chosen.folder))
    hits = {"words": by_words, "like": by_motion, "pose": by_pose, "way": by_way}[asked[0]](library, chosen)
    if chosen.json:
        print(json.dumps([{**dict(zip(TOLD, hit)), "words": told(library, hit)} for hit in hits], indent=1))
        return 0
    if not hits:
        print("nothing is found")
    for hit in hits:
        near = f"{100.0 * hit.distance:.1f} cm, " if asked[0] != "words" else ""
        mirror = " in the mirror" if hit.mirrored else ""
        print(f"{hit.path} {hit.first}-{hit.last}{mirror}: {near}{told(library, hit)}")
    return 0


def by_words(library, chosen):
    return find_words(library, chosen.words, chosen.count)


def by_motion(library, chosen):
    return find_like(library, asked_of(Path(chosen.like), chosen.frames), chosen.count, not chosen.no_mirror)


def by_pose(library, chosen):
    return find_pose(library, asked_of(Path(chosen.pose), chosen.frames), chosen.count, not chosen.no_mirror)


def by_way(library, chosen):
    return find_way(library, chosen.way, chosen.count, not chosen.no_mirror)


def asked_of(path, frames):
    """The features of some frames of a file."""
    if not path.is_file():
        raise Refusal(f"{path}: there is no such file")
    found = next(iter(figures(path).values()))[0]
    return found.between(*frames) if frames else found
