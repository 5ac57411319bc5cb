# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies whose feet cannot be planted: every technique still runs, and where feet are free the words say why."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.recipes.figure import Figure
from motion_signal.core.recipes.recipe import Step
from motion_signal.core.recipes.run import Run
from motion_signal.core.recipes.whole import Whole
from motion_signal.core.recipes.words import run_words
from technique_cases import CASES, FIGURE

LEG = ("thigh", "shin", "foot", "toe")
NEED_FEET = {  # what these are for cannot be had without feet: they refuse in a sentence that says what to do
    "lock feet": "no feet found: say in the table of body parts which bones are the feet",
    "avatar lock": "no feet found: say in the table of body parts which bones are the feet",
    "speed between": "no gait found .*; list anchors instead",
    "wavelet_blend amount": "no gait found .*; list anchors instead",
    "between speed": "outside the examples, which go from|no feet found: say in the table of body parts",
    "weight balance": "weight: no feet found",
    "locomotion straight": "no gait found .*|locomotion: this figure has no two legs to walk with",
    "music tempo": "moments: there are no steps in the take",
    "equalize positions": "limbs: no curve in scope belongs to thigh.L",
}


def of_bones(clip, names):
    kept = [column for column, channel in enumerate(clip.channels) if channel.owner in names]
    return replace(clip, values=clip.values[:, kept], channels=tuple(clip.channels[column] for column in kept))


@cache
def without(*endings):
    """The figure without legs that end so."""
    kept = [bone for bone in FIGURE.bones if not (bone.name.startswith(LEG) and bone.name.endswith(endings))]
    index = {bone.name: number for number, bone in enumerate(kept)}
    parents = [-1 if bone.parent < 0 else index[FIGURE.bones[bone.parent].name] for bone in kept]
    return Skeleton(tuple(replace(bone, parent=parent) for bone, parent in zip(kept, parents))), frozenset(index)


def on_root():
    """The figure with feet that hang on its root, welded to it."""
    bones = [replace(bone, parent=0, connected=False) if bone.name.startswith("foot") else bone for bone in FIGURE.bones]
    return Skeleton(tuple(bones))


def cut_everywhere(clip):
    values, columns = clip.values.copy(), [c for c, channel in enumerate(clip.channels) if channel.kind == "LOCATION"]
    values[:, columns] += np.random.default_rng(0).normal(scale=2.0, size=(clip.frames, 3))
    return clip.with_values(values)


MOVING = frozenset(bone.name for bone in FIGURE.bones if not bone.name.startswith(LEG))
BODIES = {
    "no legs": (lambda: without(".L", ".R")[0], lambda clip: of_bones(clip, without(".L", ".R")[1]), "none are found"),
    "one leg": (lambda: without(".R")[0], lambda clip: of_bones(clip, without(".R")[1]), ""),
    "legs that are welded": (lambda: FIGURE, lambda clip: of_bones(clip, MOVING), "as if they were welded"),
    "feet on the root": (on_root, lambda clip: clip, "no foot stands anywhere"),
    "cut everywhere": (lambda: FIGURE, cut_everywhere, "no foot stands anywhere"),
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_runs_and_says_why_feet_are_free(case, body):
    figure, made, why = BODIES[body]
    takes = {name: made(clip) for name, clip in case.around.takes.items()}
    run = Run(Whole(made(case.clip)), Figure(figure()), takes)
    try:
        run.do(Step(case.entry, case.of(1.0), ScopeParams()), exact=True)
    except Refusal as refusal:
        assert re.search(NEED_FEET[str(case)], str(refusal))
        return
    words = run_words(run)
    assert np.isfinite(run.whole.clip.values).all()
    if case.entry.plants and case.entry.planting(case.of(1.0)) or case.name == "lock":
        assert not why or "feet are free: " in words and why in words
