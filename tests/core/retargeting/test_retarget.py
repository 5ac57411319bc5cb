# SPDX-License-Identifier: GPL-3.0-or-later
"""A take on another figure: itself, itself described otherwise, there and back, and figures of other builds."""

import re
from dataclasses import replace

import made_takes
import numpy as np
import pytest
from made_figures import BUILDS, CLAP, MIXAMO, UNREAL, clapping, figure, otherwise
from motion_signal.core.body.report import report
from motion_signal.core.body.upright import in_turned_world
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.retargeting.hands import palm_of
from motion_signal.core.retargeting.retarget import Retarget
from motion_signal.core.retargeting.stance import in_world, mostly
from other_rests import placed
from scipy.spatial.transform import Rotation

TAKES = ("walk", "turn", "kick", "run")
SEGMENTS = (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg"), ("lower_leg", "foot"))
SIDES = ("left", "right")
A_POSE = {
    "LeftArm": (0.0, 45.0, 0.0),
    "RightArm": (0.0, -45.0, 0.0),
    "LeftUpLeg": (0.0, 8.0, 0.0),
    "RightUpLeg": (0.0, -8.0, 0.0),
}
APART = A_POSE | {"LeftUpLeg": (0.0, -8.0, 0.0), "RightUpLeg": (0.0, 8.0, 0.0)}  # crossed legs are told apart by names only


def take(name):
    made = made_takes.take(name)
    return made.clip, made.skeleton


@pytest.mark.parametrize("name", TAKES)
def test_a_take_on_its_own_skeleton_is_the_take_curve_by_curve(name):
    clip, skeleton = take(name)
    result = Retarget(skeleton, skeleton, clip=clip)(clip)
    own = [result.channels.index(channel) for channel in clip.channels]
    assert np.abs(result.values[:, own] - clip.values).max() < 1e-9
    added = [column for column in range(len(result.channels)) if column not in own]
    held = [skeleton.held(result.channels[column]) for column in added]
    assert not added or np.abs(result.values[:, added] - held).max() < 1e-9


@pytest.mark.parametrize("row", [30, 31])
def test_curves_that_jump_from_one_way_to_say_a_turn_to_another_are_given_back_too(row):
    """As captures have it: half a turn about two axes and the rest of half a turn about the one between is none."""
    clip, skeleton = take("walk")
    values, bone = np.array(clip.values), skeleton.bones[skeleton.index("LeftArm")]
    for column, channel in enumerate(clip.channels):
        if channel.owner == bone.name and channel.kind == bone.mode:
            middle = bone.mode[1] == "XYZ"[channel.index]
            values[row::2, column] = np.pi - values[row::2, column] if middle else np.pi + values[row::2, column]
    clip = clip.with_values(values)
    result = Retarget(skeleton, skeleton, clip=clip)(clip)
    own = [result.channels.index(channel) for channel in clip.channels]
    assert np.abs(result.values[:, own] - clip.values).max() < 1e-9


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"posed": A_POSE},
        {"posed": A_POSE, "lying": placed((-90.0, 0.0, 0.0), (3.0, -2.0, 5.0)), "scale": 0.01},
        {"lying": placed((0.0, 0.0, 70.0), (100.0, 0.0, 0.0)), "scale": 100.0},
    ],
)
def test_the_same_body_described_otherwise_is_in_the_same_places(changes, seed):
    clip, skeleton = take(TAKES[seed])
    other = otherwise(skeleton, seed, **changes)
    result = Retarget(skeleton, other, clip=clip)(clip)
    before, after = in_world(skeleton, clip)[1], in_world(other, result)[1]
    height = np.ptp(before[0, :, 2])
    assert np.abs(after - changes.get("scale", 1.0) * before).max() < 1e-4 * height * changes.get("scale", 1.0)


