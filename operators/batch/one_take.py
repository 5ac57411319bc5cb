# SPDX-License-Identifier: GPL-3.0-or-later
"""One take of a batch: read, treated, measured and written; its record says what came of it.

The record is written just before the result takes its name, and says of which size and time that is: a take is done if the file
under its name is the one in its record, and at no other moment.
"""

import json
import time
import traceback
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import recipe_from_json
from ..files import whole_files
from . import bvh_take
from .applying import NotApplicable
from .motion import script
from .plan import motion_of


def work(job):
    """Do a job, and give its record: done, or skipped or failed for a reason. What was not done leaves its record here."""
    started = time.perf_counter()
    source = Path(job["takes"]) / job["source"]
    record = {
        "source": job["source"],
        "target": job["target"],
        "status": "failed",
        "reason": "",
        "figures": {},
        "job": job["digest"],
    }
    try:
        record["read"] = stamp(source)
        treat(job, record)
    except NotApplicable as error:
        record["status"], record["reason"] = "skipped" if job["not_applicable"] == "skip" else "failed", one_line(error)
    except (Refusal, OSError) as error:
        gone = source.is_symlink() and not source.exists()
        reason = "it is a link to a file that is not there" if gone else one_line(error).removeprefix(f"{source}: ")
        record["status"], record["reason"] = "failed", reason
    except Exception as error:  # a fault, of which its record keeps where it was; the other takes go on
        record["status"], record["reason"] = "failed", f"internal error ({type(error).__name__}: {one_line(error)})"
        record["traceback"] = traceback.format_exc()
    record["seconds"] = time.perf_counter() - started
    if record["status"] != "done":
        record["figures"] = {}
        keep_record(job, record)
    return record


def keep_record(job, record):
    """Write down that a take was not done, for reports of the folder; a disk that is full has no room for it."""
    if job["record"]:
        with suppress(OSError):
            whole_files.write_text(Path(job["output"]) / job["record"], json.dumps(record))


def one_line(error):
    return " ".join(str(error).split())


def treat(job, record):
    source, target, started = Path(job["takes"]) / job["source"], Path(job["output"]) / job["target"], time.perf_counter()
    recipe = recipe_of(job["recipe"])
    record["figures"], write = way_of(job, recipe)(source, recipe, job)
    target.parent.mkdir(parents=True, exist_ok=True)
    with whole_files.whole(target, lambda unfinished: write(unfinished, target)) as unfinished:
        record.update(status="done", written=stamp(unfinished), seconds=time.perf_counter() - started)
        keep_motion(job, record)
        if job["record"]:
            whole_files.write_text(Path(job["output"]) / job["record"], json.dumps(record))


@lru_cache(maxsize=4)
def recipe_of(text):
    """The recipe of a job, read once for all takes that have the same."""
    return recipe_from_json(text)


def keep_motion(job, record):
    """Put what the page plays beside the record, and out of it."""
    motions = {name: figure.pop("motion") for name, figure in record["figures"].items() if "motion" in figure}
    if job["record"] and motions:
        whole_files.write_text(Path(job["output"]) / motion_of(job["target"]), script(job["target"], motions))


def way_of(job, recipe):
    """A function that treats a take: without Blender where that can be, which is several times faster."""
    if bvh_take.can(job, recipe):
        return bvh_take.treated
    from .through_blender import treated

    return treated


def stamp(path):
    """Size and time of a file, by which it is known again."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]
