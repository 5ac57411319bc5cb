# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape: bend what channels say through a curve, a limit or a dynamics unit (Bruderlin and Williams 1995, section 4).

On rotations the shape acts on an angle: about an axis of the bone, or how far the bone is away from its rest or its mean.
Never on the numbers of a quaternion.
"""

import numpy as np

from ...body.underway import Underway
from ...declare.params import choice, number, points, table
from ...declare.technique import Technique
from ...motion.chart import Chart
from ...motion.orientations import about_mean, unwrapped_twist
from ...numeric import rotation, shapes
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...numeric.rotation import EULER_ORDERS, ROTATION_SIZES

DEGREE = np.pi / 180.0
AXES = {"X": 0, "Y": 1, "Z": 2, "TWIST": 1}
UNIT = "degrees; metres where nothing in scope turns"


@frozen
class WaveshapeParams:
    """A shape, what it acts on, and its numbers."""

    shape: str = choice(
        "CURVE",
        "What becomes of what the motion says",
        (
            ("CURVE", "Curve", "A curve through points, from the input to the output range"),
            ("HARD", "Hard Limit", "Cut off at the limits"),
            ("SOFT", "Soft Limit", "Approach the limits ever more slowly and never pass them"),
            ("COMPRESS", "Compressor", "Make large moves smaller: beyond the threshold only a part of the way is left"),
            ("EXPAND", "Expander", "Make large moves larger: beyond the threshold every way grows"),
            ("GATE", "Gate", "Calm what stays within the threshold and leave larger moves alone"),
            ("LIMITER", "Limiter", "Never farther from the middle than the threshold, approached softly"),
        ),
    )
    measure: str = choice(
        "AMOUNT",
        "Which angle of a rotation is shaped",
        (
            ("AMOUNT", "Amount", "How far the bone is turned away from the middle, whichever way"),
            ("X", "X Angle", "The angle about the bone's X axis"),
            ("Y", "Y Angle", "The angle about the bone's Y axis, along the bone"),
            ("Z", "Z Angle", "The angle about the bone's Z axis"),
            ("SWING", "Swing", "How far the bone points away from the middle; its twist stays"),
            ("TWIST", "Twist", "How far the bone is twisted along itself; where it points stays"),
        ),
    )
    middle: str = choice(
        "MEAN",
        "What amounts are measured from, and what dynamics work around",
        (("MEAN", "Mean", "The mean over the take"), ("REST", "Rest", "The rest pose, zero for other channels")),
    )
    points: tuple = points(
        "Points of the curve as [x, y] between commas: 0 and 1 are the ends of the range. None leaves everything as it is"
    )
    between: str = choice(
        "SPLINE",
        "How the curve goes from one point to the next",
        (
            ("SPLINE", "Smooth", "Swinging through them, beyond them where they turn"),
            ("STEADY", "Steady", "Never above or below them, and flat between two at one height: for holds and steps"),
        ),
    )
    span: str = choice(
        "OWN",
        "Range that the curve spans, or the limits",
        (
            ("OWN", "Its Own", "From the smallest to the largest that the channel says"),
            ("TYPED", "Typed", "From low to high"),
            ("BONES", "Bones' Limits", "The limits of each bone, from the rig unless they are given"),
        ),
        label="Range",
    )
    low: float = number(-45.0, f"Lower end of the range: {UNIT}", -3600.0, 3600.0)
    high: float = number(45.0, f"Upper end of the range: {UNIT}", -3600.0, 3600.0)
    softness: float = number(10.0, f"How long before a limit it is felt: {UNIT}", 0.0, 360.0)
    threshold: float = number(10.0, f"Distance from the middle where dynamics begin: {UNIT}", 0.0, 3600.0)
    ratio: float = number(2.0, "How strong dynamics are; 1 does nothing", 1.0, 100.0)
    limits: dict = table(
        "Lowest and highest angle about X, Y and Z of each bone, six numbers in degrees, by bone name; "
        "none takes them from the rig's Limit Rotation constraints and IK limits",
        "Angle",
        -360.0,
        360.0,
        item=0.0,
        like="",
    )


def waveshape(clip, surroundings):
    """Bend a motion through a curve, hold it within limits, or press it like a sound.

    Rotations are turned by what the shape changes of their angle, so that what it leaves alone is left exactly.
    """
    underway = Underway(clip, surroundings)
    chart = Chart(clip.with_values(underway.values), surroundings.angles_apart)

    def process(params):
        check(params)
        limits = limits_of(params, surroundings.skeleton) if params.span == "BONES" else {}

        def turn(q, mode, owners):
            if params.span == "BONES":
                return within_limits(q, mode if mode in EULER_ORDERS else "XYZ", owners, params, limits)
            return MEASURES[params.measure](q, params)

        def move(values, channels):
            if params.span == "BONES":
                return values
            angles = np.array([channel.kind in EULER_ORDERS for channel in channels], dtype=bool)
            bent = shaped(values, params, np.where(angles, DEGREE, 1.0))
            return np.where(angles, bent, values) if in_degrees(params, clip) else bent

        return clip.with_values(underway.back(chart.values(chart.reshaped(turn, move))))

    return process


def in_degrees(params, clip):
    """Whether the shape's numbers are degrees: those of dynamics and of a typed range are, where there is something that turns.

    Eight degrees are a little of a turn, eight metres all of a walk: no number is both.
    """
    by_range = params.shape == "CURVE" and params.span == "OWN"
    return not by_range and any(channel.kind in ROTATION_SIZES for channel in clip.channels)


def check(params):
    if params.span == "BONES" and params.shape not in ("HARD", "SOFT"):
        raise Refusal("range: the limits of bones go with a hard or soft limit")
    if params.span == "OWN" and params.shape in ("HARD", "SOFT"):
        raise Refusal("range: a motion is always within its own range; type one, or use the bones' limits")
    if params.span == "TYPED" and params.low >= params.high:
        raise Refusal(f"low: {params.low:g} is not below high, which is {params.high:g}")
    if params.shape == "CURVE" and params.points:
        shapes.curve(params.points)
    for name, row in params.limits.items():
        if len(row) != 6 or any(low > high for low, high in zip(row[::2], row[1::2])):
            raise Refusal(f"limits {name}: {list(row)} is no low and high for X, Y and Z")


def limits_of(params, skeleton):
    """The limits by bone: those given, or else the rig's."""
    limits = params.limits or {bone.name: bone.limits for bone in (skeleton.bones if skeleton else ()) if bone.limits}
    if not limits:
        raise Refusal("limits: none given, and no bone of the rig has a Limit Rotation constraint or IK limits")
    return limits