def renamed(skeleton, names):
    """The same skeleton with bones called so."""
    bones = [replace(bone, name=name, path=f'pose.bones["{name}"]') for bone, name in zip(skeleton.bones, names)]
    return Skeleton(tuple(bones), skeleton.world)


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize("called", ["b{:02d}", "{1}_jnt", "Bone.{:03d}"])
def test_the_same_body_is_known_whatever_its_bones_are_called(name, called):
    clip, skeleton = take(name)
    other = otherwise(skeleton, 2, posed=APART, scale=0.01)
    other = renamed(other, [called.format(index, bone.name) for index, bone in enumerate(other.bones)])
    result = Retarget(skeleton, other, clip=clip)(clip)
    before, after = in_world(skeleton, clip)[1], in_world(other, result)[1]
    assert np.abs(100.0 * after - before).max() < 1e-4 * np.ptp(before[0, :, 2])


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize("called", ["own:{1}", "b{0:02d}"])
def test_the_same_body_with_a_root_and_ends_is_in_the_same_places_there_and_back(name, called):
    """As files get them on their way: a bone above the hips, and one at the end of each row."""
    clip, skeleton = take(name)
    other = with_root(otherwise(skeleton, 3, posed=APART, scale=0.01))
    other = with_ends(other) if "{1}" in called else other  # ends are told by their names
    other = renamed(other, [called.format(index, bone.name) for index, bone in enumerate(other.bones)])
    there = Retarget(skeleton, other, clip=clip)(clip)
    before, after = in_world(skeleton, clip)[1], in_world(other, there)[1][:, 1 : len(skeleton.bones) + 1]
    assert np.abs(100.0 * after - before).max() < 1e-4 * np.ptp(before[0, :, 2])
    back = in_world(skeleton, Retarget(other, skeleton, clip=there)(there))
    assert np.abs(back[1] - before).max() < 1e-3
    cosine = (np.einsum("fbij,fbij->fb", in_world(skeleton, clip)[0], back[0]) - 1.0) / 2.0
    assert np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).max() < 0.1


def with_root(skeleton):
    """The same skeleton with a bone on the ground that the others hang on."""
    root = replace(skeleton.bones[0], name="root", parent=-1, rest=np.eye(4))
    return Skeleton((root, *(replace(bone, parent=bone.parent + 1) for bone in skeleton.bones)), skeleton.world)


def with_ends(skeleton):
    """The same skeleton with a bone at the tail of each that has none."""
    above, ends = {bone.parent for bone in skeleton.bones}, []
    for index, bone in enumerate(skeleton.bones):
        rest = np.array(bone.rest, dtype=float)
        rest[:3, 3] += bone.length * rest[:3, 1]
        ends += [] if index in above else [replace(bone, name=f"{bone.name}_end", parent=index, rest=rest)]
    return Skeleton((*skeleton.bones, *ends), skeleton.world)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("build", ["unreal", "child"])
def test_sides_that_are_built_alike_are_told_apart_in_any_order(build, seed):
    skeleton = figure(BUILDS[build])
    clip, own = take("turn")
    clip = Retarget(own, skeleton, clip=clip)(clip)
    other, order = shuffled(otherwise(skeleton, seed), seed)
    other = renamed(other, [f"b{index}" for index in order])
    result = Retarget(skeleton, other, clip=clip)(clip)
    assert np.abs(in_world(other, result)[1] - in_world(skeleton, clip)[1][:, order]).max() < 1e-4


def shuffled(skeleton, seed):
    """The same skeleton with its bones listed in another order, parents first, and that order."""
    random, order, waiting = np.random.default_rng(seed), [], [-1]
    while waiting:
        above = waiting.pop(random.integers(len(waiting)))
        order += [above] if above >= 0 else []
        waiting += [index for index, bone in enumerate(skeleton.bones) if bone.parent == above]
    bones = [skeleton.bones[index] for index in order]
    return Skeleton(
        tuple(replace(bone, parent=order.index(bone.parent) if bone.parent >= 0 else -1) for bone in bones), skeleton.world
    ), order


