# SPDX-License-Identifier: GPL-3.0-or-later
"""A recipe on a folder of takes: planned and checked as a whole, then spread, and told about in a report.

Beside the results stands .motion_signal, a folder with a record for every take that is done.
"""

import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path

from ..core.refusal import Refusal
from . import files
from .one_take import put, stamp
from .page import page, worst_first
from .plan import HIDDEN, brought, check_references, check_room, output_folder, planned
from .progress import Progress, duration
from .recipe_list import read_recipe_file
from .remembered import made_with
from .spread import Cluster, over_processes


@dataclass(frozen=True)
class Order:
    """What a batch is asked: a recipe's file, takes as files and folders, a folder for what comes of them, and how."""

    recipe: str
    takes: tuple
    output: str
    others: tuple = ()  # files with takes and curves that the recipe names
    object: str = ""  # name of the object to work on; empty for every animated armature
    ending: str = ""  # of all results; empty for that of their takes
    jobs: int = 1
    scheduler: str = ""  # address of a cluster's; empty for this machine
    limit: float = 3600.0  # seconds for a take
    unit: float = 1.0  # metres in a unit of .bvh files


def run(order):
    """Run a recipe on takes; True if none failed.

    What the folder holds already, made by the same recipe of the same takes, is not made again. A Refusal says what is
    wrong with the order, before any take is touched.
    """
    started, steps = time.monotonic(), read_recipe_file(order.recipe)
    if not any(step.on for step in steps.steps):
        raise Refusal(f"{Path(order.recipe).name}: none of its steps is on")
    output = Path(order.output).resolve()
    pairs = planned([Path(take).resolve() for take in order.takes], output, order.ending)
    with output_folder(output), brought(output) as folder:
        libraries = files.put_aside([Path(other) for other in order.others], folder)
        check_references(steps, libraries, pairs)
        todo, done = sorted_out(jobs_for(order, steps, output, pairs, libraries))
        check_room(output, todo)
        spread = Cluster(order.scheduler, [output, *{root for root, *_ in pairs}]) if order.scheduler else (
            lambda waiting: over_processes(waiting, min(order.jobs, len(waiting))))
        if done:
            print(f"{len(done)} of {len(pairs)} takes are done already", flush=True)
        records = work(spread, todo, done)
        tell(records, output, steps, started)
    return all(record["status"] == "done" for record in records)


def jobs_for(order, recipe, output, pairs, libraries):
    """What each take asks of a Blender, as plain data."""
    common = {"recipe": recipe.to_json(), "object": order.object, "with": [str(library) for library in libraries],
              "output": str(output), "limit": order.limit, "unit": order.unit,
              "digest": digest(recipe, order.object, order.others, order.unit)}
    return [{**common, "takes": str(root), "source": source, "target": target, "record": f"{HIDDEN}/{target}.json"}
            for root, source, target in pairs]


def sorted_out(jobs):
    """Jobs that are to be done, and records of those that are done."""
    known = [finished(job) for job in jobs]
    return [job for job, record in zip(jobs, known) if not record], [record for record in known if record]


def work(spread, todo, done):
    progress = Progress(len(todo))
    for record in spread(todo) if todo else ():
        progress.step(record)
        done.append(record)
    progress.end()
    return done


def digest(recipe, subject, others, unit):
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
               for record in worst_first(records)]
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
