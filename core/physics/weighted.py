# SPDX-License-Identifier: GPL-3.0-or-later
"""A body given its weight: it leans into bends, stands over its feet, and falls as gravity says, its feet as planted as before.

Each is a smooth shift or turn of the whole body, after which feet are put back where they stand. That moves the centre of mass
again, so that what is still missing is asked for once more. Points are (frames, 3) in the world.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from ..body.body import body_of, points_of
from ..body.figure import FEET
from ..ik.planted_feet import feet_of_take
from ..numeric import rotation
from ..numeric.matrix import inside, plain
from ..numeric.vectors import turned
from .balance import carrying, centre_shift, soles, wanted_moves, zero_moment
from .ballistic import shifts
from .banking import leans
from .flights import GRAVITY, accelerations, find_flights, gravity_of
from .masses import MassModel

FALLS, STANDS = (False, True, True, True), (False, True, True, True)  # rounds of a shift, and whether feet are planted in them
FARTHER = 1.2  # times as far as its centre of mass must go that a pelvis is shifted, as feet stay
LEAST, EDGE = 0.8, 0.3  # seconds between two cuts for a body to be seen to stand, and beside one where that cannot be told
MOST = 0.25  # metres for a leg of 82 cm that a body is shifted to stand over its feet
LEG = 0.82


def within(contacts, clip):
    """Contacts as far as they are of the frames of a clip."""
    first, last = clip.first_frame, clip.last_frame
    return {
        point: [[max(begin, first), min(end, last)] for begin, end in spans if end > first and begin < last]
        for point, spans in contacts.items()
    }


class Weighted:
    """The figure of a clip, to be given weight; contacts and flights are those of the take behind it."""

    def __init__(self, clip, surroundings, shares):
        beside, skeleton = surroundings.beside, surroundings.skeleton
        self.gave_way = ""  # what feet did when they were put back last
        self.clip, self.surroundings, self.beside = clip, surroundings, beside
        self.whole = clip.with_clip(beside)
        self.body = body_of(self.whole, skeleton)
        self.model = MassModel(skeleton, shares)
        source = surroundings.original
        same = source is not None and (source.frames, source.first_frame) == (clip.frames, clip.first_frame)
        self.take = body_of(source, skeleton) if same else self.body
        self.contacts = within(surroundings.contacts() or self.take.contacts, clip)
        self.spans = [rows for rows in self.take.stretches if rows.stop - rows.start > LEAST * clip.fps]
        self.corners = [self.body.figure.points.index(point) for foot in FEET for point in points_of(foot)]
        self.downs = self._downs()
        self.carrying = carrying(self.downs, clip.fps)
        heights = self.take.places[:, self.corners, 2]
        self.ground = float(np.median(heights[self.downs])) if self.downs.any() else float(heights.min())
        self.found = find_flights(
            self.contacts,
            self.take.places[:, self.corners],
            self.model.centre(self.take.clip),
            clip,
            self.body.figure.leg,
            same or surroundings.clock is not None,
        )

    @cached_property
    def planting(self):
        """Its feet, opened to be kept planted."""
        return self._feet(self.clip, self.surroundings.feet)

    @cached_property
    def staying(self):
        """Its feet, opened to stay where they are."""
        return self._staying_in(self.clip)

    def _staying_in(self, clip):
        """The feet of a clip that is to stand over them: they must not go along with the body that is brought there."""
        return self.planting if self.surroundings.feet in ("FREE", "PATHS") else self._feet(clip, "STAY")

    def _feet(self, clip, mode):
        return feet_of_take(clip, replace(self.surroundings, contacts=lambda: self.contacts, feet=mode))

    def _downs(self):
        """When each corner of the feet is down, (frames, corners)."""
        downs = np.zeros((self.clip.frames, len(self.corners)), dtype=bool)
        for column, index in enumerate(self.corners):
            for first, last in self.contacts.get(self.body.figure.points[index], ()):
                rows = slice(max(0, first - self.clip.first_frame), max(0, last - self.clip.first_frame + 1))
                downs[rows, column] = True
        return downs

    def __call__(self, jumps, balance, banking, ease):
        """The clip with so much of each, from 0 to 1."""
        result = self.clip
        if banking > 0.0:
            result = self._banked(result, banking)
        if balance > 0.0:
            result = self._balanced(result, balance)
        if jumps > 0.0 and self.found.flights:
            result = self._falling(result, jumps, ease)
        return result

    def _banked(self, clip, amount):
        body = self.body.again(clip.with_clip(self.beside))
        centre = self.model.centre(body.clip)
        feet, turn = body.places[:, self.corners, :2].mean(axis=1), np.zeros((clip.frames, 3))
        for rows in self.spans:
            turn[rows] = amount * leans(centre[rows], feet[rows], self.ground, clip.fps)
        below = centre * (1.0, 1.0, 0.0) + (0.0, 0.0, self.ground)
        return self._turned(body, turn, below)

    def _balanced(self, clip, amount):
        """The zero-moment point brought so much of the way into the support."""
        most, result = MOST * self.body.figure.leg / LEG, clip
        total = np.zeros((clip.frames, 2))
        places, feet = self._soles(clip), self.staying if clip is self.clip else self._staying_in(clip)
        for planted in STANDS:
            zero, arm, asked = self._zero(result)
            moves = wanted_moves(zero, places, self.carrying, self.body.figure.leg)[1]
            asked = asked & self.carrying.any(axis=1)
            for rows in self.spans:
                total[rows] += amount * FARTHER * centre_shift(moves[rows], arm[rows], asked[rows], clip.fps)
            size = np.maximum(np.linalg.norm(total, axis=1), 1e-9)[:, None]
            shift = np.column_stack([total * most * np.tanh(size / most) / size, np.zeros(clip.frames)])
            result = self._shifted(clip, shift, planted and feet)
        return self._planted(result) if self.surroundings.feet == "LOCKED" else result

    def _falling(self, clip, amount, ease):
        """The centre of mass so much of the way to where gravity has it in flights."""
        start = accelerations(self.model.centre(clip.with_clip(self.beside)), clip.fps)
        goal = start.copy()
        for flight in self.found.flights:
            goal[flight.rows] += amount * (flight.wanted - start[flight.rows])
        total, result = np.zeros((clip.frames, 3)), clip
        for planted in FALLS:
            now = accelerations(self.model.centre(result.with_clip(self.beside)), clip.fps)
            total = total + shifts(goal - now, self.found.flights, clip.fps, ease)
            result = self._shifted(clip, total, planted and self.planting)
        return result

    def _shifted(self, clip, shift, feet):
        """A clip with its pelvis shifted (frames, 3) in the world, and its feet put back, if they are given."""
        body = self.body.again(clip.with_clip(self.beside))
        own = np.linalg.inv(self.model.world[:3, :3]) @ shift.T
        moved = body.clip_of({}, own, {})
        return self._planted(moved, feet) if feet else moved.without(self.beside)

    def _turned(self, body, turn, about):
        """A body turned (frames, 3) in the world about points, its feet planted."""
        world = self.model.world
        inverse = np.linalg.inv(world)
        axes = world[:3, :3] / np.linalg.norm(world[:3, :3], axis=0)
        turns = rotation.exp(axes.T @ turn.T)
        centre = inverse[:3, :3] @ about.T + inverse[:3, 3:]
        head = body.heads[body.mover]
        away = head - centre
        shift = turned(turns, away) - away
        own = inside(turns, plain(body.axes[body.mover]))
        return self._planted(body.clip_of({body.mover: own}, shift, {}))

    def _planted(self, clip, feet=None):
        feet = feet or self.planting
        result = feet(clip.without(self.beside))
        self.gave_way = feet.words
        return result

    def _zero(self, clip):
        """Zero-moment point, arm, and whether a clip stands."""
        whole = clip.with_clip(self.beside)
        points = self.model.points(whole)
        zero, arm, standing = np.zeros((clip.frames, 2)), np.ones(clip.frames), np.zeros(clip.frames, dtype=bool)
        edge = round(EDGE * clip.fps)
        for rows in self.spans:
            zero[rows], arm[rows], standing[rows] = zero_moment(points[:, rows], self.model.masses, clip.fps, self.ground)
            standing[rows.start : rows.start + edge] = standing[rows.stop - edge : rows.stop] = False
        return zero, arm, standing

    def _soles(self, clip):
        """Corners of the feet of a clip, (frames, corners, 2)."""
        body = self.body if clip is self.clip else self.body.again(clip.with_clip(self.beside))
        return soles(body.places[:, self.corners, :2], self.body.figure.leg)

    def out_of_balance(self, clip):
        """The share of frames on the ground with the zero-moment point outside the support."""
        zero, _, standing = self._zero(clip)
        rows = standing & self.carrying.any(axis=1)
        away = wanted_moves(zero, self._soles(clip), self.carrying, self.body.figure.leg)[0]
        return float((away[rows] > 0.0).mean()) if rows.any() else 0.0

    def gravities(self, clip):
        """With which gravity each flight of a clip falls, and its first frame, [(frame, m/s2)]."""
        centre = self.model.centre(clip.with_clip(self.beside))
        return [(clip.first_frame + flight.first, gravity_of(centre[flight.rows], clip.fps)) for flight in self.found.flights]

    def words(self, before, after):
        """What came of it, in a sentence."""
        said = []
        pairs = list(zip(self.gravities(before), self.gravities(after)))
        if pairs:
            _, (frame, now) = worst = max(pairs, key=lambda pair: abs(pair[0][1] - GRAVITY))
            count = f"{len(pairs)} flight{'s' if len(pairs) > 1 else ''}"
            said.append(f"{count}: that at frame {frame} falls at {now:.2f} m/s², {worst[0][1]:.2f} before")
        was, now = (100.0 * self.out_of_balance(each) for each in (before, after))
        said.append(f"out of balance in {now:.0f} % of the frames on the ground, {was:.0f} % before")
        said += [f"the flight at frame {after.first_frame + row} {why} and is left as it is" for row, why in self.found.broken]
        return "; ".join([*said, *filter(None, (self.gave_way,))])
