# SPDX-License-Identifier: GPL-3.0-or-later
"""Life: a few poses as the coarsest band, and the finer bands of another take on top (Bruderlin and Williams 1995, 2.1.2).

What an animator sketches with a few poses is where the figure is going; how it gets there, sway, bounce and nerves, comes from
any take of the same skeleton, each octave as much as is asked for.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...declare.params import number, numbers, words
from ...declare.technique import Technique
from ...motion.chart import Chart
from ...motion.match import common, matched
from ...numeric.bands import Bank, band_label
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal


@frozen
class LifeParams:
    """Which take gives life, and how much of it."""

    take: str = words("", "Action of the same skeleton whose finer motion is added to the poses", names="action")
    amount: float = number(1.0, "How much of it is added; beyond 1 more than the take has", 0.0, 4.0, slider_range=(0.0, 2.0))
    slowest: float = number(
        0.5,
        "Octaves that are slower than this stay those of the poses",
        0.02,
        60.0,
        "Hz",
        label="Slowest (Hz)",
        slider_range=(0.1, 8.0),
    )
    gains: tuple = numbers(
        "How much of each octave is added, the fastest first; none for all alike", "How much of this octave", 0.0, 10.0, 1.0
    )
    later: float = number(0.0, "How much later in the other take it begins", 0.0, 3600.0, "s", slider_range=(0.0, 10.0))


def life(clip, surroundings):
    """Bring a few poses to life: sway, bounce and nerves of another take on top of them.

    The bands of the other take are found once; dragging the amount adds them up anew.
    """
    own = lru_cache(maxsize=1)(lambda: Chart(clip, surroundings.angles_apart))

    @lru_cache(maxsize=4)
    def bands_of(name, later):
        if name not in surroundings.takes:
            raise Refusal(f"take: there is no action {name}")
        other = matched(clip, surroundings.takes[name])[0]
        begin = round(later * clip.fps)
        if other.frames - begin < 2:
            raise Refusal(f"later: {later:g} s is after the end of {name}, which lasts {(other.frames - 1) / clip.fps:.2f} s")
        rows = to_and_fro(other.frames - begin, clip.frames) + begin
        chart = Chart(
            replace(other.with_values(other.values[rows], rows), first_frame=clip.first_frame), surroundings.angles_apart
        )
        bank = Bank(chart.signals, clip.fps, "HZ", "REFLECT")
        pairs = columns_of(own(), chart, clip, surroundings.takes[name])
        return bank, pairs, lru_cache(maxsize=len(bank.edges))(lambda band: bank.in_band(band)[:, pairs[:, 1]])

    def process(params):
        if not params.take or params.amount == 0.0:
            return clip
        bank, pairs, band_of = bands_of(params.take, params.later)
        signals = np.array(own().signals)
        for band, (low, high) in enumerate(bank.edges):
            gain = params.gains[band] if band < len(params.gains) else 1.0
            if np.sqrt(low * high) >= params.slowest and gain:
                signals[:, pairs[:, 0]] += params.amount * gain * band_of(band)
        return clip.with_values(own().values(signals))

    return process


def to_and_fro(frames, wanted):
    """Rows of so many frames that go to the end, back, and to the end again, until there are enough."""
    turn = np.arange(wanted) % (2 * (frames - 1))
    return np.minimum(turn, 2 * (frames - 1) - turn)


def columns_of(own, other, clip, take):
    """Columns (pairs, 2) of signals of two charts that are of the same bone and kind; those that the take lacks are none."""
    shared = {clip.channels[column].owner for column in np.flatnonzero(common(clip, take))}
    places, pairs = {}, []
    for column, key in enumerate(zip(other.owners, other.kinds)):
        places.setdefault(key, []).append(column)
    for column, key in enumerate(zip(own.owners, own.kinds)):
        if places.get(key) and key[0] in shared:
            pairs.append((column, places[key].pop(0)))
    if not pairs:
        raise Refusal("take: it has none of the curves of the poses")
    return np.array(pairs)


def item_label(name, index, params, fps):
    """What an octave is called."""
    top = 128.0 / 2.0**index
    return band_label(top / 2.0, top)


LIFE = Technique(
    "life",
    "Life",
    LifeParams,
    life,
    item_label=item_label,
    needs=frozenset({"skeleton"}),
    waits="choose a take that gives life",
    wants=("take",),
    principal="amount",
    plants=True,
)