@pytest.mark.parametrize("build", BUILDS)
def test_a_hand_points_as_in_a_take_whose_wrist_is_made_of_two_bones(build):
    clip, skeleton = take("walk")
    bent = Rotation.from_euler("XYZ", [40.0, 0.0, 25.0], degrees=True)
    clip = turned_bone(clip, skeleton, "LeftFingerBase", bent)
    carried = Retarget(skeleton, figure(BUILDS[build]), clip=clip)
    target, names = carried.alignment.target, [bone.name for bone in skeleton.bones]
    before, (axes, _) = in_world(skeleton, clip)[1], in_world(carried.target, carried(clip))
    hand, lower = target.roles["left_hand"], target.roles["left_lower_arm"]
    shown = axes[:, hand] @ target.axes[hand].T @ (target.heads[hand] - target.heads[lower])
    wanted = before[:, names.index("LeftHandIndex1")] - before[:, names.index("LeftHand")]
    assert angles(shown, wanted).max() < 0.1


def turned_bone(clip, skeleton, name, turn):
    """A clip in which a bone of Euler angles, in whichever order, is turned throughout."""
    values = np.array(clip.values)
    for column, channel in enumerate(clip.channels):
        if channel.owner == name and channel.kind == skeleton.bones[skeleton.index(name)].mode:
            values[:, column] = turn.as_euler("xyz")[channel.index]
    return clip.with_values(values)


@pytest.mark.parametrize("seed", range(3))
def test_any_pose_at_rest_gives_the_same_places(seed):
    """Every bone but the pelvis turned at rest at random, by up to 40 degrees about each axis."""
    clip, skeleton = take("walk")
    random = np.random.default_rng(seed)
    posed = {bone.name: random.uniform(-40.0, 40.0, 3) for bone in skeleton.bones if "Hip" not in bone.name}
    for zero in ("LowerBack", "Neck", "LeftShoulder", "RightShoulder", "LeftFingerBase", "RightFingerBase", "LThumb", "RThumb"):
        posed.pop(zero, None)  # joints that lie in the one before tell nothing of how that is turned
    other = otherwise(skeleton, seed, posed=posed)
    other = replace(other, corrections=roles_of(skeleton))
    result = Retarget(skeleton, other, clip=clip)(clip)
    before, after = in_world(skeleton, clip)[1], in_world(other, result)[1]
    assert np.abs(after - before).max() < 1e-4 * np.ptp(before[0, :, 2])


def roles_of(skeleton):
    from motion_signal.core.body.roles import find_roles

    return {role: f"own:{name}" if name else "" for role, name in find_roles(skeleton).table().items()}


@pytest.mark.parametrize("name", TAKES)
def test_there_and_back_again_is_the_take(name):
    clip, skeleton = take(name)
    other = otherwise(skeleton, 5, posed=A_POSE, scale=0.5)
    there = Retarget(skeleton, other, clip=clip)(clip)
    back = Retarget(other, skeleton, clip=there)(there)
    before, after = in_world(skeleton, clip), in_world(skeleton, back)
    assert np.abs(after[1] - before[1]).max() < 1e-3
    cosine = (np.einsum("fbij,fbij->fb", before[0], after[0]) - 1.0) / 2.0
    assert np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).max() < 0.1


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize("spine", [3, 5])
def test_there_and_back_again_over_another_build_with_free_feet_is_the_take(name, spine):
    """On a figure of other proportions that has no fewer bones; the take tells how soles lie in its own feet."""
    clip, skeleton = take(name)
    build = replace(UNREAL, spine=UNREAL.spine[:spine], shin=0.36, shoulder=0.2, lower_arm=0.3)
    other = figure(build)
    forth = Retarget(skeleton, other, clip=clip)
    there = forth(clip, feet=False)
    back = Retarget(other, skeleton, clip=there, own=clip, contacts=forth.footing[0])(there, feet=False)
    (turns, before), (again, after) = in_world(skeleton, clip), in_world(skeleton, back)
    assert np.abs(after - before).max() < 1e-3
    shared = [index for index, bone in enumerate(skeleton.bones) if not re.search("Hand|Finger|Thumb|HipJoint", bone.name)]
    cosine = (np.einsum("fbij,fbij->fb", turns, again)[:, shared] - 1.0) / 2.0
    assert np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).max() < 0.1


