# SPDX-License-Identifier: GPL-3.0-or-later
"""A recipe on a folder of takes: planned and checked as a whole, then spread, and told about in a report.

Beside the results stands .motion_signal, a folder with a record for every take that is done.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from ..core.references import references
from . import files
from .one_take import put, stamp
from .page import order, page
from .progress import Progress, duration
from .recipe_list import read_recipe_file
from .remembered import made_with
from .spread import Cluster, over_processes

HIDDEN = ".motion_signal"
ROOM = 2.0  # times the size of a take, for its result


def run(recipe, takes, output, others, subject, ending, jobs, scheduler, limit, unit):
    """Run the recipe in a file on takes, files and folders, into a folder; True if none failed.

    What the folder holds already, made by the same recipe of the same takes, is not made again. A ValueError says what is
    wrong with the command, before any take is touched.
    """
    started, steps = time.monotonic(), read_recipe_file(recipe)
    if not any(step.on for step in steps.steps):
        raise ValueError(f"{Path(recipe).name}: none of its steps is on")
    pairs = planned([Path(take).resolve() for take in takes], Path(output).resolve(), ending)
    with output_folder(Path(output).resolve()) as output, brought(output) as folder:
        libraries = files.put_aside([Path(other) for other in others], folder)
        check_references(steps, libraries, pairs)
        common = {"recipe": steps.to_json(), "object": subject, "with": [str(library) for library in libraries],
                  "output": str(output), "limit": limit, "unit": unit,
                  "digest": digest(steps, subject, others, unit)}
        todo, done = [], []
        for root, source, target in pairs:
            job = {**common, "takes": str(root), "source": source, "target": target, "record": f"{HIDDEN}/{target}.json"}
            known = finished(job)
            (done if known else todo).append(known or job)
        check_room(output, todo)
        spread = Cluster(scheduler, [output, *{root for root, *_ in pairs}]) if scheduler else (
            lambda waiting: over_processes(waiting, min(jobs, len(waiting))))
        if done:
            print(f"{len(done)} of {len(pairs)} takes are done already", flush=True)
        records = work(spread, todo, done)
        tell(records, output, steps, started)
    return all(record["status"] == "done" for record in records)


def work(spread, todo, done):
    progress = Progress(len(todo))
    for record in spread(todo) if todo else ():
        progress.step(record)
        done.append(record)
    progress.end()
    return done


def planned(takes, output, ending):
    """What is read and written: rows of folder, path in it, and path in the output; folders mirrored."""
    pairs = []
    for take in takes:
        if not take.exists():
            raise ValueError(f"{take}: there is no such file or folder")
        if take.is_dir() and (output == take or take in output.parents):
            raise ValueError(f"{output}: the output lies in the folder of the takes, {take}")
        root = take if take.is_dir() else take.parent
        for path in found(take) if take.is_dir() else [take]:
            pairs.append((root, path.relative_to(root).as_posix(), named(path.relative_to(root), ending).as_posix()))
    if not pairs:
        raise ValueError(f"{takes[0]}: there are no motion files in it")
    sources = {}
    for root, source, target in pairs:
        files.check_ending(Path(target))
        if (root / source) == output / target:
            raise ValueError(f"{output / target}: a take would be written over")
        if target in sources:
            raise ValueError(f"{target}: both {sources[target]} and {root / source} would be written to it")
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
    """The output folder, made if it is not there and gone again if nothing comes of it, or a ValueError."""
    try:
        (output / HIDDEN).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=output / HIDDEN) as probe:
            probe.write(b"motion")
            probe.flush()
    except OSError as error:
        raise ValueError(f"{output}: nothing can be written to it ({error.strerror or error})") from None
    files.clear_parts(output)
    try:
        yield output
    finally:
        files.clear_parts(output)
        for folder in (output / HIDDEN, output):
            with suppress(OSError):  # it is not empty
                folder.rmdir()


def brought(output):
    """A folder for what --with brings, which all workers see."""
    return tempfile.TemporaryDirectory(dir=output / HIDDEN, prefix=files.PART + files.own_mark(), ignore_cleanup_errors=True)


def check_room(output, todo):
    """A ValueError where the disk is too full for what is to be written."""
    needed = ROOM * sum((Path(job["takes"]) / job["source"]).stat().st_size for job in todo)
    free = shutil.disk_usage(output).free
    if free < needed:
        raise ValueError(f"{output}: the disk has {free / 1e6:,.0f} MB left, and the results need about {needed / 1e6:,.0f} MB")


def check_references(recipe, libraries, pairs):
    """A ValueError if a step names what no file brings; a .blend file may hold it itself."""
    if all(source.lower().endswith(".blend") for _, source, _ in pairs):
        return
    there = files.held_in(libraries)
    for place, step in enumerate(recipe.steps):
        for kind, names in references(step.params).items() if step.on else ():
            for name in sorted(names - there[kind]):
                raise ValueError(f"step {place + 1}, {step.technique.label}: there is no {kind} {name}; --with brings its file")


def digest(recipe, subject, others, unit=1.0):
    """What a result depends on besides its take."""
    brought = [[Path(other).name, *stamp(Path(other))] for other in others]
    told = [[step.as_data() for step in recipe.steps], made_with(), subject, brought, unit]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def finished(job):
    """The record of a job that is done: its take and its result are the ones that it was written for."""
    try:
        record = json.loads((Path(job["output"]) / job["record"]).read_text("utf-8"))
        same = (record["job"] == job["digest"] and record["read"] == stamp(Path(job["takes"]) / job["source"])
                and record["written"] == stamp(Path(job["output"]) / job["target"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record if same else None


def tell(records, output, recipe, started):
    """Write report.json and report.html, and say in a line what came of it."""
    records = [{name: value for name, value in record.items() if name not in ("job", "read", "written")}
               for record in order(records)]
    failed, seconds = sum(record["status"] == "failed" for record in records), time.monotonic() - started
    versions = made_with()
    about = {"Steps": [described(step) for step in recipe.steps if step.on], "Made": time.strftime("%Y-%m-%d %H:%M"),
             "With": f"Motion Signal {versions['motion_signal']}, Blender {versions['blender']}", "seconds": seconds}
    plain = [{**record, "figures": {name: {part: value for part, value in figure.items() if part != "thumbnail"}
                                    for name, figure in record["figures"].items()}} for record in records]
    put(output / "report.json", json.dumps({"recipe": json.loads(recipe.to_json()), "takes": plain}, indent=1) + "\n")
    put(output / "report.html", page(records, f"{len(records)} takes", about))
    print(f"{len(records) - failed} of {len(records)} takes done in {duration(seconds)}"
          f"{f', {failed} failed' if failed else ''}: see {output / 'report.html'}")


def described(step):
    data = step.as_data()
    told = [f"{name} {json.dumps(value)}" for name, value in {**data["params"], **data.get("scope", {})}.items()]
    return f"{step.technique.label}{': ' if told else ''}{', '.join(told)}"
