# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys for a whole body: within what is allowed at every frame, by slow kinematics and scipy's cubics."""

import numpy as np
import pytest
from motion_signal.core.body.roles import Roles
from motion_signal.core.keys.effectors import Effectors
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.numeric.bezier_fit import Bezier
from motion_signal.core.techniques.figure.reduce import distances, drawn, reduced
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

ROLES = Roles(pelvis="hips", spine="spine", head="head", left_upper_leg="leg", left_foot="foot")
FPS = 120.0


@pytest.fixture
def take(figure, moving):
    """The figure for two seconds, moving no faster than 4 Hz."""
    return moving(figure, frames=240, fps=FPS)


def redrawn(clip, keys):
    """The clip that keys give, by scipy."""
    return clip.with_values(np.column_stack([CubicHermiteSpline(*own)(np.arange(clip.frames)) for own in keys]))


def furthest(skeleton, one, other, names, posed):
    """Millimetres at joint and tip and degrees that bones are apart, at worst, by slow kinematics."""
    metres, turns = 0.0, 0.0
    poses = [posed(skeleton, clip)[:, [skeleton.index(name) for name in names]] for clip in (one, other)]
    lengths = np.array([skeleton.bones[skeleton.index(name)].length for name in names])[:, None]
    for along in (0.0, lengths):
        joints, moved = (pose[..., :3, 3] + along * pose[..., :3, 1] for pose in poses)
        metres = max(metres, np.linalg.norm(joints - moved, axis=2).max())
    for bone in range(len(names)):
        turned = [Rotation.from_matrix(pose[:, bone, :3, :3]) for pose in poses]
        turns = max(turns, (turned[0].inv() * turned[1]).magnitude().max())
    return 1e3 * metres, np.degrees(turns)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("millimetres, degrees", [(2.0, 0.5), (20.0, 5.0), (0.2, 5.0), (20.0, 0.05)])
def test_feet_and_head_stay_within_what_is_allowed_at_every_frame(figure, take, posed, millimetres, degrees, together):
    keys = reduced(take, figure, ROLES, millimetres, degrees, together=together)
    off = furthest(figure, take, redrawn(take, keys), ("head", "foot"), posed)
    assert off[0] <= millimetres and off[1] <= degrees
    assert sum(len(own.rows) for own in keys) < take.values.size / 2


def test_what_is_drawn_and_measured_is_what_scipy_draws_and_slow_kinematics_measure(figure, take, posed):
    keys = reduced(take, figure, ROLES)
    result = drawn(take, keys)
    assert np.abs(result.values - redrawn(take, keys).values).max() < 1e-12
    millimetres, degrees = distances(take, result, figure, ROLES)
    assert np.allclose((millimetres.max(), degrees.max()), furthest(figure, take, result, ("head", "foot"), posed), atol=1e-4)


def test_more_room_needs_fewer_keys(figure, moving):
    take = moving(figure, frames=240, fps=FPS, seed=100)
    counts = [
        sum(len(own.rows) for own in reduced(take, figure, ROLES, 0.2 * looser, 0.05 * looser)) for looser in (1, 10, 100)
    ]
    assert counts[0] > 1.3 * counts[1] > 1.3**2 * counts[2]


@pytest.mark.parametrize("scales, kinds", [(False, 3), (True, 2)])  # turns of what is scaled are only nearly right
def test_effects_are_what_a_small_step_of_each_channel_does(figure, moving, scales, kinds):
    take = moving(figure, frames=20, scales=scales)
    effectors = Effectors(take, figure, ("head", "foot"), 1.0, 1.0)
    count = take.values.shape[1]
    expected = np.empty((2, count, 3, 3, 20))
    for column in range(count):
        values = take.values.copy()
        values[:, column] += 1e-6
        expected[:, column] = effectors.off(take.with_values(values)) / 1e-6
    for steps, (indices, effects) in zip(expected, effectors.effects(list(range(count)))):
        full = np.zeros_like(steps)
        full[indices] = effects
        error, size = (np.abs(array).max(axis=(0, 2, 3))[:kinds] for array in (full - steps, steps))
        assert (error < 1e-3 * size).all()


