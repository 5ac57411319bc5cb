# SPDX-License-Identifier: GPL-3.0-or-later
"""Harmonics: a cycle as waves that go once, twice, three times round while it goes round once (Molnos 2010, 4.7 to 5.2).

The first makes a walk swing, the second bob, those above make it crisp; three to seven are enough to look natural.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from ...cycles.cut import FEWEST
from ...cycles.spectra import PATH, Spectra
from ...declare.params import numbers, table, whole
from ...declare.scope import FAR
from ...declare.technique import Technique
from ...motion.ground import walked
from ...numeric.fourier import played
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal

EACH_GAIN = (
    "How much of this harmonic there is in the result: 1 leaves it as it is, 0 takes it out, 2 doubles it, below 0 "
    "turns it over"
)
EACH_PHASE = "How many degrees of its own wave this harmonic comes later"
FADER = (-1.0, 3.0)


@frozen
class HarmonicsParams:
    """How many harmonics, how much of each, when, and over how many frames."""

    harmonics: int = whole(
        0,
        "How many harmonics are kept; 0 keeps all, 3 to 7 look natural, fewer are light curves for characters far away",
        0,
        10_000,
    )
    gains: tuple = numbers(
        "Gain of each harmonic, slowest first: 1 leaves it, 0 removes it, 2 doubles it, negative turns it over",
        EACH_GAIN,
        -4.0,
        4.0,
        item=1.0,
        slider_range=FADER,
    )
    phases: tuple = numbers(
        "How much later each harmonic comes, slowest first, in degrees of its own wave",
        EACH_PHASE,
        -360.0,
        360.0,
        item=0.0,
        slider_range=(-180.0, 180.0),
    )
    limbs: dict = table(
        "Gains of their own for a bone and everything below it, by bone name",
        EACH_GAIN,
        -4.0,
        4.0,
        item=1.0,
        like="gains",
        slider_range=FADER,
    )
    limb_phases: dict = table(
        "Phases of their own for a bone and everything below it, by bone name",
        EACH_PHASE,
        -360.0,
        360.0,
        item=0.0,
        like="phases",
        slider_range=(-180.0, 180.0),
    )
    length: int = whole(0, "How many frames the cycle becomes; 0 keeps its length", 0, FAR, "frames")


def harmonics(clip, surroundings):
    """Raise, lower and delay the harmonics of a cycle, keep only the first of them, or give it another length.

    The waves are found once, so that a fader costs one product.
    """
    opened = cache(lambda: Spectra([clip], surroundings))

    def process(params):
        if params == HarmonicsParams():
            return clip
        refuse_short(clip, params)
        spectra = opened()
        spectrum, frames = spectra.spectrum(0), params.length or clip.frames - 1
        change = changes(params, len(spectrum.poses), spectra, surroundings.skeleton)
        count = len(change)
        signals = played(spectrum.poses[:count] * change[:, :-1], frames)
        signals = np.concatenate([signals, signals[:1]]) + np.outer(np.linspace(0.0, 1.0, frames + 1), spectra.drift(0))
        going = played(spectrum.going[:count] * change[:, -1:], frames, 0.5) / frames
        ground = spectra.ground
        path = beside(spectra.paths[0], going, ground.up)
        result = spectra.clip_of(signals)
        return result.with_values(ground.put_on(result.values, path, spectra.near(frames + 1))) if ground.roots else result

    return process


def beside(own, going, up):
    """The path of such steps and turns (frames, 4) that is, over the cycle, where the take's own is and leads the same way.

    Begun just where and as the take begins it would carry what a harmonic less leaves out of that one frame along all of the
    way, and lead aside.
    """
    steps, turns = going[:, : PATH - 1], going[:, PATH - 1]
    path = walked(own.places[0], own.headings[0], steps, turns, up)
    heading = own.headings[0] + middle(own.headings) - middle(path.headings)
    path = walked(own.places[0], heading, steps, turns, up)
    return replace(path, places=path.places + middle(own.places) - middle(path.places))


def middle(rows):
    """The mean over a cycle, its last row being the first again, of what rows (frames + 1, ...) do beside a straight way."""
    straight = np.multiply.outer(np.linspace(0.0, 1.0, len(rows)), rows[-1] - rows[0])
    return (rows - straight)[:-1].mean(axis=0)


def refuse_short(clip, params):
    for frames, name in ((clip.frames - 1, "the cycle"), (params.length or FEWEST, "length: the cycle")):
        if frames < FEWEST:
            raise Refusal(f"{name} has {frames} frame(s) before it begins again; it needs at least {FEWEST}")


def changes(params, count, spectra, skeleton):
    """What each wave of each signal, and last of the path, is multiplied by, (harmonics + 1, signals + 1)."""
    root = spectra.ground.roots[0].owner if spectra.ground.roots else ""
    owners = [*spectra.owners, root]
    tables = [
        owned(listed, rows, names, count, owners, skeleton)
        for listed, rows, names in (
            (params.gains, params.limbs, ("gains", 1.0)),
            (params.phases, params.limb_phases, ("phases", 0.0)),
        )
    ]
    result = tables[0] * np.exp(-1j * np.radians(tables[1]))
    result[0] = 1.0
    return result[: params.harmonics + 1] if params.harmonics else result


def owned(listed, limbs, name_and_item, count, owners, skeleton):
    """A list of numbers per harmonic for every owner, (harmonics + 1, owners), limbs with lists of their own included."""
    name, item = name_and_item
    result = np.repeat(filled(name, listed, item, count)[:, None], len(owners), axis=1)
    # Parents first: where limbs hang on each other, the nearer one counts.
    for limb, own in sorted(limbs.items(), key=lambda row: skeleton.index(row[0]) if skeleton else 0):
        bones = skeleton.below(limb) if skeleton else {limb}
        columns = [column for column, owner in enumerate(owners) if owner in bones]
        if not columns:
            raise Refusal(f"limbs: no curve in scope belongs to {limb} or a bone below it")
        result[:, columns] = filled(f"limbs {limb}", own, item, count)[:, None]
    return result


def filled(name, listed, item, count):
    if len(listed) > count - 1:
        raise Refusal(f"{name}: {len(listed)} given, but the cycle has {count - 1} harmonics")
    return np.array([item, *listed, *[item] * (count - 1 - len(listed))])


HARMONICS = Technique(
    "harmonics",
    "Harmonics",
    HarmonicsParams,
    harmonics,
    needs=frozenset({"skeleton"}),
    retimes=True,
    waits="move a fader, or choose how many harmonics are kept",
    principal="harmonics",
)
