# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a BVH file as bones at rest, as Blender's importer makes them.

A joint is a point and a bone has a tail, axes and a name of its own: where tails go, which bones are connected and how bones
roll are Blender's rules. Its steps are taken in its single precision where they decide something.
"""

import math
from functools import lru_cache

import numpy as np

from ..motion.skeleton import Bone, Skeleton
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

STANDING = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # BVH has Y up, Blender Z
SHORTEST = 0.001  # units: a bone that is shorter gets another tail
GONE = 1e-6  # units: a bone that is shorter Blender takes away
STUB = 0.1  # units
LONGEST_NAME = 63  # bytes
DOWN = 2.5e-4  # how near to -Y a bone counts as pointing there


@frozen
class Placed:
    """Joints as bones that stand as the file has them: heads and tails (joints, 3), who is connected to its parent."""

    heads: np.ndarray
    tails: np.ndarray
    connected: list

    @property
    def lengths(self):
        return lengths_of(self.tails - self.heads)


@lru_cache(maxsize=16)
def bones_of(joints):
    """The skeleton of joints, the same for takes of one body, and the rest axes (joints, 3, 3) of its bones before the figure
    is turned to have Z up."""
    placed = place_joints(joints)
    parents = [joint.parent for joint in joints]
    at_import, _ = settled(placed, parents, lambda row, _: rolled(placed.tails[row] - placed.heads[row], 0.0))
    standing = Placed(placed.heads @ STANDING.T, placed.tails @ STANDING.T, placed.connected)

    def as_before(row, above):  # within its parent
        before = at_import[parents[row]] if parents[row] >= 0 else STANDING.T
        return above @ before.T @ at_import[row]

    axes, origins = settled(standing, parents, as_before)
    order, names = parents_first(parents), bone_names(joints)
    rests = np.tile(np.eye(4), (len(joints), 1, 1))
    rests[:, :3, :3], rests[:, :3, 3] = axes, origins
    index = {joint: row for row, joint in enumerate(order)}
    bones = tuple(
        Bone(
            name=names[joint],
            parent=index.get(parents[joint], -1),
            rest=rests[joint],
            length=float(placed.lengths[joint]),
            connected=placed.connected[joint],
            mode=joints[joint].order or "XYZ",
            path=bone_path(names[joint]),
            rotation=(0.0, 0.0, 0.0),
        )
        for joint in order
    )
    at_import.flags.writeable = False
    return Skeleton(bones), at_import


def bone_path(name):
    """Where a bone's curves are in an action."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'pose.bones["{escaped}"]'


def place_joints(joints):
    """Heads and tails: a tail is at the End Site, at the child, or amidst the children, and never at the head."""
    offsets = np.array([joint.offset for joint in joints], dtype=np.float32)
    children = [[] for _ in joints]
    heads = offsets.copy()
    for row, joint in enumerate(joints):
        if joint.parent >= 0:
            heads[row] += heads[joint.parent]
            children[joint.parent].append(row)
    steps, tails = np.zeros_like(heads), heads.copy()  # from the head by the offsets alone, and where that is
    for row, joint in enumerate(joints):
        if joint.end is not None:
            steps[row] = joint.end
            tails[row] = heads[row] + steps[row]
        elif children[row]:
            share = np.float32(1.0 / len(children[row]))
            steps[row] = offsets[children[row]].sum(axis=0, dtype=np.float32) * share
            tails[row] = heads[children[row]].sum(axis=0, dtype=np.float32) * share
    local_tails = offsets + steps
    short = lengths_of(local_tails - offsets) <= SHORTEST
    local_tails[short, 1] += np.float32(STUB)
    tails[short, 1] += np.float32(STUB)
    stubs = lengthen(joints, offsets, heads, tails, local_tails)
    connected = [
        joint.parent >= 0 and not joint.moves and joint.parent not in stubs and same(local_tails[joint.parent], offsets[row])
        for row, joint in enumerate(joints)
    ]
    for row, joint in enumerate(joints):
        if connected[row]:
            heads[row] = tails[joint.parent]
        if math.dist(heads[row], tails[row]) <= GONE:
            raise Refusal(f"joint {joint.name[:64]} is so far away that its bone has no length")
    return Placed(heads.astype(np.float64), tails.astype(np.float64), connected)


