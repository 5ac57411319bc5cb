# SPDX-License-Identifier: GPL-3.0-or-later
"""Equalize: a fader for every octave of a motion (Bruderlin and Williams 1995, section 2)."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from .bands import HZ_BANDS, Bank, band_edges
from .chart import Chart
from .params import choice, marks, number, numbers, table
from .refusal import Refusal
from .stretch import Stretch
from .technique import Surroundings, Technique
from .underway import Underway, trend

MEASURED = 6000  # frames, from the middle of a longer take, that tell how much moves where
EACH_GAIN = ("How much of what moves at this pace there is in the result: 1 leaves it as it is, 0 takes it out, 2 doubles "
             "it, below 0 turns it over")
FADER = (-1.0, 3.0)  # what a fader spans: unchanged is in the middle


@dataclass(frozen=True)
class EqualizeParams:
    """Gains of the octave bands of a motion."""

    gains: tuple = numbers("Gain of each band, finest first: 1 leaves it, 0 removes it, 2 doubles it, "
                           "negative turns it over", EACH_GAIN, -4.0, 4.0, item=1.0, reach=FADER)
    dc_gain: float = number(1.0, "Gain of the posture that the motion moves around, measured from the rest pose",
                            -4.0, 4.0, label="Posture", reach=FADER)
    mute: tuple = marks("Bands that are silenced, whatever their gain", "Silence this band, whatever its fader says")
    solo: tuple = marks("Bands that are heard alone; the posture stays", "Show this band alone; the posture stays")
    limbs: dict = table("Gains of their own for a bone and everything below it, by bone name", EACH_GAIN, -4.0, 4.0,
                        item=1.0, like="gains", reach=FADER)
    target: str = choice("ROTATIONS", "What the faders act on", (
        ("ROTATIONS", "Rotations", "Bone rotations and whatever else is keyed: limbs keep their length"),
        ("POSITIONS", "Squash & Stretch", "Joint positions: limbs stretch and squash like rubber")), label="Act On")
    boundary: str = choice("AUTO", "How the motion goes on before its first and after its last frame", (
        ("AUTO", "Automatic", "It starts again if it is a loop, and swings back if not"),
        ("REFLECT", "Reflect", "It swings back as it came, keeping speed and direction where it ends"),
        ("HOLD", "Hold", "It stands still"),
        ("CYCLE", "Cycle", "It starts again, for loops")), label="Ends")
    bands: str = choice("HZ", "What the bands are counted in", (
        ("HZ", "Hz", "Octaves of Hz, the same at every frame rate"),
        ("FRAMES", "Frames", "Octaves of frames, as many as the take is long")))


def equalize(clip, surroundings):
    """Raise and lower the octaves of a motion, from slow sway to fast jitter.

    The process keeps charts and spectra, so that a fader costs one transform.
    """

    @lru_cache(maxsize=4)
    def opened(target, bands, boundary):
        place = PLACES[target](clip, surroundings, boundary)
        return place, Bank(place.signals, clip.fps, bands, boundary)

    def process(params):
        place, bank = opened(params.target, params.bands, ends_of(params, surroundings))
        gains = gain_matrix(params, len(bank.edges), place.owners, surroundings.skeleton)
        return place.clip_of(bank.weighted(gains), gains[-1].flat[0])

    return process


def ends_of(params, surroundings):
    """How the motion goes on beyond its ends: what the animator lets repeat is a loop unless something else is said."""
    return "CYCLE" if params.boundary == "AUTO" and surroundings.loop else params.boundary


def fit(params, frames, fps):
    """Gains as many as the take has bands: a fader bank is set without knowing how long the take will be."""
    count = len(band_edges(params.bands, fps, frames))

    def fitted(gains):
        return (tuple(gains) + (1.0,) * count)[:count]

    marked = {name: tuple(place for place in getattr(params, name) if place <= count) for name in ("mute", "solo")}
    return replace(params, gains=fitted(params.gains), **marked,
                   limbs={name: fitted(gains) for name, gains in params.limbs.items()})


def gain_matrix(params, count, owners, skeleton):
    """Gains (bands + 1,), or (bands + 1, signals) where limbs have their own; mute, solo and posture included."""
    common = band_gains("gains", params.gains, count)
    rows = {name: band_gains(f"limbs {name}", gains, count) for name, gains in params.limbs.items()}
    for place in (*params.mute, *params.solo):
        if place > count:
            raise Refusal(f"mute and solo: there is no band {place}; there are {count}, and {count} is the posture")
    heard = np.ones(count + 1)
    if params.solo:
        heard[:count] = 0.0
        heard[list(params.solo)] = 1.0
    heard[list(params.mute)] = 0.0
    common = np.append(common, params.dc_gain) * heard
    if not rows:
        return common
    matrix = np.repeat(common[:, None], len(owners), axis=1)
    # Parents first: where limbs hang on each other, the nearer one counts.
    for name, gains in sorted(rows.items(), key=lambda row: skeleton.index(row[0]) if skeleton else 0):
        limb = skeleton.below(name) if skeleton else {name}
        columns = [column for column, owner in enumerate(owners) if owner in limb]
        if not columns:
            raise Refusal(f"limbs: no curve in scope belongs to {name} or a bone below it")
        matrix[:, columns] = (np.append(gains, params.dc_gain) * heard)[:, None]
    return matrix


def band_gains(name, gains, count):
    if gains and len(gains) != count:
        raise Refusal(f"{name}: {len(gains)} given, but there are {count} bands")
    return np.array(gains or np.ones(count))


def band_energies(clip, bands, boundary, angles_apart=False):
    """How much the rotations (or, without any, all channels) move in each band, relative to the liveliest band."""
    middle = max(0, (clip.frames - MEASURED) // 2)
    chart = Chart(clip.with_values(clip.values[middle:middle + MEASURED]), angles_apart)
    turning = [column for column, kind in enumerate(chart.kinds) if kind in ("ROTATION", "ANGLE")]
    signals = chart.signals[:, turning] if turning else chart.signals
    energies = np.sqrt(np.mean(Bank(np.asfortranarray(signals), clip.fps, bands, boundary).energies() ** 2, axis=1))
    return energies / max(energies.max(), 1e-12)


def item_label(name, place, params, fps):
    """What a fader is called where the take is not known; nothing for one that a take of this rate cannot have."""
    if params.bands == "FRAMES" or place >= HZ_BANDS:
        return f"Band {place}"
    low, high = band_edges("HZ", fps, 1)[place]
    return band_label(low, high) if low < 0.5 * fps else ""


def band_label(low, high):
    """A band's range in Hz, as short as it can be said: 2-4 Hz, 1/8-1/4 Hz, 7.5-15 Hz."""
    return f"{frequency(low)}-{frequency(high)} Hz"