def shaped(values, params, scale, middle=None, passed=None):
    """Signals (frames, signals) through the shape; `scale` (signals,) makes the parameters' units the signals' own. Their own
    range is that of all that they have `passed`, if that is more than is seen at the frames."""
    result, passed = np.array(values, order="F"), values if passed is None else passed
    if middle is None:
        middle = values.mean(axis=0) if params.middle == "MEAN" else np.zeros(values.shape[1])
    for column in range(values.shape[1]):
        result[:, column] = SHAPES[params.shape](params, passed[:, column], middle[column], scale[column])(values[:, column])
    return result


def span_of(params, values, scale):
    if params.span == "TYPED":
        return params.low * scale, params.high * scale
    return values.min(), values.max()


def curve_shape(params, values, middle, scale):
    low, high = span_of(params, values, scale)
    if not params.points or high - low < 1e-9:
        return lambda value: value
    bent = shapes.curve(params.points, params.between == "STEADY")
    return lambda value: low + (high - low) * bent((value - low) / (high - low))


def limit_shape(params, values, middle, scale):
    low, high = span_of(params, values, scale)
    if high - low < 1e-9:
        return lambda value: value
    if params.shape == "HARD":
        return shapes.hard_limit(low, high)
    return shapes.soft_limit(low, high, params.softness * scale)


def dynamics(maker, last):
    return lambda params, values, middle, scale: maker(middle, params.threshold * scale, last(params, scale))


SHAPES = {
    "CURVE": curve_shape,
    "HARD": limit_shape,
    "SOFT": limit_shape,
    "COMPRESS": dynamics(shapes.compressor, lambda params, scale: params.ratio),
    "EXPAND": dynamics(shapes.expander, lambda params, scale: params.ratio),
    "GATE": dynamics(shapes.gate, lambda params, scale: params.ratio),
    "LIMITER": dynamics(shapes.limiter, lambda params, scale: params.softness * scale),
}


def by_axis(q, params):
    """Shape the angle about one of the bone's axes; the rest of the rotation stays."""
    axis = axis_of(params)
    angle = unwrapped_twist(q, axis)
    change = shaped(angle, params, np.full(q.shape[2], DEGREE)) - angle
    return rotation.multiply(q, rotation.exp(axis * change))


def axis_of(params):
    return np.eye(3)[AXES[params.measure]][:, None, None]


def by_amount(q, params):
    """Shape how far a rotation is away from its middle, along the way that it has turned."""
    center = middle_of(q, params)
    return rotation.multiply(center, scaled_away(rotation.multiply(rotation.conjugate(center), q), params))


def by_swing(q, params):
    """Shape how far a bone points away from its middle; its twist stays."""
    center = middle_of(q, params)
    swing, twist = swing_and_twist(rotation.multiply(rotation.conjugate(center), q))
    return rotation.multiply(center, rotation.multiply(scaled_away(swing, params), twist))


