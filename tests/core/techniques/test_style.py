# SPDX-License-Identifier: GPL-3.0-or-later
"""Style: a mood laid over another take, another rig, a lamp and a cube, as much of it as is asked for."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from motion_signal.bench.make_moods import MOODS, clip_of, shipped, walking
from motion_signal.core.body.body import Body
from motion_signal.core.body.report import report
from motion_signal.core.body.walking_figure import FIGURE, walk
from motion_signal.core.declare.params import build
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.ik.hold import held
from motion_signal.core.mixing.mood import from_data, mood_of, to_data
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.recipes.opened import opened
from motion_signal.core.techniques.character.style import STYLE, StyleParams
from scipy.spatial.transform import Rotation

PRESETS = Path(__file__).resolve().parents[3] / "presets" / "style"
AROUND = Surroundings(FIGURE)
FREE = {"contacts": False}


@pytest.fixture(scope="module")
def clip():
    motion = walk(181, 30.0, speed=1.2, seed=5)
    return clip_of(motion.rotations, motion.location)


@pytest.fixture(scope="module")
def tired():
    return to_data(shipped("tired"))


def heads(clip, skeleton=FIGURE):
    return skeleton.posed(clip)[1]


def leans(clip, name):
    """How a bone of the figure points over time, in the armature, (frames, 3)."""
    return FIGURE.posed(clip)[0][:, FIGURE.index(name), :, 1]


def test_neither_mood_nor_amount_is_the_take(clip, tired):
    assert STYLE.run(clip, StyleParams(), AROUND) is clip
    assert STYLE.run(clip, StyleParams(style=tired, amount=0.0), AROUND) is clip


def test_a_neutral_take_with_the_mood_is_the_styled_one():
    """Over a stride, and on the spot: the mood is the difference, so laid over the neutral take it gives the styled one."""
    neutral, styled = walking(MOODS["proud"].__class__()), walking(replace(MOODS["proud"], speed=1.3))
    data = to_data(mood_of(neutral, styled, AROUND))
    result = STYLE.run(neutral, StyleParams(style=data, **FREE), AROUND)
    inner = slice(30, -30)
    for name in ("chest", "head", "upper_arm.L", "forearm.R", "thigh.L"):
        before, after = (np.abs(leans(these, name) - leans(styled, name))[inner].max() for these in (neutral, result))
        assert after < max(0.25 * before, 0.02), name


def test_the_amount_goes_on_and_below_zero_is_the_opposite(clip, tired):
    def lean(amount):
        result = STYLE.run(clip, StyleParams(style=tired, amount=amount, **FREE), AROUND)
        return np.degrees(np.arcsin(-leans(result, "head")[:, 1].mean()))

    steps = np.diff([lean(amount) for amount in (-1.0, 0.0, 1.0, 2.0)])
    assert (steps > 20).all() and np.ptp(steps) < 0.3 * steps.mean()


def test_it_follows_the_steps_of_the_take_whatever_their_pace(tired):
    """Laid over walks of two speeds the change is the same function of the stride."""
    changes = []
    for speed in (0.9, 1.6):
        motion = walk(301, 30.0, speed=speed)
        clip = clip_of(motion.rotations, motion.location)
        result = STYLE.run(clip, StyleParams(style=tired, **FREE), AROUND)
        column = next(
            column
            for column, channel in enumerate(clip.channels)
            if str(channel).endswith("quaternion[1]") and channel.owner == "upper_arm.L"
        )
        from_start = (result.values - clip.values)[:, column]
        period = 30.0 * 2 * np.sqrt(speed * 60 * 0.0058) / speed
        changes.append(np.interp(np.linspace(3, 5, 60) * period, np.arange(clip.frames), from_start))
    assert np.corrcoef(changes)[0, 1] > 0.95


def test_strides_become_shorter_if_they_may(clip, tired):
    def way(result):
        return np.linalg.norm(np.ptp(heads(result)[:, 0, :2], axis=0))

    plain, shorter = (STYLE.run(clip, StyleParams(style=tired, strides=flag), AROUND) for flag in (False, True))
    assert way(plain) == pytest.approx(way(clip), rel=0.01)
    assert way(shorter) == pytest.approx(tired["stride"] * way(clip), rel=0.01)


@pytest.mark.parametrize("strides", [False, True])
def test_planted_feet_do_not_slide(clip, tired, strides):
    contacts = Body(clip, FIGURE).contacts
    free, kept = (
        report(
            opened(STYLE, clip, AROUND, ScopeParams())(StyleParams(style=tired, strides=strides, contacts=flag)),
            FIGURE,
            contacts=contacts,
        )
        for flag in (False, True)
    )
    assert free["slide_mean_mm"] > 5 and kept["slide_mean_mm"] < 3


def test_ends_can_be_held_while_the_mood_bends_the_inside(clip, tired):
    result = held(STYLE, clip, StyleParams(style=tired, **FREE), AROUND, ("foot.L", "foot.R", "hand.L", "hand.R"))
    assert result.residual.mean() < 0.5 and result.residual.max() < 2.0 and result.left > 0.7


@pytest.mark.parametrize("name", sorted(MOODS))
def test_shipped_moods_are_what_the_recipes_make(name):
    preset = json.loads((PRESETS / f"{name}.json").read_text())
    assert preset["technique"] == "style" and preset["label"] and preset["text"]
    params = build(StyleParams, preset["params"])
    stored, made = from_data(params.style), shipped(name)
    assert stored.bones.keys() == made.bones.keys() and stored.stride == pytest.approx(made.stride, abs=1e-3)
    for bone, kinds in made.bones.items():
        for kind, waves in kinds.items():
            assert np.abs(stored.bones[bone][kind] - waves).max() < 2e-3, bone


def test_two_actions_are_as_good_as_a_saved_mood(clip):
    neutral, styled = walking(MOODS["tired"].__class__()), walking(MOODS["tired"])
    around = replace(AROUND, takes={"plain": neutral, "weary": styled})
    found = STYLE.run(clip, StyleParams(neutral="plain", styled="weary", **FREE), around).values
    saved = STYLE.run(clip, StyleParams(style=to_data(mood_of(neutral, styled, AROUND)), **FREE), AROUND).values
    assert np.abs(found - saved).max() < 2e-3 and np.abs(found - clip.values).max() > 0.05


def test_another_rig_wears_it_by_role(clip, tired):
    """The same figure, its bones called otherwise and lying otherwise along themselves, in another rotation mode."""
    names = {bone.name: f"mixamorig:{new}" for bone, new in zip(FIGURE.bones, MIXAMO)}
    roll = np.eye(4)
    roll[:3, :3] = Rotation.from_rotvec([0.0, 0.7, 0.0]).as_matrix()
    bones = tuple(
        replace(bone, name=names[bone.name], path=f'pose.bones["{names[bone.name]}"]', rest=bone.rest @ roll)
        for bone in FIGURE.bones
    )
    turn = Rotation.from_matrix(roll[:3, :3])
    values = [
        (turn.inv() * Rotation.from_quat(clip.values[:, 4 * index : 4 * index + 4], scalar_first=True) * turn).as_quat(
            scalar_first=True
        )
        for index in range(len(bones))
    ]
    channels = [
        replace(channel, owner=names[channel.owner], path=channel.path.replace(channel.owner, names[channel.owner]))
        for channel in clip.channels
    ]
    other = replace(clip, values=np.hstack([*values, clip.values[:, -3:] @ roll[:3, :3]]), channels=tuple(channels))
    assert np.abs(heads(other, Skeleton(bones)) - heads(clip)).max() < 1e-6
    mood = {**tired, "bones": {name: kinds for name, kinds in tired["bones"].items() if name in tired["roles"].values()}}
    expected = heads(STYLE.run(clip, StyleParams(style=mood, **FREE), AROUND))
    found = heads(STYLE.run(other, StyleParams(style=mood, **FREE), Surroundings(Skeleton(bones))), Skeleton(bones))
    assert np.abs(found - expected).max() < 1e-3 and np.abs(found - heads(clip)).max() > 0.02


MIXAMO = ("Hips", "Spine", "Spine1", "Neck", "Head") + tuple(
    side + segment
    for side in ("Left", "Right")
    for segment in ("Shoulder", "Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase")
)


@pytest.fixture
def lamp(bone):
    """A foot on the table, two arms and a shade, keyed at rest for four seconds."""
    bones = [bone("base", -1, (0, 0, 0), (np.pi / 2, 0, 0), 0.1)]
    for name, lean, length in (("low", 0.4, 0.3), ("high", -0.5, 0.3), ("shade", 1.0, 0.15)):
        end = bones[-1].rest[:3, 3] + bones[-1].length * bones[-1].rest[:3, 1]
        bones.append(bone(name, len(bones) - 1, tuple(end), (np.pi / 2 + lean, 0, 0), length, connected=True))
    channels = [
        Channel(f"{each.path}.rotation_quaternion", index, "QUATERNION", each.name) for each in bones for index in range(4)
    ]
    channels += [Channel(f"{bones[0].path}.location", index, "LOCATION", "base") for index in range(3)]
    still = np.tile([1.0, 0.0, 0.0, 0.0] * 4 + [0.0] * 3, (121, 1))
    return Clip(still, tuple(channels), 30.0, 1), Skeleton(tuple(bones))


def test_a_lamp_hops_with_the_rhythm_of_the_walk(lamp):
    clip, skeleton = lamp
    gait = to_data(mood_of(None, walking(MOODS["happy"]), AROUND))
    mapping = {"hips": "base", "spine": "low", "chest": "high", "head": "shade"}
    params = StyleParams(style=gait, mapping=mapping, standing="base", size=1.7)
    result = STYLE.run(clip, params, Surroundings(skeleton))
    axes, joints = skeleton.posed(result)
    height = joints[:, 0, 2]
    assert height.min() > -1e-9 and height.max() > 0.01
    ups = np.flatnonzero((height[1:-1] > height[:-2]) & (height[1:-1] >= height[2:]) & (height[1:-1] > 0.5 * height.max()))
    assert np.median(np.diff(ups)) / clip.fps == pytest.approx(gait["cycle"] / 2, rel=0.1)  # once a step
    grounded = height < 1e-6
    assert 0.3 < grounded.mean() < 0.7
    base = axes[:, 0]
    assert np.abs(joints[grounded, 0] - joints[0, 0] * [1, 1, 0]).max() < 1e-6
    assert np.abs(base[grounded] - skeleton.bones[0].rest[:3, :3]).max() < 1e-6
    assert np.ptp(joints[:, 3], axis=0).max() > 0.02  # the shade nods


def test_a_cube_wears_the_hips():
    kinds = {"location": "LOCATION", "rotation_euler": "XYZ", "scale": "SCALE"}
    channels = [Channel(path, index, kind) for path, kind in kinds.items() for index in range(3)]
    cube = Clip(np.tile([0.0] * 6 + [1.0] * 3, (90, 1)), tuple(channels), 30.0, 1)
    gait = to_data(mood_of(None, walking(MOODS["happy"]), AROUND))
    result = STYLE.run(cube, StyleParams(style=gait, mapping={"hips": "object"}, size=1.7)).values
    moved = np.ptp(result, axis=0)
    assert moved[2] > 0.02 and moved[3:6].max() > 0.05 and (result[:, 6:] == 1.0).all()
    twice = np.abs(np.fft.rfft(result[:, 2] - result[:, 2].mean()))
    assert twice.argmax() * 30.0 / 90 == pytest.approx(2 / gait["cycle"], abs=0.35)


@pytest.mark.parametrize(
    "params, sentence",
    [
        ({"mapping": {"hips": "tail"}}, "mapping: the mood's bones .* have no channel in common with the take"),
        ({"mapping": {"fin": "hips"}}, "mapping: the mood has no bone 'fin'; it has "),
        ({"standing": "tail"}, "standing: tail wears nothing of the mood"),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(clip, tired, params, sentence):
    with pytest.raises(ValueError, match=sentence):
        STYLE.run(clip, StyleParams(style=tired, **params), AROUND)


def test_what_has_no_channel_of_the_mood_is_refused(tired):
    cube = Clip(np.zeros((10, 1)), (Channel("location", 0, "LOCATION"),), 30.0, 1)
    with pytest.raises(ValueError, match="a mood is for a figure, and there is none here; say under Other Bones"):
        STYLE.run(cube, StyleParams(style=tired))


def test_actions_that_are_not_there_are_refused(clip):
    with pytest.raises(ValueError, match="style: there is no action gone"):
        STYLE.run(clip, StyleParams(styled="gone"), AROUND)
    same = replace(AROUND, takes={"a": clip, "b": clip})
    with pytest.raises(ValueError, match="neutral: it is the same motion"):
        STYLE.run(clip, StyleParams(neutral="a", styled="b"), same)
