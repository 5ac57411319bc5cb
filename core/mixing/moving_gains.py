# SPDX-License-Identifier: GPL-3.0-or-later
"""Faders that move as the take plays (Kenwright, section 3: filtering over short times).

The equalizer's bands are signals as long as the take that add up to it, so that a gain may change from frame to frame: the
result is the sum of bands, each times its gain at that frame. Short-time Fourier windows would do the same less well: they
smear a change of gain over a window, meet the plain equalizer only approximately, and cannot tell the slowest bands apart.
Here a gain of 1 is the take itself to the bit, before, after and between changes, and bands that keep their gain are the
plain equalizer's.
"""

from dataclasses import replace

import numpy as np

from ..declare.faders import BandGain, gain_matrix, so_much
from ..declare.params import build
from ..numeric.refusal import Refusal


def moving(clip, params, skeleton, domain, bank, band_of):
    """The clip of a domain whose bands have gains that move; `band_of(band)` gives the signals of one."""
    count = len(bank.edges)
    constant = gain_matrix(params, count, domain.owners, skeleton)
    constant = np.repeat(constant[:, None], len(domain.owners), axis=1) if constant.ndim == 1 else constant
    heard = gain_matrix(replace(params, amount=1.0, gains=(), dc_gain=1.0, limbs={}), count, domain.owners, skeleton)
    keyed, changes, posture = read(params.automation, count), {}, constant[-1, 0]
    for gain in ordered(keyed, skeleton):
        columns = owned(gain.limb, domain.owners, skeleton)
        gains = so_much(params.amount, heard[gain.band] * gains_over(gain, clip))
        change = changes.setdefault(gain.band, np.zeros(domain.signals.shape))
        constant[gain.band, columns] = gains[0]
        change[:, columns] = faded(gains - gains[0], params.crossfade * clip.fps)[:, None]
    signals = bank.weighted(constant)
    for band, change in changes.items():
        if change.any():  # a fader that stands still is the plain equalizer's
            signals += change * band_of(band)
    return without_gains(domain.clip_of(signals, posture), clip, keyed)


def read(rows, count):
    """The gains that move, or a Refusal that says which is wrong and why."""
    gains = [build(BandGain, row, f"automation[{index}] ") for index, row in enumerate(rows)]
    for index, gain in enumerate(gains):
        if gain.band > count:
            raise Refusal(
                f"automation[{index}] band: there is no band {gain.band}; there are {count}, and {count} is the posture"
            )
        if any((gain.band, gain.limb) == (other.band, other.limb) for other in gains[:index]):
            raise Refusal(f"automation[{index}] band: {gain.band} is there twice")
    return gains


def ordered(gains, skeleton):
    """The whole figure first, then limbs, parents first: where they hang on each other, the nearer one counts."""
    return sorted(gains, key=lambda gain: skeleton.index(gain.limb) if gain.limb and skeleton else -1)


def owned(limb, owners, skeleton):
    """The columns of a limb's signals."""
    if not limb:
        return slice(None)
    names = skeleton.below(limb) if skeleton else {limb}
    columns = [column for column, owner in enumerate(owners) if owner in names]
    if not columns:
        raise Refusal(f"automation: no curve in scope belongs to {limb} or a bone below it")
    return columns


def gains_over(gain, clip):
    """A gain at every frame of the clip, (frames,)."""
    if gain.gain_from:
        gains = clip.curve(gain.gain_from)
        if gains is None:
            raise Refusal(f"gain_from: there is no curve {gain.gain_from} in scope")
        return gains
    if not gain.keys:
        return np.ones(clip.frames)
    frames, gains = np.array(sorted(gain.keys)).T
    return np.interp(clip.first_frame + np.arange(clip.frames), frames, gains)


def faded(gains, span):
    """Gains that take at least a span of frames to change: smoothed by a bell of that width, and no farther."""
    radius = int(0.5 * span)
    bell = 1.0 + np.cos(2.0 * np.pi * np.arange(-radius, radius + 1) / max(span, 1.0))
    return np.convolve(np.pad(gains, radius, mode="edge"), bell / bell.sum(), mode="valid")


def without_gains(result, clip, keyed):
    """The result with the curves that are gains as they were: faders do not move themselves."""
    columns = [column for column, channel in enumerate(clip.channels) if str(channel) in {gain.gain_from for gain in keyed}]
    if not columns:
        return result
    values = np.array(result.values, order="F")
    values[:, columns] = clip.values[:, columns]
    return result.with_values(values)
