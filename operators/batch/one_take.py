# SPDX-License-Identifier: GPL-3.0-or-later
"""One take of a batch: read, treated, measured and written; its record says what came of it.

The record is written just before the result takes its name, and says of which size and time that is: a take is done if the file
under its name is the one in its record, and at no other moment.
"""

import json
import os
import time
import traceback
from pathlib import Path

import bpy

from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import recipe_from_json
from ..bridge.scope import action_named
from ..files import files
from ..run import recipe as recipes
from ..run.measure import compared, measured_run
from .thumbnail import instants, joints_of, thumbnail


def work(job):
    """Do a job, and give its record: done, or failed for a reason."""
    started = time.perf_counter()
    record = {
        "source": job["source"],
        "target": job["target"],
        "status": "failed",
        "reason": "",
        "figures": {},
        "job": job["digest"],
    }
    try:
        record["read"] = stamp(Path(job["takes"]) / job["source"])
        treat(job, record)
    except (Refusal, OSError) as error:
        record["status"], record["reason"] = "failed", said(error).removeprefix(f"{Path(job['takes']) / job['source']}: ")
    except Exception as error:  # a fault, of which its record keeps where it was; the other takes go on
        record["status"], record["reason"] = "failed", f"internal error ({type(error).__name__}: {said(error)})"
        record["traceback"] = traceback.format_exc()
    return {**record, "seconds": time.perf_counter() - started}


def said(error):
    return " ".join(str(error).split())


def treat(job, record):
    source, target, started = Path(job["takes"]) / job["source"], Path(job["output"]) / job["target"], time.perf_counter()
    files.load(source)
    subjects = files.animated_objects(job["object"])
    files.bring(job["with"])
    with files.sized(subjects, job["unit"] if source.suffix.lower() == ".bvh" else 1.0):
        for subject in subjects:
            record["figures"][subject.name] = treated(subject, job)
    target.parent.mkdir(parents=True, exist_ok=True)
    with files.whole(target, subjects) as part:
        record.update(status="done", written=stamp(part), seconds=time.perf_counter() - started)
        if job["record"]:
            put(Path(job["output"]) / job["record"], json.dumps(record))


def treated(subject, job):
    """Run a job's recipe on an object's take: what happened in words, numbers and poses before and after."""
    bpy.context.view_layer.objects.active = subject
    take = action_named(job["action"], subject)[0] if job["action"] else None
    take = take or (subject.animation_data.action if subject.animation_data else None)
    if take is None:
        raise Refusal(f"{subject.name} has no action")
    recipe = recipe_from_json(job["recipe"])
    scope = recipes.scope_of(bpy.context, recipe, take, subject)
    done = recipes.run_recipe(bpy.context, recipe, scope, subject, job["exact"])
    words = done.words
    try:
        before, after = measured_run(bpy.context, done, scope)
        numbers, numbers_before = compared(before, after)
        poses = [
            joints_of(each.clip, each.skeleton, instants(each.clip.frames), each.roles) if each else None
            for each in (before, after)
        ]
    except Refusal as error:  # nothing that could be measured
        return {"words": f"{words}; not measured: {said(error)}", "before": None, "after": None, "thumbnail": ""}
    return {"words": words, "before": numbers_before, "after": numbers, "thumbnail": thumbnail(*poses)}


def stamp(path):
    """Size and time of a file, by which it is known again."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


def put(path, text):
    """Write a file that appears under its name only when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
