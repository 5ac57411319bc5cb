# SPDX-License-Identifier: GPL-3.0-or-later
"""Moments of motion that are heard in the mind: steps, and hits of hands.

A step is when a foot comes down. A hit is where a hand is slowed or turned most, a peak of its acceleration, which is where
viewers feel an accent (Mora and Pellicer 2013).
"""

import numpy as np

from ..body.contacts import events
from ..body.roles import find_roles
from ..motion.skeleton import sub_skeleton
from ..numeric import scipy
from ..numeric.refusal import Refusal

STEADY = 0.03  # seconds
APART = 0.2  # seconds between two moments
CLEAR = 0.4  # of the clearest hits


def steps(clip, contacts):
    """Frames at which feet come down, in order; those that come down together are one."""
    strikes = np.sort([frame for foot in events(contacts, clip).values() for frame in foot["strikes"]]).astype(float)
    return together(strikes, APART * clip.fps)


def hits(clip, skeleton):
    """Frames at which hands are accelerated most, in order."""
    roles = find_roles(skeleton).table()
    hands = [roles[f"{side}_hand"] for side in ("left", "right") if roles[f"{side}_hand"]]
    if not hands:
        raise Refusal("no hands found: say in the table of body parts which bones they are")
    pelvis = roles["pelvis"] or skeleton.bones[0].name
    body = sub_skeleton(skeleton, {*hands, pelvis})
    heads = np.concatenate([joints for _, joints in body.in_stretches(clip)])
    places = heads[:, [body.index(hand) for hand in hands]] - heads[:, [body.index(pelvis)]]
    places = scipy.ndimage.gaussian_filter1d(places, max(1.0, STEADY * clip.fps), axis=0, mode="nearest")
    pulls = np.linalg.norm(np.gradient(np.gradient(places, axis=0), axis=0), axis=2).max(axis=1)
    least = CLEAR * np.percentile(pulls, 99)
    peaks, _ = scipy.signal.find_peaks(pulls, height=max(least, 1e-12), distance=max(1, round(APART * clip.fps)))
    return clip.first_frame + peaks.astype(float)


def together(frames, apart):
    """Frames with those that are closer than so many made one, the first of them."""
    kept = []
    for frame in frames:
        if not kept or frame - kept[-1] >= apart:
            kept.append(float(frame))
    return np.array(kept)
