# SPDX-License-Identifier: GPL-3.0-or-later
"""Words: stretches of a library by what is measured of them, such as speed > 1.5, turn < 20, hands above head."""

import re
from typing import NamedTuple

import numpy as np

from ..numeric import scipy
from ..numeric.refusal import Refusal
from .features import RATE
from .find import Hit, check
from .measures import EVERY, MEASURES, NAMES, Measure

TOLD = re.compile(r"([a-z]+)\s*(<=|>=|<|>|=)\s*([0-9.]+)\s*(\S*)", re.IGNORECASE)
OVER = (  # of a stretch as a whole
    Measure("seconds", "s", "How long the stretch is"),
    Measure("strides", "", "How many strides there are in it"),
)
UNITS = {
    "": 1.0, "m/s": 1.0, "km/h": 1 / 3.6, "m": 1.0, "cm": 0.01, "mm": 0.001, "s": 1.0,
    "°": 1.0, "°/s": 1.0, "deg": 1.0, "deg/s": 1.0, "%": 0.01,
}  # fmt: skip
PHRASES = {
    "hands above head": "hands > 0",
    "hands up": "hands > 0",
    "loops": "loops > 0.7, energy > 0.2",
    "jumps": "jump > 0.1",
    "jump": "jump > 0.1",
    "stands": "speed < 0.15, hips > 0.85",
    "still": "speed < 0.1, energy < 0.15",
    "sits": "hips < 0.65",
    "walks": "speed = 1.2, jump < 0.05, strides >= 1",
    "runs": "speed > 2, strides >= 1",
}
AROUND = 0.25  # of a value: as near as what is asked to be equal has to be
BRIDGED = 2  # moments: a shorter gap is none
SHORTEST = 2  # moments


class Condition(NamedTuple):
    """A measure, how it is compared, and with what."""

    name: str
    sign: str
    value: float

    def holds(self, values):
        return SIGNS[self.sign](values, self.value)


SIGNS = {
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "=": lambda values, value: np.abs(values - value) <= AROUND * abs(value),
}


def read_words(text):
    """The conditions that a text states, or a Refusal that says which part of it makes no sense."""
    said = [part.strip() for part in re.split(r",|;|\band\b", text) if part.strip()]
    if not said:
        raise Refusal(f"words: nothing is asked for; say such as speed > 1.5, turn < 20 ({', '.join(known_words())})")
    return tuple(condition for part in said for condition in read_part(part))


def read_part(part):
    if part.lower() in PHRASES:
        return read_words(PHRASES[part.lower()])
    told = TOLD.fullmatch(part)
    if not told or told[1].lower() not in (*NAMES, *(measure.name for measure in OVER)):
        raise Refusal(f"words: {part!r} is nothing that is measured; there are {', '.join(known_words())}")
    try:
        value = float(told[3]) * UNITS[told[4].lower()]
    except (ValueError, KeyError):
        raise Refusal(f"words: {told[3]}{told[4]} in {part!r} is no number with a unit that is known") from None
    return (Condition(told[1].lower(), told[2], value),)


def known_words():
    return (*NAMES, *(measure.name for measure in OVER), *PHRASES)


def find_words(library, text, count=20):
    """The stretches for all of whose moments it holds what a text says, the longest first."""
    conditions = read_words(text)
    check(library)
    good = np.ones(len(library.measures), dtype=bool)
    over = [condition for condition in conditions if condition.name not in NAMES]
    for condition in conditions:
        if condition not in over:
            good &= condition.holds(library.measures[:, NAMES.index(condition.name)])
    hits = []
    for first, end in runs(good, library.starts):
        length = (end - first) * EVERY / RATE
        strides = library.measures[first:end, NAMES.index("steps")].sum() / 2.0
        if all(condition.holds({"seconds": length, "strides": strides}[condition.name]) for condition in over):
            hits.append((length, first, end))
    hits.sort(key=lambda each: (-each[0], each[1]))
    return [stretch(library, first, end) for _, first, end in hits[:count]]


def runs(good, starts):
    """First and behind the last moment of every stretch in which all is good but for short gaps, none across two takes."""
    gap = BRIDGED + 1  # between takes, which nothing bridges
    takes = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    moments = np.arange(len(good)) + gap * (takes + 1)
    spread = np.zeros(len(good) + gap * len(starts), dtype=bool)
    spread[moments] = good
    edges = np.flatnonzero(np.diff(scipy.ndimage.binary_closing(spread, np.ones(gap)).astype(np.int8), prepend=0))
    for first, end in zip(edges[::2], edges[1::2]):
        if end - first >= SHORTEST:
            begin = int(np.searchsorted(moments, first))
            yield begin, begin + int(end - first)


def stretch(library, first, end):
    index = int(library.take[first])
    entry, begin = library.entries[index], library.starts[index]
    rows = (first - begin) * EVERY, (end - 1 - begin) * EVERY
    frames = [entry.first_frame + round(float(row) * entry.fps / RATE) for row in rows]
    return Hit(entry.path, entry.figure, *frames, False, 0.0, index)


def told(library, hit):
    """What is measured of a stretch, in words."""
    start, rate = library.starts[hit.take], RATE / library.entries[hit.take].fps / EVERY
    first, last = (int((frame - library.entries[hit.take].first_frame) * rate) for frame in (hit.first, hit.last))
    rows = library.measures[start + max(0, first) : min(start + last + 1, library.starts[hit.take + 1])]
    if not len(rows):
        return ""
    shown = dict(zip(NAMES, rows.mean(axis=0))) | {"jump": rows[:, NAMES.index("jump")].max()}
    pieces = [f"{shown['speed']:.2f} m/s"]
    pieces += [f"turns {shown['turn']:.0f} °/s"] if shown["turn"] >= 10.0 else []
    pieces += [f"jumps {100 * shown['jump']:.0f} cm"] if shown["jump"] > 0.05 else []
    pieces += ["hands above head"] if shown["hands"] > 0.5 else []
    return ", ".join(pieces)


__all__ = ["MEASURES", "OVER", "find_words", "known_words", "read_words", "told"]
