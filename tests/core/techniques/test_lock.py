# SPDX-License-Identifier: GPL-3.0-or-later
"""Foot lock on a walk made of arithmetic that is pushed along so that its feet slide."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.body import Body
from motion_signal.core.body.contacts import find_contacts
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.params import build
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.ik.reach import moved
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.vectors import length
from motion_signal.core.techniques.figure.lock import LOCK, LockParams
from scipy.spatial.transform import Rotation

FRAMES, FPS, FIRST = 150, 60.0, 5
SLIDE = np.array([0.03, -0.05, 0.0])  # metres a second that the whole figure is pushed along
LEGS = {f"{segment}{side}" for segment in ("thigh", "shin", "foot") for side in (".L", ".R")}


@pytest.fixture(scope="module")
def walking(in_mode, rotation_channels):
    """The walk as a clip in a rotation mode, pushed along, and its skeleton."""

    def make(mode="QUATERNION", frames=FRAMES, fps=FPS, push=SLIDE):
        walk = gait.walk(frames, fps)
        held = (1.0, 0.0, 0.0, 0.0) if mode == "QUATERNION" else (0.0, 0.0, 1.0, 0.0)[: 4 if mode == "AXIS_ANGLE" else 3]
        skeleton = Skeleton(tuple(replace(bone, mode=mode, rotation=held) for bone in gait.FIGURE.bones))
        values, channels = [], []
        for index, bone in enumerate(skeleton.bones):
            values.append(in_mode(Rotation.from_quat(walk.rotations[:, index], scalar_first=True), mode))
            channels += rotation_channels(mode, bone.name)
        pushed = np.outer(np.arange(frames) / fps, push) @ skeleton.bones[0].rest[:3, :3]
        values.append(walk.location + pushed)
        channels += [Channel(skeleton.bones[0].path + ".location", axis, "LOCATION", "hips") for axis in range(3)]
        return Clip(np.hstack(values), tuple(channels), fps, FIRST), skeleton

    return make


def run(clip, skeleton, **params):
    return LOCK.run(clip, build(LockParams, {"amount": 1.0, **params}), Surroundings(skeleton))


def slides(clip, skeleton, contacts):
    """How far each planted point gets from its median place along the ground, in metres."""
    figure = Legs(skeleton, find_roles(skeleton))
    places = dict(zip(figure.points, np.moveaxis(figure.places(clip)[0], 1, 0)))
    found = []
    for point, intervals in contacts.items():
        for first, last in intervals:
            rows = places[point][first - clip.first_frame : last - clip.first_frame + 1, :2]
            found.append(np.linalg.norm(rows - np.median(rows, axis=0), axis=1).max())
    return np.array(found)


def heads(clip, skeleton):
    return skeleton.posed(clip)[1]


@pytest.mark.parametrize("mode", ("QUATERNION", "AXIS_ANGLE", "XYZ", "ZYX"))
def test_sliding_feet_stand_still_in_every_mode(walking, mode):
    clip, skeleton = walking(mode)
    contacts = Body(clip, skeleton).contacts
    result = run(clip, skeleton)
    before, after = slides(clip, skeleton, contacts), slides(result, skeleton, contacts)
    assert len(after) >= 8 and before.mean() > 0.01
    assert after.mean() < 0.001 and after.max() < 0.003
    assert result.channels == clip.channels
    pelvis = np.linalg.norm(heads(result, skeleton)[:, 0] - heads(clip, skeleton)[:, 0], axis=1)
    assert pelvis.max() < 0.02


def test_only_legs_and_pelvis_change_and_nothing_jumps(walking):
    clip, skeleton = walking("XYZ")
    result = run(clip, skeleton)
    changed = {
        channel.owner
        for channel, before, after in zip(clip.channels, clip.values.T, result.values.T)
        if (before != after).any()
    }
    assert LEGS <= changed <= LEGS | {"hips"}
    turns = [column for column, channel in enumerate(clip.channels) if channel.owner != "hips"]
    assert (result.values == clip.values)[
        :, [c for c, channel in enumerate(clip.channels) if channel.kind != "LOCATION" and channel.owner == "hips"]
    ].all()
    steps = [np.abs(np.diff(these.values[:, turns], axis=0)).max() for these in (clip, result)]
    assert steps[1] < 1.5 * steps[0]
    bends = [np.linalg.norm(np.diff(heads(these, skeleton), 2, axis=0), axis=2).max() for these in (clip, result)]
    assert bends[1] < 1.3 * bends[0]


def test_neutral_parameters_give_the_clip_itself_even_without_an_armature(walking, mixed_clip):
    clip, skeleton = walking()
    assert run(clip, skeleton, amount=0.0) is clip
    assert LOCK.run(mixed_clip(), LockParams(amount=0.0)).values is not None


def test_half_the_amount_leaves_half_the_slide(walking):
    clip, skeleton = walking()
    contacts = Body(clip, skeleton).contacts
    before, half = slides(clip, skeleton, contacts), slides(run(clip, skeleton, amount=0.5), skeleton, contacts)
    assert abs(half.mean() / before.mean() - 0.5) < 0.1


@pytest.mark.parametrize("instant, frame", [("START", 75), ("MIDDLE", 79), ("END", 83)])
def test_the_place_is_that_of_the_instant_and_far_from_the_plant_the_take_is_untouched(walking, instant, frame):
    clip, skeleton = walking()
    contacts = {"left_heel": [[75, 83]], "left_toe": [[75, 83]]}  # both are down there
    result = run(clip, skeleton, contacts=contacts, instant=instant, ease=0.2, flat=True)
    figure = Legs(skeleton, find_roles(skeleton))
    before, after = (figure.places(these)[0][:, :2] for these in (clip, result))
    assert np.abs(before[75 - FIRST] - before[83 - FIRST]).max() > 0.005
    assert np.abs(after[75 - FIRST : 84 - FIRST] - before[frame - FIRST]).max() < 1e-4
    far = 3 * 12  # three times as long as changes ease over they are none
    assert (result.values[: 75 - FIRST - far] == clip.values[: 75 - FIRST - far]).all()
    assert (result.values[84 - FIRST + far :] == clip.values[84 - FIRST + far :]).all()


def test_a_planted_hand_stays_in_place_and_keeps_its_turn(walking):
    clip, skeleton = walking()
    contacts = {"left_hand": [[42, 48]]}
    result = run(clip, skeleton, contacts=contacts)
    index = skeleton.index("hand.L")
    rows = slice(42 - FIRST, 49 - FIRST)
    axes, where = skeleton.posed(result)
    assert np.ptp(where[rows, index], axis=0).max() < 2e-4 and np.ptp(axes[rows, index], axis=0).max() < 1e-3
    assert np.ptp(heads(clip, skeleton)[rows, index], axis=0).max() > 0.05
    still = run(clip, skeleton, contacts=contacts, hands=False)
    assert (still.values == clip.values).all()


def test_a_hand_out_of_reach_comes_as_near_as_it_can_without_a_snap(walking):
    clip, skeleton = walking()
    result = run(clip, skeleton, contacts={"left_hand": [[20, 120]]}, instant="START")
    assert np.isfinite(result.values).all()
    steps = [np.linalg.norm(np.diff(heads(these, skeleton), axis=0), axis=2).max() for these in (clip, result)]
    assert steps[1] < 1.5 * steps[0]


def toe_heights(clip, skeleton, contacts):
    figure = Legs(skeleton, find_roles(skeleton))
    places = dict(zip(figure.points, np.moveaxis(figure.places(clip)[0], 1, 0)))
    return [
        np.median(places[point][first - FIRST : last - FIRST + 1, 2])
        for point in ("left_toe", "right_toe")
        for first, last in contacts[point]
    ]


def test_level_ground_puts_all_plants_at_one_height(walking):
    clip, skeleton = walking(push=(0.0, 0.0, 0.03))
    contacts = Body(clip, skeleton).contacts
    assert np.ptp(toe_heights(run(clip, skeleton), skeleton, contacts)) > 0.02
    assert np.ptp(toe_heights(run(clip, skeleton, level=True), skeleton, contacts)) < 0.008


def test_the_pelvis_is_lowered_no_farther_than_allowed_and_a_stretched_leg_reaches(walking):
    clip, skeleton = walking(push=(0.0, 0.0, 0.05))
    contacts = Body(clip, skeleton).contacts

    def lowered(result):
        return (heads(clip, skeleton)[:, 0] - heads(result, skeleton)[:, 0])[:, 2].max()

    free, less = run(clip, skeleton, level=True), run(clip, skeleton, level=True, lowering=0.01)
    longer = run(clip, skeleton, level=True, lowering=0.01, stretch=0.2)
    assert lowered(free) > 0.03 and lowered(less) < 0.01 + 1e-9
    assert np.isfinite(less.values).all()
    spread = [np.ptp(toe_heights(result, skeleton, contacts)) for result in (free, less, longer)]
    assert spread[1] > 10 * spread[0] and spread[2] < 0.2 * spread[1]
    added = set(longer.channels) - set(clip.channels)
    assert {(channel.kind, channel.index) for channel in added} == {("SCALE", 1)}
    assert 0.01 < np.abs(longer.values[:, -1] - 1).max() <= 0.2


def test_a_cut_is_no_way_to_ease_over(walking):
    """The first row of many captures is a pose of its own, somewhere else."""
    clip, skeleton = walking()
    values = clip.values.copy()
    values[0] = [
        float(channel.kind == "QUATERNION" and channel.index == 0) + 3.0 * (channel.kind == "LOCATION")
        for channel in clip.channels
    ]
    result = run(clip.with_values(values), skeleton)
    assert (result.values[0] == values[0]).all()
    assert (result.values[1:20] != values[1:20]).any()


def test_legs_of_who_kicks_do_not_jump(walking):
    """A foot in full swing is as fast as a cut, and the rest of the body stands: what eases goes on easing."""
    for seed in range(12):
        clip, skeleton = walking(frames=240, fps=120.0, push=np.random.default_rng(seed).normal(0.0, 0.15, 3) * [1, 1, 0])
        values, time = clip.values.copy(), np.arange(240) / 120.0
        columns = [column for column, channel in enumerate(clip.channels) if channel.owner == "thigh.R"]
        kick = -110.0 * np.exp(-0.5 * ((time - 0.3 - 0.12 * seed) / 0.05) ** 2)
        swing = Rotation.from_rotvec(np.outer(kick, [1, 0, 0]), degrees=True)
        values[:, columns] = (Rotation.from_quat(values[:, columns], scalar_first=True) * swing).as_quat(scalar_first=True)
        clip = clip.with_values(values)
        result = run(clip, skeleton)
        for name in LEGS:
            columns = [column for column, channel in enumerate(clip.channels) if channel.owner == name]
            turns = (Rotation.from_quat(motion.values[:, columns], scalar_first=True) for motion in (clip, result))
            before, after = (np.degrees((turn[1:] * turn[:-1].inv()).magnitude()) for turn in turns)
            assert (after < before + 6.0).all(), (seed, name, float((after - before).max()))


@pytest.mark.parametrize("size", (0.01, 1.0, 100.0))
def test_turned_and_scaled_armatures_give_the_same_motion_in_the_world(walking, size):
    clip, skeleton = walking()
    wanted = heads(run(clip, skeleton), skeleton)
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_euler("x", 90, degrees=True).as_matrix() * size
    back = np.linalg.inv(turn)
    bones = []
    for bone in skeleton.bones:
        rest = back @ bone.rest
        rest[:3, :3] *= size
        bones.append(replace(bone, rest=rest, length=bone.length / size))
    other = Skeleton(tuple(bones), tuple(map(tuple, turn)))
    values = clip.values.copy()
    values[:, [column for column, channel in enumerate(clip.channels) if channel.kind == "LOCATION"]] /= size
    found = heads(run(clip.with_values(values), other), other) @ turn[:3, :3].T
    assert np.abs(found - wanted).max() < 1e-6


def test_frame_rates_give_the_same_motion(walking):
    contacts = {"left_heel": [[22, 25]], "left_toe": [[23, 28]]}
    results = []
    for times in (1, 4):
        clip, skeleton = walking(frames=30 * times, fps=15.0 * times)
        there = {
            point: [[FIRST + times * (frame - FIRST) for frame in pair] for pair in pairs] for point, pairs in contacts.items()
        }
        results.append(heads(run(clip, skeleton, contacts=there), skeleton)[::times])
    assert np.abs(results[0] - results[1]).max() < 0.008


def test_roles_that_are_given_count(walking):
    clip, skeleton = walking()
    result = run(clip, skeleton, roles={"left_hand": ""}, contacts={"left_hand": [[40, 60]]})
    assert (result.values == clip.values).all()
    for bones in ("nose", ["foot.L"]):
        with pytest.raises(ValueError, match="roles left_foot: the armature has no bone"):
            run(clip, skeleton, roles={"left_foot": bones})


def test_contacts_and_roles_come_from_the_surroundings_unless_they_are_given(walking):
    clip, skeleton = walking()
    kept = Surroundings(
        skeleton.corrected({"left_hand": ""}), contacts=lambda: {"right_hand": [[42, 48]], "left_hand": [[42, 48]]}
    )
    result = LOCK.run(clip, LockParams(amount=1.0), kept)
    changed = {
        channel.owner
        for channel, before, after in zip(clip.channels, clip.values.T, result.values.T)
        if (before != after).any()
    }
    assert changed == {"upper_arm.R", "forearm.R", "hand.R"}
    given = LOCK.run(clip, LockParams(amount=1.0, contacts={"left_heel": []}), kept)
    assert (given.values == clip.values).all()


@pytest.mark.parametrize(
    "contacts, words",
    [
        ({"left_heel": [[40, 60], [50, 70]]}, "overlaps"),
        ({"left_heel": [[1, 60]]}, "outside the motion"),
        ({"right_toe": [[40, 600]]}, "outside the motion"),
        ({"nose": [[10, 20]]}, "no point 'nose'"),
    ],
)
def test_contacts_that_make_no_sense_are_refused(walking, contacts, words):
    clip, skeleton = walking()
    with pytest.raises(ValueError, match=words):
        run(clip, skeleton, contacts=contacts)


@pytest.fixture(scope="module")
def controlled(walking):
    """The walk as a rig has it: loose bones lead the feet, constraints the legs and arms; and who is who."""
    clip, walker = walking()
    axes, origin = walker.posed(clip)
    bones, values, channels = [], [clip.values], list(clip.channels)
    for side in (".L", ".R"):
        index = walker.index("foot" + side)
        rest, name = walker.bones[index].rest, "foot_ik" + side
        bones.append(replace(walker.bones[index], name=name, parent=-1, connected=False, path=f'pose.bones["{name}"]'))
        turns = Rotation.from_matrix(rest[:3, :3].T @ axes[:, index]).as_quat(scalar_first=True)
        values += [(origin[:, index] - rest[:3, 3]) @ rest[:3, :3], turns * np.sign(turns[:, :1])]
        channels += [Channel(bones[-1].path + ".location", axis, "LOCATION", name) for axis in range(3)]
        channels += [Channel(bones[-1].path + ".rotation_quaternion", axis, "QUATERNION", name) for axis in range(4)]
    led = {"shin.L", "shin.R", "forearm.L", "forearm.R"}
    skeleton = Skeleton((*(replace(bone, led=bone.name in led) for bone in walker.bones), *bones))
    return Clip(np.hstack(values), tuple(channels), FPS, FIRST), skeleton, {"left_foot": "foot_ik.L", "right_foot": "foot_ik.R"}


def test_controls_are_moved_and_turned_in_place_of_legs_and_find_the_same_contacts(walking, controlled):
    clip, skeleton, roles = controlled
    result = run(clip, skeleton, roles=roles)
    contacts = Body(clip, skeleton.corrected(roles)).contacts
    walk, walker = walking()
    wanted = {point: spans for point, spans in Body(walk, walker).contacts.items() if not point.endswith("hand")}
    assert contacts == wanted
    moved = {
        channel.owner
        for channel, before, after in zip(clip.channels, clip.values.T, result.values.T)
        if np.abs(before - after).max() > 1e-9
    }
    assert {"foot_ik.L", "foot_ik.R"} <= moved <= {"foot_ik.L", "foot_ik.R", "hips"}
    feet = Body(result, skeleton.corrected(roles))
    for end, points in (("left_foot", ("left_heel", "left_toe")), ("right_foot", ("right_heel", "right_toe"))):
        for index, point in enumerate(points):
            for first, last in contacts[point]:
                rows = feet.points(end)[index, :2, first - FIRST : last - FIRST + 1]
                assert np.linalg.norm(rows - np.median(rows, axis=1)[:, None], axis=0).max() < 0.001
        assert (length(feet.root(end) - feet.tip(end)[0])[feet.downs(end, contacts).any(axis=0)] < feet.leg + 1e-6).all()


def test_a_control_that_hangs_on_the_pelvis_is_not_carried_along_by_it(controlled):
    clip, skeleton, roles = controlled
    hips = skeleton.index("hips")
    hanging = Skeleton(
        tuple(
            replace(bone, parent=hips, inherit_rotation=False) if bone.name.startswith("foot_ik") else bone
            for bone in skeleton.bones
        )
    )
    body, shift = Body(clip, hanging.corrected(roles)), np.tile([[0.0], [0.02], [-0.05]], clip.frames)
    still = np.zeros_like(shift), np.zeros_like(shift)
    after = body.again(moved(body, {"left_foot": still}, shift))
    assert np.abs(after.heads[after.mover] - body.heads[body.mover] - shift).max() < 1e-9
    assert np.abs(after.tip("left_foot")[0] - body.tip("left_foot")[0]).max() < 1e-9
    assert np.abs(after.tip("right_foot")[0] - body.tip("right_foot")[0] - shift).max() < 1e-9


def test_only_bones_whose_place_is_needed_are_refused(controlled):
    clip, skeleton, roles = controlled
    assert run(clip, skeleton, roles=roles, contacts={"left_hand": [[42, 48]]}).values is not None  # a hand that is not known
    with pytest.raises(ValueError, match="bone shin.R is moved by constraints or drivers"):
        run(clip, skeleton, roles={"left_foot": "foot_ik.L"})
    with pytest.raises(ValueError, match="bone hips is moved by constraints .* which bone controls the pelvis"):
        run(clip, changed_bone(skeleton, "hips", led=True), roles=roles)
    with pytest.raises(ValueError, match="bone foot_ik.L hangs on no limb and cannot be moved"):
        run(clip, changed_bone(skeleton, "foot_ik.L", connected=True), roles=roles)


def changed_bone(skeleton, name, **fields):
    return Skeleton(tuple(replace(bone, **fields) if bone.name == name else bone for bone in skeleton.bones))


def test_figures_that_cannot_stand_are_refused_with_a_sentence(walking, figure, moving, bone):
    clip, skeleton = walking()
    with pytest.raises(ValueError, match="no armature"):
        LOCK.run(clip, LockParams(amount=1.0))
    alone = Skeleton((bone("bone", -1, (0, 0, 0), (0, 0, 0)),))
    with pytest.raises(ValueError, match="no feet found"):
        run(moving(alone), alone)
    with pytest.raises(ValueError, match="bone shin.L is moved by constraints or drivers"):
        run(clip, changed_bone(skeleton, "shin.L", led=True))
    with pytest.raises(ValueError, match="bone foot.R does not inherit rotation"):
        run(clip, changed_bone(skeleton, "foot.R", inherit_rotation=False))
    with pytest.raises(ValueError, match="bone thigh.L is skewed"):
        run(clip, changed_bone(skeleton, "hips", scale=(1.0, 1.3, 1.0)))
    shin = next(bone for bone in skeleton.bones if bone.name == "shin.L")
    short = changed_bone(changed_bone(skeleton, "foot.L", rest=shin.rest, connected=False), "shin.L", length=1e-9)
    with pytest.raises(ValueError, match="bone shin.L has no length"):
        run(clip, short)


def apart(clip, wanted):
    """A clip's channels of which `wanted(channel)` is true, and the others."""
    true = [column for column, channel in enumerate(clip.channels) if wanted(channel)]
    false = [column for column, channel in enumerate(clip.channels) if not wanted(channel)]
    return [
        replace(clip, values=clip.values[:, columns], channels=tuple(clip.channels[column] for column in columns))
        for columns in (true, false)
    ]


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
def test_one_leg_is_locked_as_it_is_with_the_whole_figure_which_stays(walking, mode):
    clip, skeleton = walking(mode)
    leg, beside = apart(clip, lambda channel: channel.owner in ("thigh.L", "shin.L", "foot.L", "toe.L"))
    whole, _ = apart(run(clip, skeleton, lowering=0.0), lambda channel: channel in leg.channels)
    result = LOCK.run(leg, LockParams(amount=1.0), Surroundings(skeleton, beside=beside))
    assert result.channels == leg.channels and np.abs(result.values - leg.values).max() > 0.01
    assert np.abs(result.values - whole.values).max() < 1e-9


