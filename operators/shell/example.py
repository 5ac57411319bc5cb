# SPDX-License-Identifier: GPL-3.0-or-later
"""The command example: a small library of takes of the walking figure with a recipe, run as any other."""

import json
import os
from pathlib import Path

import numpy as np

from ...core.body.walking_figure import FIGURE, walk
from ...core.declare.version import TYPED
from ...core.files.bvh_take import write_bvh
from ...core.motion.clip import Channel, Clip
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import read_recipe
from ..batch import run as batch

RATE = 60.0  # frames a second
TAKES = {"slow": (0.7, 8.0), "stroll": (1.0, 7.0), "walk": (1.3, 6.0), "brisk": (1.6, 6.0), "hurried": (1.9, 5.0)}
RECIPE = {"format": 1, "steps": [{"technique": "equalize", "preset": "exaggerate"}, {"technique": "lock", "params": {}}]}


def example(chosen):
    """Make a folder with takes and a recipe, run it, and say by which command; the exit code."""
    folder = Path(chosen.folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refusal(f"{folder}: it is there already; name a folder that is not")
    takes, recipe, output = folder / "takes", folder / "recipe.json", folder / "out"
    takes.mkdir(parents=True)
    for seed, (name, (speed, seconds)) in enumerate(TAKES.items()):
        write_bvh(takes / f"{name}.bvh", walking(speed, seconds, seed), FIGURE)
    recipe.write_text(json.dumps(RECIPE, indent=1) + "\n", "utf-8")
    print(f"{TYPED} run {recipe} {takes} -o {output}", flush=True)
    jobs = min(len(TAKES), os.cpu_count() or 1)
    return 0 if batch.run(batch.Order(read_recipe(recipe), (str(takes),), str(output), jobs=jobs)) else 1


def walking(speed, seconds, seed):
    """A take of the walking figure."""
    motion, hips = walk(round(seconds * RATE), RATE, speed, seed), FIGURE.bones[0]
    channels = [Channel(f"{hips.path}.location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(len(motion.rotations), -1)]), tuple(channels), RATE, 1)
