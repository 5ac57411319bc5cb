# SPDX-License-Identifier: GPL-3.0-or-later
"""Walking: strides of one figure, in step, as the gait for every speed and every turn (Molnos 2010, 6: networks of cycles).

Straight strides lie in a row by their speed; speed and turn move the place between them. A stride that turns adds what it has
more than a straight one of its own speed. Slower than the slowest there are smaller and slower steps, down to a figure that
stands: its legs as they are when they bear it, all else at its mean.
"""

from dataclasses import replace

import numpy as np

from ..body.contacts import find_contacts
from ..body.figure import FEET
from ..body.roles import find_roles
from ..mixing.synchronized import Synchronized, Track
from ..motion.cycle import cycle_of
from ..motion.ground import Ground, rotated, turning
from ..motion.switches import of_whom
from ..numeric.refusal import Refusal
from ..numeric.time_map import along
from .strides import TURNS, placed

ONE_SPEED = 0.08  # of a speed: strides that differ less are mixed alike
PHASES = 400  # of a stride, at which it is known what is planted
FARTHEST = 1.3  # of the fastest stride: a figure that is to go faster would only hurry
SHARPEST = 1.2  # of what a stride turns that may be asked of it
FOOT_POINTS = tuple(point for points in FEET.values() for point in points)
AROUND = 1  # rounds before and after one whose contacts are looked for