def test_the_pelvis_is_lowered_for_the_feet_that_may_be_moved_and_only_if_it_may_be(walking):
    clip, skeleton = walking()
    up = skeleton.bones[0].rest[2, :3]

    def lowest(clip, beside):
        result = LOCK.run(clip, LockParams(amount=1.0), Surroundings(skeleton, beside=beside))
        assert not set(result.channels) & set(beside.channels if beside else ())
        columns = [column for column, channel in enumerate(result.channels) if channel.kind == "LOCATION"]
        return ((result.values - clip.values)[:, columns] @ up).min() if columns else None

    both, neither = lowest(clip, None), lowest(*apart(clip, lambda channel: channel.kind != "LOCATION"))
    right = lowest(*apart(clip, lambda channel: not channel.owner.endswith(".L")))
    none = lowest(*apart(clip, lambda channel: not channel.owner.endswith((".L", ".R"))))
    assert both <= 0.95 * right < 0.0 and both < -0.001 and none == 0.0 and neither is None  # two legs may want other heights


def test_an_object_that_moves_by_itself_is_refused(walking):
    clip, skeleton = walking()
    moved = clip.with_channels([Channel("location", 0, "LOCATION")], [0.0])
    assert run(moved, skeleton) is not None
    values = moved.values.copy()
    values[:, -1] = np.arange(len(values))
    with pytest.raises(ValueError, match=r"location\[0\] moves the whole armature"):
        run(moved.with_values(values), skeleton)


def test_found_contacts_of_heels_end_when_they_come_up(walking):
    clip, skeleton = walking(push=(0.0, 0.0, 0.0))
    body = Body(clip, skeleton)
    raw = find_contacts(clip, skeleton, find_roles(skeleton))
    for point in ("left_heel", "right_heel"):
        heights = body.places[:, body.figure.points.index(point), 2]
        assert len(body.contacts[point]) == len(raw[point]) > 1
        for (first, last), (begins, ends) in zip(body.contacts[point], raw[point]):
            assert first == begins and last <= ends
            rows = heights[first - FIRST : last - FIRST + 1]
            assert rows[-1] < np.median(rows) + 0.02
