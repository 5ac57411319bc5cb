# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations over whole takes, component first: quaternions are (4, ...) in wxyz, vectors (3, ...).

With the components in front every operation runs along long contiguous arrays, several times faster than on (..., 4).
Where time matters it is the axis right behind the components: (4, frames, rotations).
Euler orders are Blender's: 'XYZ' turns about X first, then Y, then Z of the parent.
"""

import numpy as np

from . import rotation
from .vectors import cross, dot

SMALL = 1e-12


def multiply(a, b):
    """The rotation b followed by a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return stack(
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def after(constant, q):
    """Rotations (4, frames, rotations) followed by one that stays the same for each, (4, 1, rotations): by one product of
    matrices for each, which takes a third of the time."""
    w, x, y, z = constant[:, 0]
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    result = in_memory(4, q.shape[1:])
    np.matmul(np.moveaxis(left, 2, 0), q.transpose(2, 0, 1), out=result.transpose(2, 0, 1))
    return result


def conjugate(q):
    result = np.negative(q)
    result[0] = q[0]
    return result


def exp(v):
    """Rotation vectors (3, ...), of any length in radians, to quaternions."""
    x, y, z = v
    angle = np.sqrt(x * x + y * y + z * z)
    tangent = np.tan(0.25 * angle)  # one tangent is cheaper than a sine and a cosine
    inverse = 1.0 / (1.0 + tangent * tangent)
    scale = 2.0 * tangent * inverse / np.maximum(angle, SMALL)
    scale[angle < SMALL] = 0.5
    result = in_memory(4, np.shape(scale))
    np.subtract(2.0 * inverse, 1.0, out=result[0])
    for row, component in enumerate((x, y, z), 1):
        np.multiply(component, scale, out=result[row])
    return result


def log(q):
    """Unit quaternions to rotation vectors (3, ...) of 0 to 2 pi: q and -q are told apart, so a lifted path stays whole."""
    w, x, y, z = q
    sine = np.sqrt(x * x + y * y + z * z)
    scale = 2.0 * np.arctan2(sine, w) / np.maximum(sine, SMALL)
    scale[(sine < SMALL) & (w > 0)] = 2.0
    result = in_memory(3, np.shape(scale))
    for row, component in enumerate((x, y, z)):
        np.multiply(component, scale, out=result[row])
    return result


def normalized(q):
    """Unit quaternions and the lengths they had; a zero quaternion counts as no rotation, as in Blender."""
    length = np.sqrt(np.einsum("i...,i...->...", q, q))
    empty = length < SMALL
    if empty.any():
        q = q.copy()
        q[:, empty] = 0.0
        q[0, empty] = length[empty] = 1.0
    return q / length, length


def lifted(q):
    """Signs (frames, rotations) that make each path continuous, agreeing with most of the signs that it came with."""
    turns = np.einsum("ift,ift->ft", q[:, 1:], q[:, :-1]) < 0
    signs = np.ones(q.shape[1:], order="F")
    signs[1:] -= 2.0 * (np.cumsum(turns, axis=0) % 2)
    signs *= np.where(signs.sum(axis=0) < 0, -1.0, 1.0)
    return signs


def mean(q):
    """The mean orientation (4, rotations) of paths (4, frames, rotations): the main axis of their scatter."""
    paths = q.transpose(2, 0, 1)
    return np.linalg.eigh(paths @ paths.transpose(0, 2, 1))[1][:, :, -1].T


def weighted_mean(vectors, weights, rounds=1):
    """The mean of turns from one common place, rotation vectors (3, ...), with weights that sum to one; a vector again.

    The turns that lead from the mean to each, weighted, cancel each other. Negative weights would send a search for it
    astray, so that it looks for the mean by the weights' sizes, starting from the straight mean of the quaternions, and
    from there takes one turn: of two rotations the result is always on the great circle through both. q and -q are told
    apart: paths over time stay whole.
    """
    size = sum(np.abs(weight) for weight in weights)
    sizes = [np.abs(weight) / size for weight in weights]
    paths = [exp(vector) for vector in vectors]
    middle = normalized(sum(share * path for share, path in zip(sizes, paths)))[0]
    for shares in [sizes] * rounds + [weights]:
        back = conjugate(middle)
        turn = sum(share * log(multiply(back, path)) for share, path in zip(shares, paths))
        middle = multiply(middle, exp(turn))
    return log(middle)


def from_euler(angles, order):
    """Euler angles (3, ...) to quaternions; angles[0] is X whatever the order."""
    (i, j, k), sign = euler_axes(order)
    tangent = np.tan(0.25 * np.asarray(angles))  # one tangent is cheaper than a sine and a cosine
    inverse = 1.0 / (1.0 + tangent * tangent)
    cosine, sine = 2.0 * inverse - 1.0, 2.0 * tangent * inverse
    (ci, cj, ck), (si, sj, sk) = ([turn[axis] for axis in (i, j, k)] for turn in (cosine, sine))
    cc, cs, sc, ss, middle = ci * ck, ci * sk, si * ck, si * sk, sign * sj
    result = in_memory(4, ci.shape)
    result[0] = cc * cj + ss * middle
    result[1 + i] = sc * cj - cs * middle
    result[1 + j] = cc * sj + sign * ss * cj
    result[1 + k] = cs * cj - sc * middle
    return result


def to_euler(q, order, near, heal=True):
    """Quaternions to the Euler angles (3, frames, ...) that follow `near` and make no jumps, or only its own.

    The angles come from two half angles, the sum and the difference of the outer turns (Bernardes and Viollet 2022).
    Each is known up to half a turn, and with it the sign of its radius; the radii together open the middle angle.
    Taken nearest to `near`; where that still jumps, unwrapped: as it is to heal the jumps that `near` has, or else as the
    distance from it.
    """
    (i, j, k), sign = euler_axes(order)
    w, middle, inner, outer = q[0], q[1 + j], q[1 + i], sign * q[1 + k]
    total, total_radius = follow(w - middle, inner + outer, 0.5 * (sign * near[k] + near[i]), heal)
    difference, difference_radius = follow(middle + w, outer - inner, 0.5 * (sign * near[k] - near[i]), heal)
    with np.errstate(divide="ignore", invalid="ignore"):
        opening = 2.0 * np.arctan(difference_radius / total_radius) - 0.5 * np.pi
    angles = [None] * 3
    angles[i], angles[k] = total - difference, sign * (total + difference)
    angles[j] = beside(opening, near[j], 2 * np.pi, heal)
    return stack(*angles)


def euler_axes(order):
    """The axes turned about first, second and third, and +1 for orders like XYZ, -1 for those like ZYX."""
    axes = tuple("XYZ".index(name) for name in order)
    return axes, 1.0 if (axes[1] - axes[0]) % 3 == 1 else -1.0


def follow(x, y, near, heal):
    """Points in the plane as polar angle and signed radius, the angle shifted by half turns to stay close to `near`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = np.arctan(y / x)
    nowhere = np.isnan(angle)
    if nowhere.any():
        angle[nowhere] = near[nowhere]
    followed = beside(angle, near, np.pi, heal)
    turns = np.rint((followed - angle) * (1 / np.pi))
    odd = np.abs(turns - 2.0 * np.rint(0.5 * turns))
    return followed, np.copysign(np.sqrt(x * x + y * y), x * (1.0 - 2.0 * odd))


def beside(angle, near, period, heal):
    """Angles shifted by whole periods to stay close to `near`, without jumps of their own."""
    nearest = angle + period * np.rint((near - angle) * (1 / period))
    return continuous(nearest, period) if heal else near + continuous(nearest - near, period)


def continuous(angle, period):
    """Unwrap the columns that jump by more than half a period; the others are left to the bit."""
    steps = np.abs(np.diff(angle, axis=0))
    jumping = (steps > 0.5 * period).any(axis=0)
    if jumping.any():
        angle[:, jumping] = np.unwrap(angle[:, jumping], axis=0, period=period)
    return angle


def from_axis_angle(values):
    """Blender's (angle, x, y, z) to quaternions; the axis may have any length, none counts as Y."""
    length = np.sqrt(values[1] ** 2 + values[2] ** 2 + values[3] ** 2)
    scale = np.sin(0.5 * values[0]) / np.maximum(length, SMALL)
    y = np.where(length < SMALL, np.sin(0.5 * values[0]), values[2] * scale)
    return stack(np.cos(0.5 * values[0]), values[1] * scale, y, values[3] * scale)


def to_axis_angle(q, near, heal=True):
    """Quaternions to (angle, x, y, z) close to `near`, with the axis length that it had.

    An axis that turns over takes the sign of its angle along, so that neither jumps.
    """
    vector, axis = log(q * np.where(q[0] < 0.0, -1.0, 1.0)), near[1:]  # about a whole turn no axis can be told
    length, angle = (np.sqrt(np.einsum("c...,c...->...", v, v)) for v in (axis, vector))
    side = np.where(np.einsum("c...,c...->...", vector, axis) < 0, -1.0, 1.0)
    turned = np.where(angle < 1e-7, axis, vector * (side * length / np.maximum(angle, SMALL)))
    over = turns_over(turned) & ~turns_over(axis)
    back = np.where(np.cumsum(over, axis=0) % 2, -1.0, 1.0)
    return stack(beside(back * side * angle, near[0], 2 * np.pi, heal), *(back * turned))


def turns_over(axis):
    """Where an axis (3, frames, ...) points the other way than the frame before."""
    return np.einsum("c...,c...->...", axis, np.concatenate([axis[:, :1], axis[:, :-1]], axis=1)) < 0


def stack(*components):
    """Components to one array that keeps each of them contiguous, whichever way it lies in memory."""
    shapes = {np.shape(component) for component in components}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    result = in_memory(len(components), shape)
    for row, component in enumerate(components):
        result[row] = component
    return result


def in_memory(count, shape):
    """An array (count, *shape) to be filled, whose components lie one after the other, with the first axis of each last."""
    return np.empty((count, *shape[::-1])).transpose(0, *range(len(shape), 0, -1))


EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
ROTATION_SIZES = {"QUATERNION": 4, "AXIS_ANGLE": 4, **dict.fromkeys(EULER_ORDERS, 3)}


def shortest(before, after):
    """The shortest turns (4, frames) from unit vectors to unit vectors."""
    return rotation.normalized(np.concatenate([1.0 + dot(before, after)[None], cross(before, after)]))[0]


def wrapped(angle):
    """Angles as turns the short way."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi
