# SPDX-License-Identifier: GPL-3.0-or-later
"""Automate: the equalizer as older recipes call it where its faders move; the equalizer itself does the same."""

from ...declare.faders import EqualizeParams, fit, item_label
from ...declare.technique import Technique
from ...mixing.equalized import equalized
from ...numeric.bands import band_label
from ...numeric.frozen import frozen


@frozen
class AutomateParams(EqualizeParams):
    """The faders of the equalizer, and those of them that move."""


def automate(clip, surroundings):
    """Raise and lower the octaves of a motion while it goes on, along keys or curves."""
    return equalized(clip, surroundings)


def curve_name(low, high):
    """The path of the curve that is meant to be a band's gain, such as ["gain 2-4 Hz"]."""
    return f'["gain {band_label(low, high)}"]'


AUTOMATE = Technique(
    "automate",
    "Automation",
    AutomateParams,
    automate,
    fit=fit,
    item_label=item_label,
    filters=True,
    needs=frozenset({"skeleton"}),
    plants=True,
    waits="key a gain or move a fader",
    principal="amount",
)
