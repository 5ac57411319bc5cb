# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed, wavelet blend and avatar in Blender: a speed that is typed, events that are moved, a figure of another size."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.several_takes.speed import SPEED
from bl_ext.dev.motion_signal.operators.live import preview
from bl_ext.dev.motion_signal.operators.tools import speed as speeds
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")


@pytest.fixture
def walks(scene):
    """Walks of one figure at three speeds, all kept, on the figure of the last; it and the names of their actions."""
    bpy.context.scene.render.fps = 60
    for speed in (1.0, 1.4, 1.8):
        bpy.ops.motion_signal.add_figure(speed=speed)
        bpy.context.object.animation_data.action.name = f"Walk {speed}"
        bpy.context.object.animation_data.action.use_fake_user = True
    return bpy.context.object, ["Walk 1.0", "Walk 1.4", "Walk 1.8"]


def pace(figure):
    """Metres a second from the first frame to the last, by Blender's own evaluation."""
    first, last = (int(frame) for frame in figure.animation_data.action.frame_range)
    places = rigs.poses(figure, [first, last])[:, figure.pose.bones.find("hips"), :3, 3]
    return np.linalg.norm((places[1] - places[0])[:2]) * 60.0 / (last - first)


@pytest.mark.parametrize("wanted", (1.1, 1.3, 1.6))
def test_the_speed_that_is_asked_for_is_delivered(walks, wanted):
    figure, names = walks
    takes = json.dumps([{"action": name} for name in names[:2]])
    assert bpy.ops.motion_signal.speed(takes=takes, speed=wanted) == {"FINISHED"}
    assert pace(figure) == pytest.approx(wanted, rel=0.01)


def test_the_panel_says_what_a_speed_comes_to_and_shows_it(walks):
    figure, names = walks
    for name in names[:2]:
        bpy.ops.motion_signal.speed_take_add(action=name)
    panel().speed.speed = 1.5
    assert panel().notice == "" and preview.session()
    assert speeds.answer_words(bpy.context).startswith("1.50 m/s")
    assert press_apply(SPEED) == {"FINISHED"} and pace(figure) == pytest.approx(1.5, rel=0.01)


def test_events_are_listed_as_marks_and_moving_one_changes_the_blend(walks):
    figure, names = walks
    panel().wavelet_blend.take = names[0]
    panel().wavelet_blend.amount = 0.5
    assert bpy.ops.motion_signal.wavelet_events() == {"FINISHED"}
    rows = panel().wavelet_blend.anchors_rows
    assert len(rows) >= 8 and panel().notice == ""
    before = rigs.evaluated(figure, range(1, 100, 7))
    rows[1].there = rows[1].there + 3
    after = rigs.evaluated(figure, range(1, 100, 7))
    assert panel().notice == "" and max(np.abs(after[name] - before[name]).max() for name in before) > 1e-3


def test_markers_of_the_same_name_become_events(walks):
    figure, names = walks
    for action, frames in ((bpy.data.actions[names[2]], (30, 90)), (bpy.data.actions[names[0]], (40, 130))):
        for name, frame in zip(("down", "up"), frames):
            action.pose_markers.new(name).frame = frame
    panel().wavelet_blend.take = names[0]
    bpy.ops.motion_signal.wavelet_events(markers=True)
    assert json.loads(panel().wavelet_blend.anchors) == [[30, 40], [90, 130]]


def test_a_figure_of_twice_the_size_goes_twice_as_far(walks):
    figure, _ = walks
    before = pace(figure)
    assert bpy.ops.motion_signal.avatar(scale=2.0) == {"FINISHED"}
    assert pace(figure) == pytest.approx(2.0 * before, rel=1e-5)


def test_steps_that_only_one_take_makes_are_left_out_in_words(walks, capfd):
    assert bpy.ops.motion_signal.wavelet_blend(take="Walk 1.0", amount=0.5) == {"FINISHED"}
    assert "17 strikes and mid swings in step, without a twin are the right strike at 29" in capfd.readouterr().out


@pytest.mark.parametrize(
    "technique, values, words",
    [
        ("speed", {"takes": '[{"action": "Walk 1.0"}]', "speed": 4.0}, "speed: 4 m/s is outside"),
        ("speed", {"takes": '[{"action": "Nobody"}]'}, "there is no Nobody"),
        ("avatar", {"scale": 0.0}, "scale: 0 is outside"),
        ("wavelet_blend", {"take": "Nobody", "amount": 0.5}, "there is no Nobody"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(walks, technique, values, words):
    with rigs.nothing_made(), pytest.raises(RuntimeError, match=words):
        getattr(bpy.ops.motion_signal, technique)(**values)
