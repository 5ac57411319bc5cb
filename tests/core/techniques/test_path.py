# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a walk: unchanged, moved, bent, stretched, filled and refused, whatever carries the figure."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.contacts import events, find_contacts
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.paths.curve import read_curve
from motion_signal.core.paths.fit import fit, fit_together
from motion_signal.core.techniques.figure.lock import LOCK, LockParams
from motion_signal.core.techniques.figure.path import PATH, PathParams
from scipy.spatial.transform import Rotation

HIPS = gait.FIGURE.bones[0]
FPS = 30.0
FIGURE = Surroundings(gait.FIGURE)
CIRCLE = {"points": [[2 * np.sin(angle), 2 * np.cos(angle) - 2, 0] for angle in np.linspace(0, 2 * np.pi, 80)]}


def on_hips(frames=150, speed=1.3):
    """The procedural walk, along -Y, carried by the hips."""
    motion = gait.walk(frames, FPS, speed)
    channels = [Channel(HIPS.path + ".location", index, "LOCATION", HIPS.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(frames, -1)]), tuple(channels), FPS, 1)


def on_object(frames=150):
    """The same walk carried by the object: it goes steadily, the hips sway within it."""
    clip = on_hips(frames)
    travel = np.outer(np.arange(frames) / FPS, [0.0, -1.3, 0.0])
    values = clip.values.copy()
    values[:, :3] -= travel @ HIPS.rest[:3, :3]
    channels = [Channel("location", index, "LOCATION") for index in range(3)]
    channels += [Channel("rotation_euler", index, "XYZ") for index in range(3)]
    return Clip(np.hstack([travel, np.zeros((frames, 3)), values]), tuple(channels) + clip.channels, FPS, 1)


def heads(clip, skeleton=gait.FIGURE):
    """Joints in the world (frames, bones, 3)."""
    local = skeleton.posed(clip)[1]
    if clip.channels[0].owner:
        world = np.array(skeleton.world)
        return local @ world[:3, :3].T + world[:3, 3]
    turns = Rotation.from_euler("xyz", clip.values[:, 3:6])
    return np.stack([turns.apply(local[:, bone].copy()) + clip.values[:, :3] for bone in range(local.shape[1])], axis=1)


def control_of(clip, surroundings=FIGURE, points=6):
    return fit(clip, surroundings.skeleton, points)


def given(control):
    return {"control": control.tolist()}


def moved(control, degrees=130.0, shift=(3.0, -2.0, 0.0)):
    return Rotation.from_euler("z", degrees, degrees=True).apply(control) + shift


CARRIED = pytest.mark.parametrize("clip", [on_hips(), on_object()], ids=["hips", "object"])


@CARRIED
@pytest.mark.parametrize("timing", ["SPEED", "KEEP"])
def test_an_unchanged_path_gives_the_take_back(clip, timing):
    control = given(control_of(clip))
    result = PATH.run(clip, PathParams(path=control, original=control, timing=timing), FIGURE)
    assert np.abs(result.values - clip.values).max() < 1e-9


@CARRIED
@pytest.mark.parametrize("timing", ["SPEED", "KEEP"])
def test_a_path_moved_as_a_whole_moves_the_take_as_a_whole(clip, timing):
    control = control_of(clip)
    result = PATH.run(clip, PathParams(path=given(moved(control)), original=given(control), timing=timing), FIGURE)
    expected = moved(heads(clip).reshape(-1, 3)).reshape(heads(clip).shape)
    assert np.abs(heads(result) - expected).max() < 1e-5