class Walking:
    """Strides that are mixed by speed in metres a second, and by turn in radians to the left a metre.

    `world` (4, 4) leads from what the figure is carried in to the world.
    """

    def __init__(self, strides, missing, surroundings, world):
        self.strides, self.skeleton = strides, surroundings.skeleton
        rows = [[event.frame for event in stride.events] for stride in strides]
        self.in_step = Synchronized([stride.clip for stride in strides], rows, missing, surroundings, cyclic=True)
        self.mixer, self.ground, self.clip = self.in_step.mixer, self.in_step.ground, strides[0].clip
        lengths = self.in_step.lengths
        self.phases = (self.in_step.knots / lengths[:, None]).mean(axis=0)
        asides = [beside(path, world) for path in self.in_step.paths]
        self.metres = np.array([far for _, far in asides])
        self.seconds = lengths / self.clip.fps
        self.speeds, self.turns = self.metres / self.seconds, np.array([stride.turn for stride in strides]) / self.metres
        turned = np.array([stride.turn for stride in strides])
        self.straight = np.flatnonzero(np.abs(turned) <= TURNS)
        if not len(self.straight):
            raise Refusal("cycles: all of them turn, and going straight on needs one that does not; add a straight walk")
        self.groups = self._groups(self.straight[np.argsort(self.speeds[self.straight], kind="stable")])
        self.turning = [np.flatnonzero(way * turned > TURNS) for way in (1.0, -1.0)]  # to the left, to the right
        self.tracks = [Track(np.hstack([own, aside]), True) for own, (aside, _) in zip(self.mixer.signals, asides)]
        self.standing = self._standing()
        self.downs = np.array([self._downs(take) for take in range(len(strides))])

    def refuse_fast(self, speed):
        most = FARTHEST * self.speeds[self.straight].max()
        if speed > most:
            raise Refusal(f"speed: {speed:g} m/s is beyond {most:.2f} m/s, what the cycles allow; add a faster one")

    def weights(self, speeds, turns):
        """How much of each stride there is (moments, strides) at speeds and turns (moments,)."""
        result = self._by_speed(speeds)
        for takes in self.turning:
            if len(takes):
                share = np.clip(turns / self.turns[takes].mean(), 0.0, SHARPEST)[:, None]
                more = np.eye(len(self.strides))[takes].mean(axis=0) - self._by_speed(self.speeds[takes]).mean(axis=0)
                result = result + share * more
        return result

    def stride(self, speeds, turns):
        """How many metres a stride gets on, (moments,): smaller where the figure is slower than the slowest."""
        return (self.weights(speeds, turns) @ self.metres) * self.share(speeds)

    def share(self, speeds):
        """How much of a stride there is where a figure is slower than the slowest, 1 where it is not."""
        slowest = (self.groups[0] @ self.metres) / (self.groups[0] @ self.seconds)
        return np.sqrt(np.clip(speeds / slowest, 0.0, 1.0))

    def poses(self, phases, weights, shares):
        """The clip on the spot, how it is beside its path (moments, 4): ahead, left, up, turned; and rows of the first stride.

        `phases` count strides, the whole ones from strikes of the left foot; shares of 0 stand.
        """
        round_, rows = np.mod(phases, 1.0), []
        for own in self.in_step.knots:
            rows.append(along(np.column_stack([self.phases, own]), round_))
        signals = sum(weight[:, None] * track.at(own) for weight, track, own in zip(weights.T, self.tracks, rows))
        signals = self.standing + shares[:, None] * (signals - self.standing)
        near = np.mod(np.rint(rows[0]).astype(int), self.clip.frames - 1)
        switches = of_whom([stride.clip.switches for stride in self.strides], weights.argmax(axis=1), np.array(rows))
        clip = replace(self.clip, values=self.mixer.values(signals[:, :-4], near), switches=switches)
        return clip, signals[:, -4:], near

    def planted(self, phases, weights):
        """Which points of the feet are down, {point: (moments,)}."""
        at = np.floor(np.mod(phases, 1.0) * PHASES).astype(int) % PHASES
        shares = np.einsum("mt,tpm->pm", np.maximum(weights, 0.0), self.downs[:, :, at])
        return {point: share > 0.5 * np.maximum(weights, 0.0).sum(axis=1) for point, share in zip(FOOT_POINTS, shares)}

    def _groups(self, order):
        """Weights (groups, strides) of straight strides of nearly one speed, slowest first: between these nothing is mixed."""
        starts = [0, *(1 + np.flatnonzero(np.diff(np.log(self.speeds[order])) > ONE_SPEED))]
        members = [order[first:end] for first, end in zip(starts, [*starts[1:], len(order)])]
        return np.array([np.eye(len(self.strides))[own].mean(axis=0) for own in members])

    def _by_speed(self, speeds):
        """Weights of straight strides at speeds: distance and time are mixed, and speed is one through the other."""
        metres, seconds = self.groups @ self.metres, self.groups @ self.seconds
        speeds = np.clip(speeds, metres[0] / seconds[0], metres[-1] / seconds[-1])
        if len(self.groups) == 1:
            return np.repeat(self.groups, len(speeds), axis=0)
        one = np.clip(np.searchsorted(metres / seconds, speeds) - 1, 0, len(self.groups) - 2)
        faster = np.diff(metres)[one] - speeds * np.diff(seconds)[one]
        fraction = np.clip((speeds * seconds[one] - metres[one]) / faster, 0.0, 1.0)[:, None]
        return (1.0 - fraction) * self.groups[one] + fraction * self.groups[one + 1]

    def _standing(self):
        """Signals of the figure as it stands, from its slowest straight stride."""
        take = self.straight[np.argmin(self.speeds[self.straight])]
        stride, track = self.strides[take], self.tracks[take]
        signals = track.at(np.arange(stride.clip.frames - 1.0)).mean(axis=0)
        bearing = {}
        for side, other in (("left", "right"), ("right", "left")):
            row = next(event.frame for event in stride.events if event.name == f"{other} mid swing")
            bearing[side] = track.at(np.array([float(row)]))[0]
        roles, owners = find_roles(self.skeleton).table(), np.array([*self.mixer.owners, "", "", "", ""])
        for side, pose in bearing.items():
            leg = np.isin(owners, list(self.skeleton.below(roles[f"{side}_upper_leg"])))
            signals[leg] = pose[leg]
        carrying = np.isin(owners[:-4], [root.owner for root in self.ground.roots])
        signals[:-4][carrying] = 0.5 * (bearing["left"] + bearing["right"])[:-4][carrying]
        return signals

    def _downs(self, take):
        """Which points of the feet are down at each phase of a stride, (points, phases)."""
        once, knots = self.strides[take].clip, self.in_step.knots[take]
        ground = Ground([once], self.skeleton)
        cycle, path = cycle_of(once, ground)
        cycle = replace(cycle, turns=cycle.turns + self.strides[take].turn / cycle.length)
        many = placed(cycle.repeated(1 + 2 * AROUND), ground, path, once, "TRAVEL")
        contacts, start = find_contacts(many, self.skeleton), many.first_frame + AROUND * cycle.length
        frames = start + along(np.column_stack([self.phases, knots]), (np.arange(PHASES) + 0.5) / PHASES)
        result = np.zeros((len(FOOT_POINTS), PHASES), dtype=bool)
        for own, point in zip(result, FOOT_POINTS):
            for first, last in contacts[point]:
                own |= (first - 0.5 <= frames) & (frames <= last + 0.5)
        return result


def beside(path, world):
    """A path that goes straight on seen from who goes it evenly, (frames, 4): ahead, left, up in metres, and turned; and how
    many metres it goes."""
    places = path.places @ world[:3, :3].T
    gone = places[-1] - places[0]
    far, heading = float(np.hypot(gone[0], gone[1])), float(np.arctan2(gone[1], gone[0]))
    apart = places - places[0] - np.outer(np.linspace(0.0, 1.0, len(places)), gone)
    seen = rotated(turning(np.full(len(places), -heading)), apart.T).T
    side = -1.0 if np.linalg.det(world[:3, :3]) < 0 else 1.0
    turned = path.headings - side * heading
    turned -= 2.0 * np.pi * np.rint(turned.mean() / (2.0 * np.pi))
    seen = seen - (seen[:-1].mean(axis=0) * (1.0, 1.0, 0.0))
    return np.column_stack([seen, turned]), far
