# SPDX-License-Identifier: GPL-3.0-or-later
"""A take and what was made of it, held against each other: what stood in the one should stand in the other."""

from collections.abc import Mapping
from functools import cached_property

from ..body.contacts import find_contacts
from ..body.figure import FEET
from ..body.report import report
from ..body.roles import find_roles
from ..motion.clip import Clip
from ..motion.skeleton import Skeleton
from ..numeric.frozen import frozen
from ..numeric.height_field import HeightField
from ..numeric.refusal import Refusal
from ..physics.measures import physics_numbers


@frozen
class Measured:
    """A motion of an armature, ready to be measured."""

    clip: Clip
    skeleton: Skeleton
    keys: int
    kept: Mapping  # contacts that are kept with it
    moved: Mapping | None = None  # what should stand since its frames were moved in time
    ground: float | None = None  # how high it is, if that is known
    surface: HeightField | None = None  # what it was put on, if that is not level

    @cached_property
    def roles(self):
        return find_roles(self.skeleton)

    @cached_property
    def contacts(self):
        """What is planted when, as kept or else found; nothing without feet."""
        stands = any(self.roles.table()[foot] for foot in FEET)
        return self.kept or (find_contacts(self.clip, self.skeleton, self.roles) if stands else None)

    def report(self, contacts=None, ground=None, take=None):
        """All numbers; `take` is the clip that it was made from, by which it is known when it flies."""
        contacts = contacts or self.contacts
        ground = self.ground if ground is None else ground
        numbers = report(self.clip, self.skeleton, self.roles, contacts, ground, self.keys, self.surface)
        return numbers | physics_numbers(self.clip, self.skeleton, contacts, take)


def compared(before, after):
    """The report of a result and that of its take, or None without one."""
    if before is None:
        return after.report(), None
    numbers = before.report()
    same = before.clip.frames == after.clip.frames
    contacts = after.moved or after.kept or (before.contacts if same else None)
    return after.report(contacts, numbers["ground_m"], before.clip if same else None), numbers


def measured_run(run, keys_before, keys_after):
    """The take and the result of steps that were done, as they are in memory, each ready to be measured."""
    skeleton, moved = run.figure.skeleton, run.standing if run.moves else None
    kept = {} if run.moves else run.figure.contacts
    return Measured(run.before.clip, skeleton, keys_before, run.stood_before, ground=run.footing[1]), Measured(
        run.whole.clip, skeleton, keys_after, kept, moved, surface=run.surface
    )


def check_skeleton(skeleton, name):
    """The skeleton of something of this name, or a Refusal if it has no body that can be measured."""
    if skeleton is None:
        raise Refusal(f"{name} is no armature: there is no body to measure")
    if skeleton.led:
        raise Refusal(f"{skeleton.led[0]} is moved by constraints or drivers: bake the take to its bones first")
    return skeleton