def test_an_armature_that_is_turned_and_scaled_goes_where_the_curve_is_in_the_world():
    clip, world = on_hips(), np.eye(4)
    world[:3, :3] = 0.01 * Rotation.from_euler("xyz", [90, 0, 40], degrees=True).as_matrix()
    world[:3, 3] = (1.0, 2.0, 0.0)
    flipped = Skeleton(gait.FIGURE.bones, world)
    values = clip.values.copy()  # standing up again in such an armature, a hundred times smaller
    upright = Rotation.from_matrix(HIPS.rest[:3, :3].T @ Rotation.from_euler("x", -90, degrees=True).as_matrix())
    rest = Rotation.from_matrix(HIPS.rest[:3, :3])
    places = HIPS.rest[:3, 3] + rest.apply(values[:, :3])
    values[:, :3] = upright.apply(places) - rest.inv().apply(HIPS.rest[:3, 3])
    clip, surroundings = clip.with_values(values), Surroundings(flipped)
    control = control_of(clip, surroundings)
    params = PathParams(path=given(moved(control)), original=given(control))
    result = PATH.run(clip, params, surroundings)
    expected = moved(heads(clip, flipped).reshape(-1, 3)).reshape(-1, len(flipped.bones), 3)
    assert np.abs(heads(result, flipped) - expected).max() < 1e-6


@CARRIED
def test_on_a_circle_the_figure_goes_round_and_turns_with_it(clip):
    result = PATH.run(clip, PathParams(path=CIRCLE, plant=False), FIGURE)
    hips = heads(result)[:, 0]
    assert np.abs(np.linalg.norm(hips[:, :2] - [0.0, -2.0], axis=1) - 2.0).max() < 0.08
    across = heads(result)[:, gait.FIGURE.index("thigh.L"), :2] - heads(result)[:, gait.FIGURE.index("thigh.R"), :2]
    outward = hips[:, :2] - [0.0, -2.0]
    cosine = np.sum(across * outward, axis=1) / np.linalg.norm(across, axis=1) / np.linalg.norm(outward, axis=1)
    assert np.degrees(np.arccos(cosine)).max() < 15.0  # its left hip stays on the outside of a turn to the right
    assert np.abs(heads(result)[:, :, 2] - heads(clip)[:, :, 2]).max() < 1e-6


@pytest.mark.parametrize("length", [2.0, 0.5], ids=["twice as long", "half as long"])
def test_at_its_own_speed_every_second_takes_the_figure_as_far_as_in_the_take(length):
    clip = on_hips(240)
    angles = np.linspace(0.0, np.pi, 60)
    radius = length * 1.3 * 239 / FPS / np.pi
    line = {"points": [[radius * np.sin(angle), radius * np.cos(angle), 0.0] for angle in angles]}
    result = PATH.run(clip, PathParams(path=line, plant=False), FIGURE)
    assert result.frames == pytest.approx(min(1.0, length) * 240, abs=4)
    hips = heads(result)[:, 0, :2]
    along = radius * np.unwrap(np.arctan2(hips[:, 0], hips[:, 1]))
    own = -heads(clip)[:, 0, 1]
    seconds = np.arange(0, result.frames - 30, 15)
    speeds, usual = (distance[seconds + 30] - distance[seconds] for distance in (along, own))
    assert np.abs(speeds / usual - 1.0).max() < 0.01


def test_stretched_the_take_goes_from_end_to_end_in_its_own_time():
    clip = on_hips()
    result = PATH.run(clip, PathParams(path={"control": [[0, 0, 0], [20, 0, 0]]}, timing="KEEP", plant=False), FIGURE)
    hips = heads(result)[:, 0]
    assert result.frames == clip.frames
    assert hips[0, 0] == pytest.approx(0.0, abs=0.1) and hips[-1, 0] == pytest.approx(20.0, abs=0.1)


def test_control_points_that_are_pulled_apart_pull_speed():
    clip = on_hips()
    control = control_of(clip, points=8)
    wide = control.copy()
    wide[4:] += 3.0 * (control[-1] - control[0]) / np.linalg.norm(control[-1] - control[0])
    result = PATH.run(clip, PathParams(path=given(wide), original=given(control), timing="KEEP", plant=False), FIGURE)
    speed, usual = (np.linalg.norm(np.gradient(heads(these)[:, 0, :2], axis=0), axis=1) * FPS for these in (result, clip))
    assert speed[75] > 2.0 * usual[75] and speed[10] == pytest.approx(usual[10], rel=0.1)


