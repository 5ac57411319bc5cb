# SPDX-License-Identifier: GPL-3.0-or-later
"""Before and after at once: what is drawn stands where Blender itself would put it."""

import bpy
import numpy as np
import pytest
from bl_ext.dev.motion_signal.operators.draw import see_both
from bl_ext.dev.motion_signal.operators.draw.poses import poses_of, shown_bones
from bl_ext.dev.motion_signal.operators.draw.solids import octahedra, segments
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel

LOUD = "[1, 1, 1, 1, 1, 1.8, 1.8, 1.5]"


@pytest.fixture
def shown(settled):
    bpy.ops.motion_signal.add_figure(seconds=3.0)
    panel().scope.feet = "FREE"
    panel().equalize.gains = LOUD
    yield see_both.both(preview.session())
    see_both.forget()


@pytest.mark.parametrize("after", [False, True])
def test_skeleton_stands_where_blender_puts_it(shown, after):
    figure, frame = bpy.context.object, 30
    preview.flip(after)
    bpy.context.scene.frame_set(frame)
    poses = poses_of(shown.after if after else shown.before, shown.skeleton)
    bones = shown_bones(figure, poses.names)
    row = poses.row(frame)
    drawn = octahedra(poses.axes[row, bones], poses.heads[row, bones], poses.lengths[bones]).reshape(len(bones), 24, 3)
    for bone, points in zip(bones, drawn):
        pose = figure.pose.bones[poses.names[bone]]
        assert np.abs(points[0] - pose.head).max() < 1e-5 and np.abs(points[12] - pose.tail).max() < 1e-5


def test_footprints_turn_red_where_feet_slide(shown):
    prints, leg = shown.prints()
    assert len(prints) > 3 and max(each.slide for each in prints) / leg > see_both.MUCH
    preview.end()
    panel().scope.feet = "LOCKED"
    panel().equalize.gains = LOUD
    prints, leg = see_both.both(preview.session()).prints()
    assert len(prints) > 3 and max(each.slide for each in prints) / leg < see_both.SEEN


def test_trails_go_through_hands_and_feet(shown):
    poses, ways = shown.ends(shown.after)
    bpy.context.scene.frame_set(30)
    hand = bpy.context.object.pose.bones[shown.roles.left_hand].head
    assert np.abs(ways[poses.row(30), 0] - hand).max() < 1e-5
    lines, colors = segments(ways, see_both.TRAILS[1], 29, 10)
    assert lines.shape == (4 * 20 * 2, 3) and colors[:, 3].max() == pytest.approx(1.0)


def test_a_touch_works_out_the_take_only_once(shown):
    before = poses_of(shown.before, shown.skeleton)
    panel().equalize.gains = "[1, 1, 1, 1, 1, 1.2]"
    again = see_both.both(preview.session())
    assert poses_of(again.before, again.skeleton) is before and again.after is not None
