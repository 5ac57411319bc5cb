# SPDX-License-Identifier: GPL-3.0-or-later
"""Life in Blender: three poses move like the walk that gives them life, and stay the take they were."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.character.life import LIFE
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")


@pytest.fixture
def poses(scene):
    """Three poses of a walk as a take of their own, and the walk."""
    bpy.context.scene.render.fps = 60
    bpy.ops.motion_signal.add_figure(speed=1.4)
    action = bpy.context.object.animation_data.action
    walk = action.copy()
    walk.name, walk.use_fake_user = "Walk", True
    for curve in action.layers[0].strips[0].channelbags[0].fcurves:
        values = {frame: curve.evaluate(frame) for frame in (1, 61, 121)}
        curve.keyframe_points.clear()
        for frame, value in values.items():
            curve.keyframe_points.insert(frame, value)
        curve.update()
    return bpy.context.object


def shaking(figure):
    """How much the left hand accelerates beside the hips."""
    heads = rigs.poses(figure, list(range(1, 121, 2)))[..., :3, 3]
    hand, hips = (figure.pose.bones.find(name) for name in ("hand.L", "hips"))
    return np.abs(np.diff(heads[:, hand] - heads[:, hips], 2, axis=0)).mean()


@pytest.mark.only("5.2")  # what it tries is not Blender's
def test_poses_come_to_life_live_and_applied(poses):
    before, take = shaking(poses), poses.animation_data.action
    bpy.ops.motion_signal.add_step(technique="life")
    panel().life.take = "Walk"
    assert panel().notice == "" and shaking(poses) > 1.5 * before
    assert press_apply(LIFE) == {"FINISHED"}
    assert poses.animation_data.action != take and shaking(poses) > 1.5 * before
    assert len(take.layers[0].strips[0].channelbags[0].fcurves[0].keyframe_points) == 3


def test_a_take_that_is_not_there_is_refused(poses):
    with pytest.raises(RuntimeError, match="there is no Nobody"):
        bpy.ops.motion_signal.life(take="Nobody")
