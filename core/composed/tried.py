# SPDX-License-Identifier: GPL-3.0-or-later
"""A link tried out: the two takes joined and their feet held around it, and what that is like.

How alike two bodies are where they meet does not tell whether feet that stand in both can be held in between, and what holding
them does to knees. Joining a few seconds does.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..body.contacts import find_contacts
from ..body.figure import FEET, Legs
from ..body.report import slides_of
from ..body.roles import find_roles
from ..recipes.recipe import Recipe, Step
from ..recipes.run import run
from ..techniques import technique

FASTER = 1.2  # times as fast as the quickest joint of the two takes there may a joint become
RATE = 120.0  # rows a second at which a turn in a frame is judged; at fewer it may be as much farther
JUMPS = np.radians(10.0)  # farther than in the takes there may any joint turn in a frame, of 120 a second: half of what pops
SLIDES = 0.001  # metres that feet may slide while they stand, on average
BESIDE = 0.1  # seconds beside a transition in which joints of the takes are as quick as in it


class Proof(NamedTuple):
    """How much of what may be a link takes of the two: how fast its quickest joint becomes, how far any is beyond itself, and
    how far its feet slide."""

    faster: float
    jumps: float
    slides: float

    @property
    def cost(self):
        return max(self)


def proved(clip, link, skeleton, join, begun, seconds):
    """What a link from a clip is like that has `begun` at a frame, when the step `join` joins it, with some `seconds` of
    what follows."""
    span = round((0.5 * link.transition + BESIDE) * clip.fps)
    here = part(clip, begun, link.leave + span)
    there = part(link.clip, link.enter - span, link.enter + round(seconds * clip.fps))
    joined = run(Recipe((join,)), here, skeleton, takes={join.params.take: there})
    contacts = find_contacts(joined, skeleton)
    result = held(joined, skeleton, contacts)
    middle, first = link.leave - here.first_frame, link.enter - there.first_frame
    takes = np.maximum(quick(here, skeleton, middle, span), quick(there, skeleton, first, span))
    joints = quick(result, skeleton, middle, span)
    faster = joints.max() / max(takes.max(), 1e-9) - 1.0
    jumps = (joints - takes).max() * min(result.fps, RATE) / RATE
    later = {
        point: [[start, end] for start, end in spans if end >= link.leave - span] for point, spans in contacts.items()
    }  # what stood before stands as it does in the take
    return Proof(faster / (FASTER - 1.0), jumps / JUMPS, slid(result, skeleton, later) / SLIDES)


def held(joined, skeleton, contacts=None):
    """What was joined with its feet where they stand; what has none stays as it is."""
    contacts = find_contacts(joined, skeleton) if contacts is None else contacts
    lock = technique("lock")
    return run(Recipe((Step(lock, lock.params(contacts=contacts)),)), joined, skeleton)


def part(clip, first, last):
    """Some frames of a clip, as far as there are."""
    first, last = max(first, clip.first_frame), min(last, clip.last_frame)
    return replace(clip, values=clip.values[first - clip.first_frame : last - clip.first_frame + 1], first_frame=first)


def quick(clip, skeleton, row, span):
    """How far each joint of the body turns in a frame near a row at most, in radians, (joints,)."""
    roles = [name for name in find_roles(skeleton).table().values() if name]
    bones = [skeleton.index(name) for name in roles] or slice(None)
    rows = slice(max(0, row - span), row + span + 1)
    turns = skeleton.local(clip.with_values(clip.values[rows]))[0][:, bones]
    return turned(turns[1:], turns[:-1]).max(axis=0, initial=0.0)


def turned(one, other):
    """Angles in radians between turns (..., 3, 3)."""
    return np.arccos(np.clip((np.einsum("...ij,...ij->...", one, other) - 1.0) / 2.0, -1.0, 1.0))


def slid(clip, skeleton, contacts):
    """How far feet slide while they stand, on average, in metres; none where nobody stands."""
    roles = find_roles(skeleton)
    if not any(roles.table()[foot] for foot in FEET):
        return 0.0
    legs = Legs(skeleton, roles)
    return float(np.mean(slides_of(legs.places(clip)[0], legs, contacts, clip.first_frame) or [0.0]))
