# SPDX-License-Identifier: GPL-3.0-or-later
"""A recipe on takes: planned and checked as a whole, then spread, and told about in a report.

Beside the results stands .motion_signal, a folder with a record for every take. One file that becomes another file leaves
neither: a line says what came of it.
"""

import sys
from contextlib import nullcontext
from pathlib import Path

from ...core.numeric.refusal import Refusal
from . import one_take
from .at_work import at_work
from .jobs import check_blender, jobs_for, sorted_out
from .onto import check_onto
from .order import Order
from .plan import HIDDEN, check_apart, check_disk_space, check_references, is_to_a_file, planned, workplace
from .progress import Progress
from .report import Report
from .spread import Cluster, over_processes

__all__ = ("Order", "run")


def run(order):
    """Run a recipe on takes; True if none failed.

    What the folder holds already, made by the same recipe of the same takes, is not made again. A Refusal says what is
    wrong with the order, before any take is touched.
    """
    takes, output = [resolved(take) for take in order.takes], Path(order.output).resolve()
    alone = is_to_a_file(takes, output)
    folder, pairs = planned(takes, output, order, alone)
    check_onto(order.recipe)
    if order.dry_run:
        return tell_plan(order, folder, pairs, alone)
    with workplace(folder, alone) as aside, nullcontext() if alone else at_work(folder / HIDDEN, order.shard):
        check_apart(folder, pairs, [Path(other) for other in order.others], alone)
        libraries = brought(order, aside, pairs)
        jobs = jobs_for(order, folder, pairs, libraries, alone)
        check_blender(jobs)
        todo, done = sorted_out(jobs)
        check_disk_space(folder, todo)
        spread = spread_of(order, folder, pairs, alone)
        if alone:
            return tell_one(next(iter(spread(todo))), order)
        return work(order, Report(folder, order.recipe, jobs), spread, todo, done)


def resolved(take):
    """A take by its one true path; of a link to nothing the link itself."""
    path = Path(take)
    return path.resolve() if path.exists() else path.absolute()


def brought(order, aside, pairs):
    """What --with brings, put aside for all workers; a Refusal if a step names what is not there."""
    there, libraries = {}, []
    if order.others:
        from ..files import files

        libraries = files.put_aside([Path(other) for other in order.others], aside)
        there = files.held_in(libraries)
    check_references(order.recipe, there, pairs)
    return libraries


def tell_plan(order, output, pairs, alone):
    """Say what would be done, and do nothing."""
    check_apart(output, pairs, [Path(other) for other in order.others], alone)
    jobs = jobs_for(order, output, pairs, order.others, alone)
    todo = sorted_out(jobs)[0]
    waiting = {job["target"] for job in todo}
    for job in jobs:
        how = "through Blender" if job["blender"] else "without Blender"
        print(f"{job['source']} -> {job['target']} ({how if job['target'] in waiting else 'done already'})")
    print(f"{len(todo)} of {len(jobs)} takes would be done")
    return True


def spread_of(order, output, pairs, alone):
    """Who does it: a cluster, processes of their own, or for one file this very one."""
    if order.scheduler:
        return Cluster(order.scheduler, [output, *{root for root, *_ in pairs}])
    if alone and order.limit is None:
        return lambda jobs: map(one_take.work, jobs)
    return lambda jobs: over_processes(jobs, min(order.jobs, len(jobs)))


def work(order, report, spread, todo, done):
    """Have takes done, and tell of them as they come; True if none failed. What is told so far is told if it is stopped."""
    progress = Progress(len(todo), said=order.said, as_json=order.log_json)
    if done:
        progress.note(f"{len(done)} of {len(done) + len(todo)} takes are done already")
    report.add(*done)
    try:
        for record in spread(todo) if todo else ():
            progress.step(record)
            report.add(record)
            report.grow()
    finally:
        progress.end()
        told = report.end(order.said, sys.stderr if order.log_json else None)  # stdout is for whatever reads it next
    return told and not report.failed


def tell_one(record, order):
    """Say in a line what became of one file, or refuse as it was refused; True if all went well."""
    if record.get("traceback"):
        print(f"{order.takes[0]}: {record['reason']}\n{record['traceback']}", file=sys.stderr)
        return False
    if record["status"] == "skipped":
        print(f"{order.takes[0]}: skipped, {record['reason']}")
        return True
    if record["status"] == "failed":
        raise Refusal(f"{order.takes[0]}: {record['reason']}")
    told = "; ".join(f"{name}: {figure['words']}" for name, figure in record["figures"].items())
    if order.said != "nothing":
        print(f"{order.takes[0]} -> {order.output}: {told}")
    return True
