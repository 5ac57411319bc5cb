# SPDX-License-Identifier: GPL-3.0-or-later
"""A take of a library to be seen and used: .bvh files as they are, others by a .bvh that a process of its own writes."""

import os
import tempfile
from functools import lru_cache
from pathlib import Path

from ...core.body.unit import guessed_unit
from ...core.files.bvh_take import read_bvh, sized, write_bvh
from ...core.numeric.refusal import Refusal
from ..batch import worker
from ..batch.order import LIMIT
from .one_file import takes_of

KEPT = 24  # takes that are kept as they were read
WORK = "motion_signal.operators.library.readable"


def take_from(path, figure):
    """The clip and the skeleton, in metres, of a figure in a file; what was read lately is still there."""
    changed = changed_at(path)
    try:
        return kept_take(str(path), figure, changed)
    except OSError as error:
        raise Refusal(f"{path}: cannot be read ({error.strerror})") from None


def changed_at(path):
    """When a file was changed, or a Refusal where it is gone."""
    try:
        return Path(path).stat().st_mtime_ns
    except OSError as error:
        raise Refusal(f"{path}: cannot be read ({error.strerror})") from None


@lru_cache(maxsize=KEPT)
def kept_take(path, figure, _):
    if path.lower().endswith(".bvh"):
        clip, skeleton = read_bvh(path)
        return clip, sized(skeleton, guessed_unit(skeleton)[0])
    with tempfile.TemporaryDirectory(prefix="motion_signal_") as folder:
        target = os.path.join(folder, "take.bvh")
        job = {"work": WORK, "takes": "", "source": path, "figure": figure, "target": target, "limit": LIMIT}
        process = worker.Worker()
        try:
            reason = process.ask(job)["reason"]
        finally:
            process.close()
        if reason:
            raise Refusal(f"{path}: {reason}")
        return kept_take.__wrapped__(target, figure, _)


def work(job):
    """Write a figure's take as a .bvh file, for whoever has no empty Blender to open its file in."""
    try:
        with takes_of(Path(job["source"])) as takes:
            clip, skeleton = takes[job["figure"]]
            write_bvh(job["target"], clip, skeleton)
        return {"reason": ""}
    except (Refusal, OSError, RuntimeError, KeyError) as error:
        return {"reason": " ".join(str(error).split())}
