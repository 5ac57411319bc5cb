# SPDX-License-Identifier: GPL-3.0-or-later
"""Body: the limbs of a clip's figure, where they are over time, and the way back to the clip when they have been moved.

A foot or hand is the end of a limb that bends, or a control: a loose bone that hangs on no limb, which a rig's own
constraints follow. One that is only measured is brought where it is to be by its handle, the control that the rig has for
it. Everything is in the armature's space with the frames last: points and vectors (3, frames), axes (3, 3, frames).
"""

import copy
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..motion.leading import leading_rows
from ..motion.posing import KEPT, time_last
from ..motion.repose import reposed
from ..motion.skeleton import sub_skeleton
from ..numeric.refusal import Refusal
from ..numeric.vectors import length, turned
from .contacts import stand_once, uncut
from .figure import FEET, known_legs
from .more_feet import sides_in, whole_table
from .roles import find_roles, hangs_on, led, without_led_hands

LIMBS = {"foot": ("upper_leg", "lower_leg", "foot"), "hand": ("upper_arm", "lower_arm", "hand")}
SHORTEST = 1e-6  # of the leg: a bone without length bends nothing
SHEARED = 1e-3  # cosine between axes
NO_TURN = np.eye(4)[0][:, None]
STILL = 1e-6  # metres and radians that keys of an object differ by without moving it, as those of FBX files do


def body_of(clip, skeleton):
    """The body of a skeleton in a clip, found once for a clip that is not long: nobody is to write to it."""
    if skeleton is None or clip.frames * len(skeleton.bones) > KEPT:
        return Body(clip, skeleton)
    kept = clip.__dict__.setdefault("_bodies", {})
    if skeleton not in kept:
        kept[skeleton] = Body(clip, skeleton)
    elif kept[skeleton].clip is not clip:  # the same motion with other switches
        kept[skeleton] = copy.copy(kept[skeleton])
        kept[skeleton].clip = clip
    return kept[skeleton]