def test_a_fit_is_the_least_squares_fit(smooth):
    curves = smooth(60, 2, fps=30.0).T
    keyed = np.zeros(curves.shape, dtype=bool)
    keyed[0, [0, 9, 30, 59]] = keyed[1, [0, 1, 40, 47, 59]] = True
    bezier = Bezier(keyed)
    fixed = np.zeros((9, 2), dtype=bool)
    found = bezier.solver(np.array([1.0, 7.0]), fixed)(bezier.gathered(np.array([[1.0], [7.0]]) * curves))
    matrix = np.stack([bezier.drawn(unit.reshape(9, 2)).ravel() for unit in np.eye(18)], axis=1)
    wanted = np.linalg.lstsq(matrix, curves.ravel(), rcond=None)[0]
    assert np.abs(matrix @ found.ravel() - matrix @ wanted).max() < 1e-4


def test_extremes_keep_a_key_and_their_value(figure, rotation_channels):
    time = np.arange(361) / FPS
    swing = np.sin(2 * np.pi * time) + 0.003 * np.sin(2 * np.pi * 25 * time)  # a hundredth of it is no extreme
    channels = rotation_channels("ZXY", "leg")
    clip = Clip(np.column_stack([0.8 * swing, np.zeros((361, 2))]), channels, FPS, 1)
    own = reduced(clip, figure, ROLES)[0]
    for target in (30, 90, 150, 210, 270, 330):
        near = np.arange(target - 12, target + 13)
        extreme = near[np.argmax(np.abs(clip.values[near, 0]))]
        assert extreme in own.rows and own.values[own.rows == extreme] == pytest.approx(clip.values[extreme, 0], abs=1e-6)


def test_limbs_have_keys_where_their_contacts_begin_and_end(figure, take):
    contacts = {"left_heel": [[41, 80], [150, 171]], "left_toe": [[60, 95]]}
    keys = reduced(take, figure, ROLES, contacts=contacts)
    for channel, own, values in zip(take.channels, keys, take.values.T):
        if channel.owner in ("leg", "foot"):
            rows = np.array([40, 94, 149, 170])
            assert set(rows) <= set(own.rows)
            assert np.abs(own.values[np.searchsorted(own.rows, rows)] - values[rows]).max() < 1e-6


def test_the_components_of_a_quaternion_are_keyed_together_and_all_of_a_bone_if_wanted(figure, take):
    for together, paths in ((False, "rotation_quaternion"), (True, "pose.bones")):
        rows = {}
        for channel, own in zip(take.channels, reduced(take, figure, ROLES, together=together)):
            if paths in channel.path:
                rows.setdefault(channel.owner, set()).add(tuple(own.rows))
        assert rows and all(len(found) == 1 for found in rows.values())


def test_long_takes_are_smooth_where_they_are_cut(figure, moving, monkeypatch, posed):
    take = moving(figure, frames=300, fps=FPS)
    whole = sum(len(own.rows) for own in reduced(take, figure, ROLES))
    monkeypatch.setattr("motion_signal.core.techniques.figure.reduce.STRETCH", 100)
    keys = reduced(take, figure, ROLES)
    assert all((np.diff(own.rows) > 0).all() and own.rows[-1] == 299 for own in keys)
    off = furthest(figure, take, redrawn(take, keys), ("head", "foot"), posed)
    assert off[0] <= 2.0 and off[1] <= 0.5
    assert sum(len(own.rows) for own in keys) < 1.3 * whole


def test_a_jump_and_a_flip_are_kept(figure, take, posed):
    values = take.values.copy()
    values[100:, 4:7] += [0.5, -0.2, 0.1]
    values[150:, :4] *= -1.0
    clip = take.with_values(values)
    off = furthest(figure, clip, redrawn(clip, reduced(clip, figure, ROLES)), ("head", "foot"), posed)
    assert off[0] <= 2.0 and off[1] <= 0.5


