# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles in Blender: found, closed, repeated for ever, and played on a pad."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.several_takes.network import NETWORK
from bl_ext.dev.motion_signal.operators.live import preview
from bl_ext.dev.motion_signal.operators.tools import cycle as cycles
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")


@pytest.fixture
def figure():
    bpy.context.scene.render.fps = 60
    bpy.ops.motion_signal.add_figure()
    return bpy.context.object


@pytest.fixture
def network(figure):
    """Three cycles of walks at different speeds, all kept, on the figure of the last."""
    names = []
    for speed in (0.9, 1.3, 1.8):
        bpy.ops.motion_signal.add_figure(speed=speed)
        bpy.ops.motion_signal.cycle(find="SEARCH", path="STRAIGHT", result=f"Cycle {speed}")
        bpy.context.object.animation_data.action.use_fake_user = True
        names.append(f"Cycle {speed}")
    return bpy.context.object, names


def ends(figure):
    """How far the last frame's pose is from the first's, over the bones that do not travel."""
    action = figure.animation_data.action
    first, last = (int(frame) for frame in action.frame_range)
    values = rigs.evaluated(figure, [first, last])
    return max(abs(row[1] - row[0]) for (path, _), row in values.items() if "location" not in path)


def test_a_cycle_is_found_cut_out_and_closed(figure):
    take = figure.animation_data.action
    with rigs.untouched(take):
        assert bpy.ops.motion_signal.cycle(find="SEARCH", path="STRAIGHT") == {"FINISHED"}
    first, last = figure.animation_data.action.frame_range
    assert 30 < last - first < 120 and ends(figure) < 1e-5


@pytest.mark.parametrize(
    "technique, params",
    [
        ("equalize", {"gains": json.dumps([1, 1, 1, 1, 1, 1.5, 2, 2, 2, 1, 1, 1])}),
        ("cartoon", {"strength": 1.0}),
        ("automate", {"automation": json.dumps([{"band": 7, "keys": [[1, 2.0], [200, 2.0]]}])}),
        ("waveshape", {"shape": "EXPAND", "ratio": 2.0}),
    ],
)
def test_a_loop_that_repeats_stays_closed(figure, technique, params):
    bpy.ops.motion_signal.cycle(find="SEARCH", path="PLACE")
    bpy.ops.motion_signal.cycle_repeat()
    assert ends(figure) < 1e-5
    before = rigs.evaluated(figure, [10])
    assert getattr(bpy.ops.motion_signal, technique)(**params) == {"FINISHED"}
    after = rigs.evaluated(figure, [10])
    assert max(abs(after[key][0] - row[0]) for key, row in before.items()) > 0.01
    assert ends(figure) < 1e-4


def test_the_best_loops_are_offered_and_chosen(figure):
    panel().cycle.find = "SEARCH"
    loops = cycles.best_loops(bpy.context)
    assert len(loops) >= 2 and loops[0].gap <= loops[1].gap and panel().notice == ""
    for number, loop in enumerate(loops[:3], 1):
        bpy.ops.motion_signal.number_choose(technique="cycle", field="loop_number", number=number)
        first, last = figure.animation_data.action.frame_range
        assert panel().notice == "" and last - first == loop.last - loop.first


def test_a_cycle_repeats_for_ever_and_travels_on(figure):
    bpy.ops.motion_signal.cycle(find="SEARCH", path="STRAIGHT")
    assert bpy.ops.motion_signal.cycle_repeat() == {"FINISHED"}
    first, last = (int(frame) for frame in figure.animation_data.action.frame_range)
    length = last - first
    hips, thigh = (figure.pose.bones.find(name) for name in ("hips", "thigh.L"))
    frames = [first + 5, first + 5 + length, first + 5 + 2 * length]
    poses = rigs.poses(figure, frames)
    local = np.linalg.inv(poses[:, hips]) @ poses[:, thigh]
    assert np.abs(local[1:] - local[:1]).max() < 1e-3
    steps = np.diff(poses[:, hips, :3, 3], axis=0)
    assert np.linalg.norm(steps[0]) > 0.5 and np.abs(steps[1] - steps[0]).max() < 1e-3


def test_few_harmonics_make_a_lighter_curve_of_the_same_length(figure):
    bpy.ops.motion_signal.cycle(find="SEARCH", path="PLACE")
    before = tuple(figure.animation_data.action.frame_range)
    bpy.ops.motion_signal.harmonics(harmonics=3)
    assert tuple(figure.animation_data.action.frame_range) == before and ends(figure) < 1e-5


def test_the_puck_on_a_point_plays_that_cycle(network):
    figure, names = network
    points = [{"action": name, "x": x, "y": y} for name, (x, y) in zip(names, ((0, 0), (1, 0), (0, 1)))]
    panel().network.points = json.dumps(points)
    assert panel().notice == "" and preview.session()
    shown = rigs.evaluated(figure, range(1, 10))
    bag = bpy.data.actions[names[0]].layers[0].strips[0].channelbags[0]
    for curve in bag.fcurves:
        if 'pose.bones["thigh.L"]' in curve.data_path:
            own = [curve.evaluate(frame) for frame in range(1, 10)]
            assert np.abs(shown[curve.data_path, curve.array_index] - own).max() < 1e-4
    panel().network.puck_x = 0.4
    assert press_apply(NETWORK) == {"FINISHED"}


def test_cycles_are_placed_by_speed_and_turn_and_the_puck_is_keyed(network):
    figure, names = network
    panel().live = False
    for name in names:
        bpy.ops.motion_signal.network_point_add(action=name)
    bpy.ops.motion_signal.network_place()
    speeds = [point["y"] for point in json.loads(panel().network.points)]
    assert speeds == sorted(speeds) and speeds[0] == pytest.approx(0.9, abs=0.15) and speeds[2] == pytest.approx(1.8, abs=0.25)
    bpy.context.scene.frame_set(1)
    bpy.ops.motion_signal.network_puck_key()
    bpy.context.scene.frame_set(120)
    panel().network.puck_y = 1.5
    bpy.ops.motion_signal.network_puck_key()
    assert [key.get("frame", 1) for key in json.loads(panel().network.puck_keys)] == [1, 120]


@pytest.mark.parametrize(
    "technique, values, words",
    [
        ("network", {"points": '[{}, {"x": 1}]'}, "three|3"),
        ("network", {"points": '[{}, {"x": 1}, {"x": 2}]'}, "line"),
        ("cycle", {"find": "FRAMES", "loop_start": 10, "loop_end": 12}, "needs at least 4"),
        ("cycle", {"find": "SEARCH", "threshold": 0.0001}, "gap|loop|cycle"),
    ],
)
def test_what_is_no_cycle_is_refused_with_what_was_found(figure, technique, values, words):
    with rigs.nothing_made(), pytest.raises(RuntimeError, match=words):
        getattr(bpy.ops.motion_signal, technique)(**values)
