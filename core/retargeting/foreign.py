# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes of other figures: carried over when a technique asks for them by name, once, and said so."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..motion.clip import Clip
from ..motion.skeleton import Skeleton
from ..numeric.refusal import Refusal
from .bone_map import BoneMap
from .retarget import Retarget


@dataclass(frozen=True, eq=False)
class Foreign:
    """A take of another figure: its clip, the skeleton that it is of, what that is called, and what stands when if it is
    known."""

    clip: Clip
    skeleton: Skeleton
    figure: str = ""
    contacts: dict | None = None


class Brought(Mapping):
    """Takes by name as this figure would play them: those of another are carried over first, and kept. `own` is a take of this
    one, which tells how it stands."""

    def __init__(self, takes: Mapping, skeleton: Skeleton | None, own: Clip | None = None):
        self.takes, self.skeleton, self.own = takes, skeleton, own
        self.kept: dict[str, tuple[Foreign, Clip]] = {}

    def __getitem__(self, name: str) -> Clip:
        take = self.takes[name]
        if not isinstance(take, Foreign):
            return take
        known = self.kept.get(name)
        if known is None or known[0] is not take:
            self.kept[name] = take, self.carrier(take, name)(take.clip)
        return self.kept[name][1]

    def __iter__(self) -> Iterator[str]:
        return iter(self.takes)

    def __len__(self) -> int:
        return len(self.takes)

    def foreign(self, name: str) -> Foreign | None:
        """The take itself, if it is of another figure."""
        take = self.takes[name]
        return take if isinstance(take, Foreign) else None

    def figure_for(self, name: str) -> Skeleton:
        """The skeleton that a take is carried onto, or a Refusal where none can be moved by its bones alone."""
        skeleton = self.skeleton
        if skeleton is None or skeleton.led or any(bone.measured for bone in skeleton.bones):
            raise Refusal(
                f"{name} is a take of another figure: bring it onto this one with Retarget first, and name the result"
            )
        return skeleton

    def carrier(self, take: Foreign, name: str, given: BoneMap = BoneMap()) -> Retarget:
        """What carries a take of another figure, and others of the same, onto this one."""
        return Retarget(take.skeleton, self.figure_for(name), given, take.clip, self.own, take.contacts)

    def words(self, names) -> str:
        """Which of the takes that a step names were carried over, in words."""
        told = [name for name in sorted(names) if name in self.kept]
        return "; ".join(f"{name} is retargeted from {self.kept[name][0].figure or 'another figure'}" for name in told)
