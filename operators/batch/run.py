# SPDX-License-Identifier: GPL-3.0-or-later
"""A recipe on takes: planned and checked as a whole, then spread, and told about in a report.

Beside the results stands .motion_signal, a folder with a record for every take that is done. One file that becomes another
file leaves neither: a line says what came of it.
"""

import hashlib
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from ...core.numeric.refusal import Refusal
from ..bridge.provenance import made_with
from ..files import files
from ..files.whole_files import write_text
from . import one_take
from .one_take import stamp
from .page import page, worst_first
from .plan import check_apart, check_disk_space, check_references, is_to_a_file, planned, record_of, workplace
from .progress import Progress, duration
from .spread import Cluster, over_processes

LIMIT = 3600.0  # seconds for a take, unless told otherwise


@dataclass(frozen=True)
class Order:
    """What a batch is asked: a recipe, takes as files and folders, a folder (for one a file) for results, and how."""

    recipe: object
    takes: tuple
    output: str
    exact: tuple = ()  # parameters that are refused where they do not fit a take, instead of made to fit
    others: tuple = ()  # files with takes and curves that the recipe names
    object: str = ""  # name of the object to work on; empty for every animated armature
    action: str = ""  # name of the action to work on; empty for the one that the object has
    ending: str = ""  # of all results; empty for that of their takes
    jobs: int = 1
    scheduler: str = ""  # address of a cluster's; empty for this machine
    limit: float | None = None  # seconds for a take
    unit: float = 1.0  # metres in a unit of .bvh files


def run(order):
    """Run a recipe on takes; True if none failed.

    What the folder holds already, made by the same recipe of the same takes, is not made again. A Refusal says what is
    wrong with the order, before any take is touched.
    """
    started, takes, output = time.monotonic(), [Path(take).resolve() for take in order.takes], Path(order.output).resolve()
    alone = is_to_a_file(takes, output)
    folder, pairs = planned(takes, output, order.ending, alone)
    with workplace(folder, alone) as aside:
        check_apart(folder, pairs, [Path(other) for other in order.others], alone)
        libraries = files.put_aside([Path(other) for other in order.others], aside)
        check_references(order.recipe, libraries, pairs)
        todo, done = sorted_out(jobs_for(order, folder, pairs, libraries, alone))
        check_disk_space(folder, todo)
        records = collect(spread_of(order, folder, pairs, alone), todo, done, alone)
        if alone:
            return tell_one(records[0], order)
        write_report(records, folder, order.recipe, started)
    return all(record["status"] == "done" for record in records)


def jobs_for(order, output, pairs, libraries, alone=False):
    """What each take asks of a Blender, as plain data. One that is alone leaves no record."""
    common = {
        "recipe": order.recipe.to_json(),
        "exact": order.exact,
        "object": order.object,
        "action": order.action,
        "with": [str(library) for library in libraries],
        "output": str(output),
        "limit": order.limit or LIMIT,
        "unit": order.unit,
        "digest": digest(order),
    }
    return [
        {**common, "takes": str(root), "source": source, "target": target, "record": "" if alone else record_of(target)}
        for root, source, target in pairs
    ]


def spread_of(order, output, pairs, alone):
    """Who does it: a cluster, Blenders of their own, or for one file this very one."""
    if order.scheduler:
        return Cluster(order.scheduler, [output, *{root for root, *_ in pairs}])
    if alone and order.limit is None:
        return lambda jobs: map(one_take.work, jobs)
    return lambda jobs: over_processes(jobs, min(order.jobs, len(jobs)))


def sorted_out(jobs):
    """Jobs that are to be done, and records of those that are done."""
    known = [finished(job) for job in jobs]
    return [job for job, record in zip(jobs, known) if not record], [record for record in known if record]


def collect(spread, todo, done, quiet=False):
    if done:
        print(f"{len(done)} of {len(done) + len(todo)} takes are done already", flush=True)
    progress = Progress(len(todo))
    for record in spread(todo) if todo else ():
        if not quiet:
            progress.step(record)
        done.append(record)
    progress.end()
    return done


def digest(order):
    """What a result depends on besides its take."""
    brought = [[Path(other).name, *stamp(Path(other))] for other in order.others]
    told = [
        [step.as_data() for step in order.recipe.steps],
        list(order.exact),
        made_with(),
        order.object,
        order.action,
        brought,
        order.unit,
    ]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def finished(job):
    """The record of a job that is done: its take and its result are the ones that it was written for."""
    try:
        record = json.loads((Path(job["output"]) / job["record"]).read_text("utf-8"))
        same = (
            record["job"] == job["digest"]
            and record["read"] == stamp(Path(job["takes"]) / job["source"])
            and record["written"] == stamp(Path(job["output"]) / job["target"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record if same else None


def write_report(records, output, recipe, started):
    """Write report.json and report.html, and say in a line what came of it."""
    records = [
        {name: value for name, value in record.items() if name not in ("job", "read", "written")}
        for record in worst_first(records)
    ]
    failed, seconds = sum(record["status"] == "failed" for record in records), time.monotonic() - started
    versions = made_with()
    about = {
        "Steps": [described(step) for step in recipe.steps if step.on],
        "Made": time.strftime("%Y-%m-%d %H:%M"),
        "With": f"Motion Signal {versions['motion_signal']}, Blender {versions['blender']}",
        "seconds": seconds,
    }
    plain = [
        {
            **record,
            "figures": {
                name: {key: value for key, value in figure.items() if key != "thumbnail"}
                for name, figure in record["figures"].items()
            },
        }
        for record in records
    ]
    write_text(output / "report.json", json.dumps({"recipe": json.loads(recipe.to_json()), "takes": plain}, indent=1) + "\n")
    write_text(output / "report.html", page(records, f"{len(records)} takes", about))
    print(
        f"{len(records) - failed} of {len(records)} takes done in {duration(seconds)}"
        f"{f', {failed} failed' if failed else ''}: see {output / 'report.html'}"
    )


def tell_one(record, order):
    """Say in a line what became of one file, or refuse as it was refused; True if all went well."""
    if record.get("traceback"):
        print(f"{order.takes[0]}: {record['reason']}\n{record['traceback']}", file=sys.stderr)
        return False
    if record["status"] == "failed":
        raise Refusal(f"{order.takes[0]}: {record['reason']}")
    told = "; ".join(f"{name}: {figure['words']}" for name, figure in record["figures"].items())
    print(f"{order.takes[0]} -> {order.output}: {told}")
    return True


def described(step):
    data = step.as_data()
    told = [f"{name} {json.dumps(value)}" for name, value in {**data["params"], **data.get("scope", {})}.items()]
    return f"{step.technique.label}{': ' if told else ''}{', '.join(told)}"
