# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones stretched by a result are as long as before once the take is back, however it came back."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.character.cartoon import CARTOON
from bl_ext.dev.motion_signal.operators.bridge.armatures import skeleton_of
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")
FRAMES = range(1, 140, 12)
STRETCH = {"strength": 1.0, "target": "POSITIONS"}


@pytest.fixture
def figure(scene):
    bpy.ops.motion_signal.add_figure()
    figure = bpy.context.object
    figure.pose.bones["hand.L"].scale = 1.2, 1.2, 1.2  # what an animator has set by hand, and no action animates
    scene.frame_set(40)
    bpy.ops.ed.undo_push(message="Start")
    return figure


def figure_now():
    return bpy.context.object


def take():
    return bpy.data.actions["Walking Figure"]


def stretch():
    bpy.ops.motion_signal.cartoon(**STRETCH)
    bpy.context.scene.frame_set(60)
    scales = [bone.scale[1] for bone in figure_now().pose.bones if bone.name != "hand.L"]
    assert max(abs(scale - 1.0) for scale in scales) > 0.005
    bpy.ops.ed.undo_push(message="Stretched")


def by_hand():
    data = figure_now().animation_data
    data.action, data.action_slot = take(), take().slots[0]


def switched_off():
    bpy.ops.motion_signal.recipe_change(step=0, change="SWITCH")


def removed():
    bpy.ops.motion_signal.recipe_change(step=0, change="REMOVE")


def thrown_away():
    bpy.ops.motion_signal.throw_away(which="THIS")


def unlinked_and_back():
    figure_now().animation_data.action = None
    by_hand()


def to_and_fro():
    """The take by hand, the result by hand, and the take again."""
    result = figure_now().animation_data.action
    by_hand()
    bpy.context.scene.frame_set(50)
    figure_now().animation_data.action, figure_now().animation_data.action_slot = result, result.slots[0]
    bpy.context.scene.frame_set(60)
    by_hand()


def another_result():
    by_hand()
    bpy.ops.motion_signal.equalize()


WAYS = (by_hand, bpy.ops.ed.undo, switched_off, removed, thrown_away, unlinked_and_back, to_and_fro, another_result)


@pytest.mark.parametrize("back", WAYS)
def test_bones_are_as_long_as_before_when_the_take_is_back(figure, back):
    before = rigs.poses(figure, FRAMES)
    stretch()
    back()
    assert np.abs(rigs.poses(figure_now(), FRAMES) - before).max() < 1e-5
    assert tuple(figure_now().pose.bones["hand.L"].scale) == pytest.approx((1.2, 1.2, 1.2))


def test_bones_are_as_long_as_before_after_a_file_was_saved_and_opened(figure, tmp_path):
    before = rigs.poses(figure, FRAMES)
    stretch()
    path = str(tmp_path / "stretched.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    by_hand()
    assert np.abs(rigs.poses(figure_now(), FRAMES) - before).max() < 1e-5


def test_the_body_is_read_as_the_take_has_it_while_a_stretched_result_is_played(figure):
    """Steps run again begin at the take: what the pose happens to hold at the moment is not the take's."""
    before = [bone.scale for bone in skeleton_of(figure).bones]
    stretch()
    assert [bone.scale for bone in skeleton_of(figure).bones] == before


@pytest.mark.parametrize(
    "technique, values",
    [("lock", {}), ("path", {"slide": 0.3}), ("style", {"preset": "proud"}), ("cartoon", {"strength": 0.5})],
)
def test_no_technique_refuses_the_take_after_it_was_stretched(figure, technique, values):
    def made():
        assert getattr(bpy.ops.motion_signal, technique)(**values) == {"FINISHED"}
        return rigs.record(figure.animation_data.action)["curves"]

    fresh = made()
    by_hand()
    stretch()
    by_hand()
    assert made() == fresh


def test_a_stretch_switched_off_before_another_step_leaves_nothing_of_it(figure):
    figure.pose.bones["hand.L"].scale = 1.0, 1.0, 1.0
    assert bpy.ops.motion_signal.lock() == {"FINISHED"}
    alone = rigs.record(figure.animation_data.action)["curves"]
    by_hand()
    stretch()
    with pytest.raises(RuntimeError, match="skewed"):  # bones that are really stretched still are
        bpy.ops.motion_signal.lock()
    bpy.ops.motion_signal.recipe_change(step=0, change="SWITCH")
    bpy.ops.motion_signal.lock()
    assert rigs.record(figure.animation_data.action)["curves"] == alone


@pytest.mark.parametrize("leave", (lambda: bpy.ops.motion_signal.preview_end(), lambda: press_apply(CARTOON), by_hand))
def test_bones_stretched_by_a_preview_come_back_however_it_is_left(figure, leave):
    before = rigs.poses(figure, FRAMES)
    panel().cartoon.target = "POSITIONS"
    panel().cartoon.strength = 1.0
    bpy.context.scene.frame_set(60)
    leave()
    by_hand()
    assert np.abs(rigs.poses(figure, FRAMES) - before).max() < 1e-5
