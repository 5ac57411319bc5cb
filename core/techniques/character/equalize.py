# SPDX-License-Identifier: GPL-3.0-or-later
"""Equalize: a fader for every octave of a motion (Bruderlin and Williams 1995, section 2)."""

import numpy as np

from ...declare.faders import EqualizeParams, fit, item_label
from ...declare.technique import Technique
from ...mixing.equalized import equalized
from ...motion.chart import Chart
from ...numeric.bands import Bank

MEASURED = 6000  # frames, from the middle of a longer take, that tell how much moves where


def equalize(clip, surroundings):
    """Raise and lower the octaves of a motion, from slow sway to fast jitter, over all of it or keyed."""
    return equalized(clip, surroundings)


def band_energies(clip, bands, boundary, angles_apart=False):
    """How much the rotations (or, without any, all channels) move in each band, relative to the liveliest band."""
    middle = max(0, (clip.frames - MEASURED) // 2)
    chart = Chart(clip.with_values(clip.values[middle : middle + MEASURED]), angles_apart)
    turning = [column for column, kind in enumerate(chart.kinds) if kind in ("ROTATION", "ANGLE")]
    signals = chart.signals[:, turning] if turning else chart.signals
    energies = np.sqrt(np.mean(Bank(np.asfortranarray(signals), clip.fps, bands, boundary).energies() ** 2, axis=1))
    return energies / max(energies.max(), 1e-12)


EQUALIZE = Technique(
    "equalize",
    "Equalizer",
    EqualizeParams,
    equalize,
    fit=fit,
    item_label=item_label,
    filters=True,
    needs=frozenset({"skeleton"}),
    plants=True,
    waits="move a fader or load a preset",
    principal="amount",
)
