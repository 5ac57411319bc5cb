# SPDX-License-Identifier: GPL-3.0-or-later
"""What a batch reads and writes where, and whether it can, all before any take is touched."""

import os
import shutil
import sys
import tempfile
from contextlib import contextmanager, nullcontext, suppress
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from ...core.numeric.refusal import Refusal
from ...core.recipes.references import references
from ..files import kinds, whole_files

HIDDEN = ".motion_signal"  # folder beside the results, with a record for every take that is done
RESULT_SIZE = 2.0  # times the size of a take, for its result


def is_to_a_file(takes, output):
    """Whether one file becomes another, instead of a folder being filled: the output is named as a motion file is."""
    named_so = output.suffix.lower() in kinds.WRITABLE and not output.is_dir()
    if named_so and (len(takes) != 1 or takes[0].is_dir()):
        raise Refusal(f"{output}: several files cannot go into one; name a folder")
    return named_so


def planned(takes, output, order, alone=False):
    """What is read and written: a folder for results, and rows of folder, path in it, and path in that; folders mirrored.

    One file `alone` becomes the output itself.
    """
    pairs = []
    for take in takes:
        if not (take.exists() or take.is_symlink()):
            raise Refusal(f"{take}: there is no such file or folder")
        if take.is_dir() and (output == take or take in output.parents):
            raise Refusal(f"{output}: the output lies in the folder of the takes, {take}")
        if not take.is_dir():
            kinds.check_readable(take)
        root = take if take.is_dir() else take.parent
        for path in found(take) if take.is_dir() else [take]:
            pairs.append((root, path.relative_to(root).as_posix(), named(path.relative_to(root), order.ending).as_posix()))
    if not pairs:
        raise Refusal(f"{takes[0]}: there are no motion files in it")
    pairs = chosen(pairs, order)
    if not alone:
        return output, pairs
    if not output.parent.is_dir():
        raise Refusal(f"{output}: there is no folder {output.parent}")
    return output.parent, [(root, source, output.name) for root, source, _ in pairs]


def chosen(pairs, order):
    """Those that are included and not excluded, and of these the shard's: every so manieth."""
    fitting = [
        pair for pair in pairs if (not order.include or fits(pair[1], order.include)) and not fits(pair[1], order.exclude)
    ]
    if not fitting:
        raise Refusal(f"include, exclude: none of {len(pairs)} takes is left")
    index, count = order.shard
    return fitting[index - 1 :: count]


def fits(path, patterns):
    """Whether a path, its name or a folder that it lies in fits a pattern."""
    places = (path, Path(path).name, *map(str, PurePosixPath(path).parents))
    return any(fnmatchcase(place, pattern.rstrip("/")) for place in places for pattern in patterns)


def check_apart(output, pairs, others=(), alone=False):
    """A Refusal where a result would take the place of what is read, of another result, or of a file beside the takes that
    no batch has made, by whatever name it goes."""
    read = {mark(path) for path in (*(root / source for root, source, _ in pairs), *others) if path.exists()}
    folded = (output / HIDDEN.upper()).exists()  # a disk to which Walk.bvh and walk.bvh are the same
    among = not alone and any(output == root or output in root.parents for root, *_ in pairs)
    sources = {}
    for root, source, target in pairs:
        path, name = output / target, target.casefold() if folded else target
        if path.exists() and mark(path) in read:
            raise Refusal(f"{path}: a take would be written over")
        if among and path.exists() and not (output / record_of(target)).exists():
            raise Refusal(f"{path}: it was not made by a batch, and would be written over; name another folder")
        if name in sources:
            raise Refusal(f"{target}: both {sources[name]} and {root / source} would be written to it")
        sources[name] = root / source


def mark(path):
    """What tells a file from all others, however it is reached."""
    status = path.stat()
    return status.st_dev, status.st_ino


def record_of(target):
    return f"{HIDDEN}/{target}.json"


def motion_of(target):
    return f"{HIDDEN}/{target}.motion.js"


def found(folder):
    """Motion files in a folder and those below it, but nothing hidden; links to folders are named and not followed."""
    for here, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in below:
            if (Path(here) / name).is_symlink():
                print(
                    f"{Path(here) / name}: a link to a folder, which is not followed; name it to have it done", file=sys.stderr
                )
        yield from (
            Path(here) / name
            for name in sorted(names)
            if Path(name).suffix.lower() in kinds.READABLE and not name.startswith(".")
        )


def named(path, ending):
    return path.with_suffix(ending or (".glb" if path.suffix.lower() == ".gltf" else path.suffix))


@contextmanager
def output_folder(output):
    """See to it that the output folder is there and can be written to, or a Refusal; made for nothing, it goes again."""
    there = output.exists()
    try:
        (output / HIDDEN).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=output / HIDDEN) as probe:
            probe.write(b"motion")
            probe.flush()
    except OSError as error:
        raise Refusal(f"{output}: nothing can be written to it ({error.strerror or error})") from None
    whole_files.clear_unfinished(output)
    try:
        yield
    finally:
        whole_files.clear_unfinished(output)
        for folder in (output / HIDDEN,) if there else (output / HIDDEN, output):
            with suppress(OSError):  # it is not empty
                folder.rmdir()


@contextmanager
def workplace(output, alone=False):
    """See to the output folder, and give one in it for what --with brings, which all workers see."""
    with nullcontext() if alone else output_folder(output):
        with tempfile.TemporaryDirectory(
            dir=output if alone else output / HIDDEN,
            prefix=whole_files.UNFINISHED + whole_files.own_mark(),
            ignore_cleanup_errors=True,
        ) as aside:
            yield Path(aside)


def check_disk_space(output, todo):
    """A Refusal where the disk is too full for what is to be written."""
    sources = [Path(job["takes"]) / job["source"] for job in todo]
    needed = RESULT_SIZE * sum(source.stat().st_size for source in sources if source.exists())
    free = shutil.disk_usage(output).free
    if free < needed:
        raise Refusal(f"{output}: the disk has {free / 1e6:,.0f} MB left, and the results need about {needed / 1e6:,.0f} MB")


def check_references(recipe, there, pairs):
    """A Refusal if a step names what is not `there`, {"action": names, "curve": names}; a .blend file may hold it itself."""
    if all(source.lower().endswith(".blend") for _, source, _ in pairs):
        return
    for index, step in enumerate(recipe.steps):
        for kind, names in references(step).items() if step.on else ():
            for name in sorted(names - there.get(kind, set())):
                raise Refusal(f"step {index + 1}, {step.technique.label}: there is no {kind} {name}; --with brings its file")
