# SPDX-License-Identifier: GPL-3.0-or-later
"""One file of a library, read for its index: the features of every figure in it. .bvh files need no Blender."""

import base64
import hashlib
from contextlib import contextmanager
from pathlib import Path

from ...core.body.unit import guessed_unit
from ...core.files.bvh_take import read_bvh, sized
from ...core.library.features import features_of
from ...core.library.store import row_of
from ...core.numeric.refusal import Refusal


def work(job):
    """What a file holds, as plain data: rows of the index by figure, or why it cannot be read."""
    path = Path(job["takes"]) / job["source"]
    answer = {"source": job["source"], "stamp": job["stamp"], "digest": "", "problem": "", "figures": {}}
    try:
        answer["digest"] = digest(path)
        answer["figures"] = {name: written(row_of(*each)) for name, each in figures(path).items()}
    except (Refusal, OSError, RuntimeError) as error:  # Blender's importers raise RuntimeErrors
        answer["problem"] = " ".join(str(error).removeprefix(f"{path}: ").split())
    except Exception as error:  # a fault: the other files go on
        answer["problem"] = f"internal error ({type(error).__name__}: {' '.join(str(error).split())})"
    return answer


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def figures(path):
    """The features and the number of frames of every figure of a file, {name: (features, frames)}."""
    with takes_of(path) as takes:
        found, reason = {}, None
        for name, (clip, skeleton) in takes.items():
            try:
                found[name] = features_of(clip, skeleton), clip.frames
            except Refusal as refusal:  # a prop, among figures
                reason = refusal
        if not found:
            raise reason or Refusal("there is no animated armature in it")
        return found


@contextmanager
def takes_of(path):
    """The clip and the skeleton, in metres, of every figure of a file, {name: (clip, skeleton)}."""
    if path.suffix.lower() == ".bvh":
        clip, skeleton = read_bvh(path)
        yield {path.stem: (clip, sized(skeleton, guessed_unit(skeleton)[0]))}
        return
    try:
        import bpy  # noqa: F401
    except ImportError:
        raise Refusal("it needs Blender, which is not here; pip install motion-signal[blender] brings it") from None
    from .through_blender import opened_takes

    with opened_takes(path) as takes:
        yield takes


def written(row):
    """A row of the index as plain data."""
    return [base64.b64encode(value).decode() if isinstance(value, bytes) else value for value in row]


def read(row):
    """A row of the index from plain data."""
    return tuple(base64.b64decode(value) if isinstance(value, str) else value for value in row)
