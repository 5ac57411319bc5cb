# SPDX-License-Identifier: GPL-3.0-or-later
"""Kin: whether a take that was made on one figure can be played by another whose bones have the same names.

Curves count along the axes that bones have at rest. Where those lie less than half a right angle apart, a bend stays a bend,
as it does among the subjects of a library, who are built differently; farther apart it becomes a twist. What counts is how
they lie in the world, whichever way the figures face; bones that the take does not turn may lie as they like. Lengths only
count where the take moves a bone: who is by far larger or smaller floats, or sinks into the ground.
"""

import numpy as np

from ..numeric import rotation
from .chart import components, rotation_groups
from .orientations import as_quaternions

ASKEW = 45.0  # degrees between axes at rest
LARGER, LONGER = 1.5, 2.0  # times as large on the whole, and as long a bone
LONG = 0.05  # of all lengths together: a bone that counts
TURNS, MOVES = 1e-2, 1e-6  # radians from rest, and units over a take


def rest_of(skeleton):
    """How a skeleton rests, as plain data: by bone its axes in the world, (3, 3), and how far it is from its parent."""
    world = np.array(skeleton.world)[:3, :3]
    world = world / np.maximum(np.linalg.norm(world, axis=0), 1e-12)
    heads = {-1: None, **{index: bone.rest[:3, 3] for index, bone in enumerate(skeleton.bones)}}
    return {
        bone.name: [
            (world @ bone.rest[:3, :3]).tolist(),
            float(np.linalg.norm(heads[index] - heads[bone.parent])) if bone.parent >= 0 else 0.0,
        ]
        for index, bone in enumerate(skeleton.bones)
    }


def difference(own, other, clip):
    """What keeps a figure that rests like `own` from playing a clip of one that rests like `other`, in words, or nothing."""
    return askew(own, other, clip) or larger(own, other, clip)


def askew(own, other, clip):
    """The first bone that the clip turns and whose axes lie elsewhere."""
    names = [name for name in own if name in other and name in turned_bones(clip)]
    here, there = (np.array([rest[name][0] for name in names]).reshape(-1, 3, 3) for rest in (own, other))
    both = here @ there.transpose(0, 2, 1)
    headings = np.arctan2(both[:, 1, 0] - both[:, 0, 1], both[:, 0, 0] + both[:, 1, 1])  # at which each lies nearest
    angles = min((apart(here, about_up(heading) @ there) for heading in headings), key=np.sum, default=())
    for name, angle in zip(names, angles):
        if angle > ASKEW:
            return f"its bone {name} rests turned by {angle:.0f} degrees from this one; retarget it to this figure first"
    return ""


def larger(own, other, clip):
    """The first bone that is by far longer or shorter, if the clip moves any."""
    moving = {
        channel.owner
        for channel, values in zip(clip.channels, clip.values.T)
        if channel.kind == "LOCATION" and np.ptp(values) > MOVES
    }
    names = [name for name in own if name in other]
    if not moving & set(names):
        return ""
    lengths = np.array([[own[name][1], other[name][1]] for name in names])
    totals = np.maximum(lengths.sum(axis=0), 1e-12)
    limit = LARGER if totals.max() > LARGER * totals.min() else LONGER
    for name, pair in zip(names, lengths):
        if (pair > LONG * totals).any() and pair.max() > limit * pair.min():
            return (
                f"its bone {name} is {pair[1]:.3g} from the one before and not {pair[0]:.3g}, so that its figure is of "
                "another size; retarget it to this figure first"
            )
    return ""


def turned_bones(clip):
    """Owners of the rotations that are not at rest all the time."""
    found = set()
    for mode, members in rotation_groups(clip.channels)[0]:
        q = rotation.normalized(as_quaternions(mode, components(clip.values, members)))[0]
        away = 2.0 * np.arccos(np.clip(np.abs(q[0]), 0.0, 1.0)).max(axis=0)
        found |= {clip.channels[columns[0]].owner for columns, angle in zip(members, away) if angle > TURNS}
    return found


def apart(here, there):
    """Degrees between axes (bones, 3, 3)."""
    return np.degrees(np.arccos(np.clip(0.5 * (np.einsum("bij,bij->b", here, there) - 1.0), -1.0, 1.0)))


def about_up(angle):
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
