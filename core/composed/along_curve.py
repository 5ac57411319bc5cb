# SPDX-License-Identifier: GPL-3.0-or-later
"""Along a curve: the stretches of a library, one after the other, that follow a curve by themselves as well as can be.

Where a stretch would lead is known from its features, so that many are tried without reading one. What is left of the way off
the curve the Path step bends away, which is little where turns are walked by takes that turn.
"""

import time

import numpy as np

from ..body.upright import on_its_ground
from ..library.features import POSE, RATE, features_of
from ..library.following import find_next
from ..numeric.refusal import Refusal
from ..recipes.recipe import Step
from ..techniques import technique
from .continued import EVERY, SOON, continued, linked

SECONDS = 1.6  # that a stretch lasts before the next
LENGTH = 6.0  # seconds of a stretch that are looked at
SLOWEST = 0.3  # metres a second: what gets on more slowly leads nowhere
PACES = 0.6, 1.7  # of the pace of the take that it begins with, at which it goes on
UNLIKE = 2.0  # metres off the curve that a metre counts for by which bodies differ where they are joined


class Way:
    """A curve on the ground by how far it has gone: places as complex numbers, in metres."""

    def __init__(self, points):
        points = np.asarray(points, dtype=np.float64)
        line = points[:, 0] + 1j * points[:, 1]
        self.gone = np.append(0.0, np.cumsum(np.abs(np.diff(line))))
        self.line, self.length = line, float(self.gone[-1])
        if self.length < 1.0:
            raise Refusal(f"curve: it is {self.length:.2f} m long, which is no way to go along")

    def at(self, gone):
        return np.interp(gone, self.gone, self.line.real) + 1j * np.interp(gone, self.gone, self.line.imag)


def walked(features, first, last, place, heading):
    """Where hips get from a row of features to another, that are at a place and face so at the first: places, headings."""
    rows = features.values[first : last + 1]
    headings = heading + np.append(0.0, np.cumsum(rows[1:, POSE + 2]) / RATE)
    steps = (rows[:, POSE] + 1j * rows[:, POSE + 1]) * np.exp(1j * headings) * features.leg / RATE
    return place + np.append(0.0, np.cumsum(steps[1:])), headings


def links_along(library, clip, skeleton, read, points, budget=20.0):
    """Links by which a take that walks goes on until it is at the end of a curve through points (points, 2 or more) in metres.

    After `budget` seconds of searching it is given up.
    """
    skeleton = on_its_ground(skeleton, clip)
    way, began, links = Way(points), time.perf_counter(), []
    now, features = clip, features_of(clip, skeleton)
    entered = clip.first_frame
    pace = float(np.median(np.hypot(*features.values[:, POSE : POSE + 2].T))) * features.leg
    if pace < SLOWEST:
        raise Refusal(f"curve: the take gets on at {pace:.2f} m/s, and {SLOWEST:g} m/s is the slowest that goes along a curve")
    ahead = np.angle(way.at(0.2) - way.at(0.0))
    place, heading, gone = way.at(0.0), ahead + np.pi / 2.0, 0.0  # a figure whose heading is 0 faces -Y
    while gone < way.length:
        if time.perf_counter() - began > budget:
            raise Refusal(f"curve: after {budget:g} s of searching {gone:.1f} of {way.length:.1f} m are found")
        link, place, heading, gone = next_along(
            library, now, features, skeleton, entered, read, way, place, heading, gone, pace
        )
        if link is None:
            break
        links.append(link)
        now, entered = link.clip, link.enter
        features = features_of(now, skeleton)
    return links


def next_along(library, clip, features, skeleton, entered, read, way, place, heading, gone, pace):
    """The link that follows a curve best from where a take was entered on, and where it is left for it; None where the rest
    of the take reaches the end of the curve."""
    start, end = int(np.clip(round(features.row(entered)), 0, features.rows - 1)), features.rows - 1
    places, headings = walked(features, start, end, place, heading)
    far = gone + np.append(0.0, np.cumsum(np.abs(np.diff(places))))
    if far[-1] >= way.length:
        return None, places[-1], headings[-1], far[-1]
    last = min(end - round(0.9 * RATE), start + round(SOON[1] * SECONDS * RATE))
    first = min(last, start + round(SOON[0] * SECONDS * RATE))
    if last <= start:
        raise Refusal(f"curve: the take is over {gone:.1f} m along it, too soon to go on from")
    tried = []
    for row in range(first, last + 1, round(2 * EVERY * RATE)):
        for hit in find_next(library, features, features.frame(row), LENGTH):
            other = library.features(hit.take)
            rows = [int(round(other.row(frame))) for frame in (hit.first, hit.last)]
            there = walked(other, *rows, 0.0, 0.0)[0] * features.leg / other.leg
            there = -np.conj(there) if hit.mirrored else there
            led = places[row - start] + there * np.exp(1j * headings[row - start])
            on = far[row - start] + np.append(0.0, np.cumsum(np.abs(np.diff(led))))
            faster = (on[-1] - on[0]) * RATE / max(len(led) - 1, 1) / pace
            if PACES[0] < faster < PACES[1] and len(led) > 2.2 * RATE:
                off = np.abs(led - way.at(on))[: round(3.0 * RATE)].mean()
                tried.append((off + UNLIKE * hit.distance, row, hit))
    for _, row, hit in sorted(tried, key=lambda each: each[:2])[:6]:
        try:
            link = linked(clip, skeleton, hit, *read(hit), features.frame(row))
        except Refusal:  # there is too little of it
            continue
        if link.hurry < 0.5:
            at = int(np.clip(round(features.row(link.leave)) - start, 0, len(places) - 1))
            return link, places[at], headings[at], far[at]
    raise Refusal(f"curve: nothing in the library could follow {gone:.1f} m along it")


def laid_along(clip, skeleton, links, points):
    """A take that goes on in links and is laid along a curve, its feet where they stand on it."""
    path = technique("path")
    bend = Step(path, path.params(path={"points": [[float(x), float(y), 0.0] for x, y, *_ in points]}))
    return continued(clip, skeleton, links, (bend,))
