# SPDX-License-Identifier: GPL-3.0-or-later
"""A take and its result as the page plays them: stick figures at some frames, in whole numbers, as text of a script."""

import base64
import json

import numpy as np

from ...core.motion.posing import posed_at
from ...core.motion.skeleton import sub_skeleton

RATE = 30.0  # pictures a second
MOST = 900  # pictures of a take
CLOSE = 12  # frames on each side of a moment that are all shown


def played(before, after, frames):
    """A result (Measured) and its take at enough frames to be watched, and at all around some `frames`."""
    clips = [each.clip for each in (before, after) if each is not None]
    rows = rows_shown(clips[-1], [frame - clips[-1].first_frame for frame in frames])
    lines, motions = None, []
    for each in (before, after) if before is not None else (after,):
        last = each.clip.frames - 1
        own = rows if each is after or last == clips[-1].frames - 1 else np.rint(rows * (last / max(1, rows[-1]))).astype(int)
        lines, points = stick_figure(each, own.clip(0, last))
        motions.append(points)
    low = np.min([points.min(axis=(0, 1)) for points in motions], axis=0)
    scale = max(float(np.max([points.max(axis=(0, 1)) for points in motions] - low)), 1e-6) / 65535.0
    packed = [base64.b64encode(np.rint((points - low) / scale).astype("<u2").tobytes()).decode() for points in motions]
    return {
        "fps": clips[-1].fps,
        "frames": (rows + clips[-1].first_frame).tolist(),
        "lines": lines,
        "low": low.tolist(),
        "scale": scale,
        "take": packed[0] if before is not None else "",
        "result": packed[-1],
    }


def rows_shown(clip, moments):
    step = max(1, round(clip.fps / RATE), -(-clip.frames // MOST))
    close = [np.arange(moment - CLOSE, moment + CLOSE + 1) for moment in moments]
    rows = np.unique(np.concatenate([np.arange(0, clip.frames, step), *close, [clip.frames - 1]]))
    return rows[(rows >= 0) & (rows < clip.frames)].astype(int)


def stick_figure(each, rows):
    """Lines as pairs of points, and points (rows, points, 3) in the world, in metres with Z up."""
    roles, skeleton = each.roles, each.skeleton
    stands = roles.pelvis and roles.left_foot and roles.right_foot
    body = sub_skeleton(skeleton, [name for name in roles.table().values() if name]) if stands else skeleton
    axes, heads = posed_at(body, each.clip, rows)
    ends = [index for index in range(len(body.bones)) if index not in {bone.parent for bone in body.bones}]
    lengths = np.array([body.bones[index].length for index in ends])
    tails = heads[:, ends] + axes[..., 1][:, ends] * lengths[:, None]
    carriers = {-1, *body.chain(body.index(roles.pelvis))[:-1]} if stands else {-1}
    lines = [[bone.parent, index] for index, bone in enumerate(body.bones) if bone.parent not in carriers]
    lines += [[index, len(body.bones) + number] for number, index in enumerate(ends)]
    world = np.array(skeleton.world)
    points = np.concatenate([heads, tails], axis=1) @ world[:3, :3].T + world[:3, 3]
    return lines, np.nan_to_num(points, posinf=0.0, neginf=0.0)


def script(target, motions):
    """The text of a script that hands the motions of a take to the page."""
    return f"motionSignal({json.dumps(target)}, {json.dumps(motions, separators=(',', ':'))})\n".replace("<", "\\u003c")