def test_a_figure_that_sits_at_rest_walks_as_one_that_stands():
    """Hips and legs: the trunk leans by the 1.7 degrees that it stands off its legs."""
    clip, skeleton = take("walk")
    standing, bent = figure(BUILDS["child"]), {"Thigh": (-80.0, 0.0, 0.0), "Shin": (80.0, 0.0, 0.0)}
    seated = otherwise(standing, 5, posed={side + part: turn for side in ("Left", "Right") for part, turn in bent.items()})
    here, there = (in_world(rest, Retarget(skeleton, rest, clip=clip)(clip))[1] for rest in (standing, seated))
    lower = [index for index, bone in enumerate(standing.bones) if re.search("Hips|Thigh|Shin|Foot|Toe", bone.name)]
    assert np.linalg.norm(there - here, axis=2)[:, lower].max() < 0.005


def test_feet_of_a_figure_whose_own_takes_tell_lie_on_their_soles():
    """Onto a figure that rests on tiptoe."""
    clip, skeleton = take("walk")
    tiptoe = otherwise(skeleton, 1, posed={"LeftFoot": (25.0, 0.0, 0.0), "RightFoot": (25.0, 0.0, 0.0)})
    own = Retarget(skeleton, tiptoe, clip=clip)(clip)
    other = figure(UNREAL)
    there = Retarget(skeleton, other, clip=clip)(clip)
    foot = [bone.name for bone in skeleton.bones].index("LeftFoot")
    off = []
    for known in (None, own):
        result = Retarget(other, tiptoe, clip=there, own=known)(there)
        apart = np.einsum("fji,fjk->fik", in_world(tiptoe, own)[0][:, foot], in_world(tiptoe, result)[0][:, foot])
        cosine = np.clip((np.trace(apart, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0)
        off.append(np.median(np.degrees(np.arccos(cosine))))
    assert off[0] > 15.0 and off[1] < 3.0


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ("walk", "turn", "run"))
def test_limbs_point_as_in_the_take_and_feet_stand(build, name):
    clip, skeleton = take(name)
    carried = Retarget(skeleton, figure(BUILDS[build]), clip=clip)
    result = carried(clip)
    before, after = in_world(skeleton, clip)[1], in_world(carried.target, result)[1]
    errors = [
        angles(*(heads[:, roles[f"{side}_{lower}"]] - heads[:, roles[f"{side}_{upper}"]] for heads, roles in both))
        for both in [((before, carried.alignment.source.roles), (after, carried.alignment.target.roles))]
        for side in SIDES
        for upper, lower in SEGMENTS
    ]
    assert np.mean(errors) < 3.0
    contacts, ground = carried.footing
    numbers = report(result, carried.target, contacts=contacts, ground=ground * carried.alignment.scale)
    assert numbers["slide_mean_mm"] < 1.0 and numbers["penetration_worst_mm"] < 5.0
    assert numbers["flips"] == 0


def angles(here, there):
    """Degrees between directions (frames, 3)."""
    here, there = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (here, there))
    return np.degrees(np.arccos(np.clip(np.sum(here * there, axis=1), -1.0, 1.0)))


@pytest.mark.parametrize("name", ("walk", "kick"))
def test_a_spine_beside_the_pelvis_goes_where_one_on_it_does_there_and_onward(name):
    """As Daz, Character Creator and MMD have it: one bone carries pelvis and spine."""
    clip, skeleton = take(name)
    shown = []
    for carrier in ("", "hip"):
        other = figure(replace(UNREAL, carrier=carrier, rolls=0))
        there = Retarget(skeleton, other, clip=clip)(clip)
        onward = Retarget(other, figure(MIXAMO), clip=there)
        heads = in_world(other, there)[1][:, [index for index, bone in enumerate(other.bones) if bone.name != "hip"]]
        shown.append((heads, in_world(onward.target, onward(there))[1]))
    for one, beside in zip(*shown):
        assert np.abs(one - beside).max() < 1e-6


