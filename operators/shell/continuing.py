# SPDX-License-Identifier: GPL-3.0-or-later
"""The command continue: a take that goes on in others of a library, or along a way through it, written as a new file."""

from pathlib import Path

from ...core.body.unit import guessed_unit
from ...core.composed.along_curve import laid_along, links_along
from ...core.composed.continued import chained, continued
from ...core.declare.version import COMMAND
from ...core.files.bvh_take import read_bvh, sized, write_bvh
from ...core.library.store import Library, index_of
from ...core.motion.leading import leading_rows
from ...core.numeric.refusal import Refusal
from ..files.whole_files import whole
from ..library.readable import take_from
from .arguments import count, seconds
from .library import point


def add_continue(below, wide):
    one = below.add_parser(
        "continue",
        help="Go on from a take in others of a folder that was indexed",
        usage=f"{COMMAND} continue FOLDER TAKE -o OUTPUT [--count N | --way X,Y X,Y ...]",
        description="Go on from a .bvh take in others of a folder that was indexed, on its figure, each joined where it is "
        "most like the one before, with feet that stand; or along a way, by the stretches that follow it best.",
        formatter_class=wide,
    )
    one.set_defaults(work=go_on)
    one.add_argument("folder", help="folder that was indexed")
    one.add_argument("take", help="take that it begins with (.bvh)")
    one.add_argument("-o", "--output", required=True, help="file for the result (.bvh)")
    one.add_argument("--count", type=count, default=4, metavar="N", help="how many takes follow, no one twice [4]")
    one.add_argument("--seconds", type=seconds, default=2.0, metavar="X", help="how long each lasts, about [2]")
    one.add_argument("--way", type=point, nargs="+", metavar="X,Y", help="points of a way in metres to go along, instead")
    one.add_argument(
        "--budget", type=seconds, default=60.0, metavar="X", help="seconds after which the search is given up [60]"
    )


def go_on(chosen):
    """Search, join and write, and say what follows on what."""
    source, target = Path(chosen.take), Path(chosen.output)
    if source.suffix.lower() != ".bvh" or target.suffix.lower() != ".bvh":
        raise Refusal(f"continue: it is from a .bvh file to a .bvh file, not from {source.name} to {target.name}")
    if target.exists() and source.exists() and target.samefile(source):
        raise Refusal(f"{target}: the take would be written over")
    library = Library(index_of(chosen.folder))
    clip, skeleton = read_bvh(source)
    skeleton = sized(skeleton, guessed_unit(skeleton)[0])
    clip = clip.with_values(clip.values[leading_rows(clip, skeleton) :])
    used = {entry.path for entry in library.entries if (Path(chosen.folder) / entry.path).resolve() == source.resolve()}

    def read(hit):
        return take_from(Path(chosen.folder) / hit.path, hit.figure)

    if chosen.way:
        links = links_along(library, clip, skeleton, read, chosen.way, chosen.budget)
        result = laid_along(clip, skeleton, links, chosen.way)
    else:
        links = chained(library, clip, skeleton, read, chosen.count, chosen.seconds, used)
        result = continued(clip, skeleton, links)
    with whole(target, lambda unfinished: write_bvh(unfinished, result, skeleton)):
        pass
    for link in links:
        mirror = " in the mirror" if link.hit.mirrored else ""
        print(f"{link.hit.path} from {link.hit.first}{mirror}: {100.0 * link.hit.distance:.1f} cm off, {link.transition:.2f} s")
    print(f"{target}: {result.frames} frames")
    return 0
