# SPDX-License-Identifier: GPL-3.0-or-later
"""What a batch reads and writes where, and whether it can, all before any take is touched."""

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from ..core.references import references
from ..core.refusal import Refusal
from . import files

HIDDEN = ".motion_signal"  # folder beside the results, with a record for every take that is done
ROOM = 2.0  # times the size of a take, for its result


def planned(takes, output, ending):
    """What is read and written: rows of folder, path in it, and path in the output; folders mirrored."""
    pairs = []
    for take in takes:
        if not take.exists():
            raise Refusal(f"{take}: there is no such file or folder")
        if take.is_dir() and (output == take or take in output.parents):
            raise Refusal(f"{output}: the output lies in the folder of the takes, {take}")
        root = take if take.is_dir() else take.parent
        for path in found(take) if take.is_dir() else [take]:
            pairs.append((root, path.relative_to(root).as_posix(), named(path.relative_to(root), ending).as_posix()))
    if not pairs:
        raise Refusal(f"{takes[0]}: there are no motion files in it")
    sources = {}
    for root, source, target in pairs:
        files.check_ending(Path(target))
        if (root / source) == output / target:
            raise Refusal(f"{output / target}: a take would be written over")
        if target in sources:
            raise Refusal(f"{target}: both {sources[target]} and {root / source} would be written to it")
        sources[target] = root / source
    return pairs


def found(folder):
    """Motion files in a folder and those below it, but nothing hidden."""
    for here, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield from (Path(here) / name for name in sorted(names)
                    if Path(name).suffix.lower() in files.READERS and not name.startswith("."))


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
    files.clear_parts(output)
    try:
        yield
    finally:
        files.clear_parts(output)
        for folder in (output / HIDDEN,) if there else (output / HIDDEN, output):
            with suppress(OSError):  # it is not empty
                folder.rmdir()


def brought(output):
    """A folder for what --with brings, which all workers see."""
    return tempfile.TemporaryDirectory(dir=output / HIDDEN, prefix=files.PART + files.own_mark(), ignore_cleanup_errors=True)


def check_room(output, todo):
    """A Refusal where the disk is too full for what is to be written."""
    needed = ROOM * sum((Path(job["takes"]) / job["source"]).stat().st_size for job in todo)
    free = shutil.disk_usage(output).free
    if free < needed:
        raise Refusal(f"{output}: the disk has {free / 1e6:,.0f} MB left, and the results need about {needed / 1e6:,.0f} MB")


def check_references(recipe, libraries, pairs):
    """A Refusal if a step names what no file brings; a .blend file may hold it itself."""
    if all(source.lower().endswith(".blend") for _, source, _ in pairs):
        return
    there = files.held_in(libraries)
    for place, step in enumerate(recipe.steps):
        for kind, names in references(step.params).items() if step.on else ():
            for name in sorted(names - there[kind]):
                raise Refusal(f"step {place + 1}, {step.technique.label}: there is no {kind} {name}; --with brings its file")