def test_what_no_effector_feels_stays_close_by_itself(figure, take, smooth):
    extra = (Channel('["mood"]', 0), Channel("location", 0, "LOCATION"), Channel("rotation_euler", 1, "XYZ"))
    clip = Clip(np.hstack([take.values, smooth(240, 3, 5, FPS)]), take.channels + extra, FPS, 1)
    error = np.abs(drawn(clip, reduced(clip, figure, ROLES)).values - clip.values)[:, -3:].max(axis=0)
    assert error[0] <= 0.005 * np.ptp(clip.values[:, -3]) and error[1] <= 0.002 and error[2] <= np.radians(2.0)


def test_the_other_bones_may_be_chosen(figure, take, posed):
    keys = reduced(take, figure, Roles(), 1.0, 0.2, effectors=("spine",))
    off = furthest(figure, take, redrawn(take, keys), ("spine",), posed)
    assert off[0] <= 1.0 and off[1] <= 0.2
    assert len(keys[-1].rows) < len(reduced(take, figure, ROLES, 1.0, 0.2)[-1].rows)


def test_what_does_not_move_has_two_keys(figure, take):
    clip = take.with_values(np.repeat(take.values[:1], 240, axis=0))
    assert all(own.rows.tolist() == [0, 239] and not own.slopes.any() for own in reduced(clip, figure, ROLES))


@pytest.mark.parametrize("skeleton", [True, False])
def test_the_shortest_clip_and_no_skeleton_at_all(figure, moving, skeleton):
    clip = moving(figure, frames=3)
    keys = reduced(clip, figure if skeleton else Skeleton(()), Roles())
    assert len(keys) == len(clip.channels) and all(own.rows[0] == 0 and own.rows[-1] == 2 for own in keys)


@pytest.mark.parametrize(
    "wrong, says",
    [
        ({"millimetres": 0.0}, "millimetres: 0.0"),
        ({"degrees": float("nan")}, "degrees: nan"),
        ({"effectors": ("tail",)}, "effectors.*'tail'"),
        ({"contacts": {"left_heel": [[0, 5]]}}, "contacts left_heel"),
    ],
)
def test_wrong_input_is_refused_with_a_sentence(figure, take, wrong, says):
    with pytest.raises(ValueError, match=says):
        reduced(take, figure, ROLES, **wrong)


def halfway(clip, keys):
    """The clip that keys give halfway between its frames, by scipy, and what its own straight lines give there."""
    rows = np.arange(clip.frames - 1) + 0.5
    drawn_there = np.column_stack([CubicHermiteSpline(*own)(rows) for own in keys])
    return clip.with_values(drawn_there), clip.with_values(0.5 * (clip.values[:-1] + clip.values[1:]))


@pytest.mark.parametrize("millimetres, degrees", [(2.0, 0.5), (4.0, 1.0)])
def test_halfway_between_frames_they_are_not_twice_as_far_off(figure, moving, take, posed, millimetres, degrees):
    """Where the take's own straight lines are sound: close to what the motion, a function of time, does there."""
    drawn_there, straight = halfway(take, reduced(take, figure, ROLES, millimetres, degrees))
    truth = take.with_values(moving(figure, frames=2 * take.frames - 1, fps=2 * FPS).values[1::2])
    off = distances(truth, straight, figure, ROLES)
    sound = (off[0].max(axis=1) < millimetres) & (off[1].max(axis=1) < degrees)
    assert sound.mean() > 0.3
    parts = (clip.with_values(clip.values[sound]) for clip in (drawn_there, truth))
    off = furthest(figure, *parts, ("head", "foot"), posed)
    assert off[0] <= 2.0 * millimetres and off[1] <= 2.0 * degrees


def test_a_jump_makes_no_curve_swing_out_beside_it(figure, take, posed):
    """A bad row, from which everything comes back at once."""
    values = take.values.copy()
    values[100] = values[100] + 0.3
    jumping = take.with_values(values)
    drawn_there, straight = halfway(jumping, reduced(jumping, figure, ROLES))
    beside = [row for row in range(90, 111) if row not in (99, 100)]
    parts = (clip.with_values(clip.values[beside]) for clip in (drawn_there, straight))
    off = furthest(figure, *parts, ("head", "foot"), posed)
    assert off[0] <= 4.0 and off[1] <= 1.0
