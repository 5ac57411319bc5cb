# SPDX-License-Identifier: GPL-3.0-or-later
"""The one figure: built once for a take and handed to every step; nothing looks for the body on its own."""

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

from ..body.contacts import find_footing
from ..body.roles import find_roles, without_led_hands
from ..body.upright import on_its_ground, stood
from ..motion.clip import Clip
from ..motion.skeleton import Skeleton
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal


@frozen
class Figure:
    """Whose motion it is: its skeleton, with what the animator says of the body, and what is planted when, if that is kept."""

    skeleton: Skeleton | None = None
    contacts: Mapping = field(default_factory=dict)

    def __post_init__(self):
        if self.skeleton is not None and not self.skeleton.standing:
            object.__setattr__(self, "skeleton", stood(self.skeleton))

    def on_its_ground(self, clip: Clip) -> "Figure":
        """The figure in a world in which a take stands that lies as a whole."""
        upright = on_its_ground(self.skeleton, clip)
        return self if upright is self.skeleton else replace(self, skeleton=upright)

    @cached_property
    def roles(self):
        """Which bones are which parts of the body, those that only hands of a rig lead left out."""
        return without_led_hands(find_roles(self.skeleton), self.skeleton)

    def footing(self, clip: Clip) -> tuple[Mapping, float | None]:
        """What is planted when in a clip, found, and how high the ground is; nothing for what has no feet to be looked at."""
        try:
            return find_footing(clip, self.skeleton, self.roles) if self.skeleton is not None else ({}, None)
        except Refusal:  # whoever needs feet says so
            return {}, None
