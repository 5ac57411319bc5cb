# SPDX-License-Identifier: GPL-3.0-or-later
"""Events: named moments that two takes have in common, by which they are brought in step (Ahmed 2001, section 5).

Of a gait they are found: a foot strikes, its toe leaves the ground, and halfway to its next strike it swings past. Of
anything else the animator names them, with markers of the same names in both takes. Both are a list of names and frames.
"""

from typing import NamedTuple

from .contacts import events, find_contacts
from .limp import LEGS
from .refusal import Refusal
from .roles import find_roles

KINDS = {"strike": "strikes", "toe off": "toe_offs", "mid swing": "mid_swings"}
KEYS = ("strike", "mid swing")  # by which takes are brought in step: a toe leaves as the other foot strikes, and says no more


class Event(NamedTuple):
    """A moment and what happens then."""

    name: str
    frame: int


def gait_events(clip, skeleton, contacts=None, kinds=tuple(KINDS), name="the take"):
    """Find when feet strike, leave the ground and swing past: events in order of time, or a Refusal if there is no gait.

    `contacts` say what is planted when, if that is known.
    """
    body = find_roles(skeleton) if skeleton is not None else None
    if body is None or not all(body.table()[part] for part in LEGS):
        raise Refusal(f"events: no gait found in {name}, as its figure has no two legs; list anchors instead")
    steps = events(contacts or find_contacts(clip, skeleton, body), clip)
    if not all(foot["strikes"] for foot in steps.values()):
        never = " and ".join(foot.split("_")[0] for foot, found in steps.items() if not found["strikes"])
        raise Refusal(f"events: no gait found in {name}, as the {never} foot never strikes; list anchors instead")
    found = [Event(f"{foot.split('_')[0]} {kind}", frame) for foot, step in steps.items() for kind in kinds
             for frame in step[KINDS[kind]]]
    return tuple(sorted(found, key=lambda event: event.frame))


def paired(own, others, name, other_name):
    """Frames of events that belong together, ((frame, frame of the other), ...), if both takes have the same in the same order.

    Otherwise a Refusal says which event is missing where.
    """
    for place in range(max(len(own), len(others))):
        mine, theirs = (events[place] if place < len(events) else None for events in (own, others))
        if mine is None or theirs is None or mine.name != theirs.name:
            raise Refusal(missing(own, others, place, name, other_name))
    return tuple((mine.frame, theirs.frame) for mine, theirs in zip(own, others))


def missing(own, others, place, name, other_name):
    """Which event, in which take, is the first that has no counterpart."""
    takes = [(own, others, name, other_name), (others, own, other_name, name)]
    # Of two names that differ, the one that the other take has not got again is the one that is missing there.
    takes.sort(key=lambda take: place < len(take[0]) and take[0][place].name in [event.name for event in take[1][place:]])
    has, lacks, where, elsewhere = takes[0] if place < len(takes[0][0]) else takes[1]
    after = f"after its {lacks[place - 1].name} at frame {lacks[place - 1].frame}" if place else "at its start"
    return (f"events: the {has[place].name} at frame {has[place].frame} of {where} is missing in {elsewhere} {after}; add a "
            "marker there or delete this one")
