# SPDX-License-Identifier: GPL-3.0-or-later
"""3 x 3 matrices over whole takes, (3, 3, frames), and rotations as such.

Products are written out: with the frames last they are a few passes over long rows, many times faster than `@` on stacks
of small matrices.
"""

import numpy as np

from . import rotation
from .rotation import EULER_ORDERS
from .vectors import SMALL, length

HALF_TURN = 1e-2  # of 1 + trace: where turns are nearly half a turn


def product(a, b, out=None, scratch=None):
    """3 x 3 matrices multiplied; with `out` and `scratch` of their shape given, nothing is allocated."""
    out = np.multiply(a[..., :, 0, None, :], b[..., None, 0, :, :], out=out)
    for inner in (1, 2):
        out += np.multiply(a[..., :, inner, None, :], b[..., None, inner, :, :], out=scratch)
    return out


def turned(matrix, vectors):
    """3 x 3 matrices times vectors."""
    return np.einsum("...ijf,...jf->...if", matrix, vectors)


def turns(mode, components):
    """Components (size, ...) in a rotation mode as rotation matrices (3, 3, ...)."""
    if mode in EULER_ORDERS:
        return euler_matrices(components, mode)
    return np.moveaxis(matrices(quaternions(mode, components)), (-2, -1), (0, 1))


def to_quaternions(bone, values):
    """(frames, size) in the bone's rotation mode to (4, frames) unit quaternions."""
    return quaternions(bone.mode, values.T)


def quaternions(mode, components):
    """The components of rotations, (size, frames, ...), as unit quaternions."""
    if mode == "QUATERNION":
        return rotation.normalized(components)[0]
    return rotation.from_axis_angle(components) if mode == "AXIS_ANGLE" else rotation.from_euler(components, mode)


def euler_matrices(angles, order):
    """Euler angles (3, frames) to matrices (3, 3, frames), without the way over quaternions that takes twice the time."""
    (i, j, k), sign = rotation.euler_axes(order)
    tangent = np.tan(0.5 * angles)  # one tangent is cheaper than a sine and a cosine
    inverse = 2.0 / (1.0 + tangent * tangent)
    cosine, sine = inverse - 1.0, (sign * tangent) * inverse
    (ci, cj, ck), (si, sj, sk) = ([turn[axis] for axis in (i, j, k)] for turn in (cosine, sine))
    cc, cs, sc, ss = ci * ck, ci * sk, si * ck, si * sk
    result = np.empty((3, *angles.shape))
    for row, column, left, right in (
        (i, i, cj, ck),
        (i, j, sj, sc),
        (i, k, sj, cc),
        (j, i, cj, sk),
        (j, j, sj, ss),
        (j, k, sj, cs),
        (k, j, cj, si),
        (k, k, cj, ci),
    ):
        np.multiply(left, right, out=result[row, column])
    for row, column, more in ((i, j, -cs), (i, k, ss), (j, j, cc), (j, k, -sc)):
        result[row, column] += more
    np.negative(sj, out=result[k, i])
    return result


def matrices(q):
    """Unit quaternions (4, ...) to rotation matrices (..., 3, 3)."""
    w, x, y, z = q
    result = np.empty((3, 3, *np.shape(w)))
    result[0] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    result[1] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    result[2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return np.moveaxis(result, (0, 1), (-2, -1))


def turns_to(axes, goal):
    """Rotation vectors (3, frames) that take axes (3, 3, frames) the short way to others, or to one (3, 3); without scale."""
    return rotation.log(between(axes, goal))


def between(axes, goal):
    """Unit quaternions (4, frames) that take axes (3, 3, frames) the short way to others, or to one (3, 3); without scale."""
    axes, goal = (these / np.linalg.norm(these, axis=0) for these in (axes, goal.reshape(3, 3, -1)))
    relative = product(goal, axes.transpose(1, 0, 2))
    skew = [relative[2, 1] - relative[1, 2], relative[0, 2] - relative[2, 0], relative[1, 0] - relative[0, 1]]
    scaled = np.stack([1.0 + np.einsum("iif->f", relative), *skew])
    around = np.flatnonzero(scaled[0] < HALF_TURN)
    if len(around):  # near half a turn the skew part says little, and the symmetric part which axis it is about
        outer = 0.5 * (relative[:, :, around] + relative[:, :, around].transpose(1, 0, 2))
        columns = outer + (1.0 - 0.5 * scaled[0, around]) * np.eye(3)[:, :, None]
        main = np.einsum("iif->if", columns).argmax(axis=0)
        axis = columns[:, main, np.arange(len(around))]
        side = np.where(np.einsum("if,if->f", axis, scaled[1:, around]) < 0.0, -1.0, 1.0)
        axis = side * axis / np.linalg.norm(axis, axis=0)
        half = np.sqrt(np.maximum(scaled[0, around], 0.0)) / 2.0
        scaled[:, around] = np.concatenate([half[None], axis * np.sqrt(np.maximum(1.0 - half * half, 0.0))])
    return rotation.normalized(scaled)[0]


def plain(axes):
    """Axes (3, 3, frames) without scale."""
    return axes / np.maximum(length(axes), SMALL)


def inside(turn, axes):
    """Turns (4, frames) of the armature as turns in a bone's own space, which has these axes (3, 3, frames)."""
    return np.concatenate([turn[:1], np.einsum("ijf,if->jf", axes, turn[1:])])


def steps_of(axes):
    """How far axes (3, 3, ..., frames) turn from frame to frame, (..., frames)."""
    steps = np.zeros(axes.shape[2:])
    cosine = 0.5 * (np.einsum("ij...,ij...->...", axes[..., 1:], axes[..., :-1]) - 1.0)
    np.arccos(np.clip(cosine, -1.0, 1.0), out=steps[..., 1:])
    return steps