def test_a_file_that_lies_as_a_whole_stands_on_a_figure_that_stands():
    clip, skeleton = take("lying")
    carried = Retarget(skeleton, figure(MIXAMO), clip=clip)
    heads = in_world(carried.target, carried(clip))[1]
    roles = carried.alignment.target.roles
    assert heads[:, roles["head"], 2].min() > heads[:, roles["pelvis"], 2].max()
    assert 0.8 < np.median(heads[:, roles["pelvis"], 2]) < 1.1


@pytest.mark.parametrize("build", ("unreal", "child"))
def test_a_figure_that_lies_as_the_take_does_has_its_feet_planted(build):
    """As two files of one library have it in which another axis is up."""
    clip, skeleton = take("walk")
    turn = placed((-90.0, 0.0, 0.0))[:3, :3]
    skeleton, other = (in_turned_world(each, turn.T) for each in (skeleton, figure(BUILDS[build])))
    carried = Retarget(skeleton, other, clip=clip)
    result = carried(clip)
    heads = in_world(other, result)[1]
    roles = carried.alignment.target.roles
    ups = (heads[:, roles["head"]] - heads[:, roles["pelvis"]]) @ turn.T
    assert (ups[:, 2] > 0.9 * np.linalg.norm(ups, axis=1)).all()
    contacts, ground = carried.footing
    upright = in_turned_world(other, turn)
    numbers = report(result, upright, contacts=contacts, ground=ground * carried.alignment.scale)
    assert numbers["slide_mean_mm"] < 1.0 and numbers["penetration_worst_mm"] < 5.0


ONTO = BUILDS | {"mixamo": replace(MIXAMO, upper_arm=0.33, lower_arm=0.22, shoulder=0.2)}


@pytest.mark.parametrize("build", ONTO)
def test_palms_that_meet_do_so_on_arms_of_another_length(build):
    skeleton = figure(MIXAMO)
    clip = clapping(skeleton, CLAP)
    carried = Retarget(skeleton, figure(ONTO[build]), clip=clip)
    apart = palms_apart(carried.alignment.source, clip)
    touching = apart < 0.1
    assert touching.any() and not touching.all()
    free, held = (palms_apart(carried.alignment.target, carried(clip, hands=hands)) for hands in (False, True))
    meeting = np.argmin(apart)
    ratio = held[meeting] - apart[meeting]
    assert abs(ratio) < 0.01 or held[meeting] < 0.01 + apart[meeting]
    assert held[meeting] < free[meeting] or free[meeting] < 0.01
    assert np.abs(np.diff(held)).max() < 3.0 * np.abs(np.diff(free)).max() + 1e-3


def palms_apart(stance, clip):
    axes, heads = in_world(stance.skeleton, clip)
    palms = [heads[:, hand] + axes[:, hand] @ place for hand, place in (palm_of(stance, f"{side}_hand") for side in SIDES)]
    return np.linalg.norm(palms[0] - palms[1], axis=1)


def test_fewer_and_more_bones_of_a_spine_share_its_bend():
    clip, skeleton = take("walk")
    names = [bone.name for bone in skeleton.bones]
    for spine in (("chest",), ("a", "b"), ("a", "b", "c", "d", "e", "f")):
        carried = Retarget(skeleton, figure(replace(UNREAL, spine=spine)), clip=clip)
        axes = in_world(carried.target, carried.carry(clip))[0]
        whole = in_world(skeleton, clip)[0]
        chest = carried.target.index(spine[-1])
        turned = axes[:, chest] @ carried.alignment.target.axes[chest].T
        other = whole[:, names.index("Spine1")] @ carried.alignment.source.axes[names.index("Spine1")].T
        assert np.abs(turned - other @ carried.alignment.whole).max() < 1e-9
        rows = [carried.target.index(name) for name in ("pelvis", *spine)]
        own = [names.index(name) for name in ("Hips", "LowerBack", "Spine", "Spine1")]
        bends, were = bent(axes, carried.alignment.target, rows), bent(whole, carried.alignment.source, own)
        assert (bends.sum(axis=0) <= were.sum(axis=0) + 1e-6).all()
        assert len(spine) < 6 or (bends[1:].max(axis=0) <= were.max(axis=0) + 1e-6).all()


