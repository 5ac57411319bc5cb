# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean in Blender: faults put into the keys of a walk are listed, mended in the result, and left where one says so."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.figure.clean import CLEAN
from bl_ext.dev.motion_signal.operators.bridge.actions import channelbag
from bl_ext.dev.motion_signal.operators.desk import findings
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")
FAULTS = {"forearm.L": 60, "thigh.R": 90, "head": 41}


@pytest.fixture
def figure(scene):
    """A walk at 60 frames a second, of which three bones are elsewhere in one frame each."""
    bpy.context.scene.render.fps = 60
    bpy.ops.motion_signal.add_figure(rotation_mode="XYZ")
    return bpy.context.object


def spoiled(figure):
    """The frames of the faults as they were, and the same figure with the faults in its keys."""
    frames = sorted(FAULTS.values())
    poses = rigs.poses(figure, frames)
    action = figure.animation_data.action
    for curve in channelbag(action, figure.animation_data.action_slot).fcurves:
        for bone, frame in FAULTS.items():
            if f'"{bone}"' in curve.data_path and curve.data_path.endswith("euler") and curve.array_index == 0:
                key = next(key for key in curve.keyframe_points if round(key.co.x) == frame)
                key.co.y += np.radians(35.0)
                curve.update()
    return frames, poses


def keys_of(action):
    return [[tuple(key.co) for key in curve.keyframe_points] for curve in action.layers[0].strips[0].channelbags[0].fcurves]


def test_what_is_wrong_is_mended_in_a_new_action_and_the_take_stays(figure):
    frames, poses = spoiled(figure)
    take = figure.animation_data.action
    before = keys_of(take)
    assert np.abs(rigs.poses(figure, frames) - poses).max() > 0.1
    assert bpy.ops.motion_signal.clean() == {"FINISHED"}
    assert figure.animation_data.action != take and keys_of(take) == before
    assert np.abs(rigs.poses(figure, frames) - poses).max() < 0.02


def test_findings_are_listed_gone_to_ignored_and_had_back(figure):
    frames, poses = spoiled(figure)
    bpy.ops.motion_signal.add_step(technique="clean")
    found = findings.found(bpy.context)
    assert {(bar.bone, round(bar.first)) for bar in found} == set(FAULTS.items())
    assert {bar.state for bar in found} == {"fixed"} and len(findings.bars(bpy.context)) == 3
    findings.follow()
    listed = bpy.context.window_manager.motion_signal_findings
    assert len(listed.rows) == 3 and listed.rows[0].name.startswith("41  head: spike 3")
    index = next(at for at, bar in enumerate(found) if bar.bone == "thigh.R")
    bpy.ops.motion_signal.finding_go(index=index)
    assert bpy.context.scene.frame_current == 90 and figure.data.bones.active.name == "thigh.R"
    bpy.ops.motion_signal.finding_mark(index=index, how="IGNORE")
    assert [bar.state for bar in findings.found(bpy.context)].count("ignored") == 1
    assert np.abs(rigs.poses(figure, [90]) - poses[[2]]).max() > 0.1
    bpy.ops.motion_signal.finding_mark(index=index, how="IGNORE")
    assert {bar.state for bar in findings.found(bpy.context)} == {"fixed"} and panel().clean.ignore == ""
    panel().clean.spikes = False
    assert {bar.state for bar in findings.found(bpy.context)} == {""}
    bpy.ops.motion_signal.finding_mark(index=index, how="FIX")
    assert np.abs(rigs.poses(figure, [90]) - poses[[2]]).max() < 0.02
    assert np.abs(rigs.poses(figure, [60]) - poses[[1]]).max() > 0.1
    assert press_apply(CLEAN) == {"FINISHED"}


def test_a_take_with_nothing_to_find_is_left_and_that_is_said(figure):
    bpy.ops.motion_signal.add_step(technique="clean")
    assert findings.found(bpy.context) == () and findings.bars(bpy.context) == []
    assert preview.session().process.told == "nothing wrong was found"
    findings.follow()
    assert len(bpy.context.window_manager.motion_signal_findings.rows) == 0


def test_a_finding_that_is_not_there_is_refused(figure):
    spoiled(figure)
    bpy.ops.motion_signal.add_step(technique="clean")
    with pytest.raises(RuntimeError, match="no finding is chosen"):
        bpy.ops.motion_signal.finding_mark(index=17, how="FIX")
