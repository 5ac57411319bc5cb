# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of a take: named by what was done, swapped, starred, compared, and none lost by saving."""

import bpy
import numpy as np
import pytest
from bl_ext.dev.motion_signal.operators.desk import version_pictures, versions
from bl_ext.dev.motion_signal.operators.draw import compared
from bl_ext.dev.motion_signal.operators.live import preview


@pytest.fixture
def made(settled):
    """A walk and two results of it."""
    bpy.ops.motion_signal.add_figure(seconds=3.0)
    bpy.context.object.animation_data.action.name = "walk"
    bpy.ops.motion_signal.style(preset="tired", amount=0.8)
    bpy.ops.motion_signal.lock()
    return bpy.context.object


def names(figure):
    return [version.name for version in versions.versions_of(figure)]


def test_they_are_named_by_what_was_done(made):
    assert names(made) == ["walk", "walk, Tired 0.8", "walk, Tired 0.8, feet locked"]


def test_a_click_swaps_and_the_list_stays(made):
    before = names(made)
    assert bpy.ops.motion_signal.version_show(action="walk") == {"FINISHED"}
    assert made.animation_data.action.name == "walk" and names(made) == before
    assert [version.shown for version in versions.versions_of(made)] == [True, False, False]


def test_what_is_no_version_is_refused(made):
    bpy.data.actions.new("Other")
    with pytest.raises(RuntimeError, match="Other is none of this take"):
        bpy.ops.motion_signal.version_show(action="Other")


def test_none_is_lost_by_saving(made, tmp_path):
    bpy.ops.motion_signal.version_star(action=versions.versions_of(made)[1].action.name)
    for version in versions.versions_of(made)[1:]:
        version.action.use_fake_user = False
    bpy.ops.motion_signal.version_show(action="walk")
    path = str(tmp_path / "kept.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    found = versions.versions_of(bpy.context.object)
    assert {version.name for version in found} == {"walk", "walk, Tired 0.8", "walk, Tired 0.8, feet locked"}
    assert [version.name for version in found if version.starred] == ["walk, Tired 0.8"]


def test_a_preview_lists_no_version_of_its_own(made):
    before = names(made)
    bpy.context.window_manager.motion_signal.equalize.gains = "[1, 1, 1, 1, 1, 2]"
    assert preview.session() and names(made) == before


def test_the_compared_one_stands_as_it_is_and_beside(made):
    bpy.ops.motion_signal.version_compare(action="walk")
    poses, bones, side = compared.compared(bpy.context)
    bpy.ops.motion_signal.version_show(action="walk")
    bpy.context.scene.frame_set(20)
    drawn = poses.heads[poses.row(20), poses.names.index("head")]
    assert np.abs(drawn - bpy.context.object.pose.bones["head"].head).max() < 1e-5
    assert len(bones) == len(made.pose.bones) and abs(abs(side[0]) - 1.0) < 0.01


def test_a_picture_shows_a_figure(made):
    pixels = version_pictures.pixels_of(bpy.context, made, "walk", False)
    inked = pixels[..., 3] > 0.9
    assert pixels.shape == (96, 96, 4) and 0.01 < inked.mean() < 0.2 and inked[:20].any()
