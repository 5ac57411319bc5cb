# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycle: one time round out of a long take, closed so that it repeats without a seam (Molnos 2010, 4.1 to 4.6)."""

from functools import lru_cache

import numpy as np

from ...body.contacts import Origin
from ...body.mirror import Mirror
from ...cycles.cut import FEWEST, closed_cycle, travelling, whole_cycle
from ...cycles.find_loops import WORST_GAP, find_loops
from ...declare.params import choice, flag, number, whole
from ...declare.scope import FAR
from ...declare.technique import Technique
from ...motion.chart import rotation_groups
from ...motion.ground import Ground
from ...motion.rejoin import named_as
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal

SAME = 1e-6  # a curve whose end is closer to its start than this repeats as it is


@frozen
class CycleParams:
    """Which frames repeat, how they are closed, and where the figure goes."""

    find: str = choice(
        "WHOLE",
        "Which frames are the cycle",
        (
            ("WHOLE", "Whole Take", "All of them: the take is a cycle already, and is not closed again"),
            ("SEARCH", "Search", "Those at whose ends pose and speed are most alike"),
            ("FRAMES", "Frames", "From the start to the end frame given"),
        ),
    )
    loop_number: int = whole(1, "Which of the cycles found is taken: 1 the best, 2 the next best", 1, 1000)
    shortest: float = number(0.4, "Shorter cycles are not looked for", 0.0, 3600.0, "s", slider_range=(0.0, 5.0))
    longest: float = number(3.0, "Longer cycles are not looked for", 0.0, 3600.0, "s", slider_range=(0.0, 10.0))
    threshold: float = number(
        WORST_GAP,
        "How far the end may be from the start, as a part of how much moves in the cycle, for it to be one",
        0.0,
        100.0,
        label="Worst Gap",
        slider_range=(0.0, 1.0),
    )
    loop_start: int = whole(1, "First frame of the cycle", -FAR, FAR, label="Start")
    loop_end: int = whole(30, "Last frame of the cycle, on which it begins again", -FAR, FAR, label="End")
    closing: str = choice(
        "VELOCITY",
        "How the end is made to lead into the start",
        (
            ("VELOCITY", "Pose and Speed", "Both ends move towards each other, and meet at the same speed"),
            ("RAMP", "Pose", "Both ends move towards each other, all between accordingly"),
        ),
        label="Close",
    )
    undo_limp: bool = flag(True, "Put the feet back to where they were before the cycle was closed, so that it does not limp")
    path: str = choice(
        "TRAVEL",
        "Where the figure goes",
        (
            ("TRAVEL", "Travel", "Where its steps and turns lead, on and on"),
            ("STRAIGHT", "Straight", "On along a straight line, without what it turns from cycle to cycle"),
            ("PLACE", "In Place", "Nowhere: it is back on its place after every cycle"),
        ),
    )
    phase: float = number(
        0.0, "How much of the cycle later it begins; what leaves at the start comes back at the end", -1.0, 1.0
    )
    mirror: bool = flag(False, "Exchange left and right, half a cycle later, so that the same foot is in front")
    repeats: int = whole(1, "How many times the cycle is repeated", 1, 1000)


def cycle(clip, surroundings):
    """Cut a cycle out of a take and close it, so that it repeats without a seam.

    Cycles that were found and closed are kept, so that phase and path can be dragged.
    """
    ground = Ground([clip], surroundings.skeleton)
    search = lru_cache(maxsize=4)(lambda shortest, longest: find_loops(clip, surroundings, shortest, longest))
    cut = lru_cache(maxsize=4)(lambda start, end, way, limp: closed_cycle(clip, ground, start, end, way, limp, surroundings))
    entire = lru_cache(maxsize=1)(lambda: whole_cycle(clip, ground, surroundings))
    mirror = lru_cache(maxsize=1)(lambda: Mirror(surroundings.skeleton))

    def origins(params):
        start, end = FOUND_BY[params.find](clip, params, search)
        later = round(params.phase * (end - start)) + (round(0.5 * (end - start)) if params.mirror else 0)
        rows = start + (np.arange(params.repeats * (end - start) + 1) + later) % (end - start)
        return (Origin(clip, rows, params.mirror),)

    def process(params):
        if params == CycleParams():
            return clip
        start, end = FOUND_BY[params.find](clip, params, search)
        if end - start < FEWEST:
            raise Refusal(
                f"the cycle from frame {clip.first_frame + start} to {clip.first_frame + end} has {end - start} "
                f"frame(s) before it begins again; it needs at least {FEWEST}"
            )
        cycle, path = entire() if params.find == "WHOLE" else cut(start, end, params.closing, params.undo_limp)
        cycle = cycle.mirrored(mirror()) if params.mirror else cycle
        cycle = cycle.shifted(round(params.phase * cycle.length)).repeated(params.repeats)
        return travelling(cycle, path, ground, clip.values[start : end + 1], params.path)

    process.origins = lambda params: origins(params) if params != CycleParams() else ()
    return process


def searched(clip, params, search):
    """The rows of a loop among the best."""
    best = search(params.shortest, params.longest).best
    if not best:
        raise Refusal(
            f"find: the take, {(clip.frames - 1) / clip.fps:.2f} s long, has no cycle of {params.shortest:g} to "
            f"{params.longest:g} s"
        )
    if params.loop_number > len(best):
        raise Refusal(f"loop_number: {params.loop_number} cannot be taken, there are {len(best)} cycles")
    loop = best[params.loop_number - 1]
    if loop.gap > params.threshold:
        raise Refusal(
            f"threshold: no cycle is as close as {params.threshold:g}; cycle {params.loop_number}, from frame "
            f"{loop.first} to {loop.last}, ends {loop.gap:.2f} of what moves in it from where it began"
        )
    return loop.first - clip.first_frame, loop.last - clip.first_frame


def given(clip, params, search):
    """The rows of given frames."""
    for name in ("loop_start", "loop_end"):
        frame = getattr(params, name)
        if not clip.first_frame <= frame <= clip.last_frame:
            raise Refusal(f"{name}: {frame} is not one of {clip.first_frame} to {clip.last_frame}")
    return params.loop_start - clip.first_frame, params.loop_end - clip.first_frame


FOUND_BY = {"WHOLE": lambda clip, params, search: (0, clip.frames - 1), "SEARCH": searched, "FRAMES": given}


def extrapolations(clip):
    """How each curve of a cycle goes on, {channel: REPEAT or REPEAT_OFFSET}: from its start, or on from where it ends.

    The terms are those of Blender's Cycles modifier. A figure that turns as it travels cannot go on that way, as places go
    on along straight lines only: it must be repeated instead.
    """
    first, last = clip.values[[0, -1]]
    gaps = np.abs(last - first)
    for mode, members in rotation_groups(clip.channels)[0]:
        for columns in members:
            apart = (last - first)[columns]
            same = np.abs(named_as(mode, first[columns, None], 0, last[columns])[:, 0] - last[columns]).max() < SAME
            if same and np.abs(apart - 2.0 * np.pi * np.rint(apart / (2.0 * np.pi))).max() > SAME:
                gaps[columns] = 0.0  # the same pose in other numbers: adding up what they differ by would be none
    return {channel: "REPEAT_OFFSET" if gap > SAME else "REPEAT" for channel, gap in zip(clip.channels, gaps)}


CYCLE = Technique(
    "cycle",
    "Cycle",
    CycleParams,
    cycle,
    needs=frozenset({"skeleton"}),
    retimes=True,
    waits="let a loop be searched for, or say what becomes of the cycle",
    principal="repeats",
)
