# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a take: a smooth curve with few control points along the way that its figure went (Gleicher 2001, 3.2).

How far the figure has come is told by a stone that it pulls behind it on a short string: sways, steps back and forth and
turns on the spot do not move the stone, so that they remain details of the motion, and a pause is no progress. The control
points are then the least-squares fit of the figure's track, spaced evenly in the distance that the stone went.
"""

import numpy as np

from ..body.contacts import find_ground
from ..body.roles import find_roles
from ..motion.ground import Ground
from ..numeric import scipy
from ..numeric.refusal import Refusal
from .curve import basis, spline

FEWEST, MOST = 2, 32  # control points
STRING = 0.1  # of the figure's size: movements below it are details
SPAN = 0.5  # of the figure's size: about a step, of which no path needs to know the details
TRAVELS = 0.3  # of the figure's size: who does not get farther never travels
STEADY, EASED = 0.1, 0.12  # seconds over which the track, and the speed along the path, are smoothed
START = 0.3  # seconds from whose mean speed it is told how the take comes in
JUMP, BRIEF = 10.0, 0.1  # times the fastest usual step, and seconds: what lies before such a jump and is so short is no travel
STIFF, TINY = 2e-5, 1e-12  # how much control points resist bending and being anywhere, so that none is left to chance
MOVING = 0.2  # of the greatest speed: a path need not be near a figure that is slower
DENSE = 1000  # places of a curve from which distances are measured
ROUNDS = 4  # of fitting, each spaced by the distance along the curve before


def fit(clip, skeleton=None, points=8, tolerance=None, among=(FEWEST, MOST)):
    """Fit control points (points, 3) to the way that a take went on the ground: as many as are asked for, or as few `among` so
    many as stay within a tolerance in metres of it."""
    return fit_together([(clip, skeleton)], points, tolerance, among)[0]


def fit_together(takes, points=8, tolerance=None, among=(FEWEST, MOST)):
    """Fit one path to takes of the same frames, (clip, skeleton) each, that are to stay together: control points, and how far
    along it (frames,) they are, from 0 to 1."""
    clip, skeleton = takes[0]
    for other, _ in takes[1:]:
        if (other.frames, other.first_frame, other.fps) != (clip.frames, clip.first_frame, clip.fps):
            raise Refusal(
                f"the takes go from {clip.first_frame} to {clip.last_frame} and from {other.first_frame} to "
                f"{other.last_frame}; one path needs the same frames of both"
            )
    track = np.mean([settled(ground_track(*take), clip.fps) for take in takes], axis=0)
    size = max(size_of(skeleton) for _, skeleton in takes)
    gone = progress(track, clip.fps, size)
    return fitted(track, gone, points, tolerance, SPAN * size, among) + (0.0, 0.0, standing(clip, skeleton)), gone


def ground_track(clip, skeleton=None):
    """Where on the ground a take's figure is, (frames, 3) in the world."""
    ground = Ground([clip.check()], skeleton)
    if not ground.roots:
        raise Refusal("the take never travels: nothing moves the figure along the ground")
    places = ground.roots[0].place(clip.values)
    if ground.roots[0].owner:
        world = np.array(skeleton.world)
        places = places @ world[:3, :3].T + world[:3, 3]
    return places * (1.0, 1.0, 0.0)


def progress(track, fps, size=0.0):
    """How far along its path a track (frames, 3) is at every frame, from 0 to 1, never going back."""
    places = track[:, 0] + 1j * track[:, 1]
    smooth = scipy.ndimage.gaussian_filter1d(places, STEADY * fps, mode="nearest")
    spread = np.abs(smooth - smooth.mean()).max()
    if spread <= max(0.5 * TRAVELS * size, 1e-9):
        raise Refusal(f"the take never travels: it stays within {spread:.2f} m of one place")
    steps = pulled(places, min(STRING * size, 0.25 * spread) if size else 0.2 * STRING * spread, round(START * fps))
    steps = scipy.ndimage.gaussian_filter1d(steps, EASED * fps, mode="reflect")
    gone = np.concatenate([[0.0], np.cumsum(steps)])
    return gone / gone[-1]


