# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion between the joints of a BVH file, which at rest all stand as the world does, and bones with axes of their own.

With the same steps as Blender's importer and exporter, in the importer's single precision too: the same angles come out,
and of the two ways to say a rotation in angles, and all the turns that can be added, the same are chosen.
"""

import numpy as np

from ..numeric.matrix import euler_matrices, product, turned
from ..numeric.parallel import each
from ..numeric.rotation import euler_axes

LOCKED = 0.0000375  # cosine of the middle angle, below which the outer axes count as one
TURN = 2.0 * np.pi
BLOCK = 4096  # frames


def bone_places(positions, offset, inverse):
    """Positions (3, frames) of a joint from its parent as locations (3, frames) of its bone; `inverse` undoes its rest axes."""
    moved = np.asarray(positions, dtype=np.float32) - np.asarray(offset, dtype=np.float32)[:, None]
    return single_product(inverse[:, :, None], moved[:, None])[:, 0]


def bone_angles(degrees, order, rest, inverse):
    """Angles (3, frames) of a joint about X, Y, Z, turned in the file's order, as Euler angles of its bone in that order."""

    def matrices(degrees):
        radians = np.radians(degrees).astype(np.float32)
        spun = euler_matrices(radians.astype(np.float64), order[::-1]).astype(np.float32)
        return single_product(single_product(inverse[:, :, None], spun), rest[:, :, None])

    return angles_of(matrices, degrees, order)


def joint_places(location, rest, offset):
    """Locations (3, frames or 1) of a bone, None for none, as positions of its joint from its parent."""
    offset = np.asarray(offset)[:, None]
    return offset if location is None else offset + turned(rest[:, :, None], location)


def joint_angles(rotations, rest, order):
    """Rotations (3, 3, frames or 1) of a bone, scale included, as degrees (3, frames) of its joint, in the file's order."""
    inverse = np.linalg.inv(rest)[:, :, None]

    def matrices(rotations):
        return product(product(rest[:, :, None], rotations), inverse)

    angles = angles_of(matrices, rotations, order[::-1])
    return np.degrees(angles[["XYZ".index(axis) for axis in order]])


def single_inverse(matrix):
    """The inverse of a 3 x 3 matrix as Blender finds it in single precision."""
    matrix = np.asarray(matrix, dtype=np.float32)
    across = np.stack([np.cross(matrix[:, index - 2], matrix[:, index - 1]) for index in range(3)])
    return across / (across[0] * matrix[:, 0]).sum(dtype=np.float32)


def single_product(a, b):
    """Matrices multiplied as Blender does it in Python: terms in single precision, summed in double precision."""
    total = np.zeros(np.broadcast_shapes(a[:, 0, None].shape, b[None, 0].shape))
    for inner in range(3):
        total += a[:, inner, None] * b[None, inner]
    return total.astype(np.float32)


def angles_of(matrices, values, order):
    """matrices(values) as Euler angles (3, frames) in Blender's order, each frame following the one before.

    In parts that stay in the processor's own memory, which is several times faster.
    """

    def block(start):
        turned = matrices(values[..., start : start + BLOCK])
        length = np.sqrt((turned * turned).sum(axis=0))
        return both_ways(turned * (1 / np.where(length > 0, length, 1)).astype(length.dtype), order)

    return followed(*np.concatenate(each(block, range(0, values.shape[-1], BLOCK)), axis=-1))


def both_ways(matrices, order):
    """The two ways (2, 3, frames) to say each rotation in angles; where the outer axes are one, the last stays at 0 in both."""
    (i, j, k), sign = euler_axes(order)
    cosine = np.hypot(matrices[i, i], matrices[j, i])
    first, second = ways = np.empty((2, *matrices.shape[1:]), dtype=matrices.dtype)
    for angles, side in ((first, 1), (second, -1)):
        angles[i] = np.arctan2(side * matrices[k, j], side * matrices[k, k])
        angles[j] = np.arctan2(-matrices[k, i], side * cosine)
        angles[k] = np.arctan2(side * matrices[j, i], side * matrices[i, i])
    locked = cosine <= LOCKED
    if locked.any():
        first[i, locked] = np.arctan2(-matrices[j, k, locked], matrices[j, j, locked])
        first[k, locked] = 0.0
        second[:, locked] = first[:, locked]
    return sign * ways


def followed(first, second):
    """Of two ways to say each rotation (3, frames), with turns added, the one that is nearer to the angles of the frame before.

    Which way that is depends on the way before. Many frames leave one way only, whatever was before, and from the last of
    these on it is enough to count the frames where the way changes.
    """
    after_first, after_second = (
        np.append(size(second[:, 0]) < size(first[:, 0]), distance(second, old) < distance(first, old))
        for old in (first, second)
    )
    settled = np.maximum.accumulate(np.where(after_first == after_second, np.arange(len(after_first)), 0))
    changes = np.cumsum(after_first & ~after_second)
    angles = np.where(after_first[settled] ^ ((changes - changes[settled]) % 2 == 1), second, first)
    turns = np.cumsum(np.rint(np.diff(angles) / TURN), axis=1)
    angles[:, 1:] -= turns.astype(angles.dtype) * angles.dtype.type(TURN)
    return angles


def distance(angles, old):
    """How far angles (3, frames) are from the old ones of the frame before, turns aside."""
    gaps = angles[:, 1:] - old[:, :-1]
    return size(gaps - np.rint(gaps * (1 / TURN)) * TURN)


def size(angles):
    return np.abs(angles).sum(axis=0)