def bent(axes, stance, row):
    """Degrees between each bone of a row and the next, as turned from rest, (bones - 1, frames)."""
    turns = [axes[:, one] @ stance.axes[one].T for one in row]
    cosines = [(np.einsum("fij,fij->f", one, other) - 1.0) / 2.0 for one, other in zip(turns, turns[1:])]
    return np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))


@pytest.mark.parametrize("build", BUILDS)
def test_a_foot_with_its_ball_in_the_ground_is_turned_and_not_lifted_onto_it(build):
    """As a take has it whose toe marker slips: the heel stands, the ball goes centimetres deep."""
    clip, skeleton = take("walk")
    carried = Retarget(skeleton, figure(BUILDS[build]), clip=clip)
    first, last = carried.footing[0]["left_heel"][2]
    rows = np.arange(first, last + 1) - clip.first_frame
    slip, values = np.radians(35.0) * np.sin(np.pi * np.arange(len(rows)) / (len(rows) - 1)), np.array(clip.values)
    columns = [(channel.owner, channel.index) for channel in clip.channels]
    values[rows, columns.index(("LeftFoot", 0))] -= slip
    slipped, roles = clip.with_values(values), carried.alignment.target.roles
    good, free, mended = (
        in_world(carried.target, each)[1][rows][:, [roles["left_foot"], roles["left_toe"]], 2]
        for each in (carried(clip), carried.carry(slipped), Retarget(skeleton, carried.target, clip=slipped)(slipped))
    )
    deep = -free[:, 1].min()
    assert deep > 0.03 * carried.alignment.scale and mended[:, 1].min() > -0.2 * deep
    assert np.abs(mended[:, 0] - good[:, 0]).max() < 0.5 * deep


def test_soles_are_as_feet_mostly_lie_while_they_stand():
    """A few frames on the heel or on the ball do not tell, nor those in which a foot turns fast."""
    random = np.random.default_rng(3)
    ways = np.tile([0.0, 0.2, 1.0], (100, 1)) + random.normal(0.0, 0.005, (100, 3))
    ways[:30] = [0.0, -0.8, 0.6]
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    found = mostly(ways, np.ones(100))
    assert np.degrees(np.arccos(found @ np.array([0.0, 0.2, 1.0]) / np.hypot(0.2, 1.0))) < 1.5


def test_speed_is_kept_by_stepping_faster():
    clip, skeleton = take("walk")
    carried = Retarget(skeleton, figure(BUILDS["child"]), clip=clip)
    slow, fast = carried(clip), carried(clip, travel="SPEED")
    assert fast.frames == round((clip.frames - 1) * carried.alignment.scale) + 1
    speeds = [
        np.linalg.norm(np.diff(in_world(carried.target, each)[1][:, 0, :2], axis=0).sum(axis=0)) / (each.frames - 1)
        for each in (slow, fast)
    ]
    own = np.linalg.norm(np.diff(in_world(skeleton, clip)[1][:, 0, :2], axis=0).sum(axis=0)) / (clip.frames - 1)
    assert speeds[1] == pytest.approx(own, rel=0.02)
    assert speeds[0] == pytest.approx(own * carried.alignment.scale, rel=0.02)


def pace(skeleton, clip):
    """Metres a frame that a figure gets along the ground."""
    heads = in_world(skeleton, clip)[1][:, 0, :2]
    return np.linalg.norm(heads[-1] - heads[0]) / (clip.frames - 1)


def test_a_figure_without_legs_is_refused():
    clip, skeleton = take("walk")
    bones = [bone for bone in skeleton.bones if "Leg" not in bone.name and "Foot" not in bone.name and "Toe" not in bone.name]
    order = [bone.name for bone in bones]
    legless = Skeleton(
        tuple(replace(bone, parent=order.index(skeleton.bones[bone.parent].name) if bone.parent >= 0 else -1) for bone in bones)
    )
    with pytest.raises(Refusal, match="upper leg is found in this figure.*table of body parts"):
        Retarget(skeleton, legless, clip=clip)
    with pytest.raises(Refusal, match="upper leg is found in the take's figure.*table of body parts"):
        Retarget(legless, skeleton)
