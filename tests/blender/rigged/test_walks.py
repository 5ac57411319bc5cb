# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion on control rigs of other makes: feet that deform stay planted, keys stay few, and what cannot be is said by name."""

import json

import bpy
import numpy as np
import pytest
import rigged_walks
import rigs
from bl_ext.dev.motion_signal.core.techniques.figure.path import PATH
from bl_ext.dev.motion_signal.operators.bridge.measured import model_of
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")
BUILT = ("Auto-Rig-like", "Mixamo-like")
TURN = [[0.5 * (1.0 - np.cos(turn)), -0.5 * np.sin(turn), 0.0] for turn in np.linspace(0.0, 8.0, 90)]


@pytest.fixture
def built(scene):
    scene.render.fps = 24
    return rigged_walks.STAGED["Auto-Rig-like"]()


def places(rig, feet):
    """Where feet that deform are at every frame of the rig's action, (frames, feet, 3)."""
    first, last = (int(frame) for frame in rig.animation_data.action.frame_range)
    return rigs.poses(rig, range(first, last + 1))[:, [rig.pose.bones.find(name) for name in feet]][..., :3, 3]


def slide(before, after):
    """How far feet go, in millimetres, while they stand in the take."""
    count, worst = min(len(before), len(after)), 0.0
    still = np.linalg.norm(np.diff(before[:count], axis=0), axis=2) < 2e-4
    for foot, stands in enumerate((still[1:] & still[:-1]).T):
        edges = np.flatnonzero(np.diff(stands.astype(int), prepend=0, append=0))
        for first, end in zip(edges[::2], edges[1::2]):
            went = after[1 + first : 1 + end, foot, :2]
            worst = max(worst, 1000.0 * np.linalg.norm(went - went[0], axis=1).max())
    return worst


def total(rig):
    return sum(len(curve.keyframe_points) for curve in rigs.curves_of(rig).values())


@pytest.mark.only("5.2")  # what it tries is not Blender's
def test_a_path_that_ends_early_has_no_keys_after_its_end_and_planted_feet(built):
    rig, take, feet = built
    before = places(rig, feet)
    assert bpy.ops.motion_signal.path(path=json.dumps({"points": TURN})) == {"FINISHED"}
    last = rig.animation_data.action.frame_range[1]
    assert last < take.frame_range[1]
    assert slide(before, places(rig, feet)) < 1.0


@pytest.mark.only("5.2")  # what it tries is not Blender's
def test_all_that_deforms_is_within_three_millimetres_of_a_key_on_every_frame(built):
    rig, take, _ = built
    joints = [bone.name for bone in rig.data.bones if bone.use_deform]
    half = [[1.34 * (1.0 - np.cos(turn)), -1.34 * np.sin(turn), 0.0] for turn in np.linspace(0.0, np.pi, 25)]
    found = []
    for keys in ("AUTO", "EVERY_FRAME"):
        rig.animation_data.action, rig.animation_data.action_slot = take, take.slots[0]
        assert bpy.ops.motion_signal.path(path=json.dumps({"points": half}), keys=keys) == {"FINISHED"}
        found.append(places(rig, joints))
    assert 1000.0 * np.linalg.norm(found[0] - found[1], axis=2).max() < 3.0


@pytest.mark.only("5.2")  # what it tries is not Blender's
def test_the_preview_shows_feet_held_as_apply_holds_them(built):
    rig, _, feet = built
    half = [[1.34 * (1.0 - np.cos(turn)), -1.34 * np.sin(turn), 0.0] for turn in np.linspace(0.0, np.pi, 25)]
    panel().path.path = json.dumps({"points": half})
    shown = places(rig, feet)
    assert press_apply(PATH) == {"FINISHED"}
    assert 1000.0 * np.linalg.norm(places(rig, feet) - shown, axis=2).max() < 3.0


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
def test_few_keys_stay_few_and_feet_planted(built):
    rig, _, feet = built
    before, keys = places(rig, feet), total(rig)
    assert bpy.ops.motion_signal.equalize(preset="exaggerate") == {"FINISHED"}
    assert slide(before, places(rig, feet)) < 1.0
    assert total(rig) <= 1.3 * keys


