# SPDX-License-Identifier: GPL-3.0-or-later
"""The network: apexes exact, everything between continuous, lengths and speeds in between, one motion along the way."""

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.report import report
from motion_signal.core.cycles.network_plane import Pad
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.cycle import cycle_of, pace
from motion_signal.core.motion.ground import Ground
from motion_signal.core.techniques.several_takes.network import NETWORK, NetworkParams
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams

FIGURE, FPS = gait.FIGURE, 60.0
POINTS = (
    {"action": "slow"},
    {"action": "fast", "y": 1.0},
    {"action": "left", "x": -1.0},
    {"action": "left", "x": 1.0, "mirror": True},
)


def walking(speed, seed, turning=0.0):
    """A cycle of the procedural walk, turned so many radians a frame as it goes."""
    motion = gait.walk(240, FPS, speed, seed)
    hips = FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    take = Clip(np.hstack([motion.location, motion.rotations.reshape(240, -1)]), tuple(channels), FPS, 1)
    once = CYCLE.run(take, CycleParams(find="SEARCH"), Surroundings(FIGURE))
    ground = Ground([once], FIGURE)
    cycle, path = cycle_of(once, ground)
    turned = type(cycle)(cycle.clip, cycle.steps, cycle.turns + turning)
    return turned.clip_on(ground, turned.going("TRAVEL", path.places[0], 0.0, ground.up), once.values)


@pytest.fixture(scope="module")
def takes():
    return {"slow": walking(0.9, 1), "fast": walking(1.7, 2), "left": walking(1.2, 3, 0.01)}


@pytest.fixture(scope="module")
def process(takes):
    return NETWORK.open(takes["slow"], Surroundings(FIGURE, takes=takes))


@pytest.fixture(scope="module")
def pad(takes):
    return Pad(takes["slow"], POINTS, True, 0, Surroundings(FIGURE, takes=takes))


def round_and_round(clip):
    """Joints on the spot for every shift by whole frames, (shifts, frames, joints, 3)."""
    cycle, _ = cycle_of(clip, Ground([clip], FIGURE))
    joints = FIGURE.posed(cycle.clip)[1][:-1]
    return np.array([np.roll(joints, -shift, axis=0) for shift in range(len(joints))])


@pytest.mark.parametrize("point", POINTS, ids=["slow", "fast", "left", "right"])
def test_on_an_apex_its_cycle_comes_back(point, takes, pad):
    source = takes[point["action"]]
    if point.get("mirror"):
        source = CYCLE.run(source, CycleParams(mirror=True), Surroundings(FIGURE))
    cycle = pad.cycle((point.get("x", 0.0), point.get("y", 0.0)))
    apart = np.abs(round_and_round(source) - FIGURE.posed(cycle.clip)[1][:-1]).max(axis=(1, 2, 3))
    assert apart.min() < 1e-9


def test_cycles_are_in_step(pad):
    """The left foot is in front at the same phases in all cycles, whatever frame they began on."""
    front = []
    for point in POINTS:
        joints = FIGURE.posed(pad.cycle((point.get("x", 0.0), point.get("y", 0.0))).clip)[1]
        ahead = joints[:-1, FIGURE.index("foot.R"), 1] - joints[:-1, FIGURE.index("foot.L"), 1]
        front.append(np.angle(np.sum(ahead * np.exp(-2j * np.pi * np.arange(len(ahead)) / len(ahead)))))
    apart = np.angle(np.exp(1j * (np.array(front) - front[0])))
    assert np.abs(apart).max() < 0.25


def test_a_shift_by_hand_comes_on_top(takes):
    surroundings = Surroundings(FIGURE, takes=takes)
    points = [*POINTS[:2], {**POINTS[2], "shift": 10 / (takes["left"].frames - 1)}]
    one, other = (Pad(takes["slow"], rows, True, 0, surroundings).cycle((-1.0, 0.0)) for rows in (POINTS[:3], points))
    assert np.abs(FIGURE.posed(one.shifted(10).clip)[1] - FIGURE.posed(other.clip)[1]).max() < 1e-9


