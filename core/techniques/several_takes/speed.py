# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed: a walk as fast as is typed, made of walks that are slower and faster (Ahmed 2001, sections 5 and 6)."""

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...body.gait_events import Event, paired
from ...cycles.pace import Gaits, Pace, inner, lock_cycle
from ...cycles.strides import stride_of
from ...declare.lists import read_take_list
from ...declare.params import choice, flag, number, records, tree, whole, words
from ...declare.technique import Technique
from ...motion.match import common, matched
from ...motion.scale import LARGEST, SMALLEST, check_size, scaled
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal

ITSELF = "the take itself"

AROUND = 2  # rounds before and after a cycle whose feet are locked, so that it ends as it begins


@frozen
class SpeedTake:
    """A take in the list."""

    action: str = words(
        "", "Action with a gait of the same figure, a cycle or a longer take; empty for the take itself", names="action"
    )
    events: dict = tree(
        "Frames of its events as JSON such as {'left strike': [38, 232], 'right mid swing': [92]}; none finds them"
    )


@frozen
class SpeedParams:
    """Which takes, and what their mix is to be like."""

    takes: tuple = records("Takes as JSON, each with its action; the take itself is always one of them", SpeedTake)
    goal: str = choice(
        "SPEED",
        "What is asked for",
        (
            ("SPEED", "Speed", "How fast the figure goes"),
            ("CADENCE", "Cadence", "How many steps it makes a minute"),
            ("STRIDE", "Stride", "How far it gets until the same foot strikes again"),
        ),
    )
    speed: float = number(
        1.3, "How fast the figure goes, in metres a second", 0.0, 100.0, label="Speed (m/s)", slider_range=(0.0, 5.0)
    )
    cadence: float = number(
        110.0, "How many steps the figure makes a minute", 0.0, 1000.0, label="Cadence (steps/min)", slider_range=(0.0, 300.0)
    )
    stride: float = number(
        1.4, "How far the figure gets until the same foot strikes again", 0.0, 100.0, "m", slider_range=(0.0, 5.0)
    )
    extrapolate: bool = flag(False, "Go beyond the slowest and the fastest take, where nothing was recorded")
    scale: float = number(
        1.0,
        "How large the figure is that the result is for, compared with the one of the takes; speed and "
        "stride are those of that figure",
        SMALLEST,
        LARGEST,
        slider_range=(0.1, 10.0),
    )
    path: str = choice(
        "STRAIGHT",
        "Where the figure goes",
        (
            ("TRAVEL", "Travel", "Where its steps and turns lead, on and on"),
            ("STRAIGHT", "Straight", "On along a straight line"),
            ("PLACE", "In Place", "Nowhere: it walks on the spot"),
        ),
    )
    lock: float = number(0.0, "How firmly planted feet are held in place", 0.0, 1.0)
    repeats: int = whole(1, "How many times the cycle is repeated", 1, 1000)


@frozen
class Answer:
    """What was found for a wish: the factor between takes, how the mix goes, and whether it is beyond all takes."""

    factor: float
    pace: Pace
    extrapolated: bool
    between: tuple  # names of the takes that are mixed
    straight: float  # what a factor in a straight line between the takes would have given


def speed(clip, surroundings):
    """Walk as fast as you type: a cycle mixed from slower and faster takes until it has the speed, cadence or stride asked for.

    Cycles, events and what was measured are kept for as long as the takes are the same, so that another speed costs one mix.
    """
    opened = opener(clip, surroundings)

    def process(params):
        if not params.takes:
            return clip
        gaits = opened(params)
        factor, wanted = solved(gaits, params)
        return made(gaits, gaits.weights(factor), wanted, params, clip, surroundings)

    return process


