# SPDX-License-Identifier: GPL-3.0-or-later
"""Run: all steps of a recipe on a take, in memory."""

from collections.abc import Mapping
from functools import cache

from ..body.contacts import find_contacts
from ..declare.technique import Surroundings
from ..motion.clip import Clip
from ..motion.skeleton import Skeleton
from .recipe import Recipe


def run(
    recipe: Recipe,
    clip: Clip,
    skeleton: Skeleton | None = None,
    *,
    takes: Mapping = {},  # noqa: B006, it is read only
    curves: Mapping = {},  # noqa: B006
    contacts: Mapping = {},  # noqa: B006
) -> Clip:
    """The take after all steps that are on. What stood in the take itself should stand after them."""
    original, found = clip, cache(lambda: dict(contacts) or (find_contacts(original, skeleton) if skeleton else {}))
    for step in recipe.steps:
        if step.on:
            same = original.frames == clip.frames and clip is not original
            surroundings = Surroundings(
                skeleton,
                takes=takes,
                curves=curves,
                contacts=found if same else lambda: dict(contacts),
                original=original if same else None,
            )
            clip = step.technique.run(clip, step.technique.fit(step.params, clip.frames, clip.fps), surroundings)
    return clip