def test_sliding_moves_the_take_along_the_curve_and_on_beyond_its_end():
    clip, line = on_hips(), {"control": [[0, 0, 0], [8, 0, 0]]}
    there = [PATH.run(clip, PathParams(path=line, slide=slide, ends="ON"), FIGURE) for slide in (0.0, 2.5)]
    assert np.abs(heads(there[1]) - heads(there[0]) - [2.5, 0.0, 0.0]).max() < 1e-6
    alone = PATH.run(clip, PathParams(slide=1.0, control_points=2, ends="ON"), FIGURE)
    assert np.abs(np.linalg.norm(heads(alone) - heads(clip), axis=2) - 1.0).max() < 1e-6


def test_heights_of_the_curve_lift_the_figure_only_where_asked():
    clip, ramp = on_hips(), {"control": [[0, 0, 0], [10, 0, 2]]}
    flat, lifted = (PATH.run(clip, PathParams(path=ramp, height=height, plant=False), FIGURE) for height in ("FLAT", "FOLLOW"))
    assert np.abs(heads(flat)[:, 0, 2] - heads(clip)[:, 0, 2]).max() < 1e-6
    rise = heads(lifted)[:, 0, 2] - heads(clip)[:, 0, 2]
    assert np.polyfit(heads(lifted)[:, 0, 0], rise, 1)[0] == pytest.approx(0.2, abs=0.01)


def planted_slides(clip, contacts):
    """How far planted points get from where they are on the whole, (plants,)."""
    figure = Legs(gait.FIGURE, find_roles(gait.FIGURE))
    places = figure.places(clip)[0]
    found = []
    for column, point in enumerate(figure.points):
        for first, last in contacts.get(point, ()):
            rows = places[first - 1 : last, column, :2]
            found.append(np.linalg.norm(rows - np.median(rows, axis=0), axis=1).max())
    return np.array(found)


@CARRIED
@pytest.mark.parametrize("instant", ["START", "MIDDLE", "END"])
def test_feet_stand_where_the_bend_would_make_them_slide(clip, instant):
    contacts = find_contacts(on_hips(), gait.FIGURE, find_roles(gait.FIGURE))
    loose, firm = (
        PATH.run(clip, PathParams(path=CIRCLE, plant=feet, instant=instant, contacts=contacts), FIGURE)
        for feet in (False, True)
    )
    assert planted_slides(loose, contacts).mean() > 0.01
    assert planted_slides(firm, contacts).mean() < 0.002
    arms = gait.FIGURE.index("hand.L")
    assert np.abs(heads(firm)[:, arms] - heads(loose)[:, arms]).max() < 0.05  # only the pelvis may have come down


def test_feet_are_planted_as_the_foot_lock_plants_those_of_the_bent_take():
    """Legs that are moved along with the path are where forward kinematics put them."""
    clip = on_hips()
    contacts = find_contacts(clip, gait.FIGURE, find_roles(gait.FIGURE))
    loose, firm = (PATH.run(clip, PathParams(path=CIRCLE, plant=feet, contacts=contacts), FIGURE) for feet in (False, True))
    locked = LOCK.run(loose, LockParams(amount=1.0, hands=False, contacts=contacts), FIGURE)
    assert np.abs(locked.values - loose.values).max() > 0.01
    assert np.abs(firm.values - locked.values).max() < 1e-9