def opener(clip, surroundings):
    """A function from parameters to the gaits that they are about, which also say what the takes can do, and draw it.

    What it has found it keeps.
    """

    @lru_cache(maxsize=32)
    def stride(action, events):
        take = clip if not action else matched(clip, surroundings.takes[action])[0]
        return stride_of(take, action or ITSELF, surroundings, read_events(json.loads(events), action or ITSELF))

    @lru_cache(maxsize=6)
    def opened(rows, goal):
        takes = read_take_list(SpeedTake, json.loads(rows), surroundings.takes)
        if len(takes) < 2:
            raise Refusal("takes: there is none but the take itself; a speed between takes needs two or more")
        strides = [stride(take.action, json.dumps(take.events)) for take in takes]
        for other in strides[1:]:
            paired(strides[0].events, other.events, f"the cycle of {strides[0].name}", f"the cycle of {other.name}")
        missing = [~common(clip, surroundings.takes[take.action] if take.action else clip) for take in takes]
        return Gaits(strides, missing, goal, surroundings)

    return lambda params: opened(json.dumps(params.takes), params.goal.lower())


def read_events(table, name):
    """Events from {name: frames}, in order of time."""
    for event, frames in table.items():
        if not isinstance(frames, list) or any(type(frame) not in (int, float) for frame in frames):
            raise Refusal(f"takes {name} events {event}: {frames!r} is no list of frames")
    found = [Event(event, frame) for event, frames in table.items() for frame in frames]
    return tuple(sorted(found, key=lambda event: event.frame))


def solved(gaits, params):
    """The factor that gives what is asked for, and that: on a figure of another size it is divided first (section 6)."""
    wanted = getattr(params, gaits.goal) / (check_size("scale", params.scale) if gaits.goal != "cadence" else 1.0)
    return gaits.factor(wanted, params.extrapolate), wanted


def made(gaits, weights, wanted, params, clip, surroundings):
    """The mix with such weights, on its way, its feet held."""
    in_step, lock = gaits.in_step, params.lock or float(surroundings.skeleton.handled)  # IK feet do not slide
    start = in_step.ground.taken_off(clip.values[:1])[1]
    around = AROUND * in_step.frames(weights) if lock else 0
    cycle = in_step.mixed(weights, params.repeats, around)
    if gaits.goal == "speed":  # a cycle is a whole number of frames: what it is longer or shorter by is gone faster or slower
        cycle = replace(cycle, steps=cycle.steps * (wanted / gaits.pace_of(inner(cycle, around), params.repeats).speed))
    if lock:
        cycle = lock_cycle(cycle, around, in_step, params.path, lock, surroundings)
    result = in_step.placed(cycle, params.path, start.places[0], start.headings[0])
    return replace(scaled(result, params.scale), first_frame=clip.first_frame)


def answer(gaits, params):
    """What a wish comes to, without making the motion: to be shown beside it."""
    factor, wanted = solved(gaits, params)
    pace, size = gaits.pace(factor), params.scale
    names = tuple(gaits.names[index] for index in np.flatnonzero(gaits.weights(factor)[gaits.order]))
    beyond = not 0.0 <= factor <= len(gaits.names) - 1.0
    return Answer(
        factor,
        Pace(pace.speed * size, pace.cadence, pace.stride * size),
        beyond,
        names,
        gaits.value(gaits.straight(wanted)) * (size if gaits.goal != "cadence" else 1.0),
    )


def in_words(answer):
    """An answer as a sentence for the animator."""
    mixed = f"mixed from {' and '.join(answer.between)}" if len(answer.between) > 1 else f"{answer.between[0]} alone"
    beyond = ", extrapolated beyond what was recorded" if answer.extrapolated else ""
    pace = answer.pace
    return f"{pace.speed:.2f} m/s, {pace.cadence:.0f} steps a minute, stride {pace.stride:.2f} m, {mixed}{beyond}"


SPEED = Technique(
    "speed",
    "Speed",
    SpeedParams,
    speed,
    needs=frozenset({"skeleton"}),
    retimes=True,
    waits="add a slower or a faster take to its list",
    wants=("takes",),
    principal="speed",
)
