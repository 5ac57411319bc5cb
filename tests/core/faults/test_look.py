# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a take is found, nothing else is, and what is mended is what was there."""

from dataclasses import replace

import numpy as np
import pytest
from made_faults import Fault, apart, bones_of, faulty
from made_takes import FPS, KICK, Recipe, make, take
from motion_signal.core.faults.findings import FLIP, FLOOR, GAP, JITTER, KNEE, SLIDE, SPIKE, T_POSE
from motion_signal.core.faults.look import Look
from motion_signal.core.motion.clip import Channel, Clip
from scipy.spatial.transform import Rotation

NOISE = 1.0  # degree about each axis
TRACKS = (SPIKE, FLIP, GAP)


def at_rate(made, every):
    return replace(made.clip, values=made.clip.values[::every], fps=FPS / every)


def labels(look):
    return {bar.label for bar in look.found}


def missed_and_false(known, found, first_frame):
    """Faults that no finding of their bone meets, and findings that no fault does."""

    def meets(fault, bar):
        frames = bar.first - first_frame - 1 <= fault.end - 1 and fault.first <= bar.last - first_frame + 1
        return frames and bar.bone in (fault.bone, "")

    return (
        [fault for fault in known if fault.seen and not any(meets(fault, bar) for bar in found)],
        [bar for bar in found if not any(meets(fault, bar) for fault in known)],
    )


@pytest.mark.parametrize("name", ["walk", "run", "kick", "turn", "limp", "lying", "fast"])
@pytest.mark.parametrize("every", [1, 2, 4, 5])
def test_nothing_is_wrong_with_a_clean_take_at_any_rate(name, every):
    made = take(name)
    found = Look(at_rate(made, every), made.skeleton).found
    assert [bar for bar in found if bar.label not in (SLIDE, KNEE)] == []


@pytest.mark.parametrize("noise", [0.0, NOISE])
@pytest.mark.parametrize("name", ["walk", "run", "kick"])
def test_known_faults_are_found_and_nothing_else(name, noise):
    made, missed, false, all_ = take(name), [], [], 0
    for seed in range(3):
        clip, known = faulty(made.clip, seed, spikes=100, flips=25, gaps=10, noise=noise)
        look = Look(clip, made.skeleton)
        some = missed_and_false(known, [bar for bar in look.found if bar.label in TRACKS], clip.first_frame)
        missed, false, all_ = missed + some[0], false + some[1], all_ + len(known)
    assert len(missed) <= 0.02 * all_, missed
    assert len(false) <= 0.02 * all_, false


def test_spikes_are_found_in_noise_at_thirty_frames_a_second():
    missed, false, all_ = [], [], 0
    for made in map(take, ("walk", "turn", "run", "kick")):
        for seed in range(3):
            clip, known = faulty(at_rate(made, 4), seed, spikes=40, flips=0, gaps=0, noise=NOISE)
            found = [bar for bar in Look(clip, made.skeleton).found if bar.label in TRACKS]
            some = missed_and_false(known, found, clip.first_frame)
            missed, false, all_ = missed + some[0], false + some[1], all_ + len(known)
    assert len(missed) <= 0.01 * all_, missed
    assert len(false) <= 0.02 * all_, false


@pytest.mark.parametrize("seed", range(4))
def test_mended_spikes_and_flips_are_within_the_noise(seed):
    made = take("walk")
    shaken, _ = faulty(made.clip, seed, 0, 0, 0, noise=NOISE)
    clip, known = faulty(made.clip, seed, spikes=100, flips=25, gaps=0, noise=NOISE)
    look = Look(clip, made.skeleton)
    mended = look.mended([bar for bar in look.found if bar.label in TRACKS])
    off = [apart(made.clip, mended, fault.bone)[fault.first] for fault in known]
    own = [apart(made.clip, shaken, fault.bone)[fault.first] for fault in known]
    assert np.median(off) < np.median(own) and np.percentile(off, 95) < 1.5 * np.percentile(own, 95)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("how", ["held", "straight", "elsewhere"])
