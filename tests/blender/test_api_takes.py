# SPDX-License-Identifier: GPL-3.0-or-later
"""Core alone against the operators: the same take, read without Blender and treated by a recipe, ends up the same."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core import EqualizeParams, LockParams, Recipe, Step, read_bvh, run, technique
from bl_ext.dev.motion_signal.core.motion.skeleton import size_of
from bl_ext.dev.motion_signal.operators.files import files

GAINS = (*(1.0,) * 4, 1.3, 1.6, 1.6, 1.6, *(1.0,) * 4)  # twelve bands


@pytest.mark.parametrize("take", ("cmu_07_01_walk_normal.bvh", "cmu_16_36_run_jog.bvh"))
def test_equalize_and_lock_without_blender_equal_the_operators(takes, take):
    files.load(takes / take)
    rig = files.animated_objects()[0]
    bpy.context.view_layer.objects.active = rig
    following = '[{"technique": "lock", "params": {}}]'
    assert bpy.ops.motion_signal.equalize(gains=str(list(GAINS)), then=following) == {"FINISHED"}
    curves = rigs.curves_of(rig)
    clip, skeleton = read_bvh(takes / take)
    recipe = Recipe((Step(technique("equalize"), EqualizeParams(gains=GAINS)), Step(technique("lock"), LockParams())))
    result = run(recipe, clip, skeleton)
    assert {(channel.path, channel.index) for channel in result.channels} == set(curves)
    treated = np.stack([rigs.keys(curves[channel.path, channel.index])[:, 1] for channel in result.channels], axis=1)
    assert treated.shape == result.values.shape and np.abs(treated - clip.values).max() > 0.1
    places = skeleton.posed(result)[1] - skeleton.posed(result.with_values(treated.astype(np.float64)))[1]
    away = np.abs(places).max(axis=(1, 2)) / size_of(skeleton)
    assert np.median(away) < 1e-6 and away.max() < 1e-5  # the worst are legs that are nearly straight, after a jump of the take
