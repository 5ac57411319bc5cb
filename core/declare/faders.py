# SPDX-License-Identifier: GPL-3.0-or-later
"""Faders: gains of the bands of a motion, as the equalizer and its automation declare and read them."""

from dataclasses import replace

import numpy as np

from ..numeric.bands import HZ_BANDS, band_edges, band_label
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .params import choice, marks, number, numbers, points, records, table, whole, words

EACH_GAIN = (
    "How much of what moves at this pace there is in the result: 1 leaves it as it is, 0 takes it out, 2 doubles "
    "it, below 0 turns it over"
)
FADER = (-1.0, 3.0)  # what a fader spans: unchanged is in the middle


@frozen
class BandGain:
    """A band, and its gain over time."""

    band: int = whole(0, "Which band, counted from 0, the finest; as many as there are bands is the posture", 0, 64)
    keys: tuple = points("Gains over time, [frame, gain]; straight in between, and as at the first and last beyond them")
    gain_from: str = words("", 'Curve of the take that is the gain, as path[index], such as ["gain 2-4 Hz"][0]')
    limb: str = words("", "Bone to which, with everything below it, this gain applies; empty is the whole figure")


@frozen
class EqualizeParams:
    """Gains of the octave bands of a motion."""

    gains: tuple = numbers(
        "Gain of each band, finest first: 1 leaves it, 0 removes it, 2 doubles it, negative turns it over",
        EACH_GAIN,
        -4.0,
        4.0,
        item=1.0,
        slider_range=FADER,
    )
    dc_gain: float = number(
        1.0,
        "Gain of the posture that the motion moves around, measured from the rest pose",
        -4.0,
        4.0,
        label="Posture",
        slider_range=FADER,
    )
    mute: tuple = marks("Bands that are silenced, whatever their gain", "Silence this band, whatever its fader says")
    solo: tuple = marks("Bands that are heard alone; the posture stays", "Show this band alone; the posture stays")
    limbs: dict = table(
        "Gains of their own for a bone and everything below it, by bone name",
        EACH_GAIN,
        -4.0,
        4.0,
        item=1.0,
        like="gains",
        slider_range=FADER,
    )
    target: str = choice(
        "ROTATIONS",
        "What the faders act on",
        (
            ("ROTATIONS", "Rotations", "Bone rotations and whatever else is keyed: limbs keep their length"),
            ("POSITIONS", "Squash & Stretch", "Joint positions: limbs stretch and squash like rubber"),
        ),
        label="Act On",
    )
    boundary: str = choice(
        "AUTO",
        "How the motion goes on before its first and after its last frame",
        (
            ("AUTO", "Automatic", "It starts again if it is a loop, and swings back if not"),
            ("REFLECT", "Reflect", "It swings back as it came, keeping speed and direction where it ends"),
            ("HOLD", "Hold", "It stands still"),
            ("CYCLE", "Cycle", "It starts again, for loops"),
        ),
        label="Past the Take",
    )
    bands: str = choice(
        "HZ",
        "What the bands are counted in, and how sharply they part",
        (
            ("HZ", "Hz", "Octaves of Hz, the same at every frame rate; neighbours overlap gently"),
            ("SHARP", "Hz, Sharp", "Octaves of Hz that hardly overlap: a fader moves its octave alone, and rings a little"),
            ("FRAMES", "Frames", "Octaves of frames, as many as the take is long"),
        ),
    )
    amount: float = number(1.0, "How much of what the faders say is done: 0 leaves the motion, 1 is all of it", 0.0, 2.0)
    automation: tuple = records("Gains that change over the take as JSON, each with its band and its keys or curve", BandGain)
    crossfade: float = number(
        0.1, "How long a sudden change of a gain takes, so that it does not click", 0.0, 10.0, "s", slider_range=(0.0, 1.0)
    )


def fit(params, frames, fps):
    """Gains as many as the take has bands: a fader bank is set without knowing how long the take will be."""
    count = len(band_edges(params.bands, fps, frames))

    def fitted(gains):
        return (tuple(gains) + (1.0,) * count)[:count]

    marked = {name: tuple(band for band in getattr(params, name) if band <= count) for name in ("mute", "solo")}
    return replace(
        params, gains=fitted(params.gains), **marked, limbs={name: fitted(gains) for name, gains in params.limbs.items()}
    )


def ends_of(params, surroundings):
    """How the motion goes on beyond its ends: what the animator lets repeat is a loop unless something else is said."""
    return "CYCLE" if params.boundary == "AUTO" and surroundings.loop else params.boundary


def gain_matrix(params, count, owners, skeleton):
    """Gains (bands + 1,), or (bands + 1, signals) where limbs have their own; mute, solo and posture included."""
    common = band_gains("gains", params.gains, count)
    rows = {name: band_gains(f"limbs {name}", gains, count) for name, gains in params.limbs.items()}
    for band in (*params.mute, *params.solo):
        if band > count:
            raise Refusal(f"mute and solo: there is no band {band}; there are {count}, and {count} is the posture")
    heard = np.ones(count + 1)
    if params.solo:
        heard[:count] = 0.0
        heard[list(params.solo)] = 1.0
    heard[list(params.mute)] = 0.0
    common = np.append(common, params.dc_gain) * heard
    if not rows:
        return so_much(params.amount, common)
    matrix = np.repeat(common[:, None], len(owners), axis=1)
    # Parents first: where limbs hang on each other, the nearer one counts.
    for name, gains in sorted(rows.items(), key=lambda row: skeleton.index(row[0]) if skeleton else 0):
        limb = skeleton.below(name) if skeleton else {name}
        columns = [column for column, owner in enumerate(owners) if owner in limb]
        if not columns:
            raise Refusal(f"limbs: no curve in scope belongs to {name} or a bone below it")
        matrix[:, columns] = (np.append(gains, params.dc_gain) * heard)[:, None]
    return so_much(params.amount, matrix)


def so_much(amount, gains):
    """Gains moved towards those that change nothing, or away from them."""
    return gains if amount == 1.0 else 1.0 + amount * (gains - 1.0)


def band_gains(name, gains, count):
    if gains and len(gains) != count:
        raise Refusal(f"{name}: {len(gains)} given, but there are {count} bands")
    return np.array(gains or np.ones(count))


def item_label(name, index, params, fps):
    """What a fader is called where the take is not known; nothing for one that a take of this rate cannot have."""
    if params.bands == "FRAMES" or index >= HZ_BANDS:
        return f"Band {index}"
    low, high = band_edges("HZ", fps, 1)[index]
    return band_label(low, high) if low < 0.5 * fps else ""
