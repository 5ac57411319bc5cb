# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys for a whole body: as few as leave feet, hands and head where they are, measured through the skeleton."""

import numpy as np

from ...body.contacts import check_contacts, feet
from ...body.roles_by_shape import SIDES
from ...declare.technique import Technique
from ...keys.effectors import Effectors, chosen_effectors
from ...keys.half_frames import STEP, halved
from ...keys.whole_body import Keys, Reduction
from ...numeric.bezier_fit import Bezier
from ...numeric.frozen import frozen
from ...numeric.parallel import each
from ...numeric.refusal import Refusal
from ...numeric.rotation import ROTATION_SIZES

STRETCH = 800  # frames at a time, side by side; longer takes are cut about there, value and slope held


def reduced(
    clip, skeleton, roles, millimetres=2.0, degrees=0.5, contacts=None, together=False, effectors=(), channels=None, rows=None
):
    """The keys that feet, hands and head need to stay in place, for every channel of the clip.

    The end effectors, or the bones named in `effectors`, stay within so many millimetres at joint and tip and within so many
    degrees at every frame, and hardly farther off halfway between two. Extremes keep a key and their value, and so do
    limbs where their contacts begin and end. With `together` all curves of a bone have their keys on the same frames;
    the components of a quaternion always have. Other channels than those given stay as they are, and get None instead of
    keys; with `rows`, first and last, the keys are for these rows only, and lead on to what is before and after.
    """
    for name, value in (("millimetres", millimetres), ("degrees", degrees)):
        if not (np.isfinite(value) and value > 0):
            raise Refusal(f"{name}: {value} is no distance to stay within; it must be more than 0")
    clip.check()
    names = chosen_effectors(skeleton, roles, effectors)
    groups = grouped(clip.channels, together)
    wanted = borders(clip, roles, contacts)
    slopes = np.gradient(clip.values, axis=0).T
    asked = set(clip.channels if channels is None else channels)
    chosen = np.array([channel in asked for channel in clip.channels])
    moving = np.flatnonzero((np.ptp(clip.values, axis=0) > 0) & chosen)
    halves = halved(clip, skeleton, names)
    begin, end = rows or (0, clip.frames - 1)
    cuts = np.linspace(begin, end, 1 + -(-(end - begin) // STRETCH)).astype(int)

    def part(stretch):
        first, last = stretch
        here = slice(first, last + 1)
        fine = clip.with_values(halves.values[STEP * first : STEP * last + 1])
        reduction = Reduction(fine, skeleton, names, (millimetres, degrees), groups, moving)
        reduction.hold(wanted[:, here], slopes[:, here], first > 0, last < clip.frames - 1)
        return first, reduction.keys()

    found = each(part, list(zip(cuts, cuts[1:])))
    return tuple(
        joined([(first, keys[index]) for first, keys in found]) if chosen[index] else None
        for index in range(len(clip.channels))
    )


def drawn(clip, keys):
    """The clip that the keys give, by Blender's own curves between them; as it was where there are none."""
    columns = [column for column, own in enumerate(keys) if own is not None]
    begin, end = keys[columns[0]].rows[[0, -1]]
    keyed = np.zeros((len(columns), end - begin + 1), dtype=bool)
    for row, column in zip(keyed, columns):
        row[keys[column].rows - begin] = True
    numbers = np.concatenate([np.column_stack([keys[column].values, keys[column].slopes]) for column in columns])
    values = clip.values.copy(order="F")
    values[begin : end + 1, columns] = Bezier(keyed).drawn(numbers).T
    return clip.with_values(values)


def distances(clip, other, skeleton, roles, effectors=()):
    """How far the end effectors of another clip are off, in millimetres and in degrees, (frames, effectors) each."""
    off = Effectors(clip, skeleton, chosen_effectors(skeleton, roles, effectors), 1.0, 1.0).off(other)
    joints, tips, turns = np.linalg.norm(off, axis=2).transpose(1, 2, 0)
    return np.maximum(joints, tips), turns


def grouped(channels, together):
    """For every channel the number of its group; the channels of a group have their keys on the same frames."""

    def group(channel):
        if together and channel.owner:
            return channel.owner
        return channel.path if ROTATION_SIZES.get(channel.kind) == 4 else str(channel)

    numbers = {}
    return np.array([numbers.setdefault(group(channel), len(numbers)) for channel in channels])


def borders(clip, roles, contacts):
    """Where (channels, frames) a contact begins or ends that the channel's limb makes."""
    result = np.zeros((len(clip.channels), clip.frames), dtype=bool)
    contacts = check_contacts(contacts or {}, clip)
    planted = {**feet(contacts, clip.fps), **{f"{side}_hand": contacts.get(f"{side}_hand", ()) for side in SIDES}}
    for end, intervals in planted.items():
        side, kind = end.split("_")
        segments = ("upper_leg", "lower_leg", "foot", "toe") if kind == "foot" else ("upper_arm", "lower_arm", "hand")
        limb = {getattr(roles, f"{side}_{segment}") for segment in segments} - {""}
        channels = [index for index, channel in enumerate(clip.channels) if channel.owner in limb]
        rows = [frame - clip.first_frame for interval in intervals for frame in interval]
        result[np.ix_(channels, rows)] = True
    return result


def joined(found):
    """The keys of stretches that begin at given rows and share their borders."""
    whole = [Keys(first + keys.rows, *keys[1:]) for first, keys in found]
    return Keys(*(np.concatenate([*(array[:-1] for array in arrays[:-1]), arrays[-1]]) for arrays in zip(*whole)))


@frozen
class ReduceParams:
    """None of its own: what may be off by how much is asked of every result that is keyed in this way."""


def reduce(clip, surroundings):
    """Keep only the keys that feet, hands and head need to stay in place."""
    return lambda params: clip


REDUCE = Technique("reduce", "Reduce Keys", ReduceParams, reduce, keys="BODY")