def test_gaps_of_ten_frames_are_filled_within_five_millimetres(seed, how):
    made, draw = take("walk"), np.random.default_rng(seed)
    values, known = np.array(made.clip.values), []
    bones = bones_of(made.clip)
    for bone in ("LeftArm", "RightForeArm", "RightUpLeg", "LeftLeg", "Spine"):
        columns, first = bones[bone][1], int(draw.integers(40, 300))
        if how == "held":
            values[first : first + 10, columns] = values[first - 1, columns]
        elif how == "straight":
            share = (np.arange(1, 11) / 11.0)[:, None]
            values[first : first + 10, columns] += (
                (1 - share) * values[first - 1, columns]
                + share * values[first + 10, columns]
                - values[first : first + 10, columns]
            )
        else:
            values[first : first + 10, columns] = np.radians([50.0, -40.0, 60.0]) + np.radians(draw.normal(0, 0.3, (10, 3)))
        known.append(Fault("gap", bone, first, first + 10, apart(made.clip, made.clip.with_values(values), bone).max()))
    clip = made.clip.with_values(values)
    look = Look(clip, made.skeleton)
    gaps = [bar for bar in look.found if bar.label == GAP]
    missed, false = missed_and_false(known, gaps, clip.first_frame)
    assert not missed and not false
    places = [made.skeleton.posed(each)[1] for each in (made.clip, look.mended(gaps))]
    for fault in known:
        below = [made.skeleton.index(name) for name in made.skeleton.below(fault.bone)]
        lever = [
            np.linalg.norm(each[fault.first : fault.end, below] - each[fault.first : fault.end, :1], axis=2) for each in places
        ]
        assert np.median(np.abs(lever[0] - lever[1])) < 0.005


def test_all_other_frames_stay_to_the_bit():
    made = take("walk")
    clip, known = faulty(made.clip, 1, spikes=30, flips=10, gaps=4)
    look = Look(clip, made.skeleton)
    found = [bar for bar in look.found if bar.label in TRACKS]
    mended, changed = look.mended(found), np.zeros(clip.values.shape, dtype=bool)
    for bar in found:
        columns = [at for at, channel in enumerate(clip.channels) if channel.owner == bar.bone]
        changed[int(bar.first) - 1 : int(bar.last), columns] = True
    assert np.array_equal(mended.values[~changed], clip.values[~changed])
    assert look.mended([]) is clip


@pytest.mark.parametrize("every", [1, 2, 4])
def test_trembling_of_the_whole_figure_is_one_finding_and_is_calmed(every):
    made = take("walk")
    still = at_rate(made, every)
    clip, _ = faulty(still, 3, 0, 0, 0, noise=NOISE)
    look = Look(clip, made.skeleton)
    (trembling,) = [bar for bar in look.found if bar.label == JITTER]
    assert trembling.bone == "" and trembling.last - trembling.first > 0.9 * clip.frames
    assert 0.7 * NOISE < trembling.size < 1.4 * NOISE
    calm = look.mended([trembling])
    before, after = (
        np.sqrt(np.mean([np.square(apart(still, each, bone)) for bone in bones_of(still)])) for each in (clip, calm)
    )
    assert after < (0.45 if every == 1 else 0.75) * before


def blow(fps, width=0.07, height=100.0):
    """An elbow that strikes once, and the rest of the time is still."""
    time = np.arange(round(3.0 * fps)) / fps
    angle = height * np.exp(-0.5 * np.square((time - 1.5) / width))
    turns = Rotation.from_rotvec(np.radians(angle)[:, None] * [0.6, 0.0, 0.8])
    channels = tuple(Channel('pose.bones["elbow"].rotation_quaternion', index, "QUATERNION", "elbow") for index in range(4))
    return Clip(turns.as_quat()[:, [3, 0, 1, 2]], channels, fps, 1), angle


@pytest.mark.parametrize("fps", [60.0, 120.0])
def test_a_blow_keeps_its_speed_within_a_percent_while_a_plain_smoother_takes_ten(fps):
    clip, angle = blow(fps)
    true, speeds, left = np.abs(np.diff(angle)).max(), [], []
    for seed in range(12):
        noisy, _ = faulty(clip, seed, 0, 0, 0, noise=NOISE)
        look = Look(noisy)
        calm = look.mended(look.found)
        turns = Rotation.from_quat(calm.values[:, [1, 2, 3, 0]]).as_rotvec() @ [0.6, 0.0, 0.8]
        at = np.argmax(np.abs(np.diff(angle)))
        speeds.append(abs(np.degrees(turns[at + 1] - turns[at])))
        still = slice(0, round(fps))
        left.append(np.degrees(np.std(np.diff(turns[still]))) / np.sqrt(2.0))
    assert abs(np.mean(speeds) / true - 1.0) < 0.01 + 2.0 * np.std(speeds) / true / np.sqrt(len(speeds))
    assert np.mean(left) < 0.12 * NOISE