def progress_of(clip, skeleton=None):
    """How far along its path a take is at every frame, from 0 to 1."""
    return progress(settled(ground_track(clip, skeleton), clip.fps), clip.fps, size_of(skeleton))


def settled(track, fps):
    """A track without what is only there for moments before a jump: a T-pose in front, a row that was lost."""
    steps = np.linalg.norm(np.diff(track, axis=0), axis=1)
    jumps = np.flatnonzero(steps > JUMP * max(np.percentile(steps, 98), 1e-9))
    edges = [0, *(jumps + 1), len(track)]
    kept = [row for first, end in zip(edges, edges[1:]) if end - first >= BRIEF * fps for row in range(first, end)]
    rows = np.arange(len(track))
    return np.stack([np.interp(rows, kept, track[kept, axis]) for axis in range(3)], axis=1) if kept else track


def pulled(places, string, start):
    """How far a stone on a string moves from frame to frame (frames - 1,).

    Who comes in moving, as the first so many frames tell, has pulled it before.
    """
    start = min(start, len(places) - 1)
    before = places[0] + (places[start] - places[0]) / start * np.arange(-4 * start, 0)
    stone, moved = complex(before[0]), []
    for place in np.concatenate([before, places]).tolist():
        away = place - stone
        moved.append(max(abs(away) - string, 0.0))
        if moved[-1]:
            stone += away * (moved[-1] / abs(away))
    return np.array(moved[len(before) + 1 :])


def fitted(track, gone, points=8, tolerance=None, span=0.0, among=(FEWEST, MOST)):
    """Control points (points, 3) for a track (frames, 3) that has come so far along (frames,).

    With a tolerance they are as few `among` so many as keep within it, and not so many that they are closer than a span.
    """
    if not FEWEST <= points <= MOST:
        raise Refusal(f"control_points: {points} is outside {FEWEST} to {MOST}")
    weights = np.gradient(gone)
    moving = weights > MOVING * weights.max()
    for count in range(among[0], among[1] + 1) if tolerance is not None else (points,):
        control = np.column_stack([least_squares(track[:, :2], gone, weights, count), np.zeros(count)])
        curve = spline(control)
        if tolerance is None or curve.length <= (count - 1) * span or apart(curve, track[moving]) <= tolerance:
            return control
    return control


def apart(curve, track):
    """How far a track gets from a curve."""
    places, _ = curve.evenly(np.linspace(0.0, 1.0, DENSE))
    return scipy.spatial.cKDTree(places).query(track)[0].max()


def least_squares(track, gone, weights, count):
    """Control points (count, 2) of the spline that is nearest to a track, each moment at its distance along the curve."""
    bending = np.diff(np.eye(count), min(3, count - 1), axis=0)
    parameters = gone
    for _ in range(ROUNDS):
        values = basis(count)(parameters)
        weighted = values.T * weights
        control = np.linalg.solve(weighted @ values + STIFF * bending.T @ bending + TINY * np.eye(count), weighted @ track)
        parameters = spline(np.column_stack([control, np.zeros(count)])).parameters(gone)
    return control


def size_of(skeleton):
    """How large a figure is at rest, in the world."""
    if skeleton is None or not skeleton.bones:
        return 0.0
    heads = np.array([bone.rest[:3, 3] for bone in skeleton.bones]) @ np.array(skeleton.world)[:3, :3].T
    return float(np.ptp(heads, axis=0).max())


def standing(clip, skeleton):
    """The height of the ground that a take's feet stand on; zero where it has none."""
    if skeleton is None:
        return 0.0
    try:
        return find_ground(clip, skeleton, find_roles(skeleton))
    except Refusal:
        return 0.0
