# SPDX-License-Identifier: GPL-3.0-or-later
"""A take of another figure on an armature: on its bones, and on the controls of a rig, as Blender evaluates them."""

import bpy
import built_rigs
import control_rigs
import made_figures
import made_takes
import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.body.report import report
from bl_ext.dev.motion_signal.core.motion.skeleton import Skeleton
from bl_ext.dev.motion_signal.core.numeric.refusal import Refusal
from bl_ext.dev.motion_signal.core.retargeting.foreign import Foreign
from bl_ext.dev.motion_signal.core.retargeting.hands import palm_of
from bl_ext.dev.motion_signal.core.retargeting.retarget import Retarget
from bl_ext.dev.motion_signal.core.retargeting.stance import in_world
from bl_ext.dev.motion_signal.core.techniques.several_takes.retarget import RetargetParams
from bl_ext.dev.motion_signal.operators.bridge.armatures import skeleton_of
from bl_ext.dev.motion_signal.operators.bridge.deforming import deforming
from bl_ext.dev.motion_signal.operators.bridge.measured import evaluated
from bl_ext.dev.motion_signal.operators.rigs import carried, kept_plans, onto_controls, plan
from bl_ext.dev.motion_signal.operators.run.retarget import carried_onto, retarget_onto, take_of_object


def plain_take(name="walk", rows=120):
    """A made take as the extension's own classes have it."""
    made = made_takes.take(name)
    clip, skeleton = made.clip, made.skeleton
    return clip.with_values(clip.values[:rows]), skeleton


def foreign(name="walk", rows=120):
    return own_classes(*plain_take(name, rows), name)


def own_classes(clip, skeleton, name):
    """A take of the tests' own classes as one of the extension's."""
    from bl_ext.dev.motion_signal.core.motion import clip as clips
    from bl_ext.dev.motion_signal.core.motion import skeleton as skeletons

    channels = tuple(clips.Channel(each.path, each.index, each.kind, each.owner) for each in clip.channels)
    bones = tuple(skeletons.Bone(**vars(bone)) for bone in skeleton.bones)
    return Foreign(clips.Clip(clip.values, channels, clip.fps, 1), skeletons.Skeleton(bones, skeleton.world), name)


def armature(skeleton, name="figure"):
    """An armature object with the bones of a skeleton, in its world."""
    data = bpy.data.armatures.new(name)
    subject = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(subject)
    bpy.context.view_layer.objects.active = subject
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in skeleton.bones:
        edit = data.edit_bones.new(bone.name)
        rest = np.array(bone.rest)
        edit.head, edit.tail = rest[:3, 3], rest[:3, 3] + rest[:3, 1] * bone.length
        edit.align_roll(rest[:3, 2])
        if bone.parent >= 0:
            edit.parent = data.edit_bones[skeleton.bones[bone.parent].name]
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in skeleton.bones:
        subject.pose.bones[bone.name].rotation_mode = bone.mode
    subject.matrix_world = [list(row) for row in skeleton.world]
    bpy.context.view_layer.update()
    return subject


@pytest.mark.parametrize("build", made_figures.BUILDS)
def test_an_armature_plays_what_core_makes_of_the_take(scene, build):
    take, subject = foreign(), armature(made_figures.figure(made_figures.BUILDS[build]))
    brought = retarget_onto(take, subject, RetargetParams())
    assert subject.animation_data.action == brought.action and brought.action.use_fake_user
    carry = Retarget(take.skeleton, skeleton_of(subject), clip=take.clip)
    heads = carry.target.posed(carry(take.clip))[1]
    seen = evaluated(subject, brought.action, brought.action.slots[0], 1, take.clip.frames)
    for index, bone in enumerate(carry.target.bones):
        assert np.abs(seen[bone.name][:, :3, 3] - heads[:, index]).max() < 2e-5 * max(1.0, np.abs(heads).max())


RIGS = {
    "rigify": lambda: control_rigs.rigify("human"),
    "auto_rig": lambda: built_rigs.build(built_rigs.AUTO_RIG),
    "mixamo": lambda: built_rigs.build(built_rigs.MIXAMO),
}
ROLES = ("upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot")


