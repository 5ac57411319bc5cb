# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts: when heels, toes and hands are planted on the ground, and the steps that follow from it.

A point is planted while it is low and slow: below a height above the ground and below a speed, both scaled by the leg. It
must become quite slow for a plant to begin, and may become as fast as the limit before it ends. Who runs rolls faster over
the foot, so the limit is never less than a part of the body's own speed. Contacts are plain data to store, edit and hand
on, {point: [[first frame, last frame], ...]}: what paths, blends and speed-ups of motion need to put feet back (Gleicher
2001, section 5; Kenwright, section 3).
"""

import re
from typing import NamedTuple

import numpy as np

from ..declare.params import choice, number
from ..motion.clip import Clip
from ..motion.leading import stands_out
from ..motion.skeleton import Skeleton
from ..numeric import scipy
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from ..numeric.vectors import lengths, median
from .figure import FEET, POINTS, known_legs
from .roles import Roles, find_roles
from .roles_by_shape import SIDES
from .upright import on_its_ground

CENTIMETRE = 0.01
LEG = 0.82  # metres from hip to ankle: the figure that heights and speeds in centimetres are meant for
SLOW = 0.5  # of the speed limit: how slow a point must become for a plant to begin
TRAVEL = 0.25  # of the speed of the pelvis: the least that the speed limit is
TRAVEL_SPAN = 1.0  # seconds over which the speed of the pelvis is taken
STEADY = 0.02  # seconds of smoothing, so that noise of the capture is no speed
JUMP = 0.05  # of the leg: what moves less far in one frame does not jump
QUICK = 3.0  # legs a second: nor does what moves slower
ALIKE = 0.75  # of a step: as far as it may be from the step before or after for both to be of one movement
STANDING = 10  # percent: the ground is this low among the heights of slow feet
BRIDGED = 0.05  # seconds: a shorter gap is none
SWING = 0.1  # seconds: a shorter time in the air is no step
FURTHER = re.compile(r"leg[1-9][0-9]*_(heel|toe)")  # points of legs beyond the left and the right one
RISEN = 0.012  # of the leg: a heel higher than that above where it stands is no longer down


@frozen
class ContactsParams:
    """What counts as planted."""

    height: float = number(
        8.0,
        "How high above the ground a planted point may be, in centimetres for a leg of 82 cm; it "
        "grows and shrinks with the figure",
        0.1,
        100.0,
        label="Height (cm)",
    )
    speed: float = number(
        30.0,
        "How fast a planted point may be, in centimetres a second for a leg of 82 cm; it grows and shrinks with the figure",
        0.1,
        1000.0,
        label="Speed (cm/s)",
    )
    shortest: float = number(0.1, "Contacts shorter than this are none", 0.0, 10.0, "s")
    ground: str = choice(
        "ESTIMATED",
        "Where the ground is",
        (
            ("ESTIMATED", "Estimated", "Where the feet are when they are slow"),
            ("TYPED", "Typed", "At the height that is typed"),
        ),
    )
    ground_height: float = number(0.0, "Height of the ground", unit="m")


def find_contacts(
    clip: Clip, skeleton: Skeleton, roles: Roles | None = None, params: ContactsParams = ContactsParams()
) -> dict[str, list[list[int]]]:
    """Find when heels, toes and hands are planted: first and last frames by point. Roles are found unless they are given."""
    skeleton = on_its_ground(skeleton, clip)
    figure = known_legs(skeleton, roles or find_roles(skeleton))
    places, pelvis = figure.places(clip.check())
    return stand(clip, figure, places, pelvis, params)[0]


def find_footing(clip, skeleton, roles):
    """Both: when heels, toes and hands are planted, and the height on which the feet stand."""
    figure = known_legs(skeleton, roles)
    return stand_once(clip, figure, lambda: figure.places(clip.check()))


def stand_once(clip, figure, places):
    """What `stand` finds of points that places() gives, found once for a clip."""
    kept = clip.__dict__.setdefault("_stands", {})
    if figure.known_by not in kept:
        kept[figure.known_by] = stand(clip, figure, *places())
    return kept[figure.known_by]


def find_ground(clip, skeleton, roles, params=ContactsParams()):
    """Find the height on which the feet stand, in metres."""
    figure = known_legs(skeleton, roles)
    return stand(clip, figure, *figure.places(clip.check()), params)[1]


def stand(clip, figure, places, pelvis, params=ContactsParams()):
    """The contacts of points (frames, points, 3) that move so, and the height of the ground."""
    stretches = lasting(uncut(places, pelvis, clip.fps, figure.leg), params.shortest * clip.fps)
    speed, limit = speeds(places, pelvis, stretches, clip.fps, params.speed * figure.leg / LEG)
    ground = ground_level(places, speed < limit, figure, params)
    low = places[..., 2] - ground < CENTIMETRE * params.height * figure.leg / LEG
    loose, slow = low & (speed < limit), low & (speed < SLOW * limit)
    found = {
        point: [
            (rows.start + first, rows.start + last)
            for rows in stretches
            for first, last in plants(loose[rows, column], slow[rows, column], clip.fps, params.shortest)
        ]
        for column, point in enumerate(figure.points)
    }
    rise = {point: RISEN * figure.leg if point.endswith("heel") else np.inf for point in figure.points}
    return {
        point: [
            [clip.first_frame + first, clip.first_frame + until_risen(first, last, places[:, column, 2], rise[point])]
            for first, last in found[point]
        ]
        for column, point in enumerate(figure.points)
    }, ground


def until_risen(first, last, heights, rise):
    """The last row of a plant at which the point is not higher above where it stands than `rise`: a heel rolls off early."""
    during = heights[first : last + 1]
    return int(first + np.flatnonzero(during < median(during) + rise)[-1])


def uncut(places, pelvis, fps, leg):
    """Slices of frames between cuts, where most of the body jumps at once: T-poses before a take, joined takes, bad rows.

    A point jumps in a step that neither the one before nor the one after is like. Kicks, runs and leaps are fast for longer
    than a frame, and a toe that flips does so alone. Where most steps are like none beside them, they are noise and no cuts.
    """
    steps = np.diff(np.concatenate([places, pelvis[:, None]], axis=1), axis=0)
    return stretches(lengths(steps), lengths(np.diff(steps, axis=0)), fps, leg)


def stretches(far, apart, fps, leg):
    """The same from how far points step (frames - 1, points), and how much steps differ from the next (frames - 2, points)."""
    apart = np.pad(apart, ((1, 1), (0, 0)), constant_values=np.inf)
    alone = np.minimum(apart[:-1], apart[1:])
    jumps = (far > max(JUMP, QUICK / fps) * leg) & (alone > ALIKE * far)
    found, most = np.flatnonzero(jumps.mean(axis=1) > 0.5), alone.mean(axis=1)
    edges = [0, *(index + 1 for index in found if stands_out(most, index)), len(far) + 1]
    return [slice(int(first), int(end)) for first, end in zip(edges, edges[1:])]


def lasting(stretches, shortest):
    """Stretches without those in which no plant fits: a pose alone before a take tells nothing of the ground, or of speed."""
    return [rows for rows in stretches if rows.stop - rows.start >= shortest]


def speeds(places, pelvis, stretches, fps, limit):
    """Speeds of points (frames, points), and the speeds (frames, 1) below which they may be planted."""
    found, limits = np.full(places.shape[:2], np.inf), np.zeros((len(places), 1))
    span = max(1, round(TRAVEL_SPAN * fps))
    for rows in stretches:
        if rows.stop - rows.start > 1:
            moving, travel = (np.gradient(way[rows], axis=0) * fps for way in (places, pelvis[:, :2]))
            moving = scipy.ndimage.gaussian_filter1d(moving, STEADY * fps, axis=0, mode="nearest")
            travel = scipy.ndimage.uniform_filter1d(travel, span, axis=0, mode="nearest")
            found[rows] = lengths(moving)
            limits[rows, 0] = np.maximum(CENTIMETRE * limit, TRAVEL * np.linalg.norm(travel, axis=1))
    return found, limits


def ground_level(places, slow, figure, params):
    if params.ground == "TYPED":
        return params.ground_height
    levels, slow = places[:, figure.on_foot, 2], slow[:, figure.on_foot]
    return float(np.percentile(levels[slow] if slow.any() else levels, STANDING))


def plants(loose, slow, fps, shortest):
    """First and last row of every plant of one point."""
    edges = np.flatnonzero(np.diff(loose.astype(np.int8), prepend=0, append=0))
    runs = [(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2]) if slow[first:end].any()]
    return [(first, last) for first, last in bridged(runs, BRIDGED * fps) if last - first + 1 >= shortest * fps]


def bridged(intervals, gap=0.0):
    """Intervals in order, those joined that overlap or have no more than a gap of so many frames between them."""
    joined = []
    for first, last in sorted(intervals):
        if joined and first - joined[-1][1] - 1 <= gap:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def feet(contacts, fps):
    """Contacts of whole feet, {left_foot: ..., right_foot: ...}: planted while the heel or the toe is."""
    both = {foot: [interval for point in points for interval in contacts.get(point, ())] for foot, points in FEET.items()}
    return {foot: [list(interval) for interval in bridged(intervals, BRIDGED * fps)] for foot, intervals in both.items()}


def events(contacts, clip):
    """Steps of each foot: frames of its strikes, toe offs and mid swings, and its cycles from one strike to the next."""
    found = {}
    for foot, intervals in feet(contacts, clip.fps).items():
        ends = [clip.first_frame - 1, *(last for _, last in intervals)]
        starts = [*(first for first, _ in intervals), clip.last_frame + 1]
        swings = [(last, first) for last, first in zip(ends, starts) if first - last - 1 >= SWING * clip.fps]
        strikes = [first for _, first in swings if first <= clip.last_frame]
        found[foot] = {
            "strikes": strikes,
            "toe_offs": [last for last, _ in swings if last >= clip.first_frame],
            "mid_swings": [
                (last + first) // 2 for last, first in swings if last >= clip.first_frame and first <= clip.last_frame
            ],
            "cycles": [list(pair) for pair in zip(strikes, strikes[1:])],
        }
    return found


class Origin(NamedTuple):
    """Where the frames of a result are from: rows (frames,) of a take, -1 where they are from another."""

    clip: Clip
    rows: np.ndarray
    mirrored: bool = False  # what was left is right


def carried(origins, found, first_frame):
    """Contacts of a result, from those of the takes that its frames are from, which `found(clip)` gives."""
    down = {}
    for clip, rows, mirrored in origins:
        rows = np.rint(rows).astype(int)
        for point, intervals in found(clip).items():
            frames, point = clip.first_frame + rows, other_side(point) if mirrored else point
            planted = (rows >= 0) & np.any([(frames >= first) & (frames <= last) for first, last in intervals], axis=0)
            down[point] = down.get(point, False) | planted
    edges = {point: np.flatnonzero(np.diff(planted.astype(np.int8), prepend=0, append=0)) for point, planted in down.items()}
    return {
        point: [
            [first_frame + int(first), first_frame + int(end) - 1] for first, end in zip(own[::2], own[1::2]) if end - first > 1
        ]
        for point, own in edges.items()
    }


def other_side(point):
    side, _, rest = point.partition("_")
    if side not in SIDES:  # a further leg
        return point
    return f"{SIDES[1 - SIDES.index(side)]}_{rest}"


def check_contacts(contacts, clip):
    """Contacts as they came, or a Refusal that says which makes no sense."""
    if not isinstance(contacts, dict):
        raise Refusal(f"contacts: {contacts!r} is no table of points, each with a list of first and last frames")
    for point, intervals in contacts.items():
        if point not in POINTS and not FURTHER.fullmatch(point):
            raise Refusal(f"contacts: there is no point {point!r}; there are {', '.join(POINTS)}")
        before = clip.first_frame - 1
        for interval in intervals if isinstance(intervals, (list, tuple)) else [intervals]:
            if not is_interval(interval):
                raise Refusal(f"contacts {point}: {interval!r} is no first and last frame")
            first, last = interval
            if first < clip.first_frame or last > clip.last_frame:
                raise Refusal(
                    f"contacts {point}: {first} to {last} is outside the motion, which goes from "
                    f"{clip.first_frame} to {clip.last_frame}; move or delete it"
                )
            if first <= before:
                raise Refusal(
                    f"contacts {point}: {first} to {last} overlaps or precedes the contact before it; join or move them"
                )
            before = last
    return contacts


def fit(contacts, clip):
    """Whether there are contacts, and they are of this clip's frames; those kept with keys that have since moved are not."""
    try:
        return bool(contacts and check_contacts(contacts, clip))
    except Refusal:
        return False


def is_interval(value):
    return (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(type(frame) is int for frame in value)
        and value[0] <= value[1]
    )