def test_moving_by_a_hundredth_of_an_edge_moves_no_joint_far(pad):
    phases = np.arange(0.0, 1.0, 0.05)

    def joints(place):
        weights = np.repeat(pad.triangles.weights(place)[None], len(phases), axis=0)
        return FIGURE.posed(pad.spectra.clip_of(pad.poses.moving(weights, phases), phases))[1]

    for start, end in (((0, 0), (0, 1)), ((0, 1), (-1, 0)), ((-0.4, 0.3), (0.6, 0.3))):  # the last crosses an edge
        way = [joints(place) for place in np.linspace(start, end, 101)[20:60]]
        assert max(np.linalg.norm(after - before, axis=2).max() for before, after in zip(way, way[1:])) < 0.03


def test_length_is_the_weighted_mean_and_speed_and_turn_lie_between(process, takes):
    frames, speeds = [], []
    for y in np.linspace(0.0, 1.0, 6):
        result = process(NetworkParams(POINTS, puck_y=y))
        frames.append(result.frames - 1)
        speeds.append(pace(result, FIGURE)[0])
    wanted = np.linspace(takes["slow"].frames - 1, takes["fast"].frames - 1, 6)
    assert np.abs(frames - wanted).max() <= 0.5
    assert (np.diff(speeds) > 0).all()
    turns = [pace(process(NetworkParams(POINTS, puck_x=x)), FIGURE)[1] for x in np.linspace(1.0, -1.0, 9)]
    assert (np.diff(turns) > 0).all()


def test_blended_steps_go_as_the_cycles_do(process, takes):
    for name, place in (("slow", (0.0, 0.0)), ("fast", (0.0, 1.0)), ("left", (-1.0, 0.0))):
        result = process(NetworkParams(POINTS, *place, path="STEPS"))
        assert pace(result, FIGURE) == pytest.approx(pace(takes[name], FIGURE), abs=1e-6)


def test_feet_that_push_slide_less_than_blended_steps_and_locked_ones_hardly(process):
    slides = [
        report(process(NetworkParams(POINTS, -0.3, 0.4, path=path, lock=lock, repeats=4)), FIGURE)["slide_mean_mm"]
        for path, lock in (("STEPS", 0.0), ("FEET", 0.0), ("FEET", 1.0))
    ]
    assert slides[1] < slides[0] and slides[2] < 3.0


def test_a_locked_cycle_is_still_one(process):
    result = process(NetworkParams(POINTS, -0.3, 0.4, lock=1.0))
    values = Ground([result], FIGURE).taken_off(result.values)[0]
    assert np.abs(values[-1] - values[0]).max() < 2e-5


def test_in_place_it_goes_nowhere(process):
    result = process(NetworkParams(POINTS, 0.2, 0.2, path="PLACE"))
    assert np.abs(result.values[-1] - result.values[0]).max() < 1e-9


def test_along_the_way_of_the_puck_one_motion_speeds_up_and_turns(process):
    keys = ({"frame": 11}, {"frame": 100, "y": 1.0}, {"frame": 200, "x": -0.8, "y": 0.2}, {"frame": 300, "x": -0.8, "y": 0.2})
    result = process(NetworkParams(POINTS, puck_keys=keys))
    assert (result.first_frame, result.frames) == (11, 290)
    _, path = Ground([result], FIGURE).taken_off(result.values)
    speeds = np.linalg.norm(path.places[[20, 100]] - path.places[[0, 80]], axis=1) * FPS / 20
    assert speeds[1] > 1.3 * speeds[0]
    assert abs(path.headings[60] - path.headings[0]) < 0.3 < path.headings[-1] - path.headings[100]
    joints = FIGURE.posed(result)[1]
    assert np.linalg.norm(np.diff(joints, axis=0), axis=2).max() < 0.12  # no joint jumps: 7 m/s at most


def test_where_the_puck_stays_its_way_is_the_cycle_again_and_again(process, pad):
    keys = ({"frame": 1, "x": -1.0}, {"frame": 150, "x": -1.0})
    result = process(NetworkParams(POINTS, puck_keys=keys))
    wanted = process(NetworkParams(POINTS, -1.0, 0.0, repeats=3))
    assert np.abs(FIGURE.posed(result)[1] - FIGURE.posed(wanted)[1][:150]).max() < 1e-3


