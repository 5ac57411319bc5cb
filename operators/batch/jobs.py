# SPDX-License-Identifier: GPL-3.0-or-later
"""What each take asks of a worker, as plain data, and which of that is done already."""

import hashlib
import json
import sys
from importlib import metadata, util
from pathlib import Path

from ...core.declare.version import VERSION
from ...core.numeric.refusal import Refusal
from ...core.recipes.library import steps_for
from . import bvh_take
from .one_take import stamp
from .onto import onto_of
from .order import LIMIT
from .plan import HIDDEN, record_of


def jobs_for(order, output, pairs, libraries, alone=False):
    """What each take asks of a worker. One that is alone leaves no record."""
    common = {
        "exact": order.exact,
        "object": order.object,
        "action": order.action,
        "with": [str(library) for library in libraries],
        "output": str(output),
        "limit": order.limit or LIMIT,
        "t_pose": order.recipe.library.t_pose,
        "not_applicable": order.recipe.library.not_applicable,
        "log": "" if alone else f"{output}/{HIDDEN}/logs",
    }
    jobs, recipes, digests = [], {}, {}  # of takes that one rule, or none, is for, all is the same
    for root, source, target in pairs:
        rule = order.recipe.library.of(source)
        if rule.match not in recipes:
            recipe = order.recipe.with_steps(*steps_for(order.recipe, source))
            recipes[rule.match] = recipe, recipe.to_json()
        (recipe, text), unit = recipes[rule.match], order.unit or rule.unit
        job = {**common, "takes": str(root), "source": source, "target": target, "recipe": text, "unit": unit}
        needs = not bvh_take.can(job, recipe)
        if (rule.match, needs) not in digests:
            digests[rule.match, needs] = digest(order, recipe, unit, needs)
        record = "" if alone else record_of(target)
        jobs.append({**job, "blender": needs, "record": record, "digest": digests[rule.match, needs]})
    return jobs


def check_blender(jobs):
    """A Refusal where a job needs Blender and there is none."""
    lacking = [job for job in jobs if job["blender"]]
    if lacking and not has_blender():
        raise Refusal(
            f"{Path(lacking[0]['takes']) / lacking[0]['source']}: this take or recipe needs Blender, which is not here "
            f"({len(lacking)} of {len(jobs)} do); pip install motion-signal[blender] brings it"
        )


def has_blender():
    return "bpy" in sys.modules or util.find_spec("bpy") is not None


def blender_version():
    """The version of the Blender that is here, nothing without one."""
    try:
        return metadata.version("bpy")
    except metadata.PackageNotFoundError:
        return sys.modules["bpy"].app.version_string if "bpy" in sys.modules else ""


def digest(order, recipe, unit, blender):
    """What a result depends on besides its take."""
    onto = onto_of(recipe)
    read = [*order.others, *(name for name in ((onto.params.onto, onto.params.map) if onto else ()) if is_file(name))]
    brought = [[Path(other).name, *stamp(Path(other))] for other in read]
    told = [
        [step.as_data() for step in recipe.steps],
        list(order.exact),
        VERSION,
        blender_version() if blender else "",
        order.object,
        order.action,
        brought,
        unit,
        recipe.library.t_pose,
        recipe.library.not_applicable,
    ]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def is_file(name):
    return bool(name) and not name.lstrip().startswith("{") and Path(name).is_file()


def sorted_out(jobs):
    """Jobs that are to be done, and records of those that are done."""
    known = [finished(job) for job in jobs]
    return [job for job, record in zip(jobs, known) if not record], [record for record in known if record]


def finished(job):
    """The record of a job that is done: its take and its result are the ones that it was written for; or that it did not
    apply to its take."""
    try:
        record = json.loads((Path(job["output"]) / job["record"]).read_text("utf-8"))
        same = record["job"] == job["digest"] and record["read"] == stamp(Path(job["takes"]) / job["source"])
        skipped = record["status"] == "skipped"
        same = same and (skipped or record["written"] == stamp(Path(job["output"]) / job["target"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record if same else None