class Body:
    """A clip's limbs, {left_foot: indices of upper bone, lower bone and foot in the body's own skeleton, ...}, and controls,
    {left_foot: index, ...}."""

    def __init__(self, clip, skeleton):
        if skeleton is None:
            raise Refusal("there is no armature: foot lock needs one")
        roles = without_led_hands(find_roles(skeleton), skeleton)
        self.whole, self.figure, bones = skeleton, known_legs(skeleton, roles), whole_table(skeleton, roles)
        limbs = {
            f"{side}_{tip}": [bones.get(f"{side}_{part}") for part in parts]
            for side in sides_in(bones)
            for tip, parts in LIMBS.items()
        }
        chains = {end: chain for end, chain in limbs.items() if all(chain)}
        bent = {end: chain for end, chain in chains.items() if hangs_on(skeleton, *chain)}
        hips = {end: chain[0] for end, chain in chains.items() if end not in bent and not led(skeleton, chain[0])}
        pelvis = roles.pelvis or skeleton.bones[0].name
        handles = {
            each: skeleton.bones[skeleton.index(each)].handle for each in (pelvis, *(chain[2] for chain in chains.values()))
        }
        handles = {name: handle for name, handle in handles.items() if handle}
        self.skeleton = sub_skeleton(
            skeleton,
            {
                pelvis,
                *hips.values(),
                *(bone.name for bone in self.figure.skeleton.bones),
                *(name for chain in bent.values() for name in chain),
                *handles.values(),
            },
        )
        self.limbs = {end: [self.skeleton.index(name) for name in chain] for end, chain in bent.items()}
        self.controls = {end: self.skeleton.index(chain[2]) for end, chain in chains.items() if end not in bent}
        self.hips = {end: self.skeleton.index(name) for end, name in hips.items()}
        self.handles = {self.skeleton.index(name): self.skeleton.index(handle) for name, handle in handles.items()}
        self.mover = next(
            index
            for index in reversed(self.skeleton.chain(self.skeleton.index(handles.get(pelvis, pelvis))))
            if not self.skeleton.bones[index].connected and not self.skeleton.bones[index].measured
        )
        self.up = skeleton.up
        self.leg = self.figure.leg / np.linalg.norm(np.array(skeleton.world)[2, :3])
        self._pose(clip)

    def again(self, clip):
        """The body in another clip."""
        other = copy.copy(self)
        for seen in ("places", "stretches", "contacts"):
            other.__dict__.pop(seen, None)
        other._pose(clip)
        return other

    def _pose(self, clip):
        self.clip = clip
        self._refuse_stuck()
        self.posed = self.skeleton.posed(clip)
        self.axes, self.heads = map(time_last, self.posed)
        self._refuse_shapes()

    @property
    def ends(self):
        """Indices of feet and hands, limbs before controls, {left_foot: index, ...}."""
        return {end: self.bones(end)[-1] for end in (*self.limbs, *self.controls)}

    def bones(self, end):
        """Indices of a limb's three bones, or of a control alone."""
        return self.limbs.get(end) or [self.controls[end]]

    def joints(self, end):
        """Where hip, knee and ankle are, or shoulder, elbow and wrist."""
        return self.heads[self.limbs[end]]

    def root(self, end):
        """Where a limb begins; that of a control, where the rig does not tell, so near that it is always reached."""
        if end in self.limbs:
            return self.joints(end)[0]
        return self.heads[self.hips[end]] if end in self.hips else self.tip(end)[0] + 0.5 * self.leg * self.up[:, None]

    def lengths(self, end):
        """How long a limb is when it is straight, (frames,)."""
        if end in self.controls:
            return np.full(self.clip.frames, self.leg)
        root, middle, tip = self.joints(end)
        return length(middle - root) + length(tip - middle)

    def axes_of(self, end):
        """The axes of a limb's three bones, or of a control, without scale, one after the other."""
        return (self.axes[bone] / length(self.axes[bone]) for bone in self.bones(end))

    def tip(self, end):
        """Where the foot's or hand's joint is, and its axes."""
        return self.heads[self.ends[end]], self.axes[self.ends[end]]

    def carrying(self, end):
        """Indices of the bones that heel and toe, or the hand, are points of."""
        return [self._bone(self.figure.points.index(point)) for point in points_of(end)]

    def points(self, end):
        """Where heel and toe are, or the hand, (points, 3, frames)."""
        return np.array([self._point(self.figure.points.index(point)) for point in points_of(end)])

    def downs(self, end, contacts):
        """When the points of a foot or hand are planted, (points, frames)."""
        downs = np.zeros((len(points_of(end)), self.clip.frames), dtype=bool)
        for row, point in zip(downs, points_of(end)):
            for first, last in contacts.get(point, ()):
                row[max(0, first - self.clip.first_frame) : max(0, last - self.clip.first_frame + 1)] = True
        if len(downs) == 2:
            join(downs)
        return downs

    def level(self, downs):
        """The height on which feet stand, for most of the time that heel and toe are down."""
        feet = [end for end in downs if end.endswith("foot")]
        heights = [(self.up @ self.points(end).mean(axis=0))[downs[end].all(axis=0)] for end in feet]
        return float(np.median(np.concatenate(heights))) if any(map(len, heights)) else None

    @cached_property
    def places(self):
        """Where all points are in the world, (frames, points, 3)."""
        return self._in_world(np.array([self._point(index) for index in range(len(self.figure.points))]))

    @property
    def pelvis(self):
        """Where the pelvis is in the world, (frames, 3)."""
        return self._in_world(self.heads[self.skeleton.index(self.figure.skeleton.bones[self.figure.pelvis].name)])

    @cached_property
    def stretches(self):
        """Slices of frames between cuts, the first of them after poses that no body could move through into the take."""
        found = uncut(self.places, self.pelvis, self.clip.fps, self.figure.leg)
        edges = {0, leading_rows(self.clip, self.whole), self.clip.frames, *(rows.start for rows in found)}
        return [slice(*these) for these in pairwise(sorted(edges))]

    @cached_property
    def contacts(self):
        """What is planted when, as it is found: heels until they begin to come up."""
        return stand_once(self.clip, self.figure, lambda: (self.places, self.pelvis))[0]

    def clip_of(self, turns, shift, stretches, moves=(), own=None):
        """The clip with bones turned in their own spaces, {index: (4, frames)}, the pelvis shifted (3, frames), bones made
        longer, {index: factors (frames,)}, and controls moved, {index: (3, frames)}. `own` are frames (frames,) and the clip
        that they are of, as it is."""
        names = [bone.name for bone in self.skeleton.bones]
        turns, moves = self._handed_over(turns, moves)
        shifts = {}
        for index, move in {self.mover: shift, **moves}.items():
            if move.any():
                _, along, _ = self.skeleton.parented(index, *self.posed)
                shifts[names[index]] = np.linalg.solve(along, move.T[:, :, None])[:, :, 0].T
        return reposed(
            self.clip,
            self.whole,
            {names[index]: turn for index, turn in turns.items()},
            shifts,
            {names[index]: factors for index, factors in stretches.items() if np.any(factors != 1.0)},
            own,
        )

    def _handed_over(self, turns, moves):
        """Turns and moves of feet and hands that are only measured as those of their handles, about the same joints."""
        turns, moves = dict(turns), dict(moves)
        for index, handle in self.handles.items():
            turn, move = turns.pop(index, NO_TURN), moves.pop(index, 0.0)
            if not np.any(turn[1:]) and not np.any(move):
                continue
            turn = np.broadcast_to(turn, (4, self.clip.frames))
            own, other = (self.axes[each] / length(self.axes[each]) for each in (index, handle))
            about = np.concatenate([turn[:1], np.einsum("ijf,jf->if", own, turn[1:])])
            arm = self.heads[handle] - self.heads[index]
            turns[handle] = np.concatenate([turn[:1], np.einsum("ijf,if->jf", other, about[1:])])
            moves[handle] = move + turned(about, arm) - arm
        return turns, moves

    def _point(self, index):
        bone = self._bone(index)
        return self.heads[bone] + np.einsum("ijf,j->if", self.axes[bone], self.figure.offsets[index])

    def _bone(self, index):
        return self.skeleton.index(self.figure.skeleton.bones[self.figure.bones[index]].name)

    def _in_world(self, points):
        return np.moveaxis(points, -1, 0) @ self.figure.world[:3, :3].T + self.figure.world[:3, 3]

    def _refuse_stuck(self):
        for channel, values in zip(self.clip.channels, self.clip.values.T):
            if not channel.owner and channel.kind != "VALUE" and np.ptp(values) > STILL:
                raise Refusal(f"{channel} moves the whole armature: give that motion to its root bone before locking feet")
        for end, index in self.controls.items():
            if self.skeleton.bones[index].measured and index not in self.handles:
                raise Refusal(
                    f"no control moves bone {self.skeleton.bones[index].name}: say in the Rig panel, under "
                    f"{end.replace('_', ' ').title()} Control, which one does"
                )
            if self.skeleton.bones[index].connected:
                raise Refusal(
                    f"bone {self.skeleton.bones[index].name} hangs on no limb and cannot be moved either, as it "
                    f"is connected: choose another {end.replace('_', ' ')} in the table of body parts"
                )
        for end, (upper, _, tip) in self.limbs.items():
            for index in self.skeleton.chain(tip):
                if index > upper and not self.skeleton.bones[index].inherit_rotation:
                    raise Refusal(
                        f"bone {self.skeleton.bones[index].name} does not inherit rotation, so that the "
                        f"{end.replace('_', ' ')} cannot be brought into place"
                    )

    def _changing(self):
        """Whether limbs may be longer or skewed at some frames: bones are scaled, moved within them, or only measured."""
        within = {index for upper, _, tip in self.limbs.values() for index in self.skeleton.chain(tip) if index > upper}
        moved = {self.skeleton.bones[index].name for index in within}
        return any(bone.measured for bone in self.skeleton.bones) or any(
            channel.kind == "SCALE" or channel.kind == "LOCATION" and channel.owner in moved for channel in self.clip.channels
        )

    def _refuse_shapes(self):
        rows = slice(None if self._changing() else 1)  # or else one frame tells of all
        for end, limb in self.limbs.items():
            root, middle, tip = self.joints(end)[..., rows]
            for index, lengths in zip(limb, (length(middle - root), length(tip - middle))):
                if lengths.min() < SHORTEST * self.leg:
                    raise Refusal(
                        f"bone {self.skeleton.bones[index].name} has no length, so that the "
                        f"{end.replace('_', ' ')} cannot be brought into place; say which bones its limb has"
                    )
        bones = [index for end in self.ends for index in self.bones(end)]
        axes = np.moveaxis(self.axes[..., rows][bones], 0, 2)
        axes = axes / length(axes)
        skewed = np.abs(np.einsum("ijbf,ikbf->jkbf", axes, axes) - np.eye(3)[:, :, None, None]).max(axis=(0, 1, 3)) > SHEARED
        if skewed.any():
            raise Refusal(
                f"bone {self.skeleton.bones[bones[int(skewed.argmax())]].name} is skewed by the scale of its parents; give "
                "them the same scale along all axes"
            )


