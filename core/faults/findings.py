# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings: what is wrong with a take as bars, in its own time, and what becomes of each.

A finding is a bar of no other kind than contacts, pins and beats (core.motion.bars): its label says what it is, its bone whose,
its size how much. What is wrong with most bones in the same frames is one finding, of the whole figure.
"""

from dataclasses import replace

from ..declare.params import whole, words
from ..declare.scope import FAR
from ..motion.bars import FINDING, Bar
from ..numeric.frozen import frozen

SPIKE, FLIP, GAP, JITTER, T_POSE, SLIDE, KNEE, FLOOR = LABELS = (
    "spike",
    "flip",
    "gap",
    "jitter",
    "t-pose",
    "slide",
    "knee",
    "floor",
)
SAYINGS = {
    SPIKE: "{bone} jumps away and back, {size}",
    FLIP: "{bone} flips, {size}",
    GAP: "{bone} was lost, {size} off",
    JITTER: "{bone} trembles by {size}",
    T_POSE: "rest pose before the motion",
    SLIDE: "{bone} slides {size}",
    KNEE: "{bone} is {size} past straight",
    FLOOR: "the floor moves {size}",
}
MOST = 0.5  # of the bones that move: what these have in the same frames, the whole figure has
NEAR = 2  # frames


@frozen
class Marked:
    """A finding that somebody has decided about: what it is, whose, and a frame of it."""

    kind: str = words(SPIKE, "What it is: " + ", ".join(LABELS))
    bone: str = words("", "Bone or point of the body; none for the whole figure")
    frame: int = whole(1, "A frame of it", -FAR, FAR)

    def is_of(self, bar):
        return (self.kind, self.bone) == (bar.label, bar.bone) and bar.first <= self.frame <= bar.last


def finding(label, bone, first, last, size, unit):
    """A bar of what is wrong with a bone in some frames."""
    return Bar(FINDING, int(first), int(last), bone, round(float(size), 3), unit, label=label)


def with_states(found, kinds, fixed, ignored):
    """Findings, each with its state: "fixed", "ignored", or none; what is said of one counts more than of its kind."""
    states = []
    for bar in found:
        marked = "fixed" if any(mark.is_of(bar) for mark in fixed) else ""
        marked = "ignored" if any(mark.is_of(bar) for mark in ignored) else marked
        states.append(replace(bar, state=marked or ("fixed" if bar.label in kinds else "")))
    return tuple(states)


def gathered(found, bones):
    """Findings with those that most of so many bones have in the same frames made one of the whole figure, and the bones
    that it stands for, {finding of the figure: names}."""
    rest, groups = [], []
    for bar in sorted(found, key=lambda bar: (bar.label, bar.first, bar.last)):
        own = next((group for group in groups if together(group[0], bar)), None)
        own.append(bar) if own else groups.append([bar])
    stands_for = {}
    for group in groups:
        names = {bar.bone for bar in group}
        if len(names) > max(2, MOST * bones):
            first, last = min(bar.first for bar in group), max(bar.last for bar in group)
            worst = max(group, key=lambda bar: (bar.unit == "degrees", bar.size))
            figure = replace(worst, bone="", first=first, last=last)
            stands_for[figure] = frozenset(names)
            rest.append(figure)
        else:
            rest += group
    return sorted(rest, key=lambda bar: (bar.first, LABELS.index(bar.label), bar.bone)), stands_for


def together(one, other):
    """Whether two findings are of one kind and in the same frames, but for a few, or for a tenth of many."""
    allowed = max(NEAR, 0.1 * (one.last - one.first))
    return one.label == other.label and abs(one.first - other.first) <= allowed and abs(one.last - other.last) <= allowed


def said(bar):
    """A finding in words."""
    return SAYINGS[bar.label].format(bone=bar.bone.replace("_", " ") or "the whole figure", size=size_of(bar))


def in_short(bar):
    """A finding in very few words: its first frame, whose it is, what, and how much."""
    whose = bar.bone.replace("_", " ") or "figure"
    return f"{bar.first:.0f}  {whose}: {bar.label} {size_of(bar)}"


def size_of(bar):
    unit = {"degrees": "°"}.get(bar.unit, f" {bar.unit}")
    return f"{bar.size:.0f}{unit}" if bar.size >= 10 else f"{bar.size:.1f}{unit}"


def frames_of(bar):
    """The frames of a finding in words."""
    return f"frame {bar.first:.0f}" if bar.moment else f"frames {bar.first:.0f}-{bar.last:.0f}"


def counted(found):
    """How many there are of each kind, in words; that there are none, where there are none."""
    counts = {label: sum(bar.label == label for bar in found) for label in LABELS}
    return ", ".join(f"{count} {PLURALS[label][count > 1]}" for label, count in counts.items() if count) or "nothing found"


PLURALS = {
    SPIKE: ("spike", "spikes"),
    FLIP: ("flip", "flips"),
    GAP: ("gap", "gaps"),
    JITTER: ("tremble", "trembles"),
    T_POSE: ("rest pose", "rest poses"),
    SLIDE: ("slide", "slides"),
    KNEE: ("knee past straight", "knees past straight"),
    FLOOR: ("moving floor", "moving floors"),
}


def listed(found):
    """Findings as plain data, and each in words."""
    return [
        {
            "what": bar.label,
            "bone": bar.bone,
            "first": int(bar.first),
            "last": int(bar.last),
            "size": bar.size,
            "unit": bar.unit,
            "words": f"{frames_of(bar)}: {said(bar)}",
        }
        for bar in found
    ]