@pytest.mark.only("5.2")  # what it tries is not Blender's
def test_legs_that_are_turned_stand_on_hips_that_other_controls_turn(scene):
    scene.render.fps = 24
    rig, _, feet = rigged_walks.STAGED["FK legs"]()
    before = places(rig, feet)
    assert bpy.ops.motion_signal.equalize(preset="exaggerate") == {"FINISHED"}
    after = places(rig, feet)
    assert slide(before, after) < 1.0 and np.abs(after - before).max() > 0.02


def test_a_smaller_figure_s_take_has_standing_feet_on_this_rig_too(built):
    rig, _, feet = built
    before = places(rig, feet)
    assert bpy.ops.motion_signal.avatar(scale=0.8) == {"FINISHED"}
    assert slide(before, places(rig, feet)) < 1.0


def test_curves_of_a_locked_foot_control_stay(built):
    rig, _, _ = built
    for (path, _), curve in rigs.curves_of(rig).items():
        curve.lock = '"c_foot_ik.l"' in path
    before = {name: rigs.curve_record(curve) for name, curve in rigs.curves_of(rig).items() if '"c_foot_ik.l"' in name[0]}
    assert bpy.ops.motion_signal.equalize(preset="exaggerate") == {"FINISHED"}
    assert {name: rigs.curve_record(rigs.curves_of(rig)[name]) for name in before} == before


def test_a_foot_that_no_control_moves_is_named_with_the_field_of_the_panel(built):
    rig, take, _ = built
    for constraint in list(rig.pose.bones["foot.l"].constraints):
        rig.pose.bones["foot.l"].constraints.remove(constraint)
    holder = bpy.data.objects.new("holder", None)
    bpy.context.collection.objects.link(holder)
    hold = rig.pose.bones["foot.l"].constraints.new("COPY_TRANSFORMS")
    hold.target = holder
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="foot.l.*Rig panel.*Left Foot Control"):
        bpy.ops.motion_signal.lock()


def test_a_constraint_to_what_is_gone_is_named(built):
    rig, _, _ = built
    hold = rig.pose.bones["foot.l"].constraints.new("COPY_TRANSFORMS")
    hold.target, hold.subtarget = rig, "nobody"
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="foot.l"):
        bpy.ops.motion_signal.lock()


def drive(rig, bone, other):
    """Have the place of a bone follow that of another by a driver."""
    driver = rig.driver_add(f'pose.bones["{bone}"].location', 0).driver
    variable = driver.variables.new()
    variable.type, driver.expression = "TRANSFORMS", variable.name
    variable.targets[0].id, variable.targets[0].bone_target = rig, other
    variable.targets[0].transform_type, variable.targets[0].transform_space = "LOC_X", "LOCAL_SPACE"


def test_drivers_in_a_circle_are_named_and_others_are_not(built):
    rig, _, _ = built
    drive(rig, "foot_ik.l", "leg_ik.l")
    assert bpy.ops.motion_signal.lock() == {"FINISHED"}
    drive(rig, "leg_ik.l", "foot_ik.l")
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="bone (foot|leg)_ik.l follows itself in a circle of drivers"):
        bpy.ops.motion_signal.lock()


def test_corrections_of_an_overridden_rig_survive_saving_and_loading(built, tmp_path):
    rig, take, _ = built
    take.use_fake_user = True
    library, shot = str(tmp_path / "rig.blend"), str(tmp_path / "shot.blend")
    bpy.data.libraries.write(library, {rig, take}, fake_user=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (there, wanted):
        wanted.objects = [name for name in there.objects if name == "rig"]
    bpy.context.collection.objects.link(wanted.objects[0])
    mine = wanted.objects[0].override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = mine
    mine.data.bones.active = mine.data.bones["c_foot_roll.l"]
    assert bpy.ops.motion_signal.rig_pick(role="left_foot_control") == {"FINISHED"}
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    bpy.ops.wm.open_mainfile(filepath=shot)
    mine = next(each for each in bpy.data.objects if each.override_library)
    assert mine.data.motion_signal_rig.left_foot_control == "c_foot_roll.l"


@pytest.mark.parametrize("name", BUILT)
def test_what_moves_feet_is_found_by_itself(scene, name):
    rig, take, _ = rigged_walks.STAGED[name]()
    model = model_of(rig, take, rig.animation_data.action_slot)
    handles = {bone.handle for bone in model.skeleton.bones if bone.handle}
    assert {"c_foot_ik.l", "c_foot_ik.r"} <= handles or {"Ctrl_Foot_IK_Left", "Ctrl_Foot_IK_Right"} <= handles
