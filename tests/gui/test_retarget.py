# SPDX-License-Identifier: GPL-3.0-or-later
"""From an imported take to an edited Rigify character with planted feet, with the mouse: five clicks."""

import sys
from pathlib import Path

import pytest
from window import ROOT, Window

SCENE = """
import addon_utils
bpy.context.preferences.inputs.use_mouse_continuous = False
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
addon_utils.enable("rigify", default_set=True)
bpy.ops.object.armature_human_metarig_add()
metarig = bpy.context.object
bpy.ops.pose.rigify_generate()
hero = bpy.context.object
hero.name = "Hero"
bpy.data.objects.remove(metarig)
bpy.ops.import_anim.bvh(filepath=path, global_scale=0.0564444, update_scene_fps=True, update_scene_duration=True)
bpy.context.scene.frame_set(60)
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
area.spaces.active.show_region_ui = True
"""
TAB = """
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
next(region for region in area.regions if region.type == 'UI').active_panel_category = 'Motion'
"""
PANEL = (100, 147)  # from the tab's corner to the header of the panel: the rack, versions and library are above it
NEAR = """
import mathutils
view = next(area for area in window.screen.areas if area.type == 'VIEW_3D').spaces.active
hips = bpy.data.objects["Hero"].pose.bones["torso"].head
view.region_3d.view_location, view.region_3d.view_distance = hips + mathutils.Vector((0.6, 0.0, -0.2)), 4.5
"""
SLID = """
from bl_ext.user_default.motion_signal.core.body.report import report
from bl_ext.user_default.motion_signal.operators.run.retarget import take_of_object
hero = bpy.data.objects["Hero"]
seen = take_of_object(hero, bpy.context.scene.render.fps / bpy.context.scene.render.fps_base)
result = report(seen.clip, seen.skeleton, contacts=seen.contacts)["slide_mean_mm"]
"""
PLAYED_BY = (
    "(lambda action: '' if 'motion_signal_preview' in action else action.name)(bpy.data.objects['Hero'].animation_data.action)"
)
PLAYED = f"result = {PLAYED_BY}"


@pytest.fixture
def window():
    with Window() as window:
        yield window


def take():
    """A recorded walk, or one that is made."""
    sys.path.insert(0, str(ROOT / "tests"))
    recorded = ROOT.parent / "shared" / "mocap" / "cmu_07_01_walk_normal.bvh"
    if not recorded.exists():
        pytest.skip("there is no recorded take beside the project")
    return recorded


def test_an_imported_take_is_on_a_rigify_rig_and_edited_on_in_five_clicks(window, picture=None):
    window.run(SCENE, path=str(take()))
    window.settle()
    window.run(TAB)
    window.settle()
    left, top, *_ = window.region("VIEW_3D", "UI")
    outliner = window.region("OUTLINER", "WINDOW")
    window.click(outliner[0] + 100, outliner[1] + 97)  # 1: the rig
    window.settle()
    assert window.run("result = bpy.context.object.name") == "Hero"
    window.click(left + PANEL[0], top + PANEL[1])  # 2: the panel
    window.settle()
    window.press_button("motion_signal.retarget(", 120, 380, "VIEW_3D")  # 3
    window.until('"Hero" in {rig.name for rig in bpy.data.objects if getattr(rig.animation_data, "action", None)}', timeout=60)
    window.settle()
    if picture:
        window.run(NEAR)
        window.settle()
        window.picture(Path(picture))
    assert window.run(SLID) < 3.0
    brought = window.run(PLAYED)
    window.press_button('motion_signal.goal(goal="sadder"', 92, 160, "VIEW_3D")  # 4
    window.until('any("motion_signal_preview" in action for action in bpy.data.actions)', timeout=60)
    window.settle()
    window.press_button("motion_signal.rack_apply(", 80, 160, "VIEW_3D")  # 5
    window.until(f"({PLAYED_BY}) not in ({brought!r}, '')", timeout=60)
    assert window.run(PLAYED) != brought
    assert window.run(SLID) < 3.0
