# SPDX-License-Identifier: GPL-3.0-or-later
"""What is planted when in a take, as the animator has it or else as it is found."""

from .body import Body
from .figure import FEET
from .roles import find_roles


def planted_points(clip, surroundings):
    """Contacts of a take; nothing for what has no feet."""
    if not has_feet(surroundings):
        return {}
    whole = clip.with_clip(surroundings.beside)
    return surroundings.contacts() or Body(whole, surroundings.skeleton).contacts


def has_feet(surroundings):
    """Whether there is a figure with both feet."""
    skeleton = surroundings.skeleton
    if skeleton is None or not skeleton.bones:
        return False
    roles = find_roles(skeleton).table()
    return all(roles[foot] for foot in FEET)
