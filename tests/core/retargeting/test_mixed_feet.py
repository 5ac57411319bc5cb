# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes of different figures mixed half and half: hips as high as who stands, feet on the ground, nothing turned over."""

import made_takes
import numpy as np
import pytest
from made_figures import BUILDS, figure
from motion_signal.core.body.contacts import find_footing
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.roles import find_roles
from motion_signal.core.recipes.recipe import recipe_from_data
from motion_signal.core.recipes.run import run
from motion_signal.core.retargeting.foreign import Foreign
from motion_signal.core.retargeting.retarget import Retarget
from motion_signal.core.retargeting.stance import in_world


def of_another(name, build):
    """A made take as a figure of another build has it."""
    made, other = made_takes.take(name), figure(BUILDS[build])
    return Foreign(Retarget(made.skeleton, other, clip=made.clip)(made.clip), other, build)


def mixed(name, other, weight=0.5, alignment="NONE", feet="TAKE"):
    made = made_takes.take(name)
    takes = [{"action": "", "weight": 1.0 - weight}, {"action": "other", "weight": weight}]
    step = {"technique": "blend", "params": {"takes": takes, "alignment": alignment}, "scope": {"feet": feet}}
    return run(recipe_from_data({"format": 1, "steps": [step]}), made.clip, made.skeleton, takes={"other": other}), made


def lowest(clip, made):
    """How high the lowest of heels and balls is over the ground of the take, (frames,)."""
    shape = Legs(made.skeleton, find_roles(made.skeleton))
    ground = find_footing(made.clip, made.skeleton, find_roles(made.skeleton))[1]
    return shape.places(clip)[0][:, shape.on_foot, 2].min(axis=1) - ground


@pytest.mark.parametrize("alignment", ["NONE", "TIMEWARP"])
@pytest.mark.parametrize(
    ("name", "other", "build"), [("walk", "kick", "unreal"), ("walk", "run", "child"), ("turn", "kick", "mixamo")]
)
def test_a_mix_with_a_take_of_another_figure_stands_on_the_ground(name, other, build, alignment):
    result, made = mixed(name, of_another(other, build), alignment=alignment)
    assert lowest(result, made).min() > min(-0.005, lowest(made.clip, made).min() - 0.005)
    heads, bones = in_world(made.skeleton, result)[1], find_roles(made.skeleton).table()
    pelvis, head = (heads[:, made.skeleton.index(bones[part]), 2] for part in ("pelvis", "head"))
    own = in_world(made.skeleton, made.clip)[1][:, made.skeleton.index(bones["pelvis"]), 2]
    assert (head > pelvis).all() and 0.85 * np.median(own) < np.median(pelvis) < 1.1 * np.median(own)


def test_feet_that_are_free_are_left_as_they_are_mixed():
    other = of_another("kick", "unreal")
    free, made = mixed("walk", other, feet="FREE")
    assert lowest(free, made).min() < lowest(mixed("walk", other)[0], made).min()


def test_no_weight_of_the_other_is_the_take_to_the_bit():
    result, made = mixed("walk", of_another("kick", "unreal"), weight=0.0)
    assert (result.values == made.clip.values).all()