def points_of(end):
    """The points of a foot, heel and toe, or of a hand."""
    side, tip = end.rsplit("_", 1)
    return (f"{side}_heel", f"{side}_toe") if tip == "foot" else (end,)


def foot_controls(skeleton):
    """Names of what hangs on the handles of feet: controls that roll and spin a foot, and all that is measured of it."""
    roles = whole_table(skeleton, find_roles(skeleton))
    feet = [skeleton.bones[skeleton.index(name)] for role, name in roles.items() if name and role.endswith("_foot")]
    return set().union(*(skeleton.below(foot.handle) - {foot.handle} for foot in feet if foot.handle))


def join(downs):
    """Where a foot goes from one point to the other without both being down, have them both down at the frames between."""
    for point, other in (downs, downs[::-1]):
        ends = np.flatnonzero(point[:-1] & ~point[1:] & ~other[:-1] & other[1:])
        other[ends], point[ends + 1] = True, True


def planted_points(clip, surroundings):
    """Contacts of a take; nothing for what has no feet."""
    if not has_feet(surroundings):
        return {}
    whole = clip.with_clip(surroundings.beside)
    return surroundings.contacts() or body_of(whole, surroundings.skeleton).contacts


def has_feet(surroundings):
    """Whether there is a figure with both feet."""
    skeleton = surroundings.skeleton
    if skeleton is None or not skeleton.bones:
        return False
    roles = find_roles(skeleton).table()
    return all(roles[foot] for foot in FEET)
