# SPDX-License-Identifier: GPL-3.0-or-later
"""Freedom: which bones may turn, and which may shift, for others to be held in place."""

import numpy as np

from ..motion.skeleton import sub_skeleton
from ..numeric.refusal import Refusal

LOATH = 0.03  # how willing the pelvis, or a root without feet, is to be shifted for another bone; a bone that turns is 1
STILL = 1e-3  # of the leg: keys for the place of a bone that move it less are only there
ROUNDS, GENTLE = 12, 100.0  # how bones are bent: a straight spine pulled harder would pop


def refuse(names, skeleton):
    """Say which bone cannot be held."""
    if names and skeleton is None:
        raise Refusal(f"keep: there is no armature, and so no bone {names[0]!r}")
    for name in names:
        if skeleton.index(name) < 0:
            raise Refusal(f"keep: the armature has no bone {name!r}")
    led = sub_skeleton(skeleton, names).led if names else ()
    if led:
        raise Refusal(
            f"keep: bone {led[0]} is moved by constraints or drivers, so that its path is not known; keep the "
            "bone that controls it"
        )


def named(body):
    """The bones that are feet and hands."""
    return {end: body.skeleton.bones[index].name for end, index in body.ends.items()}


def freedom(body, names, helping=()):
    """Which bones turn, and which shift, for bones to come back: those that move by themselves are shifted, others carried
    by what they hang on from the pelvis, and by those that are `helping`, {name: how willing}."""
    skeleton, mover = body.whole, body.whole.index(body.skeleton.bones[body.mover].name)
    moving = {
        channel.owner
        for channel, values in zip(body.clip.channels, body.clip.values.T)
        if channel.kind == "LOCATION" and np.ptp(values) > STILL * body.leg
    }
    turning, shifting = {}, {}
    for name in names:
        chain = skeleton.chain(skeleton.index(name))
        between = [index for index in chain[:-1] if index not in skeleton.chain(mover)]
        if not skeleton.bones[chain[-1]].connected and (name in moving or not between and mover not in chain[:-1]):
            shifting[name] = 1.0
        else:
            turning |= {skeleton.bones[index].name: 1.0 for index in between}
            shifting = dict(helping) | shifting
    return turning, shifting
