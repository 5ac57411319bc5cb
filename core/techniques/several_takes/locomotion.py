# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion: steps that go where a curve goes, mixed from cycles by the speed that is wanted and by how the curve turns.

A network of cycles (Molnos 2010, 6) drives along a path (Gleicher 2001): speed and turn of every place of the curve say what is
mixed there, the figure starts and stops with steps of its own, and planted feet stay where the path takes them.
"""

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...body.contacts import LEG, find_contacts
from ...body.figure import Legs, walks
from ...body.gait_events import paired
from ...body.report import slides_of
from ...body.roles import find_roles
from ...cycles.strides import mirrored_stride, stride_of, turning_stride
from ...cycles.walking import FOOT_POINTS, Walking
from ...declare.lists import read_take_list
from ...declare.params import build, choice, flag, number, records, tree, words
from ...declare.technique import Technique
from ...ik.foot_solver import Grip
from ...motion.ground import Ground
from ...motion.match import common, matched
from ...numeric import scipy
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...paths.curve import read_curve
from ...paths.feet import WalkingFeet
from ...paths.follow import Aside, eased, path_beside, world_of
from ...paths.step_plan import Stop, plan_steps

TURN = 0.25  # metres along a curve over which its turn is taken
EVERY = 0.02  # metres
SLOWEST = 0.05  # metres a second: who is to go slower is to stand
LONGER = 0.05, 0.02, 0.05, 0.02  # seconds, time after time, before and after a found stand in which the foot is held too
STILL = 0.0015  # metres that feet may slide for it to be enough, for a leg of 82 cm
GRIP = Grip(instant="MIDDLE", hands=False, level=True)
ITSELF = "the take itself"


@frozen
class LocomotionTake:
    """A take in the list."""

    action: str = words(
        "", "Action with a gait of the same figure, a cycle or a longer take; empty for the take itself", names="action"
    )


@frozen
class SpeedKey:
    """How fast the figure is at a place of the curve."""

    along: float = number(0.0, "How far along the curve", 0.0, 1e5, "m", slider_range=(0.0, 100.0))
    speed: float = number(
        1.3,
        "How fast the figure goes here, in metres a second; 0 stops",
        0.0,
        100.0,
        label="Speed (m/s)",
        slider_range=(0.0, 5.0),
    )
    wait: float = number(0.5, "How long it stands here if it stops", 0.0, 3600.0, "s", slider_range=(0.0, 10.0))


@frozen
class LocomotionParams:
    """Which cycles, along which curve, how fast."""

    takes: tuple = records(
        "Takes with gaits as JSON, slow, fast, turning; the take itself is always one of them", LocomotionTake
    )
    curve: str = words("", "Curve object to walk along", names="curve")
    path: dict = tree(
        "Curve to walk along, as JSON: {'control': [[x, y, z], ...]} for control points of a smooth curve, "
        "{'points': [[x, y, z], ...]} for points on it",
        label="New Path",
    )
    speed: float = number(
        0.0,
        "How fast the figure goes, in metres a second; 0 as fast as the take",
        0.0,
        100.0,
        label="Speed (m/s)",
        slider_range=(0.0, 5.0),
    )
    speed_keys: tuple = records(
        "How fast the figure goes at which place of the curve as JSON, evenly faster or slower in between", SpeedKey
    )
    start: str = choice(
        "STAND",
        "How it begins",
        (("STAND", "Standing", "It stands and starts with a step"), ("WALK", "Walking", "It comes in walking")),
        label="Starts",
    )
    end: str = choice(
        "STAND",
        "How it ends",
        (("STAND", "Standing", "It stops with a step and stands"), ("WALK", "Walking", "It leaves walking")),
        label="Ends",
    )
    turns: bool = flag(True, "Mix in strides that turn, where the takes have some", label="Use Turns")


def locomotion(clip, surroundings):
    """Walk along a curve with steps mixed from cycles: as fast as is wanted at every place, turning as it turns.

    Strides are cut out and closed once, so that another curve or speed costs one mix and planting its feet.
    """
    skeleton = surroundings.skeleton

    @lru_cache(maxsize=32)
    def strides_in(action, turns):
        name, take = action or ITSELF, clip if not action else matched(clip, surroundings.takes[action])[0]
        return stride_of(take, name, surroundings), turning_stride(take, name, surroundings) if turns else None

    @lru_cache(maxsize=4)
    def opened(rows, turns):
        if skeleton is None or not walks(clip, skeleton):
            raise Refusal("locomotion: this figure has no two legs to walk with; say in the table of body parts which they are")
        found = read_take_list(LocomotionTake, json.loads(rows), surroundings.takes)
        named = in_step([(*strides_in(take.action, turns), take.action) for take in found], surroundings)
        missing = [~common(clip, surroundings.takes[action] if action else clip) for _, action in named]
        ground = Ground([stride.clip for stride, _ in named], skeleton)
        return Walking([stride for stride, _ in named], missing, surroundings, world_of(ground, skeleton))

    def process(params):
        process.told = ""
        if LOCOMOTION.waiting(params):
            return clip
        if params.curve:
            params = replace(params, path=surroundings.curves[params.curve]["path"])
        walking = opened(json.dumps(params.takes), params.turns)
        plan, result = walked(walking, params, clip, surroundings)
        process.told = in_words(walking, plan, clip.fps)
        return result

    process.opened = opened
    return process


def in_step(found, surroundings):
    """Strides, each with its action, that have the same events: those of takes must, those that turn are left out otherwise."""
    named = [(stride, action) for stride, _, action in found]
    first = named[0][0]
    for stride, _ in named[1:]:
        paired(first.events, stride.events, f"the cycle of {first.name}", f"the cycle of {stride.name}")
    turning = [(stride, action) for _, stride, action in found if stride]
    ways = [[each for each in turning if way * each[0].turn > 0.0] for way in (1.0, -1.0)]
    if any(ways) and not all(ways):
        turning += [(mirrored_stride(stride, surroundings), action) for stride, action in turning]
    names = [event.name for event in first.events]
    return named + [each for each in turning if [event.name for event in each[0].events] == names]


def walked(walking, params, clip, surroundings):
    """The plan of steps along the curve, and the clip that follows it."""
    curve = read_curve("path", params.path)
    turn = turn_of(curve)
    speed, stops = wanted(params, walking, curve.length)
    plan = plan_steps(
        curve.length,
        speed,
        lambda along: walking.stride(speed(along), turn(along)),
        clip.fps,
        stops,
        params.start == "STAND",
        params.end == "STAND",
    )
    going = speed(plan.along)
    weights = walking.weights(going, turn(plan.along))
    on_spot, beside, near = walking.poses(plan.phases, weights, plan.shares * walking.share(going))
    values = on_spot.values
    aside = Aside(values, walking.clip.values[near], beside[:, :3], beside[:, 3], np.zeros(len(near)))
    world = world_of(walking.ground, surroundings.skeleton)
    path = path_beside(aside, *eased(curve, plan.along, clip.fps), world, walking.in_step.paths[0].headings[0])
    made = replace(on_spot, values=walking.ground.put_on(values, path, aside.near), first_frame=clip.first_frame)
    if surroundings.feet == "FREE":
        return plan, made
    return plan, stood(made, contacts_of(walking, plan, weights, made), values, path, walking.ground, surroundings.skeleton)


def stood(made, contacts, values, path, ground, skeleton):
    """A clip along a path with its feet held where it stands. What is held stands longer, so that stands are looked for again,
    until nothing slides, and the best is taken."""
    figure, tried = Legs(skeleton, find_roles(skeleton)), []
    for longer in (0.0, *LONGER):
        feet = WalkingFeet(made, skeleton, ground, contacts, longer)
        made = feet.planted(feet.body(values), made, np.arange(made.frames), path, GRIP)
        values, path = ground.taken_off(made.values)
        found = find_contacts(made, skeleton)
        contacts = {point: found[point] for point in FOOT_POINTS if point in found}
        tried.append((max(slides_of(figure.places(made)[0], figure, contacts, made.first_frame), default=0.0), made))
        if tried[-1][0] < STILL * figure.leg / LEG:
            break
    return min(tried, key=lambda each: each[0])[1]


def contacts_of(walking, plan, weights, clip):
    """When points of the feet are down in a clip, as strides have it, and where the figure stands."""
    planted, found = walking.planted(plan.phases, weights), {}
    for point in FOOT_POINTS:
        down = planted[point] & (plan.shares > 0.0) | plan.down[int(point.startswith("right"))]
        edges = np.flatnonzero(np.diff(down.astype(int), prepend=0, append=0))
        found[point] = [
            [clip.first_frame + int(first), clip.first_frame + int(end) - 1] for first, end in zip(edges[::2], edges[1::2])
        ]
    return found


def turn_of(curve):
    """How a curve turns, in radians to the left a metre, as a function of places (places,) along it."""
    places = np.linspace(0.0, curve.length, max(3, int(curve.length / EVERY) + 1))
    step = places[1] - places[0]
    margin = int(4 * TURN / step) + 1
    padded = np.pad(curve.at(places)[1], margin, mode="reflect", reflect_type="odd")
    headings = scipy.ndimage.gaussian_filter1d(padded, TURN / step)[margin:-margin]
    turns = np.gradient(headings, step)
    return lambda along: np.interp(along, places, turns)


def wanted(params, walking, length):
    """The speed that is wanted as a function of places along the curve, and where the figure stops."""
    keys = [build(SpeedKey, key, f"speed_keys[{index}] ") for index, key in enumerate(params.speed_keys)]
    keys.sort(key=lambda key: key.along)
    plain = params.speed or float(walking.speeds[0])
    moving = [key for key in keys if key.speed >= SLOWEST]
    stops = [Stop(key.along, key.wait) for key in keys if key.speed < SLOWEST]
    places, speeds = [key.along for key in moving] or [0.0], [key.speed for key in moving] or [plain]
    walking.refuse_fast(max(speeds))
    if plain < SLOWEST:
        raise Refusal(f"speed: {plain:g} m/s is no walking; key a speed of 0 where the figure is to stop")
    return lambda along: np.interp(along, places, speeds), stops


def in_words(walking, plan, fps):
    """What was walked, in a sentence."""
    gone = float(plan.along[-1] - plan.along[0])
    kinds = f"{len(walking.straight)} straight and {sum(map(len, walking.turning))} turning strides"
    return f"{gone:.1f} m in {(len(plan.along) - 1) / fps:.1f} s, mixed from {kinds}"


LOCOMOTION = Technique(
    "locomotion",
    "Locomotion",
    LocomotionParams,
    locomotion,
    needs=frozenset({"skeleton"}),
    retimes=True,
    waits="choose a curve to walk along",
    wants=("curve", "path"),
    principal="speed",
    by_amount=lambda params: bool(params.speed) and not params.speed_keys,  # else the takes say how fast, or keys
)