def lengthen(joints, offsets, heads, tails, local_tails):
    """Give bones that are short all the same, far from the middle, their parent's direction; gives which these are."""
    lengths = lengths_of(offsets - local_tails)
    usual = np.float32(lengths[lengths > 0].mean() if (lengths > 0).any() else STUB)
    stubs = set(np.flatnonzero(lengths_of(heads - tails) < SHORTEST).tolist())
    for row in stubs:
        parent = joints[row].parent
        if parent >= 0 and lengths[parent] > 0:
            tails[row] -= offsets[parent] - local_tails[parent]
        else:
            tails[row, 1] += usual
    return stubs


def lengths_of(vectors):
    """Lengths (rows,) of vectors of single precision, themselves of double precision."""
    return np.linalg.norm(vectors.astype(np.float64), axis=1)


def same(a, b):
    """Whether two places are one, but for the last bit of single precision."""
    a, b = (np.asarray(values, dtype=np.float32).view(np.int32).astype(np.int64) for values in (a, b))
    a, b = (np.where(bits < 0, bits ^ 0x7FFFFFFF, bits) for bits in (a, b))
    return bool((np.abs(a - b) <= 1).all())


def settled(placed, parents, wanted):
    """Axes (joints, 3, 3) and origins (joints, 3) of bones, reckoned as Blender does it: each from its parent's axes.

    `wanted(row, parent's axes)` are the axes that a bone is to have; it gets their roll, and its own direction.
    """
    vectors, lengths = placed.tails - placed.heads, placed.lengths
    axes, origins = np.empty((len(parents), 3, 3)), placed.heads.copy()
    for row, parent in enumerate(parents):
        above = axes[parent] if parent >= 0 else np.eye(3)
        vector = above.T @ vectors[row]
        apart = (above @ rolled(vector, 0.0)).T @ wanted(row, above)
        axes[row] = above @ rolled(vector, math.atan2(apart[0, 2], apart[2, 2]))
        if parent >= 0:
            origins[row] = origins[parent] + lengths[parent] * above[:, 1] + placed.heads[row] - placed.tails[parent]
    return axes, origins


def rolled(vector, roll):
    """The axes of a bone that points along a vector, with a roll about it."""
    x, y, z = (vector / math.sqrt(vector @ vector)).tolist()
    across = x * x + z * z
    if y < 0.0 and across <= DOWN * DOWN:
        axes = np.diag([-1.0, -1.0, 1.0])
    else:
        height = 1.0 + y if y > 0.0 else across / (1.0 - y)  # the same number, without the loss near -Y
        axes = np.array([[1.0 - x * x / height, x, -x * z / height], [-x, y, -z], [-x * z / height, z, 1.0 - z * z / height]])
    if roll == 0.0:
        return axes
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = np.eye(3) + math.sin(roll) * cross + (1.0 - math.cos(roll)) * cross @ cross
    return turn @ axes


def parents_first(parents):
    """Rows in the order that skeletons have their bones in: parents before children, the last of each first."""
    below = {}
    for row, parent in enumerate(parents):
        below.setdefault(parent, []).append(row)
    order, waiting = [], list(below.get(-1, ()))
    while waiting:
        order.append(waiting.pop())
        waiting += below.get(order[-1], ())
    return order


def bone_names(joints):
    """Names that differ, and fit into what a bone of Blender's has for its name."""
    taken, names = set(), {}
    for joint in joints:
        name, count = joint.name, 0
        while name in taken:
            count += 1
            name = f"{joint.name}.{count:03d}"
        taken.add(name)
        names[bone_name(name, names)] = joint
    return list(names)


def bone_name(name, others):
    """A name cut to its longest, with the next number behind it if others have it."""
    name = cut(name, LONGEST_NAME)
    stem, dot, digits = name.rpartition(".")
    stem, number = (stem, int(digits or 0)) if dot and (digits + "0").isdecimal() else (name, 0)
    while name in others:
        number += 1
        ending = f".{number:03d}"
        name = cut(stem, LONGEST_NAME - len(ending)) + ending
    return name


def cut(name, size):
    """A text that is no longer than so many bytes, whole letters only."""
    return name.encode("utf-8")[:size].decode("utf-8", "ignore")