def test_a_longer_path_is_filled_with_steps():
    clip = on_hips(120)
    spiral = [
        [(1.5 + 0.15 * angle) * np.cos(angle), (1.5 + 0.15 * angle) * np.sin(angle), 0]
        for angle in np.linspace(0, 3 * np.pi, 150)
    ]
    curve = read_curve("path", {"points": spiral})
    result = PATH.run(clip, PathParams(path={"points": spiral}, ends="FILL"), FIGURE)
    assert result.frames / FPS == pytest.approx(curve.length / 1.3, rel=0.03)
    assert np.linalg.norm(heads(result)[-1, 0, :2] - np.array(spiral[-1])[:2]) < 0.15
    contacts = find_contacts(result, gait.FIGURE, find_roles(gait.FIGURE))
    for foot in events(contacts, result).values():
        own = np.diff(foot["strikes"])
        assert len(own) > 5 and np.abs(own - np.median(own)).max() <= 4
    steps, usual = (np.abs(np.diff(these.values[:, 7:], axis=0)) for these in (result, clip))
    assert steps.max() < 1.2 * usual.max()


def test_the_last_frame_of_a_filled_path_is_at_its_end_and_none_is_added_to_a_shorter_one():
    clip = on_hips(120)
    for length in (3.0, 9.0, 25.0):
        result = PATH.run(clip, PathParams(path={"control": [[0, 0, 0], [length, 0, 0]]}, ends="FILL", plant=False), FIGURE)
        assert heads(result)[-1, 0, 0] == pytest.approx(length, abs=0.12)
        assert (result.frames > clip.frames) == (length > 6.0)


def test_two_figures_on_one_path_stay_together():
    clip = on_hips()
    aside = clip.values.copy()
    aside[:, :3] += np.array([0.8, 0.3, 0.0]) @ HIPS.rest[:3, :3]
    clips = clip, clip.with_values(aside)
    control, gone = fit_together([(these, gait.FIGURE) for these in clips], points=6)
    params = PathParams(path=CIRCLE, original=given(control), progress=tuple(gone), plant=False)
    one, other = (heads(PATH.run(these, params, FIGURE))[:, 0, :2] for these in clips)
    assert np.ptp(np.linalg.norm(one - other, axis=1)) < 1e-4


def test_things_without_a_skeleton_follow_paths_too():
    clip = on_object()
    thing = Clip(clip.values[:, :6], clip.channels[:6], FPS, 1)
    result = PATH.run(thing, PathParams(path=CIRCLE))
    assert np.abs(np.linalg.norm(result.values[:, :2] - [0.0, -2.0], axis=1) - 2.0).max() < 0.01


def test_location_without_rotation_gets_the_rotation_that_a_turn_needs():
    clip = on_hips()
    kept = [column for column, channel in enumerate(clip.channels) if channel.owner != HIPS.name or channel.kind == "LOCATION"]
    bare = replace(clip, values=clip.values[:, kept], channels=tuple(clip.channels[column] for column in kept))
    result = PATH.run(bare, PathParams(path=CIRCLE, plant=False), FIGURE)
    assert {channel.index for channel in result.channels if channel.path == HIPS.rotation_path} == {0, 1, 2, 3}
    ahead = np.diff(heads(result)[:, 0, :2], axis=0)
    toes = heads(result)[:, gait.FIGURE.index("thigh.L"), :2] - heads(result)[:, gait.FIGURE.index("thigh.R"), :2]
    turned = np.degrees(np.ptp(np.unwrap(np.arctan2(toes[:, 1], toes[:, 0]))))
    assert turned == pytest.approx(np.degrees(np.ptp(np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])))), abs=15.0)


def rigged(with_root):
    """The walk on a rig: hips and a control that goes with them both stand on a root bone that stays behind."""
    clip, control = on_hips(), 'pose.bones["control"]'
    values = clip.values.copy()
    values[:, 0] = 0.02  # an axis of the hips that never moves
    channels = [Channel(control + ".location", index, "LOCATION", "control") for index in range(3)]
    channels += [Channel(control + ".rotation_quaternion", index, "QUATERNION", "control") for index in range(4)]
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (clip.frames, 1))
    rooted = with_root(gait.FIGURE)
    hips = replace(rooted.bones[1], location=(0.02, 0.0, 0.0))
    added = replace(hips, name="control", path=control, rest=hips.rest, connected=False, location=(0.0, 0.0, 0.0))
    skeleton = replace(rooted, bones=(rooted.bones[0], hips, *rooted.bones[2:], added))
    return Clip(np.hstack([values, values[:, :3], turns]), clip.channels + tuple(channels), FPS, 1), skeleton