def test_a_turn_less_a_straight_walk_and_a_slow_one_is_a_slow_turn(takes):
    sum_of = {"superpose": {"plus": ["left", "slow"], "minus": ["fast"]}, "x": -1.0, "y": -1.0}
    result = NETWORK.run(
        takes["slow"], NetworkParams((*POINTS[:3], sum_of), -1.0, -1.0, path="STEPS"), Surroundings(FIGURE, takes=takes)
    )
    lengths = {name: clip.frames - 1 for name, clip in takes.items()}
    assert result.frames - 1 == lengths["left"] + lengths["slow"] - lengths["fast"]
    speeds, turns = zip(*(pace(takes[name], FIGURE) for name in ("left", "slow", "fast")))
    speed, turn = pace(result, FIGURE)
    assert speed < speeds[0] and turn > 0.5 * turns[0]


def test_a_point_may_be_a_network(takes):
    inner = {"points": [{"action": "slow"}, {"action": "fast", "x": 1.0}, {"action": "left", "y": 1.0}], "puck_x": 0.5}
    points = ({"network": inner}, {"action": "left", "x": -1.0}, {"action": "fast", "y": 1.0})
    surroundings = Surroundings(FIGURE, takes=takes)
    nested = Pad(takes["slow"], points, True, 0, surroundings).cycle((0.0, 0.0))
    plain = Pad(takes["slow"], inner["points"], True, 0, surroundings).cycle((0.5, 0.0))
    assert np.abs(FIGURE.posed(nested.clip)[1] - FIGURE.posed(plain.clip)[1]).max() < 1e-9


def test_few_harmonics_are_kept_if_asked(process):
    result = process(NetworkParams(POINTS, 0.0, 0.5, harmonics=3, path="PLACE"))
    full = process(NetworkParams(POINTS, 0.0, 0.5, path="PLACE"))
    apart = np.linalg.norm(FIGURE.posed(result)[1] - FIGURE.posed(full)[1], axis=2)
    assert 1e-4 < apart.mean() < 0.02


@pytest.mark.parametrize(
    "ask, words",
    [
        ({"points": POINTS[:2]}, "three or more, there are 2"),
        ({"points": (*POINTS[:2], {"action": "left", "y": 3.0})}, "all 3 lie on one line"),
        ({"points": (*POINTS[:2], {"action": "jump", "x": 1.0})}, "there is no action jump"),
        ({"points": (*POINTS[:2], {"action": "short", "x": 1.0})}, r"short has 3 frame\(s\) before it begins again"),
        ({"points": (*POINTS[:2], {"action": "dog", "x": 1.0})}, r"dog has 1 of the \d+ curves of the take, .* another rig"),
        (
            {"points": (*POINTS[:2], {"action": "open", "x": 1.0})},
            r"open is no cycle: \S+ ends \d+ degrees from where it began",
        ),
        ({"points": (*POINTS[:2], {"superpose": {"minus": ["slow"]}, "x": 1.0})}, "no action in plus"),
        ({"points": (*POINTS[:2], {"superpose": {"times": ["slow"]}, "x": 1.0})}, "there is no times"),
        ({"points": (*POINTS[:2], {"action": "slow", "network": {"points": []}})}, "has action and network"),
        ({"points": (*POINTS[:2], {"network": {"points": [{"x": 1.0}]}, "x": 1.0})}, "three or more, there is 1"),
        ({"points": POINTS, "puck_keys": ({"frame": 1},)}, "there is one, and a way needs two"),
        ({"points": POINTS, "puck_keys": ({"frame": 1}, {"frame": 1})}, "two of them stand on one frame"),
        ({"points": POINTS, "puck_y": 50.0}, r"the cycle there has -?\d+\.\d frame\(s\)"),
    ],
)
def test_what_makes_no_network_is_refused(ask, words, takes):
    slow = takes["slow"]
    others = {
        "short": slow.with_values(slow.values[:4]),
        "open": slow.with_values(slow.values[:30]),
        "dog": Clip(slow.values[:, :2], (slow.channels[0], Channel("tail", 0)), FPS, 1),
    }
    with pytest.raises(ValueError, match=words):
        NETWORK.run(slow, NetworkParams(**ask), Surroundings(FIGURE, takes=takes | others))