@pytest.mark.parametrize("arms", ["FK", "IK"])
@pytest.mark.parametrize("rig", RIGS)
def test_what_deforms_on_a_control_rig_goes_where_core_puts_it(scene, rig, arms):
    take, subject = foreign(rows=60), RIGS[rig]()
    before = {pose.name: pose.matrix_basis.copy() for pose in subject.pose.bones}
    brought = retarget_onto(take, subject, RetargetParams(), arms)
    body = deforming(subject, skeleton_of(subject))
    carry = Retarget(take.skeleton, body, clip=take.clip)
    axes, heads = carry.target.posed(carry(take.clip))
    seen = evaluated(subject, brought.action, brought.action.slots[0], 1, 60)
    for side in ("left", "right"):
        for part in ROLES:
            index = carry.alignment.target.roles[f"{side}_{part}"]
            shown = seen[body.bones[index].name]
            assert np.abs(shown[:, :3, 3] - heads[:, index]).max() < 0.05, (side, part)
            cosine = np.sum(unit(shown[:, :3, 1]) * unit(axes[:, index, :, 1]), axis=1)
            assert np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).mean() < (6.0 if arms == "IK" else 3.0), (side, part)
        foot = carry.alignment.target.roles[f"{side}_foot"]
        assert np.abs(seen[body.bones[foot].name][:, :3, 3] - heads[:, foot]).max() < 1e-3
    keyed = {path.split('"')[1] for path in paths(brought.action) if path.startswith("pose.bones")}
    assert not any(subject.data.bones[name].use_deform for name in keyed)
    bpy.context.scene.frame_set(1)
    subject.animation_data.action = None
    assert before.keys() == {pose.name for pose in subject.pose.bones}


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def curves_of(action):
    return action.layers[0].strips[0].channelbags[0].fcurves


def paths(action):
    return [curve.data_path for curve in curves_of(action)]


@pytest.mark.parametrize("rig", ["auto_rig", "mixamo"])
def test_controls_that_are_moved_together_tell_what_each_does_alone(scene, rig, monkeypatch):
    subject, tables, looks = RIGS[rig](), [], []
    body = deforming(subject, skeleton_of(subject))
    bones = [bone.name for bone in body.bones]
    look = carried.looked_at
    monkeypatch.setattr(carried, "looked_at", lambda *given: looks.append(given) or look(*given))
    for told in (plan.carried_by, lambda *_: {}):
        monkeypatch.setattr(plan, "carried_by", told)
        looks.clear()
        tables.append((plan.made_plan(subject, bones, "FK", skeleton_of(subject)), len(looks)))
    (together, few), (alone, many) = tables
    assert together.followers == alone.followers and few < 0.7 * many
    assert np.array_equal(together.carrying.turns == 1.0, alone.carrying.turns == 1.0)
    assert np.array_equal(together.carrying.moves == 1.0, alone.carrying.moves == 1.0)


def test_a_rig_is_planned_once_until_something_of_it_is_another(scene, monkeypatch):
    take, subject, made = foreign(rows=20), built_rigs.build(built_rigs.AUTO_RIG), []
    plan_of = kept_plans.made_plan
    monkeypatch.setattr(kept_plans, "_kept", {})
    monkeypatch.setattr(kept_plans, "made_plan", lambda *given: made.append(given) or plan_of(*given))

    def values():
        carried = carried_onto(take, subject, RetargetParams())
        return carried.clip.values, {channel.owner for channel in carried.clip.channels}

    first, keyed = values()
    retarget_onto(take, subject, RetargetParams())  # which sets switches
    assert np.array_equal(values()[0], first) and len(made) == 1
    carried_onto(take, subject, RetargetParams(), "IK")
    assert len(made) == 2
    foot = subject.pose.bones["c_foot_ik.l"]
    subject.pose.bones["c_root_master.x"].constraints.new("COPY_LOCATION").target = foot.id_data
    assert values() and len(made) == 3
    subject["something"] = 1.0
    assert values() and len(made) == 4
    assert "c_foot_ik.l" in keyed


@pytest.mark.only("5.2")  # what it tries is not Blender's
def test_the_switches_that_a_first_take_sets_do_not_have_a_rig_planned_again(scene, monkeypatch):
    take, subject, made = foreign(rows=20), control_rigs.rigify("human"), []
    plan_of = kept_plans.made_plan
    monkeypatch.setattr(kept_plans, "_kept", {})
    monkeypatch.setattr(kept_plans, "made_plan", lambda *given: made.append(given) or plan_of(*given))
    for _ in range(2):
        retarget_onto(take, subject, RetargetParams())
    assert len(made) == 1


def test_a_knee_turned_aside_never_jumps_and_one_that_bends_backwards_is_straight():
    aside = np.linspace(-np.pi, np.pi, 2001)
    turned = onto_controls.turned_to(aside)
    assert np.abs(np.diff(turned)).max() < 4.0 * np.diff(aside).max() and np.abs(turned[[0, -1]]).max() < 1e-9
    near = np.abs(aside) < np.radians(100.0)
    assert np.array_equal(turned[near], aside[near])