def swing_and_twist(q):
    """Rotations as where the bone points and, before that, how it is twisted along itself."""
    axis = np.eye(3)[1][:, None, None]
    twist = rotation.exp(axis * unwrapped_twist(q, axis))
    swing = rotation.multiply(q, rotation.conjugate(twist))
    return swing * rotation.lifted(swing), twist


MEASURES = {**dict.fromkeys(AXES, by_axis), "AMOUNT": by_amount, "SWING": by_swing}


def middle_of(q, params):
    if params.middle == "MEAN":
        return about_mean(q)[0]
    return np.array([1.0, 0.0, 0.0, 0.0])[:, None, None] * np.where(q[0].sum(axis=0) < 0, -1.0, 1.0)


def scaled_away(q, params):
    """Rotations with their amount shaped: it is never below zero, and its middle is zero."""
    vectors = rotation.log(q)
    amount = length(vectors)
    count = q.shape[2]
    wanted = shaped(amount, params, np.full(count, DEGREE), np.zeros(count), passed(vectors))
    return rotation.exp(vectors * np.where(amount > 1e-9, wanted / np.maximum(amount, 1e-9), 1.0))


def passed(vectors):
    """The lengths of vectors (3, frames, rotations), and how short they are between frames: what swings through its middle
    has none there, however fast it is."""
    start, way = vectors[:, :-1], np.diff(vectors, axis=1)
    along = np.einsum("cft,cft->ft", start, way) / np.maximum(np.einsum("cft,cft->ft", way, way), 1e-18)
    return np.concatenate([length(vectors), length(start - np.clip(along, -1.0, 0.0) * way)])


def length(vectors):
    return np.sqrt(np.einsum("cft,cft->ft", vectors, vectors))


def portrait(clip, params, owner, angles_apart=False, size=101):
    """What a shape does to one bone: the inputs that it has over the take, and the shape as (input, output) points.

    Angles are in degrees. None where the bone has no rotation, or where its angles have limits each.
    """
    chart = Chart(clip, angles_apart)
    found = [
        (orientations.quaternions, index)
        for orientations, (_, members) in zip(chart.orientations, chart.groups)
        for index, columns in enumerate(members)
        if clip.channels[columns[0]].owner == owner
    ]
    if not found or params.span == "BONES":
        return None
    check(params)
    q, index = found[0]
    inputs, reached = (each[:, 0] for each in measured(q[:, :, index : index + 1], params))
    middle = inputs.mean() if params.measure in AXES and params.middle == "MEAN" else 0.0
    low, high = reached.min(), reached.max()
    across = np.linspace(low - 0.1 * (high - low), high + 0.1 * (high - low), size)
    bent = SHAPES[params.shape](params, reached, middle, DEGREE)(across)
    return np.degrees(inputs), np.degrees(np.column_stack([across, bent]))


def measured(q, params):
    """The angle of rotations that the shape acts on, (frames, rotations), and all that it passes between frames too."""
    if params.measure in AXES:
        return (unwrapped_twist(q, axis_of(params)),) * 2
    local = rotation.multiply(rotation.conjugate(middle_of(q, params)), q)
    vectors = rotation.log(swing_and_twist(local)[0] if params.measure == "SWING" else local)
    return length(vectors), passed(vectors)


def within_limits(q, order, owners, params, limits):
    """Hold each bone's Euler angles within its limits, in its own order as Blender's constraint does; others stay."""
    held = q.copy(order="K")
    for index, owner in enumerate(owners):
        if owner not in limits:
            continue
        rows = limits[owner]
        angles = rotation.to_euler(q[:, :, index : index + 1], order, np.zeros((3, q.shape[1], 1)))
        for axis in range(3):
            low, high = rows[2 * axis] * DEGREE, rows[2 * axis + 1] * DEGREE
            if high - low < 1e-9:
                angles[axis] = low
            elif params.shape == "HARD":
                angles[axis] = shapes.hard_limit(low, high)(angles[axis])
            else:
                angles[axis] = shapes.soft_limit(low, high, params.softness * DEGREE)(angles[axis])
        again = rotation.from_euler(angles, order)
        held[:, :, index : index + 1] = (
            again
            * rotation.lifted(again)
            * np.where(np.einsum("cft,cft->ft", again, q[:, :, index : index + 1]).sum() < 0, -1.0, 1.0)
        )
    return held


WAVESHAPE = Technique(
    "waveshape",
    "Shaper",
    WaveshapeParams,
    waveshape,
    filters=True,
    needs=frozenset({"skeleton"}),
    plants=True,
    waits="bend the curve or load a preset",
)
