# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of a library on another figure: from where that one stands and the way that it faces, at its frame rate."""

from dataclasses import replace

import numpy as np

from ..body.contacts import find_ground
from ..body.mirror import Mirror
from ..body.roles import find_roles
from ..body.upright import on_its_ground
from ..motion.ground import Ground, laid
from ..motion.resample import resampled
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from ..retargeting.retarget import Retarget

FEWEST = 12  # frames of a stretch, so that there is something to stand and to move by


@frozen
class Spot:
    """Where a figure is: its place on the ground (3,), its heading in radians, and how high the ground is, in its armature."""

    place: np.ndarray
    heading: float
    ground: float


def spot_of(clip, skeleton, frame):
    """Where a figure stands at a frame of its take, and which way it faces."""
    ground = Ground([clip], skeleton)
    _, path = ground.taken_off(clip.values)
    row = int(np.clip(frame - clip.first_frame, 0, clip.frames - 1))
    return Spot(path.places[row], float(path.headings[row]), level(clip, skeleton))


def level(clip, skeleton):
    """How high the ground is under a take, in units of its armature."""
    return find_ground(clip, skeleton, find_roles(skeleton)) / size_of(skeleton)


def size_of(skeleton):
    """Metres in a unit of an armature."""
    return float(np.cbrt(abs(np.linalg.det(np.array(skeleton.world)[:3, :3]))))


def cut_out(clip, first, last, fps):
    """Some frames of a clip at another rate, a few more where they are hardly any; its first frame is 0."""
    step = clip.fps / fps
    first, last = (float(np.clip(frame - clip.first_frame, 0, clip.frames - 1)) for frame in (first, last))
    if last - first < step * (FEWEST - 1):
        last = min(clip.frames - 1.0, first + step * (FEWEST - 1))
        first = max(0.0, last - step * (FEWEST - 1))
    rows = np.arange(first, last + 1e-6, step)
    return replace(resampled(clip, rows), fps=fps, first_frame=0)


def mirrored(clip, skeleton):
    """A clip as the mirror shows it."""
    ground, mirror = Ground([clip], skeleton), Mirror(skeleton)
    values, path = ground.taken_off(clip.values)
    return clip.with_values(ground.put_on(mirror.values(clip.with_values(values)), mirror.path(path), clip.values))


def placed(clip, skeleton, hit, target, fps, spot, frame, lead=0.0, feet=True):
    """The stretch of a hit on a figure, from a spot on, beginning at a frame; `lead` seconds more before it, if there are such.

    The hit's own first frame is at the spot. Feet that stand are kept planted, which is left out where it is only to be seen.
    The figure's skeleton is in a world in which it stands (`on_its_ground`): files in which Z is up are read lying.
    """
    if target.led:
        raise Refusal(
            f"{', '.join(target.led[:2])}: constraints lead bones of this figure; bring takes onto its deform skeleton"
        )
    skeleton = on_its_ground(skeleton, clip)
    before = min(lead, (hit.first - clip.first_frame) / clip.fps)
    part = cut_out(clip, hit.first - before * clip.fps, hit.last, fps)
    part = mirrored(part, skeleton) if hit.mirrored else part
    result = Retarget(skeleton, target, clip=part)(part, feet=feet)
    ground = Ground([result], target)
    if ground.roots:
        values, path = ground.taken_off(result.values)
        rise = (spot.ground - level(result, target)) * ground.up
        moved = laid(path, min(round(before * fps), result.frames - 1), spot.place + rise, spot.heading, ground.up)
        result = result.with_values(ground.put_on(values, moved, result.values))
    return replace(result, first_frame=frame - round(before * fps))