def test_numbers_that_jump_where_the_bone_does_not_are_found_and_healed():
    made = take("walk")
    values = np.array(made.clip.values)
    columns = bones_of(made.clip)["LeftArm"][1]
    values[100:200, columns[0]] += 2.0 * np.pi
    clip = made.clip.with_values(values)
    look = Look(clip, made.skeleton)
    (flip,) = [bar for bar in look.found if bar.label == FLIP]
    assert (flip.bone, flip.first, flip.last) == ("LeftArm", 101, 201)
    mended = look.mended([flip])
    assert np.abs(np.diff(mended.values[:, columns], axis=0)).max() < 0.5
    assert apart(made.clip, mended, "LeftArm").max() < 1e-5


def test_a_rest_pose_before_the_motion_is_found_and_holds_its_first_pose():
    made = take("pose")
    look = Look(made.clip, made.skeleton)
    (pose,) = [bar for bar in look.found if bar.label == T_POSE]
    assert (pose.first, pose.last) == (1, 1)
    mended = look.mended([pose])
    assert np.array_equal(mended.values[0], made.clip.values[1]) and np.array_equal(mended.values[1:], made.clip.values[1:])


def test_a_floor_that_sinks_is_found_and_levelled():
    made = make(Recipe(take("walk").recipe.motion, 600, sinks=0.012))
    look = Look(made.clip, made.skeleton)
    (floor,) = [bar for bar in look.found if bar.label == FLOOR]
    assert abs(floor.size - 12.0 * made.clip.frames / FPS) < 8.0
    again = Look(look.mended([floor]), made.skeleton)
    assert FLOOR not in labels(again) and abs(again.ground.floor()) < 1e-9


def test_feet_that_slide_are_found_and_held():
    made = make(Recipe(take("walk").recipe.motion, farther=0.12))
    look = Look(made.clip, made.skeleton)
    slides = [bar for bar in look.found if bar.label == SLIDE]
    assert slides and min(bar.size for bar in slides) > 20.0
    again = Look(look.mended(slides), made.skeleton, contacts=look.ground.contacts)
    assert SLIDE not in labels(again)


def test_a_knee_past_straight_is_found_and_bent_and_the_foot_stays():
    made = take("walk")
    name, columns = "LeftLeg", bones_of(made.clip)["LeftLeg"][1]
    look = Look(made.clip, made.skeleton)
    bends = look.ground._bends()[name][0]
    values, row = np.array(made.clip.values), int(np.argmin(bends))
    rows = np.arange(row - 6, row + 7)
    axis = look.ground._bends()[name][1][name][:, row]
    turn = Rotation.from_rotvec(np.radians(-(bends[rows] + 9.0) * np.hanning(15)[1:-1])[:, None] * axis)
    turned = Rotation.from_euler("xyz", values[np.ix_(rows, columns)]) * turn
    values[np.ix_(rows, columns)] = turned.as_euler("xyz")
    clip = made.clip.with_values(values)
    look = Look(clip, made.skeleton)
    knees = [bar for bar in look.found if bar.label == KNEE]
    assert [bar.bone for bar in knees] == [name] and 5.0 < knees[0].size < 12.0
    mended = look.mended(knees)
    assert KNEE not in labels(Look(mended, made.skeleton))
    foot = made.skeleton.index("LeftFoot")
    before, after = (made.skeleton.posed(each)[1][:, foot] for each in (clip, mended))
    assert np.linalg.norm(before - after, axis=1).max() < 0.015


def test_a_place_that_jumps_is_found_in_millimetres():
    made = take("walk")
    values = np.array(made.clip.values)
    values[120, :3] += 0.1
    look = Look(made.clip.with_values(values), made.skeleton)
    (spike,) = [bar for bar in look.found if bar.label == SPIKE]
    assert (spike.bone, spike.first, spike.unit) == ("Hips", 121, "mm") and abs(spike.size - 173.2) < 10.0
    mended = look.mended([spike])
    assert np.abs(mended.values - made.clip.values).max() < 0.001


@pytest.mark.parametrize("frames", [3, 4, 8, 13])
def test_the_shortest_clips_are_looked_at(frames):
    made = make(Recipe(KICK))
    clip = made.clip.with_values(made.clip.values[:frames])
    look = Look(clip, made.skeleton)
    assert np.array_equal(look.mended([bar for bar in look.found if bar.label in TRACKS]).values, clip.values)
