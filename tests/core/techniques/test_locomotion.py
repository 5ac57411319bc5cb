# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion: along a circle, an S, with a stop: on the curve, as fast as is keyed, and on feet that stand."""

from functools import cache

import numpy as np
import pytest
from made_takes import take
from motion_signal.core.body.contacts import events, find_contacts
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.report import slides_of
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.paths.curve import read_curve
from motion_signal.core.techniques.several_takes.locomotion import LOCOMOTION, LocomotionParams
from technique_cases import FIGURE, walking

ANGLES, WAY = np.linspace(0.0, 5.5, 48), np.linspace(0.0, 7.0, 48)
CURVES = {
    "circle": np.column_stack([1.5 * np.cos(ANGLES), 1.5 * np.sin(ANGLES), 0.0 * ANGLES]),
    "S": np.column_stack([WAY, np.sin(2.0 * np.pi * WAY / 7.0), 0.0 * WAY]),
}
STOP = ({"along": 3.5, "speed": 0.0, "wait": 0.6},)
KEYED = ({"along": 1.0, "speed": 1.0}, {"along": 6.0, "speed": 1.5})


@cache
def opened():
    made = take("walk")
    takes = {name: take(name).clip for name in ("slow", "fast", "turn")}
    return made, LOCOMOTION.open(made.clip, Surroundings(made.skeleton, takes=takes))


def along(points, skeleton, clip):
    """How far along a curve through points the hips are, frame by frame."""
    world = np.array(skeleton.world)
    hips = skeleton.posed(clip)[1][:, 0] @ world[:3, :3].T + world[:3, 3]
    curve = read_curve("path", {"points": points.tolist()})
    far = np.linspace(0.0, curve.length, 5000)
    apart = np.linalg.norm(curve.at(far)[0][:, None, :2] - hips[None, :, :2], axis=2)
    return far[apart.argmin(axis=0)], apart.min(axis=0), curve.length


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("keys", [(), STOP, KEYED], ids=["even", "stop", "keyed"])
def test_feet_stand_and_the_speed_is_what_was_keyed(name, keys):
    made, process = opened()
    params = LocomotionParams(
        takes=({"action": "slow"}, {"action": "fast"}, {"action": "turn"}),
        path={"points": CURVES[name].tolist()},
        speed=1.2,
        speed_keys=keys,
    )
    result = process(params)
    figure, contacts = Legs(made.skeleton, find_roles(made.skeleton)), find_contacts(result, made.skeleton)
    slides = slides_of(figure.places(result)[0], figure, contacts, result.first_frame)
    assert np.mean(slides) < 0.001 and np.max(slides) < 0.002
    gone, apart, length = along(CURVES[name], made.skeleton, result)
    assert apart.max() < 0.12 and gone[0] < 0.1 and gone[-1] > length - 0.1
    checked = 0
    for foot in events(contacts, result).values():  # from strike to strike: within a stride nobody goes evenly
        for first, last in foot["cycles"]:
            there, then = gone[[first - result.first_frame, last - result.first_frame]]
            stands = [0.0, length, *(key["along"] for key in keys if key["speed"] == 0.0)]
            if any(there - 1.0 < stand < then + 1.0 for stand in stands):
                continue
            wanted = np.interp(np.linspace(there, then, 50), [1.0, 6.0], [1.0, 1.5]) if keys is KEYED else np.full(50, 1.2)
            seconds = (then - there) * np.mean(1.0 / wanted)
            assert abs(seconds * result.fps / (last - first) - 1.0) < 0.03
            checked += 1
    assert checked >= 2


@pytest.mark.parametrize("name, speed", [("walk", 0.9), ("fast", 1.4)])
def test_a_foot_that_comes_to_rest_before_it_is_held_stands_too(name, speed):
    made = take(name)
    process = LOCOMOTION.open(made.clip, Surroundings(made.skeleton))
    result = process(LocomotionParams(path={"points": CURVES["S"].tolist()}, speed=speed))
    figure, contacts = Legs(made.skeleton, find_roles(made.skeleton)), find_contacts(result, made.skeleton)
    assert np.max(slides_of(figure.places(result)[0], figure, contacts, result.first_frame)) < 0.002


def test_it_starts_and_stops_standing_or_comes_and_leaves_walking():
    made, process = opened()
    path = {"points": [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]}
    for ends, still in (("STAND", True), ("WALK", False)):
        result = process(LocomotionParams(path=path, start=ends, end=ends))
        heads = made.skeleton.posed(result)[1] @ np.array(made.skeleton.world)[:3, :3].T
        speeds = np.linalg.norm(np.diff(heads[:, 0], axis=0), axis=1) * result.fps
        assert (speeds[:10].max() < 0.15) == still and (speeds[-10:].max() < 0.15) == still


def test_nothing_turns_faster_than_in_the_takes():
    made, process = opened()
    result = process(LocomotionParams(takes=({"action": "slow"},), path={"points": CURVES["S"].tolist()}, speed=1.1))
    for side in ("Left", "Right"):
        for bone in ("UpLeg", "Leg"):
            columns = [at for at, channel in enumerate(result.channels) if channel.owner == side + bone]
            own, most = (np.abs(np.diff(clip.values[1:, columns], axis=0)).max() for clip in (result, made.clip))
            assert own < 1.3 * most


def test_the_walking_figure_goes_round():
    clip = walking()
    result = LOCOMOTION.open(clip, Surroundings(FIGURE))(LocomotionParams(path={"points": CURVES["circle"].tolist()}))
    figure, contacts = Legs(FIGURE, find_roles(FIGURE)), find_contacts(result, FIGURE)
    assert np.mean(slides_of(figure.places(result)[0], figure, contacts, result.first_frame)) < 0.002


@pytest.mark.parametrize(
    "given, said",
    [
        ({"speed": 9.0}, "speed: 9 m/s is beyond .* what the cycles allow"),
        ({"takes": ({"action": "none"},)}, "takes: there is no action none"),
        ({"path": {"points": [[0, 0, 0], [0, 0, 1]]}}, "path: the curve has no length on the ground"),
    ],
)
def test_what_cannot_be_walked_is_refused(given, said):
    with pytest.raises(Refusal, match=said):
        opened()[1](LocomotionParams(**{"path": {"points": CURVES["S"].tolist()}, **given}))


def test_cycles_that_all_turn_are_refused():
    made = take("turn")
    from motion_signal.core.cycles.strides import turning_stride
    from motion_signal.core.cycles.walking import Walking

    around = Surroundings(made.skeleton)
    stride = turning_stride(made.clip, "turn", around)
    with pytest.raises(Refusal, match="cycles: all of them turn, and going straight on needs one that does not"):
        Walking([stride], np.zeros((1, len(made.clip.channels)), dtype=bool), around, np.eye(4))
