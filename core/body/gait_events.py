# SPDX-License-Identifier: GPL-3.0-or-later
"""Events: named moments that two takes have in common, by which they are brought in step (Ahmed 2001, section 5).

Of a gait they are found: a foot strikes, its toe leaves the ground, and halfway to its next strike it swings past. Of
anything else the animator names them, with markers of the same names in both takes. Both are a list of names and frames.
"""

from typing import NamedTuple

import numpy as np

from ..numeric.refusal import Refusal
from .contacts import events, find_contacts
from .figure import LEGS
from .roles import find_roles

KINDS = {"strike": "strikes", "toe off": "toe_offs", "mid swing": "mid_swings"}
SKIPPED = 4  # events on in a take to the next that has a twin: fewer than a stride may be missing, or steps would be lost
HOLE = 0.01  # of a pair that an event without a twin costs: of two ways to pair as many, the one with fewer of them
NAMED = 3  # events left out that are told by name
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
    if body is None or not all(body.table()[segment] for segment in LEGS):
        raise Refusal(f"events: no gait found in {name}, as its figure has no two legs; list anchors instead")
    steps = events(contacts or find_contacts(clip, skeleton, body), clip)
    if not all(foot["strikes"] for foot in steps.values()):
        never = " and ".join(foot.split("_")[0] for foot, found in steps.items() if not found["strikes"])
        raise Refusal(f"events: no gait found in {name}, as the {never} foot never strikes; list anchors instead")
    found = [
        Event(f"{foot.split('_')[0]} {kind}", frame)
        for foot, step in steps.items()
        for kind in kinds
        for frame in step[KINDS[kind]]
    ]
    return tuple(sorted(found, key=lambda event: event.frame))


def paired(own, others, name, other_name):
    """Frames of events that belong together, ((frame, frame of the other), ...), if both takes have the same in the same order.

    Otherwise a Refusal says which event is missing where.
    """
    for index in range(max(len(own), len(others))):
        mine, theirs = (events[index] if index < len(events) else None for events in (own, others))
        if mine is None or theirs is None or mine.name != theirs.name:
            raise Refusal(missing(own, others, index, name, other_name))
    return tuple((mine.frame, theirs.frame) for mine, theirs in zip(own, others))


class Twins(NamedTuple):
    """Events that two takes have in common, and those that only one of them has."""

    pairs: tuple  # (frame, frame of the other), in order
    lone: tuple  # events without a twin, of the one and of the other
    bounds: tuple  # of the one and of the other: frames of the last lone event before all pairs and the first after, or None

    def words(self, name, other_name):
        """What was left out, in a sentence; nothing where all events have their twins."""
        pieces = [left_out(events, called) for events, called in zip(self.lone, (name, other_name)) if events]
        return f"{len(self.pairs)} strikes and mid swings in step, without a twin are {' and '.join(pieces)}" if pieces else ""


def twins(own, others, name, other_name):
    """The longest row of events that both takes have in the same order, whatever one of them has before, after or in between.

    Where fewer than two belong together, no stretch of the takes is the same gait: a Refusal.
    """
    chain = longest_chain(own, others)
    if len(chain) < 2 and len(chain) < max(len(own), len(others)):
        raise Refusal(
            f"events: {name} and {other_name} have no two steps in a row in common, of {len(own)} and {len(others)} "
            "strikes and mid swings; list anchors instead"
        )
    lone, bounds = [], []
    for own_events, paired_indices in zip((own, others), zip(*chain)):
        alone = [index for index in range(len(own_events)) if index not in paired_indices]
        before, after = (
            [place for place in alone if place < paired_indices[0]],
            [place for place in alone if place > paired_indices[-1]],
        )
        lone.append(tuple(own_events[index] for index in alone))
        bounds.append((own_events[before[-1]].frame if before else None, own_events[after[0]].frame if after else None))
    return Twins(tuple((own[one].frame, others[other].frame) for one, other in chain), tuple(lone), tuple(bounds))


def longest_chain(own, others):
    """Indices in both lists, [(index, index), ...], of as many events of the same names as follow each other in both.

    An event counts less the farther it is, from the one before, off the pace of the two takes: a step that only one makes is
    no twin of one that the other makes much later.
    """
    if [event.name for event in own] == [event.name for event in others]:
        return [(index, index) for index in range(len(own))]
    frames, there = (np.array([event.frame for event in events], dtype=np.float64) for events in (own, others))
    alike = np.array([[mine.name == theirs.name for theirs in others] for mine in own], dtype=bool)
    score, before = np.where(alike, 0.0, -np.inf), np.full((*alike.shape, 2), -1)
    pace = usual_gap(frames) / usual_gap(there)
    for index in range(len(own)):
        for on in range(1, min(SKIPPED, index) + 1):
            for along in range(1, min(SKIPPED, len(others) - 1) + 1):
                gone, passed = frames[index] - frames[index - on], there[along:] - there[:-along]
                with np.errstate(divide="ignore", invalid="ignore"):
                    uneven = np.abs(np.log(gone / passed / pace))
                scored = score[index - on, :-along] + 1.0 - uneven - HOLE * (on + along - 2)
                better = alike[index, along:] & (passed > 0) & (gone > 0) & (scored > score[index, along:])
                score[index, along:][better] = scored[better]
                before[index, along:][better] = np.column_stack([np.full(len(passed), index - on), np.arange(len(passed))])[
                    better
                ]
    if not alike.any():
        return []
    chain = [np.unravel_index(np.argmax(score), score.shape)]
    while before[chain[0]][0] >= 0:
        chain.insert(0, tuple(before[chain[0]]))
    return [(int(one), int(other)) for one, other in chain]


def usual_gap(frames):
    """How many frames it mostly is from event to event."""
    gaps = np.diff(frames)
    return float(np.median(gaps[gaps > 0])) if (gaps > 0).any() else 1.0


def left_out(events, name):
    """Events of a take by name and frame, the first few of them."""
    told = [f"the {event.name} at {event.frame}" for event in events[:NAMED]]
    told += [f"{len(events) - NAMED} more"] * (len(events) > NAMED)
    return f"{', '.join(told[:-1])} and {told[-1]} of {name}" if len(told) > 1 else f"{told[0]} of {name}"


def missing(own, others, index, name, other_name):
    """Which event, in which take, is the first that has no counterpart."""
    takes = [(own, others, name, other_name), (others, own, other_name, name)]
    # Of two names that differ, the one that the other take has not got again is the one that is missing there.
    takes.sort(key=lambda take: index < len(take[0]) and take[0][index].name in [event.name for event in take[1][index:]])
    has, lacks, where, elsewhere = takes[0] if index < len(takes[0][0]) else takes[1]
    after = f"after its {lacks[index - 1].name} at frame {lacks[index - 1].frame}" if index else "at its start"
    return (
        f"events: the {has[index].name} at frame {has[index].frame} of {where} is missing in {elsewhere} {after}; add a "
        "marker there or delete this one"
    )
