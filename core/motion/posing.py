# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a clip puts the bones of a skeleton, found once for a clip: who asks again, or for some of the bones, gets the same.

Arrays are (frames, bones, ...) to whoever uses them and lie in memory with the frames last, which is several times faster.
"""

import numpy as np

from ..numeric.matrix import product, turned, turns
from ..numeric.parallel import blocks, each
from ..numeric.rotation import ROTATION_SIZES

BLOCK = 4096  # frames; fewer are not worth a thread
ROWS = 1 << 15  # frames at a time, times bones: what stays in the processor's own memory
KEPT = 1 << 17  # frames times bones: posed bones are many times the size of a long take, of which none are kept
KEPT_PARTS = KEPT >> 3  # the same of a part of a skeleton that is posed as a whole: many ask, each for a part of its own
KNOWN = 4  # sets of channels, for which it is known where those of each bone are


def posed(skeleton, clip):
    """Axes (frames, bones, 3, 3), scale included, and joints (frames, bones, 3); neither is to be written to."""
    kept = clip.__dict__.setdefault("_posed", {})
    if skeleton in kept:
        return kept[skeleton]
    if skeleton.part_of is not None and skeleton.part_of[0] in kept:
        whole, bones = skeleton.part_of
        found, most = tuple(frames_first(time_last(array)[bones]) for array in kept[whole]), KEPT_PARTS
    else:
        found, most = placed(skeleton, clip), KEPT
    if clip.frames * len(skeleton.bones) <= most:
        for array in found:
            array.flags.writeable = False
        kept[skeleton] = found
    return found


def posed_at(skeleton, clip, rows):
    """The same at some rows of a clip."""
    if clip.frames * len(skeleton.bones) > KEPT:
        return placed(skeleton, clip.with_values(clip.values[rows]))
    return tuple(array[rows] for array in posed(skeleton, clip))


def posed_first(skeleton, clip, count):
    """The same at the first rows of a clip, which is not posed for them as a whole."""
    whole = clip.__dict__.get("_posed", {}).get(skeleton)
    return tuple(array[:count] for array in whole) if whole else placed(skeleton, clip.with_values(clip.values[:count]))


def placed(skeleton, clip):
    """What `posed` gives, found anew."""
    axes, origin = (frames_last(clip.frames, len(skeleton.bones), *shape) for shape in ((3, 3), (3,)))
    alike, others = sorted_out(skeleton, clip.channels)
    size = min(BLOCK, ROWS // max(1, len(skeleton.bones)) + 1)

    def fill(rows):
        for start in range(rows.start, rows.stop, size):
            some = slice(start, min(start + size, rows.stop))
            values, turning = clip.values[some], {}
            for mode, bones, columns, inner in alike:
                components = np.ascontiguousarray(values.T[columns])
                turning |= zip(bones, np.moveaxis(within(inner, turns(mode, components)), 2, 0))
            place(skeleton, values, time_last(axes[some]), time_last(origin[some]), turning, others)

    each(fill, blocks(clip.frames, BLOCK))
    return axes, origin


def within(inner, turning):
    """Rotations (3, 3, bones, frames) of bones in their parents, from where these rest, (3, 3, bones, 1)."""
    rests, turned = inner[..., 0].transpose(2, 0, 1), np.moveaxis(turning, 2, 0)  # a product of matrices for each bone
    return np.moveaxis(np.matmul(rests, turned.reshape(len(rests), 3, -1)).reshape(turned.shape), 0, 2)


def place(skeleton, values, axes, origin, turning, others):
    """Fill in where bones are, (bones, 3, 3, frames) and (bones, 3, frames); `turning` are rotations of bones in their parents,
    `others` what is said of those that are not among them."""
    place_bone, scratch = skeleton.placer(axes, origin), np.empty((3, 3, axes.shape[-1]))
    for index, bone in enumerate(skeleton.bones):
        if index not in turning:
            place_bone(index, *others[index](values))
            continue
        offset = skeleton.relative[index][:3, 3, None]
        if bone.parent < 0:
            axes[index], origin[index] = turning[index], offset
        else:
            product(axes[bone.parent], turning[index], axes[index], scratch)
            np.add(origin[bone.parent], turned(axes[bone.parent], offset), out=origin[index])


def sorted_out(skeleton, channels):
    """Bones that their rotation alone moves, as (mode, bones, columns (size, bones), rest axes in their parents (3, 3, bones,
    1)), and for the others functions of values that say how they do, by index; known for the last sets of channels."""
    known = skeleton.__dict__.setdefault("_sorted_out", [])
    for own, found in known:
        if own == channels:
            return found
    columns, by_mode, others = {(channel.path, channel.index): at for at, channel in enumerate(channels)}, {}, {}
    for index, bone in enumerate(skeleton.bones):
        own = [columns.get((bone.rotation_path, component)) for component in range(ROTATION_SIZES[bone.mode])]
        if bone.usual and None not in own and not moved(bone, columns):
            by_mode.setdefault(bone.mode, []).append((index, own))
        else:
            others[index] = lambda values, bone=bone: local(bone, values, columns)
    alike = []
    for mode, bones in by_mode.items():
        inner = np.stack([skeleton.relative[index][:3, :3] for index, _ in bones], axis=-1)[..., None]
        alike.append((mode, [index for index, _ in bones], np.array([own for _, own in bones]).T, inner))
    known[:] = [(channels, (alike, others)), *known[: KNOWN - 1]]
    return alike, others


def moved(bone, columns):
    """Whether a bone is, or is held, moved or scaled."""
    held = tuple(bone.location) != (0.0, 0.0, 0.0) and not bone.connected or tuple(bone.scale) != (1.0, 1.0, 1.0)
    names = (bone.path + ".scale",) if bone.connected else (bone.path + ".scale", bone.path + ".location")
    return held or any((name, axis) in columns for name in names for axis in range(3))


def local(bone, values, columns):
    """The rotation (3, 3, frames), location and scale (3, frames) of one bone, from the values of a clip; None for none."""
    return (
        turns(bone.mode, read(values, columns, bone.rotation_path, bone.rotation)),
        location(bone, values, columns),
        read(values, columns, bone.path + ".scale", bone.scale, (1.0, 1.0, 1.0)),
    )


def location(bone, values, columns):
    """The location (3, frames or 1) of one bone, None for none."""
    return None if bone.connected else read(values, columns, bone.path + ".location", bone.location, (0.0, 0.0, 0.0))


def read(values, columns, path, rest, nothing=None):
    """The channels of one property over time, (size, frames), unkeyed ones at what they hold.

    (size, 1) if none of them is keyed, and None if then what they hold is `nothing`.
    """
    found = [columns.get((path, index)) for index in range(len(rest))]
    if found == [None] * len(rest):
        return None if tuple(rest) == nothing else np.array(rest)[:, None]
    if None not in found and found == list(range(found[0], found[0] + len(found))):
        return np.ascontiguousarray(values.T[found[0] : found[0] + len(found)])
    return np.stack(
        [np.full(len(values), value) if column is None else values[:, column] for value, column in zip(rest, found)]
    )


def frames_last(frames, *shape):
    """An empty array (frames, ...) that lies in memory with its frames last."""
    return frames_first(np.empty((*shape, frames)))


def frames_first(array):
    """(..., frames) seen with its frames first."""
    return array.transpose(-1, *range(array.ndim - 1))


def time_last(array):
    """(frames, ...) seen with its frames last."""
    return array.transpose(*range(1, array.ndim), 0)