@pytest.mark.parametrize(
    "lacking",
    [("hips", "LOCATION", {0}), ("control", "LOCATION", {0}), ("control", "QUATERNION", {0, 1, 2, 3})],
    ids=["an axis of the hips", "an axis of a control", "the turn of a control"],
)
def test_what_stands_on_the_ground_goes_along_as_a_whole_whatever_channels_it_lacks(with_root, lacking):
    clip, skeleton = rigged(with_root)
    owner, kind, indices = lacking
    values = clip.values.copy()
    if owner == "control" and kind == "LOCATION":
        values[:, clip.channels.index(Channel('pose.bones["control"].location', 0, "LOCATION", "control"))] = 0.0
    clip = clip.with_values(values)
    kept = [
        column
        for column, channel in enumerate(clip.channels)
        if (channel.owner, channel.kind) != (owner, kind) or channel.index not in indices
    ]
    bare = replace(clip, values=clip.values[:, kept], channels=tuple(clip.channels[column] for column in kept))
    params = PathParams(path=CIRCLE, plant=False)
    wanted, found = (PATH.run(take, params, Surroundings(skeleton)) for take in (clip, bare))
    assert np.abs(skeleton.posed(found)[1] - skeleton.posed(wanted)[1]).max() < 1e-9
    axes = [skeleton.posed(take)[0][:, skeleton.index("control")] for take in (found, wanted)]
    assert np.abs(axes[0] - axes[1]).max() < 1e-9 and np.ptp(axes[1], axis=0).max() > 1.0


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        (PathParams(path={"control": []}), "path: the curve is empty"),
        (PathParams(path={"control": [[1, 1, 0]] * 5}), "path: the curve has no length"),
        (
            PathParams(path={"control": [[0, 0, 0], [0.05, 0, 0]]}),
            "path: the curve ends after 0.05 m, before the .* first step",
        ),
        (PathParams(path=CIRCLE, original={"control": [[0, 0, 0]]}), "original: the curve is a single point"),
        (PathParams(path=CIRCLE, progress=(0.0, 0.8, 0.2)), r"progress: 3 number\(s\) that do not go up"),
        (PathParams(path=CIRCLE, contacts={"left_heel": [[5, 9999]]}), "contacts left_heel: 5 to 9999 is outside the motion"),
        (PathParams(path={"control": [[0, 0, 0], [1e6, 0, 0]]}, ends="FILL"), "ends: filling .* takes over 200000 frames"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_a_sentence(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        PATH.run(on_hips(), params, FIGURE)


def test_a_take_that_never_travels_is_refused():
    clip = on_hips()
    values = clip.values.copy()
    values[:, :3] = values[0, :3]
    with pytest.raises(ValueError, match="the take never travels"):
        PATH.run(clip.with_values(values), PathParams(path=CIRCLE), FIGURE)


def test_an_object_whose_rotation_is_not_keyed_is_refused():
    clip = on_object()
    kept = [0, 1, 2, *range(6, len(clip.channels))]
    bare = replace(clip, values=clip.values[:, kept], channels=tuple(clip.channels[column] for column in kept))
    with pytest.raises(ValueError, match="its rotation is not keyed"):
        PATH.run(bare, PathParams(path=CIRCLE), FIGURE)


def test_an_armature_that_is_scaled_unevenly_is_refused():
    with pytest.raises(ValueError, match="not scaled alike along all axes"):
        PATH.run(on_hips(), PathParams(path=CIRCLE), Surroundings(Skeleton(gait.FIGURE.bones, np.diag([1.0, 2.0, 1.0, 1.0]))))
