# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a body on its ground: feet that slide, knees past straight, a floor that rises or sinks as time goes by.

Slides that viewers notice begin at about 21 mm (Prazak, Hoyet and O'Sullivan 2011), in a figure of human size.
"""

import numpy as np

from ..body.body import Body
from ..body.contacts import LEG
from ..body.more_feet import sides_in, whole_table
from ..body.report import MILLIMETRES, strayed
from ..body.roles import find_roles
from ..body.trust import knee_bends
from ..ik.foot_solver import Grip
from ..ik.planted_feet import locked
from ..motion.repose import reposed
from ..numeric import rotation
from ..numeric.refusal import Refusal
from ..numeric.smoothing import above

NOTICED = 0.021  # metres of a leg of 82 cm that feet slide, or a floor moves
BACKWARDS = 5.0  # degrees that a knee may be past straight: some people's are
HIGHEST = 0.15  # metres: a floor that moves farther is a slope or stairs
STANDS = 4  # stands of feet that tell about a floor
AGREED = 0.35  # of how far it moves: what stands may be off it, at the median
EASE = 0.1  # seconds before and after a knee is past straight in which it is bent a little
BENT = 1.0  # degrees that such a knee is then


class OnTheGround:
    """A body whose feet, knees and floor are looked at, and mended one after the other; None of it where there are no legs."""

    def __init__(self, clip, skeleton, contacts=None, beside=None):
        self.skeleton, self.beside = skeleton, beside
        try:
            self.body = Body(clip.with_clip(beside), skeleton)
            self.contacts = contacts or self.body.contacts
        except Refusal:  # no legs, or none that can be moved
            self.body, self.contacts = None, {}

    def again(self, clip):
        """The same body and contacts in another clip."""
        return OnTheGround(clip, self.skeleton, self.contacts, self.beside)

    @property
    def noticed(self):
        return NOTICED * self.body.figure.leg / LEG

    def slides(self):
        """Point, first and last frame and millimetres of every stand that slides farther than viewers let pass."""
        figure, first = self.body.figure, self.body.clip.first_frame
        for column, point in enumerate(figure.points):
            for start, end in self.contacts.get(point, ()) if figure.on_foot[column] else ():
                places = self.body.places[max(0, start - first) : end - first + 1, column, :2]
                if len(places) > 1 and strayed(places) > self.noticed:
                    yield point, start, end, MILLIMETRES * strayed(places)

    def held(self, stands):
        """The clip with only these stands, (point, first and last frame), held in place."""
        contacts = {point: [] for point in self.body.figure.points}
        for point, start, end in sorted(stands):
            for other in (point, point[:-4] + "toe" if point.endswith("heel") else point[:-3] + "heel"):
                own = [span for span in self.contacts.get(other, ()) if span[0] <= end and span[1] >= start]
                contacts[other] += [span for span in own if span not in contacts[other]]
        contacts = {point: sorted(spans) for point, spans in contacts.items()}
        return locked(self.body, contacts, Grip(1.0, "MIDDLE"), self.beside)[0].without(self.beside)

    def knees(self):
        """Lower leg, first and last frame and degrees of every stretch in which a knee is past straight."""
        for name, (bends, _, _) in self._bends().items():
            past = bends < -BACKWARDS
            edges = np.flatnonzero(np.diff(past.astype(np.int8), prepend=0, append=0))
            for start, end in zip(edges[::2], edges[1::2]):
                first = self.body.clip.first_frame
                yield name, first + int(start), first + int(end) - 1, float(-bends[start:end].min())

    def bent(self, stretches):
        """The clip with these knees, (lower leg, first and last frame), just bent: thigh and foot turn half as far back, so
        that the foot stays about where it is and as it is."""
        clip, turns = self.body.clip, {}
        for name, (bends, axis, names) in self._bends().items():
            rows = np.zeros(clip.frames)
            for other, start, end in stretches:
                if other == name:
                    own = slice(start - clip.first_frame, end - clip.first_frame + 1)
                    rows[own] = BENT - bends[own]
            if not rows.any():
                continue
            angle = np.radians(above(rows, max(1, round(EASE * clip.fps))))
            for bone, share in zip(names, (-0.5, 1.0, -0.5)):
                turns[bone] = rotation.exp(share * angle * axis[bone])
        return reposed(clip, self.skeleton, turns).without(self.beside) if turns else clip.without(self.beside)

    def _bends(self):
        """How far knees are bent, {lower leg: (degrees (frames,), hinge in each bone {name: (3, frames)}, names of bones)}."""
        table, found = whole_table(self.skeleton, find_roles(self.skeleton)), {}
        for side in sides_in(table):
            names = [table.get(f"{side}_{bone}") for bone in ("upper_leg", "lower_leg", "foot")]
            seen = knee_bends([self.body.clip], self.skeleton, names) if all(names) else None
            if seen is not None:
                found[names[1]] = (seen.angles[0], seen.in_bones(self.body.clip, self.skeleton, names), names)
        return found

    def floor(self):
        """How many metres the floor rises in all, if it does; 0 where it is level, sloped by intent, or not known."""
        times, heights = self._stands()
        if len(times) < STANDS:
            return 0.0
        pairs = np.triu_indices(len(times), 1)
        runs = times[pairs[1]] - times[pairs[0]]
        apart = runs > 0.2 * np.ptp(times)
        if not apart.any():
            return 0.0
        slope = np.median(((heights[pairs[1]] - heights[pairs[0]])[apart]) / runs[apart])
        rise = slope * self.body.clip.frames
        off = np.median(np.abs(heights - slope * times - np.median(heights - slope * times)))
        human = self.body.figure.leg / LEG
        return float(rise) if self.noticed < abs(rise) < HIGHEST * human and off < AGREED * abs(rise) else 0.0

    def _stands(self):
        """When feet stand, in rows, and how high."""
        figure, first = self.body.figure, self.body.clip.first_frame
        lowest = [
            (0.5 * (start + end) - first, float(np.median(self.body.places[start - first : end - first + 1, column, 2])))
            for column, point in enumerate(figure.points)
            if point.endswith("toe")
            for start, end in self.contacts.get(point, ())
        ]
        return np.array(lowest).reshape(-1, 2).T

    def levelled(self, rise):
        """The clip with its floor level, as high as at the start."""
        clip = self.body.clip
        up = self.body.up / np.linalg.norm(np.array(self.skeleton.world)[2, :3])
        shift = -rise * np.arange(clip.frames) / clip.frames * up[:, None]
        return self.body.clip_of({}, shift, {}).without(self.beside)
