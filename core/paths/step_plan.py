# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan of steps along a curve: where the figure is at every frame, and how far through its stride.

The speed is what is wanted at each place. Strides are as long as they are at that speed and turn, lengthened or shortened a
little so that a whole number of steps ends where the figure is to stand. It starts with one foot while the other bears it,
half a step gained, and stops with the last foot coming up beside the other; speed comes and goes within these half strides.
"""

import numpy as np

from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from ..numeric.smoothing import smooth

APART = 0.01  # metres from one place to the next at which speed and stride are asked for
RAISED, LOWERED = 0.35, 0.6  # of a half stride, in which a figure comes from standing to its stride, and goes back
LIFTED = 0.12  # of a half stride: when the first foot leaves the ground
BORNE = 0.35  # of a half stride: from when on the last foot but one stays flat
SETTLED = 0.25  # seconds that a figure stands at the end
SHORTEST = 0.1  # metres from one stand to the next
MOST = 200_000  # frames


@frozen
class Stop:
    """Metres along the curve at which the figure stands, and for how many seconds."""

    along: float
    wait: float = 0.0


@frozen
class StepPlan:
    """For every frame: metres along the curve, strides gone through, how much of the stride there is instead of standing,
    speed in metres a second, and whether the left and the right foot are down whatever the stride says (2, frames)."""

    along: np.ndarray
    phases: np.ndarray
    shares: np.ndarray
    speeds: np.ndarray
    down: np.ndarray


def plan_steps(length, speed, stride, fps, stops=(), start=True, end=True):
    """The plan along so many metres; `speed(along)` is wanted and `stride(along)` metres long at places (places,).

    At the ends the figure stands, or comes and leaves walking.
    """
    inner = sorted((stop for stop in stops if SHORTEST < stop.along < length - SHORTEST), key=lambda stop: stop.along)
    ends = [Stop(0.0, SETTLED if start else 0.0), *inner, Stop(length, SETTLED if end else 0.0)]
    pieces = []
    for index, (one, other) in enumerate(zip(ends, ends[1:])):
        if other.along - one.along < SHORTEST:
            raise Refusal(f"stops: {one.along:g} and {other.along:g} m along the curve are too close for a step")
        stands = (index > 0 or start, index < len(ends) - 2 or end)
        if stands[0]:
            pieces.append(waiting(one))
        pieces += walked(one.along, other.along, speed, stride, stands)
    if end:
        pieces.append(waiting(ends[-1]))
    return sampled(pieces, fps)


@frozen
class Piece:
    """A time of so many seconds; `at(seconds)` gives rows of along, phase, share, speed, left down and right down."""

    lasts: float
    at: object


def waiting(stop):
    def at(seconds):
        still = np.zeros_like(seconds)
        return stop.along + still, still, still, still, still + 1.0, still + 1.0

    return Piece(stop.wait, at)


def walked(first, last, speed, stride, stands):
    """Starting, going and stopping between two places, as pieces."""
    places = np.linspace(first, last, max(3, int(np.ceil((last - first) / APART)) + 1))
    ends = [0.25 * float(stride(places[[at]])[0]) if stand else 0.0 for at, stand in zip((0, -1), stands)]
    fit = min(1.0, (last - first) / max(sum(ends), 1e-9))
    begin, finish = first + fit * ends[0], last - fit * ends[1]
    inner = np.linspace(begin, finish, max(2, int(np.ceil((finish - begin) / APART)) + 1))
    speeds = speed(inner)
    gone = summed(inner, 1.0 / stride(inner))
    halves = max(0.0, float(np.rint(2.0 * gone[-1]))) if stands[1] else 2.0 * gone[-1]
    gone = gone * (0.5 * halves / gone[-1]) if gone[-1] > 0.0 else gone
    clock, phase, pieces = summed(inner, 1.0 / speeds), 0.0, []
    if stands[0]:
        pieces.append(starting(first, begin, float(speeds[0]), fit))
        phase = 0.5

    def going(seconds):
        along = np.interp(seconds, clock, inner)
        still = np.zeros_like(seconds)
        return along, phase + np.interp(along, inner, gone), still + 1.0, np.interp(along, inner, speeds), still, still

    if clock[-1] > 0.0:
        pieces.append(Piece(float(clock[-1]), going))
    if stands[1]:
        pieces.append(stopping(finish, last, float(speeds[-1]), phase + gone[-1], fit))
    return pieces


def starting(first, begin, speed, most):
    """From standing to a speed within half a stride: the right foot goes, the left bears."""
    lasts = 2.0 * (begin - first) / speed

    def at(seconds):
        fraction = seconds / lasts
        lifted = np.where(fraction < LIFTED, 1.0, 0.0)
        share = most * smooth(np.clip(fraction / RAISED, 0.0, 1.0))
        return (
            first + 2.0 * (begin - first) * eased(fraction),
            0.5 * fraction,
            share,
            speed * smooth(fraction),
            np.ones_like(fraction),
            lifted,
        )

    return Piece(lasts, at)


def stopping(finish, last, speed, phase, most):
    """From a speed to standing within half a stride: the foot that is behind comes up beside the other."""
    lasts = 2.0 * (last - finish) / speed
    left = round(2.0 * phase) % 2 == 1  # the foot that swings: at half strides the right one has struck

    def at(seconds):
        fraction = seconds / lasts
        borne, still = np.where(fraction > BORNE, 1.0, 0.0), np.zeros_like(fraction)
        share = most * smooth(np.clip((1.0 - fraction) / LOWERED, 0.0, 1.0))
        along = last - 2.0 * (last - finish) * eased(1.0 - fraction)
        down = (still, borne) if left else (borne, still)
        return along, phase + 0.5 * fraction, share, speed * smooth(1.0 - fraction), *down

    return Piece(lasts, at)


def eased(fraction):
    """How far has gone who comes to speed over a time, of what it would at that speed throughout: half of it at the end."""
    return fraction**3 - 0.5 * fraction**4


def summed(places, density):
    """The integral of a density over places, from nothing on."""
    return np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(places))])


def sampled(pieces, fps):
    """Pieces one after the other, frame by frame."""
    starts = np.concatenate([[0.0], np.cumsum([piece.lasts for piece in pieces])])
    frames = int(np.rint(starts[-1] * fps)) + 1
    if frames > MOST:
        raise Refusal(f"speed: the way would take {frames} frames, and {MOST} are the most; go faster, or a shorter way")
    seconds = np.linspace(0.0, starts[-1], frames)
    rows = np.empty((6, frames))
    which = np.clip(np.searchsorted(starts, seconds, side="right") - 1, 0, len(pieces) - 1)
    for index, piece in enumerate(pieces):
        own = which == index
        if own.any():
            rows[:, own] = piece.at(seconds[own] - starts[index])
    along, phases, shares, speeds, left, right = rows
    return StepPlan(along, phases, shares, speeds, np.array([left, right]) > 0.5)