def frequency(value):
    return f"1/{1 / value:g}" if value < 1 and (1 / value).is_integer() else f"{value:.3g}"


class Rotations:
    """The chart of a clip as a place to filter in; of bands, with a boundary, where a figure goes slower than its strides is
    no part."""

    def __init__(self, clip, surroundings, boundary=""):
        self.clip = clip
        self.underway = Underway(clip, surroundings if boundary else Surroundings(), trend(boundary))
        self.chart = Chart(clip.with_values(self.underway.values), surroundings.angles_apart)
        self.signals, self.owners = self.chart.signals, self.chart.owners

    def clip_of(self, signals, posture=1.0):
        """Signals as a clip; the straight way that a figure goes belongs to its posture."""
        return self.clip.with_values(self.underway.back(self.chart.values(signals), self.underway.farther(posture)))


def positions(clip, surroundings, boundary=""):
    if surroundings.skeleton is None:
        raise Refusal("squash and stretch needs an armature")
    return Stretch(clip, surroundings.skeleton)


PLACES = {"ROTATIONS": Rotations, "POSITIONS": positions}

EQUALIZE = Technique("equalize", "Equalizer", EqualizeParams, equalize, fit=fit, item_label=item_label,
                     needs=frozenset({"skeleton"}), waits="move a fader or load a preset")
