# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion between the joints of a BVH file, which at rest all stand as the world does, and bones with axes of their own.

With the same steps as Blender's importer and exporter, in the importer's single precision too: the same angles come out,
and of the two ways to say a rotation in angles, and all the turns that can be added, the same are chosen.
"""

import numpy as np

from ..numeric.matrix import euler_matrices, turned
from ..numeric.parallel import each
from ..numeric.rotation import euler_axes
from ..numeric.vectors import cross, dot

LOCKED = 0.0000375  # cosine of the middle angle, below which the outer axes count as one
TURN = 2.0 * np.pi
BLOCK = 1 << 17  # numbers at a time, which stay in the processor's own memory
MOST = 16  # joints at a time


def together(frames):
    """How many joints to do at a time: fewer of a long take, of which each step would be a walk through all memory."""
    return min(MOST, max(1, BLOCK // frames))


def bone_places(positions, offset, inverse):
    """Positions (3, frames) of a joint from its parent as locations (3, frames) of its bone; `inverse` undoes its rest axes."""
    moved = np.asarray(positions, dtype=np.float32) - np.asarray(offset, dtype=np.float32)[:, None]
    return single_product(inverse[:, :, None], moved[:, None])[:, 0]


def bone_angles(degrees, order, rest, inverse):
    """Angles (3, ..., frames) of joints about X, Y, Z, turned in the file's order, as Euler angles of their bones in it, from
    the rest axes of these and what undoes them, (3, 3, ...)."""
    rest, inverse = rest[..., None], inverse[..., None]

    def matrices(degrees):
        radians = np.radians(degrees).astype(np.float32)
        spun = euler_matrices(radians.astype(np.float64), order[::-1]).astype(np.float32)
        return single_product(single_product(inverse, spun), rest)

    return angles_of(matrices, degrees, order)


def joint_places(location, rest, offset):
    """Locations (3, frames or 1) of a bone, None for none, as positions of its joint from its parent."""
    offset = np.asarray(offset)[:, None]
    return offset if location is None else offset + turned(rest[:, :, None], location)


def joint_angles(rotations, rest, order, turned=lambda rotations: rotations):
    """Rotations (3, 3, ..., frames or 1) of bones, scale included, as degrees (3, ..., frames) of their joints, in the file's
    order, from their rest axes (3, 3, ...); or whatever `turned` makes such rotations of, some frames at a time."""
    inverse = np.moveaxis(np.linalg.inv(np.moveaxis(rest, (0, 1), (-2, -1))), (-2, -1), (0, 1))[..., None]

    def matrices(rotations):
        return times(times(rest[..., None], turned(rotations)), inverse)

    angles = angles_of(matrices, rotations, order[::-1])
    return np.degrees(angles[["XYZ".index(axis) for axis in order]])


def single_inverse(matrix):
    """The inverses of 3 x 3 matrices (..., 3, 3) as Blender finds them in single precision."""
    columns = np.moveaxis(np.asarray(matrix, dtype=np.float32), (-1, -2), (0, 1))
    across = np.array([cross(columns[index - 2], columns[index - 1]) for index in range(3)])
    return np.moveaxis(across / dot(across[0], columns[0]), (0, 1), (-2, -1))


def single_product(a, b):
    """Matrices multiplied as Blender does it in Python: terms in single precision, summed in double precision."""
    total = np.zeros(np.broadcast_shapes(a[:, 0, None].shape, b[None, 0].shape))
    for inner in range(3):
        total += a[:, inner, None] * b[None, inner]
    return total.astype(np.float32)


def times(a, b):
    """Matrices (3, 3, ...) multiplied."""
    return sum(a[:, inner, None] * b[None, inner] for inner in range(3))


def angles_of(matrices, values, order):
    """matrices(values) as Euler angles (3, ..., frames) in Blender's order, each frame following the one before.

    In parts that stay in the processor's own memory, which is several times faster.
    """

    rows = max(1, BLOCK * values.shape[-1] // values.size)

    def block(start):
        turned = matrices(values[..., start : start + rows])
        length = np.sqrt((turned * turned).sum(axis=0))
        return both_ways(turned * (1 / np.where(length > 0, length, 1)).astype(length.dtype), order)

    return followed(*np.concatenate(each(block, range(0, values.shape[-1], rows)), axis=-1))


def both_ways(matrices, order):
    """The two ways (2, 3, ...) to say each rotation in angles; where the outer axes are one, the last stays at 0 in both."""
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
    """Of two ways to say each rotation (3, ..., frames), with turns added, the one that is nearer to the angles of the frame
    before.

    Which way that is depends on the way before. Many frames leave one way only, whatever was before, and from the last of
    these on it is enough to count the frames where the way changes.
    """
    begins = (size(second[..., :1]) < size(first[..., :1]),)
    after_first, after_second = (
        np.concatenate([*begins, distance(second, old) < distance(first, old)], axis=-1) for old in (first, second)
    )
    rows = np.arange(after_first.shape[-1])
    settled = np.maximum.accumulate(np.where(after_first == after_second, rows, 0), axis=-1)
    changes = np.cumsum(after_first & ~after_second, axis=-1)
    there, since = (np.take_along_axis(each, settled, axis=-1) for each in (after_first, changes))
    angles = np.where(there ^ ((changes - since) % 2 == 1), second, first)
    turns = np.cumsum(np.rint(np.diff(angles) / TURN), axis=-1)
    angles[..., 1:] -= turns.astype(angles.dtype) * angles.dtype.type(TURN)
    return angles


def distance(angles, old):
    """How far angles (3, ..., frames) are from the old ones of the frame before, turns aside."""
    gaps = angles[..., 1:] - old[..., :-1]
    turns = gaps * (1 / TURN)
    gaps -= np.multiply(np.rint(turns, out=turns), TURN, out=turns)
    return size(gaps)


def size(angles):
    return np.abs(angles).sum(axis=0)
