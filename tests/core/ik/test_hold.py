# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends: whatever a technique does, held bones stay on their paths, and the rest keeps what it was given."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.bench.make_moods import clip_of
from motion_signal.core.body.walking_figure import FIGURE, NAMES, walk
from motion_signal.core.declare.faders import EqualizeParams
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.ik.hold import Ends, held
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.recipes.opened import opened
from motion_signal.core.recipes.whole import weights_of
from motion_signal.core.techniques.character.cartoon import CARTOON, CartoonParams
from motion_signal.core.techniques.character.equalize import EQUALIZE
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams
from scipy.spatial.transform import Rotation

FEET, HANDS = ("foot.L", "foot.R"), ("hand.L", "hand.R")
TRUNK = ("hips", "spine", "chest")
LOUDER = EqualizeParams(gains=(1, 1, 1, 1, 1, 1.2, 1.5, 1.6, 1.4, 1, 1, 1))
AROUND = Surroundings(FIGURE)


@pytest.fixture(scope="module")
def clip():
    motion = walk(151, 30.0)
    return clip_of(motion.rotations, motion.location)


def heads(clip, names, skeleton=FIGURE):
    return skeleton.posed(clip)[1][:, [skeleton.index(name) for name in names]]


def share(clip, free, kept, names=TRUNK):
    """How much of what a change does to joints is left, along the way that it moved them."""
    wanted, found = (heads(these, names) - heads(clip, names) for these in (free, kept))
    return np.vdot(wanted, found) / np.vdot(wanted, wanted)


def sharpest(clip):
    return np.abs(np.diff(FIGURE.posed(clip)[1], 2, axis=0)).max() * clip.fps**2


@pytest.mark.parametrize("technique, params", [(EQUALIZE, LOUDER), (CARTOON, CartoonParams(strength=1.0, contacts=False))])
def test_feet_and_hands_stay_while_the_trunk_keeps_its_change(clip, technique, params):
    free = technique.run(clip, params, AROUND)
    result = held(technique, clip, params, AROUND, FEET + HANDS)
    away = 1000 * np.linalg.norm(heads(result.clip, result.names) - heads(clip, result.names), axis=2)
    assert (1000 * np.linalg.norm(heads(free, result.names) - heads(clip, result.names), axis=2)).mean() > 20
    assert away.mean() < 0.5 and away.max() < 2.0
    assert np.abs(result.residual - away).max() < 1e-6
    assert share(clip, free, result.clip) > 0.65 and result.left > 0.7
    assert sharpest(result.clip) < 1.3 * max(sharpest(clip), sharpest(free))
    assert result.words().startswith("held bones are off their paths by 0.")


@pytest.mark.parametrize("shared", [False, True])
def test_ends_held_in_a_part_of_the_take_leave_the_rest_and_begin_where_it_ends(clip, shared):
    first, last = clip.first_frame + 50, clip.first_frame + 130
    scope = ScopeParams(frames="RANGE", frame_start=first, frame_end=last, keep_ends=True, share=shared)
    result = opened(EQUALIZE, clip, AROUND, scope, weights_of(scope, (clip.first_frame, clip.last_frame), clip.fps))(LOUDER)
    away = np.abs(FIGURE.posed(result)[0] - FIGURE.posed(clip)[0]).max(axis=(1, 2, 3))
    assert away[:51].max() < 1e-9 and away[130:].max() < 1e-9 and away[60:120].max() > 0.05
    assert away[51] < 0.2 * away[54] and away[129] < 0.2 * away[126]  # as a fade does, in value and slope
    assert np.linalg.norm(heads(result, FEET + HANDS) - heads(clip, FEET + HANDS), axis=2).max() < 0.001


def test_held_feet_and_hands_point_as_they_did_unless_they_are_free_to_turn(clip):
    def pointing(result):
        return FIGURE.posed(result)[0][:, FIGURE.index("hand.L")]

    turned, loose = (held(EQUALIZE, clip, LOUDER, AROUND, FEET + HANDS, flag).clip for flag in (True, False))
    assert np.abs(pointing(turned) - pointing(clip)).max() < 1e-6
    assert np.abs(pointing(loose) - pointing(clip)).max() > 0.05


def test_a_change_that_limbs_cannot_follow_gives_way_smoothly(clip):
    """Raised by 10 cm on straight legs and bent away from the hands: what is out of reach is not done, without a jerk."""
    values = clip.values.copy()
    values[:, -3:] += 0.1 * np.outer(np.sin(np.arange(clip.frames) / 8), [0.0, 0.0, 1.0] @ FIGURE.bones[0].rest[:3, :3])
    result = Ends(clip, AROUND, FEET + HANDS)(clip.with_values(values))
    assert result.residual.mean() < 0.5 and result.residual.max() < 2.0
    assert sharpest(result.clip) < 2.0 * sharpest(clip)


def test_a_take_that_has_not_changed_stays_as_it_is(clip):
    result = Ends(clip, AROUND, FEET + HANDS)(clip)
    assert result.clip is clip and result.residual.max() == 0.0 and result.left == 1.0
    assert Ends(clip, AROUND, ())(clip).clip is clip