def test_a_rig_that_stands_with_its_legs_turned_is_keyed_as_any_other(scene):
    take, subject = foreign(rows=40), control_rigs.rigify("human")
    for side in "LR":
        subject.pose.bones[f"thigh_parent.{side}"]["IK_FK"] = 1.0
    action = retarget_onto(take, subject, RetargetParams()).action
    assert {'pose.bones["foot_ik.L"].location', 'pose.bones["torso"].location'} <= set(paths(action))
    assert 'pose.bones["root"].location' not in paths(action)


def test_switches_are_keyed_once_and_feet_stand(scene):
    take, subject = foreign(), control_rigs.rigify("human")
    action = retarget_onto(take, subject, RetargetParams()).action
    switches = {curve.data_path: curve for curve in curves_of(action) if curve.data_path.endswith('"]')}
    assert 'pose.bones["thigh_parent.L"]["IK_FK"]' in switches
    assert all(len(curve.keyframe_points) == 1 for curve in switches.values())


@pytest.mark.only("5.2")  # what it tries is not Blender's
@pytest.mark.parametrize("arms", ["FK", "IK"])
def test_hands_that_clap_meet_on_the_controls_of_a_rig(scene, arms):
    made = made_figures.figure(made_figures.MIXAMO)
    take, subject = own_classes(made_figures.clapping(made, made_figures.CLAP), made, "clap"), control_rigs.rigify("human")
    carry = carried_onto(take, subject, RetargetParams(hands=True), arms).carry
    action = retarget_onto(take, subject, RetargetParams(hands=True), arms).action
    apart = palms_apart(carry.alignment.source, *in_world(carry.source, take.clip))
    seen = evaluated(subject, action, action.slots[0], 1, take.clip.frames)
    matrices = np.stack([seen[bone.name] for bone in carry.target.bones], axis=1)
    shown = palms_apart(carry.alignment.target, matrices[:, :, :3, :3], matrices[:, :, :3, 3])
    meeting = apart < 0.03
    assert meeting.any() and np.abs(shown - apart)[meeting].max() < 0.01


def palms_apart(stance, axes, heads):
    palms = [palm_of(stance, f"{side}_hand") for side in ("left", "right")]
    left, right = (heads[:, hand] + axes[:, hand] @ place for hand, place in palms)
    return np.linalg.norm(left - right, axis=1)


def test_few_keys_show_the_same_motion(scene):
    take, subject = foreign(), armature(made_figures.figure(made_figures.UNREAL))
    dense, few = (retarget_onto(take, subject, RetargetParams(), few=few).action for few in (False, True))
    counts = [sum(len(curve.keyframe_points) for curve in curves_of(each)) for each in (dense, few)]
    assert counts[1] < 0.5 * counts[0]
    one, other = (evaluated(subject, each, each.slots[0], 1, 120) for each in (dense, few))
    assert max(np.abs(one[name][:, :3, 3] - other[name][:, :3, 3]).max() for name in one) < 0.005


def test_a_take_of_a_control_rig_comes_back_to_bones(scene):
    """There on controls, and from what deforms back onto the bones of the take's own figure."""
    take, rig = foreign(rows=60), control_rigs.rigify("human")
    retarget_onto(take, rig, RetargetParams(plant=False))
    back = take_of_object(rig, take.clip.fps)
    carry = Retarget(back.skeleton, take.skeleton, clip=back.clip)
    heads, own = (
        np.array(take.skeleton.world)[:3, :3] @ skeleton.posed(clip)[1].reshape(-1, 3).T
        for skeleton, clip in ((take.skeleton, carry(back.clip, feet=False)), (take.skeleton, take.clip))
    )
    assert np.abs(heads - own).mean() < 0.03


def test_an_armature_without_legs_is_refused_and_nothing_is_made(scene):
    bones = made_figures.figure(made_figures.UNREAL).bones
    trunk = tuple(bone for bone in bones if bone.name.startswith(("root", "pelvis", "spine", "neck", "head")))
    subject = armature(Skeleton(trunk))
    before = len(bpy.data.actions)
    with pytest.raises(Refusal, match="upper leg is found"):
        retarget_onto(foreign(), subject, RetargetParams())
    assert len(bpy.data.actions) == before and not subject.animation_data


def test_feet_on_a_rig_slide_less_than_a_millimetre(scene):
    take, subject = foreign(rows=240), control_rigs.rigify("human")
    brought = retarget_onto(take, subject, RetargetParams())
    seen = take_of_object(subject, take.clip.fps, brought.action)
    carry = Retarget(take.skeleton, seen.skeleton, clip=take.clip)
    contacts, ground = carry.footing
    numbers = report(seen.clip, seen.skeleton, contacts=contacts, ground=ground * carry.alignment.scale)
    assert numbers["slide_mean_mm"] < 1.0 and numbers["penetration_worst_mm"] < 5.0
