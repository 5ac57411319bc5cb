# SPDX-License-Identifier: GPL-3.0-or-later
"""Timewarp: a take at the pace of another, or moved to new frames (Bruderlin and Williams 1995, section 3.2).

Every moment of the take has its counterpart in the reference. Timing moves moments towards the times of their counterparts,
pose moves poses towards those of their counterparts, each on its own.
"""

from dataclasses import replace

import numpy as np

from ...body.contacts import Origin
from ...declare.lists import FramePair, Move
from ...declare.params import choice, flag, number, points, table, whole, words
from ...declare.technique import Technique
from ...motion.clip import FEWEST_FRAMES
from ...motion.resample import resampled
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...numeric.time_map import along, moved
from ...timing.register import Matching, register
from ...timing.warp_poses import interpolate_poses, warp_frame_by_frame

EASE = 0.25  # seconds after the last mark, and before the first that stays, within which the take gets back to its own speed


@frozen
class TimewarpParams:
    """What to follow, how far, and what decides which moments belong together."""

    reference: str = words("", "Action whose timing and poses the take is moved towards", names="action")
    timing: float = number(
        0.0,
        "Whose pace the result has: 0 the take's own, 1 the reference's, beyond 1 more than that",
        -1.0,
        3.0,
        slider_range=(0.0, 1.0),
    )
    pose: float = number(
        0.0,
        "Whose poses the result has: 0 the take's own, 1 the reference's at the same moments",
        -1.0,
        3.0,
        slider_range=(0.0, 1.0),
    )
    anchors: tuple = points(
        "Pairs of frames that belong together: a frame of the take, a frame of the reference", entry=FramePair
    )
    open_ends: bool = flag(Matching.open_ends, "The take is like a part of the reference: it may begin and end anywhere in it")
    fastest: int = whole(
        Matching.fastest, "How many frames of the take may pass in one of the reference, 0 for any number", 0, 64
    )
    slowest: int = whole(Matching.slowest, "How many frames of the reference one of the take may last, 0 for any number", 0, 64)
    stretch: float = number(
        Matching.stretch, "How much it counts that corresponding moments move equally fast", 0.0, 100.0, slider_range=(0.0, 4.0)
    )
    bend: float = number(
        Matching.bend, "How much it counts that corresponding moments turn equally sharply", 0.0, 100.0, slider_range=(0.0, 4.0)
    )
    root: float = number(
        Matching.root,
        "How much travelling and turning of the whole figure count, where each limb counts 1",
        0.0,
        100.0,
        label="Root Weight",
        slider_range=(0.0, 4.0),
    )
    limbs: dict = table(
        "How much a bone and everything below it count in finding moments that belong together, by bone name",
        "How much this limb counts: 1 as much as any, 0 not at all",
        0.0,
        100.0,
        item=1.0,
        like="",
        label="Limb Weights",
        slider_range=(0.0, 4.0),
    )
    apply: str = choice(
        "SMOOTH",
        "How the frames of the result are made",
        (
            ("SMOOTH", "Smooth", "Time flows smoothly from one pair of corresponding frames to the next"),
            (
                "FRAMES",
                "Frame by Frame",
                "Every frame is a copy, a mean or a spline of frames that belong to it, as in the paper",
            ),
        ),
    )
    moves: tuple = points(
        "Without a reference: pairs of a frame of the take and the frame that it moves to, such as a beat; "
        "what comes after the last moves along with it",
        entry=Move,
    )
    hold: tuple = points("Spans of the take, first and last frame, that keep their speed while others move")


def timewarp(clip, surroundings):
    """Give a take the pace of another, or move its moments to new frames.

    What belongs together is looked for once; timing and pose only read both takes at other moments.
    """
    found = {}

    def process(params):
        if not params.reference:
            return retimed(clip, params)
        if params.moves or params.hold:
            raise Refusal(f"moves and hold: frames go where the reference {params.reference} says")
        question = repr(replace(params, timing=0.0, pose=0.0, apply="SMOOTH"))
        if question not in found:
            found.clear()
            found[question] = register(clip, params.reference, surroundings, params)
        return warped(clip, found[question], params)

    process.origins = lambda params: (Origin(clip, moved_rows(clip, params)[1]),) if params.moves else ()
    return process


def warped(clip, pair, params):
    """The clip at the moments and with the poses that timing and pose ask for."""
    if not params.timing and not params.pose:
        return clip
    rows, columns = pair.moments(params.timing)
    result = clip if not params.timing else SOURCES[params.apply](clip, pair, rows, params.timing)
    return interpolate_poses(result, resampled(pair.reference, columns), params.pose, pair.shared) if params.pose else result


def flowing(clip, pair, rows, timing):
    return resampled(clip, rows)


def frame_by_frame(clip, pair, rows, timing):
    if not 0 <= timing <= 1:
        raise Refusal(f"timing: {timing:g} is outside 0 to 1, where it can be done frame by frame")
    row, column = pair.path.T
    times = row + timing * (column - column[0] - row)
    return warp_frame_by_frame(clip, np.column_stack([row, np.rint(times.round(6)).astype(int)]))


SOURCES = {"SMOOTH": flowing, "FRAMES": frame_by_frame}


def retimed(clip, params):
    """The clip with some frames moved to others; without any it is what it was."""
    if params.timing or params.pose:
        raise Refusal("reference: there is none to take timing or pose from")
    if not params.moves:
        return clip
    first, rows = moved_rows(clip, params)
    return replace(resampled(clip, rows), first_frame=first)


def moved_rows(clip, params):
    """The first frame once some are moved, and the rows (frames,) of the take that are then seen."""
    knots = move_knots(clip, params)
    first, last = np.rint(knots[[0, -1], 1]).astype(int).tolist()
    if last - first + 1 < FEWEST_FRAMES:
        raise Refusal(f"moves: {last - first + 1} frame(s) would be left of {clip.frames}")
    return first, along(knots[:, ::-1], np.arange(first, last + 1)) - clip.first_frame


def move_knots(clip, params):
    """Frames of the take and where they go, (knots, 2)."""
    for name, frames in (("moves", [frame for frame, _ in params.moves]), ("hold", np.ravel(params.hold))):
        for frame in frames:
            if not clip.first_frame <= frame <= clip.last_frame:
                raise Refusal(f"{name}: frame {frame:g} is not one of {clip.first_frame} to {clip.last_frame}")
    return moved(params.moves, params.hold, clip.first_frame, clip.last_frame, EASE * clip.fps)


def time_map(clip, params, surroundings):
    """Frames of the take beside the frames of the reference that they belong to, or that they move to, (pairs, 2)."""
    if not params.reference:
        return move_knots(clip, params)
    return register(clip, params.reference, surroundings, params).frames(clip)


TIMEWARP = Technique(
    "timewarp",
    "Timewarp",
    TimewarpParams,
    timewarp,
    needs=frozenset({"skeleton"}),
    retimes=True,
    waits="choose a reference and raise Timing or Pose, or add frames that move",
    wants=("reference", "moves"),
    principal="timing",
    by_amount=lambda params: bool(params.reference),  # a retimed section has none that it follows so much
)
