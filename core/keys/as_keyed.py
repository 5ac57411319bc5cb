# SPDX-License-Identifier: GPL-3.0-or-later
"""A result keyed as its source is: keys where the source has them, and a key more only where a result would be off without.

What changed is fitted, not what is there: where nothing changed, keys and handles are the source's to the bit. Lengths of
handles in time stay; their heights, and the values of keys, are solved by least squares. Keys that are added stand on frames
on which the figure has keys already, if one is near; those that the others turn out to do without are taken away again. What
the source holds from key to key, as a foot that stands, and the result does too, stays held.
"""

import numpy as np

from .fit import Asked, Fit
from .keyed_curve import BEZIER, CONSTANT
from .moved_keys import on_frames

ROUNDS = 200  # of adding keys: one for each frame of any gap that an animator leaves


def as_keyed(asked, preferred=()):
    """The curves (KeyedCurve) of several that have their new keys on the same frames, such as those of one quaternion."""
    fits = [Fit(one) for one in asked]
    for _ in range(ROUNDS):
        found = [fit.solve() for fit in fits]
        if any(fit.bent() for fit in fits):
            continue
        wanted = sorted(set().union(*(fit.missing(preferred) for fit in fits)))
        if not wanted or not any([fit.split(wanted) for fit in fits]):
            break
    found = without_needless(fits, found)
    return [fit.kept(curve) for fit, curve in zip(fits, found)]


def without_needless(fits, found):
    """The curves of fits without the added keys that the others do without; no two neighbours are tried at once."""
    needed, most = set(), [max(1.0, fit.error.max()) for fit in fits]
    while trial := sorted(set().union(*(fit.added for fit in fits)) - needed)[::2]:
        before = [vars(fit).copy() for fit in fits]
        for dropped in (trial, None):
            dropped = [frame for frame in trial if frame not in needed] if dropped is None else dropped
            for fit, known in zip(fits, before):
                vars(fit).update(known)
                fit.drop(dropped)
            tried = [fit.solve() for fit in fits]
            if all(fit.error.max() <= far for fit, far in zip(fits, most)):
                found = tried
                break
            needed.update(frame for fit, far in zip(fits, most) for frame in fit.off_at(trial, far))
        else:
            for fit, known in zip(fits, before):
                vars(fit).update(known)
            needed.update(trial)
    return found


def retimed(curve, moments, tolerance):
    """A curve as it is at other moments, its keys moved along with them; None where nothing of it is left."""
    moved = moments.moved(curve)
    if moved is not None and (curve.kinds[:-1] == CONSTANT).all():
        return on_frames(moved)
    if moved is None or (curve.kinds > BEZIER).any() or not np.isfinite(moments.frames).all():
        return moved
    wanted = curve.drawn(moments.frames)
    return as_keyed([Asked(moved, wanted, None, moments.first, tolerance, firm=tuple(moved.times))])[0]