@pytest.mark.parametrize("names", [("head",), ("hips",), ("toe.L",), ("shin.R",), ("head", *FEET), ("chest", "head", "foot.L")])
def test_any_bone_can_be_held(clip, names):
    result = held(EQUALIZE, clip, LOUDER, AROUND, names)
    assert result.residual.mean() < 0.5 and result.residual.max() < 2.0
    assert np.abs(result.clip.values - clip.values).max() > 0.05


def test_ends_that_span_the_whole_body_leave_nothing_and_say_so(clip):
    result = held(EQUALIZE, clip, LOUDER, AROUND, NAMES)
    assert result.residual.mean() < 0.1 and result.residual.max() < 3.0 and result.left < 0.05
    assert "leave room for only 0 % of the change: hold fewer bones" in result.words()


@pytest.fixture
def lamp(bone):
    """A foot on the table, two arms and a shade: four bones, no feet."""
    bones = [bone("base", -1, (0, 0, 0), (np.pi / 2, 0, 0), 0.1)]
    bones.append(bone("low", 0, (0, 0, 0.1), (np.pi / 2 + 0.4, 0, 0), 0.3))
    bones.append(bone("high", 1, tuple(tail(bones[1])), (np.pi / 2 - 0.5, 0, 0), 0.3, connected=True))
    bones.append(bone("shade", 2, tuple(tail(bones[2])), (np.pi / 2 + 1.0, 0, 0), 0.15, connected=True))
    return Skeleton(tuple(bones))


def tail(bone):
    return bone.rest[:3, 3] + bone.length * bone.rest[:3, 1]


@pytest.mark.parametrize("name", ["base", "shade"])
def test_what_has_no_feet_has_ends_too(lamp, moving, name):
    clip = moving(lamp)
    result = held(EQUALIZE, clip, LOUDER, Surroundings(lamp), (name,))
    assert result.residual.mean() < 0.5 and result.residual.max() < 2.0
    assert np.abs(result.clip.values - clip.values).max() > 0.02


def test_an_elbow_that_is_nearly_straight_never_turns_over(clip):
    """Forearms straightened to a degree or two, wobbling about it, with hands held while the trunk swings."""
    values, random = np.array(clip.values), np.random.default_rng(3)
    for name in ("forearm.L", "forearm.R"):
        columns = [column for column, channel in enumerate(clip.channels) if channel.owner == name]
        bend = np.radians(2.0 + 1.5 * np.sin(np.arange(clip.frames) / 7.0) + 0.2 * random.normal(size=clip.frames))
        values[:, columns] = Rotation.from_rotvec(np.outer(bend, [1.0, 0.0, 0.0])).as_quat(scalar_first=True)
    straight = clip.with_values(values)
    for shared in (False, True):
        ends = Ends(straight, AROUND, FEET + HANDS, shared=shared)
        result = ends(EQUALIZE.run(straight, LOUDER, AROUND))
        for name in ("upper_arm.L", "forearm.L", "hand.L", "upper_arm.R", "forearm.R", "hand.R"):
            columns = [column for column, channel in enumerate(clip.channels) if channel.owner == name]
            turns = (Rotation.from_quat(these.values[:, columns], scalar_first=True) for these in (straight, result.clip))
            before, after = (np.degrees((turn[1:] * turn[:-1].inv()).magnitude()) for turn in turns)
            assert after.max() < before.max() + 12.0, (name, shared)
        assert result.residual.max() < 1.0 or "at frame" in result.words()


def test_sharing_the_way_back_leaves_limbs_more_of_their_change(clip):
    free = EQUALIZE.run(clip, LOUDER, AROUND)
    away = []
    for shared in (False, True):
        result = Ends(clip, AROUND, FEET + HANDS, shared=shared)(free)
        assert result.residual.max() < 2.0
        limbs = [column for column, channel in enumerate(clip.channels) if channel.owner.startswith(("thigh", "upper_arm"))]
        away.append(np.abs(result.clip.values[:, limbs] - free.values[:, limbs]).mean())
    assert away[1] < 0.9 * away[0]


def test_bad_input_is_refused_in_a_sentence(clip):
    with pytest.raises(ValueError, match="keep: the armature has no bone 'tail'"):
        Ends(clip, AROUND, ("tail",))
    with pytest.raises(ValueError, match="keep: there is no armature, and so no bone 'hand'"):
        Ends(clip, Surroundings(), ("hand",))
    led = replace(FIGURE, bones=tuple(replace(bone, led=bone.name == "shin.L") for bone in FIGURE.bones))
    with pytest.raises(ValueError, match="keep: bone shin.L is moved by constraints or drivers"):
        Ends(clip, Surroundings(led), ("foot.L",))
    loop = Clip(np.cos(2 * np.pi * np.arange(41) / 40)[:, None], (Channel("location", 0, "LOCATION"),), 30.0, 1)
    longer = CYCLE.run(loop, CycleParams(repeats=2))
    with pytest.raises(ValueError, match="keep: the result has 81 frames and the take 151"):
        Ends(clip, AROUND, FEET)(longer)
