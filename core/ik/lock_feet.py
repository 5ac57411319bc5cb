# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted feet and hands stay where they are: a take, or an edit that is one, with one place for every stand.

The same solve that keeps feet planted in an edit (planted_feet), with the clip as its own source.
"""

from ..body.body import Body
from .planted_feet import Grip, Solver


def lock_feet(clip, skeleton, contacts=None, amount=1.0, beside=None):
    """A clip whose planted feet and hands stay in place; contacts are found unless they are given.

    `beside` is a clip of what else the figure does and will go on doing.
    """
    return locked(Body(clip.with_clip(beside), skeleton), contacts, Grip(amount, "MIDDLE"), beside).without(beside)


def locked(body, contacts, grip, beside=None):
    """The clip of a body whose feet and hands are held as a Grip, or what has the same fields, says."""
    return Solver(body, contacts, "LOCKED", grip, beside)(body.clip)[0]
