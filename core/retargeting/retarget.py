# SPDX-License-Identifier: GPL-3.0-or-later
"""Retarget: a take of one figure on another, whatever their names, rests, rolls, modes, sizes and proportions."""

import numpy as np

from ..body.contacts import find_footing
from ..body.roles import find_roles
from ..body.upright import LYING, UPRIGHT, in_turned_world, lying_turn, on_its_ground, stood
from ..motion.clip import Clip
from ..motion.resample import resampled
from ..motion.skeleton import Skeleton
from .alignment import Alignment
from .bone_map import BoneMap, corrected, found_pairs
from .carry import Carry
from .feet import feet_of
from .hands import Hands
from .same_body import same_body, with_parts
from .stance import as_it_stands, stance_of

TRAVEL = ("STRIDES", "SPEED")


class Retarget:
    """What carries takes of one figure onto another; opened once for both, with a map if there is anything to say of bones.

    A `clip` of the one, with `contacts` where they are known, and one of the other's `own` tell how their soles lie, and how
    they stand where their rest does not.
    """

    def __init__(
        self,
        source: Skeleton,
        target: Skeleton,
        given: BoneMap = BoneMap(),
        clip: Clip | None = None,
        own: Clip | None = None,
        contacts: dict | None = None,
    ):
        twins = same_body(source, target)
        self.source, self.target = on_one_ground(stood(source), stood(with_parts(target, source, twins)), clip, own)
        onto = as_it_stands(stance_of(self.target, own))
        self.target = onto.skeleton
        if own is not None and own.frames > 2:
            onto = onto.on_soles(own, find_footing(own, on_its_ground(self.target, own), find_roles(self.target))[0])
        stance = as_it_stands(stance_of(self.source, clip, "the take's figure"))
        self.source = stance.skeleton
        self.footing = None
        if clip is not None:
            found, ground = find_footing(clip, self.source, find_roles(self.source))
            self.footing = contacts or found, ground
            stance = stance.on_soles(clip, self.footing[0])
        bones = twins or found_pairs(self.source, self.target, stance.roles, onto.roles)
        self.pairs = corrected(bones, self.source, self.target, given)
        self.alignment = Alignment(stance, onto, self.pairs)
        self.carry = Carry(self.alignment, {index for index, other in self.pairs.items() if bones.get(index) != other})

    @property
    def names(self) -> dict[str, str]:
        """Which bone follows which, {bone of the figure: bone of the take's figure}."""
        bones, others = self.target.bones, self.source.bones
        return {bones[index].name: others[other].name for index, other in self.pairs.items()}

    def __call__(self, clip: Clip, feet: bool = True, hands: bool = False, travel: str = "STRIDES") -> Clip:
        """A take on the other figure; feet planted as in the take, hands where they touch, if that is asked for."""
        result = self.carry(clip)
        if hands:
            result = Hands(self.alignment, clip)(result)
        if feet and not self.alignment.alike:
            footing = self.footing or find_footing(clip, self.source, find_roles(self.source))
            result = feet_of(clip, self.source, footing, self.alignment.scale)(result, self.target)
        return kept_speed(result, self.alignment.scale) if travel == "SPEED" else result


def on_one_ground(source, target, clip=None, own=None):
    """Both skeletons in worlds in which they stand: a take that lies as a whole, as those of files with another axis up do, is
    put on its feet, and the target with it if it lies the same way."""
    turn = None if clip is None else lying_turn(source, clip)
    if turn is None:
        return source, target
    body = stance_of(target, own).body
    alike = body[2, 2] < LYING and (turn @ body)[2, 2] > UPRIGHT
    return in_turned_world(source, turn), in_turned_world(target, turn) if alike else target


def kept_speed(clip, scale):
    """A clip as much faster as its figure is smaller, so that it goes as many metres a second."""
    rows = np.linspace(0.0, clip.frames - 1.0, max(3, round((clip.frames - 1) * scale) + 1))
    return resampled(clip, rows)
