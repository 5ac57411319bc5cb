# SPDX-License-Identifier: GPL-3.0-or-later
"""Every technique as an operator that changes something: the take stays, and so does everything out of scope."""

import json
import re

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.body import walking_figure as gait
from bl_ext.dev.motion_signal.core.techniques import TECHNIQUES
from desk import panel

pytestmark = pytest.mark.usefixtures("settled")
KEYS = [{"frame": 40, "bones": {"shin.L": {"rotation": [20, 0, 0]}}}]
FAST = {"action": "Fast"}
AT_WORK = {
    "equalize": {"gains": rigs.LOUD},
    "waveshape": {"shape": "COMPRESS", "threshold": 2.0},
    "displace": {"displacement_keys": KEYS},
    "timewarp": {"moves": [[1, 1], [30, 40], [60, 60]]},
    "fit_length": {"seconds": 3.0},
    "locomotion": {"path": {"points": [[0, 0, 0], [4, 0, 0]]}},
    "music": {"tempo": 100.0},
    "life": {"take": "Fast"},
    "blend": {"takes": [FAST]},
    "between": {"takes": [FAST], "by_speed": True, "speed": 1.4},
    "join": {"take": "Fast"},
    "lock": {"amount": 1.0},
    "path": {"path": {"points": [[0, 0, 0], [1, -2, 0], [0, -4, 0]]}, "timing": "KEEP"},
    "pins": {"pins": [{"bone": "foot.L", "first": 20, "last": 30, "hold": "PLACE", "z": 0.4}]},
    "cycle": {"find": "SEARCH"},
    "harmonics": {"gains": [2.0, 0.5]},
    "network": {"points": [{}, {"action": "Fast", "x": 1.0}, {"action": "Slow", "y": 1.0}], "puck_x": 0.5},
    "speed": {"takes": [FAST], "speed": 1.4},
    "wavelet_blend": {"take": "Fast", "amount": 0.5},
    "avatar": {"scale": 2.0},
    "cartoon": {"strength": 1.0},
    "automate": {"automation": [{"band": 6, "keys": [[1, 1.0], [60, 3.0]]}]},
    "style": {"neutral": "Slow", "styled": "Fast"},
    "weight": {"balance": 1.0, "banking": 1.0},
    "reduce": {},
}


MENDING = {"clean"}  # nothing is wrong with these walks: tools/test_clean.py
OF_OTHERS = {"retarget"}  # done on another object than the take's: test_retarget_desk.py
CYCLES = {"harmonics", "network"}  # what a cycle is needed for
LEGS = {"hips", *(f"{segment}.{side}" for segment in ("thigh", "shin", "foot", "toe") for side in "LR")}


def strides(speed):
    """Seconds that two strides and a half of a walk take."""
    return 2.45 * 2.0 * (speed * 60.0 * gait.STEP_LAW) ** 0.5 / speed


@pytest.fixture
def figure(scene):
    """A figure that walks, and two other walks of it, all of as many steps."""
    for name, speed in (("Fast", 1.6), ("Slow", 1.0), ("Take", 1.3)):
        bpy.ops.motion_signal.add_figure(speed=speed, seconds=strides(speed))
        bpy.context.object.animation_data.action.name = name
    return bpy.context.object


def wear(figure, action):
    figure.animation_data.action, figure.animation_data.action_slot = action, action.slots[0]


def made_cycles(figure):
    """All walks cut to one time round, under their names."""
    for name in ("Fast", "Slow", "Take"):
        walk = bpy.data.actions[name]
        wear(figure, walk)
        bpy.ops.motion_signal.cycle(find="SEARCH", path="STRAIGHT")
        walk.name, figure.animation_data.action.name = f"{name} in full", name


def at_work(name, **scope):
    plain = (str, float, bool)
    values = {key: value if isinstance(value, plain) else json.dumps(value) for key, value in AT_WORK[name].items()}
    assert getattr(bpy.ops.motion_signal, name)(**values, **scope) == {"FINISHED"}


def changed_bones(figure, name, **scope):
    """The bones of which a technique at work changes a curve, while it leaves the take as it is."""
    take = figure.animation_data.action
    before = rigs.record(take)["curves"]
    with rigs.untouched(take):
        at_work(name, **scope)
    after = rigs.record(figure.animation_data.action)["curves"]
    assert before.keys() <= after.keys()
    return {curve[1].split('"')[1] for curve in after if after[curve] != before.get(curve)}


def test_every_technique_is_tried():
    assert AT_WORK.keys() == {entry.name for entry in TECHNIQUES} - OF_OTHERS - MENDING


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
@pytest.mark.parametrize("name", AT_WORK)
def test_only_named_bones_change(figure, name):
    if name in CYCLES:
        made_cycles(figure)
    changed = changed_bones(figure, name, scope="NAMED", bones=", ".join(LEGS))
    assert changed and changed <= LEGS


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
@pytest.mark.parametrize(
    "name", sorted(AT_WORK.keys() - {"speed", "wavelet_blend", "locomotion"})
)  # these look for the steps of both feet
def test_locked_curves_do_not_change(figure, name):
    if name in CYCLES:
        made_cycles(figure)
    locked = {bone for bone in LEGS if bone.endswith(".R")}
    for (path, _), curve in rigs.curves_of(figure).items():
        curve.lock = path.split('"')[1] in locked
    changed = changed_bones(figure, name)
    assert changed and not changed & locked


@pytest.mark.parametrize("bones", ["thigh.L, shin.L, foot.L, toe.L", "hips, thigh.L, shin.L, foot.L, toe.L"])
def test_one_leg_is_locked_where_the_rest_of_the_figure_carries_it(figure, bones):
    """Its thigh turns no farther than in a lock of both legs, and its foot stands."""
    bpy.ops.motion_signal.equalize(preset="exaggerate", feet="FREE")
    slid = figure.animation_data.action
    frames = range(1, int(slid.frame_range[1]) + 1)

    def turned(**scope):
        wear(figure, slid)
        bpy.ops.motion_signal.lock(amount=1.0, **scope)
        found, before = rigs.evaluated(figure, frames), rigs.evaluated(figure, frames, slid)
        return max(np.abs(found[name] - before[name]).max() for name in before if '"thigh.L"' in name[0])

    both, one = turned(), turned(scope="NAMED", bones=bones)
    assert 0.1 < both and one < 1.2 * both
    slide, was = map(int, re.search(r"slide (\d+) mm, they slid (\d+) mm", panel().report).groups())
    assert 0.3 * was < slide < 0.7 * was  # the other foot slides as it did
