# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys in Blender: feet, hands and head stay, by Blender's own evaluation, and the take is not touched."""

import bpy
import numpy as np
import pytest
import rigs

pytestmark = pytest.mark.usefixtures("settled")
ENDS = ("foot.L", "foot.R", "hand.L", "hand.R", "head")


@pytest.mark.parametrize("mode", ("QUATERNION", "XYZ"))
def test_ends_stay_within_what_is_allowed_with_far_fewer_keys(scene, mode):
    bpy.context.scene.render.fps = 60
    bpy.ops.motion_signal.add_figure(rotation_mode=mode)
    figure = bpy.context.object
    take = figure.animation_data.action
    frames, indices = range(1, 361), [figure.pose.bones.find(name) for name in ENDS]
    before = rigs.poses(figure, frames)[:, indices]
    with rigs.untouched(take):
        assert bpy.ops.motion_signal.reduce(millimetres=2.0, degrees=0.5) == {"FINISHED"}
    after = rigs.poses(figure, frames)[:, indices]
    assert np.linalg.norm((after - before)[..., :3, 3], axis=-1).max() < 2.1e-3
    assert np.degrees(rigs.angles_between(before, after)).max() < 0.52
    counts = [
        sum(len(curve.keyframe_points) for curve in rigs.curves_of(figure, action).values())
        for action in (figure.animation_data.action, take)
    ]
    assert counts[0] * 8 < counts[1] and figure.animation_data.action["motion_signal_source"] == take


def test_what_has_no_size_is_refused(scene):
    bpy.ops.motion_signal.add_figure()
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="tail"):
        bpy.ops.motion_signal.reduce(effectors="tail")
