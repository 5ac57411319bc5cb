# SPDX-License-Identifier: GPL-3.0-or-later
"""Thumbnail: a take and what was made of it as stick figures in a row, in one small drawing for a page of many.

A motion is given as the lines of its figure in the world, in metres with Z up: joints (poses, lines, 3), where lines start,
and tips (poses, lines, 3), where they end.
"""

import numpy as np

from ...core.body.roles import find_roles
from ...core.motion.posing import posed_at
from ...core.motion.skeleton import sub_skeleton

POSES = 6
LINES = 32  # drawn of a figure, the longest: the drawing stays small, whatever the rig
WIDTH, HEIGHT, MARGIN = 320, 88, 3  # pixels
CLEAR, FAR = 0.05, 0.7  # of a figure's size: poses stand as far apart as they travelled, but clear of each other and no further
TRAVELS = 0.5  # of a figure's size: a motion that gets further has a way, which is seen from its side
STROKES = {"ground": ("#9aa0a8", 1), "take": ("#b4b9c1", 3.5), "result": ("#1c6dd0", 1.5)}  # the take shows behind the result


def thumbnail(before, after):
    """Draw a result over its take, both to one scale, as the text of an SVG; `before` is None where there is no take.

    The ground is where the take is lowest, so that a result that sinks in is seen to.
    """
    given = {"take": before, "result": after} if before is not None else {"result": after}
    motions = [picked(*motion) for motion in given.values()]
    sides = apart([seen(motion, way) for motion, way in zip(motions, ways(motions))])
    drawn, floor = in_pixels(sides)
    strokes = stroke("ground", [f"M0 {floor}H{WIDTH}"])
    strokes += "".join(stroke(name, map(path, poses)) for name, poses in zip(given, drawn))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="Poses of {" and ".join(given)}" fill="none" stroke-linecap="round" '
        f'stroke-linejoin="round">{strokes}</svg>'
    )


def instants(frames):
    """The rows of a motion that are drawn: the middles of even parts, as captures often begin and end with another pose."""
    return ((np.arange(POSES) + 0.5) * frames / POSES).astype(int)


def joints_of(clip, skeleton, rows, roles=None):
    """Where the lines of a figure start and end in the world at some rows of a clip: (joints, tips), (rows, lines, 3) each.

    Of a body only trunk and limbs are drawn, without what it hangs on and without fingers; of anything else every bone.
    """
    roles = roles or find_roles(skeleton)
    stands = roles.pelvis and roles.left_foot and roles.right_foot
    body = sub_skeleton(skeleton, [name for name in roles.table().values() if name]) if stands else skeleton
    axes, heads = posed_at(body, clip, rows)
    tails = heads + axes[..., 1] * np.array([bone.length for bone in body.bones])[:, None]
    carriers, parents = {-1, *body.chain(body.index(roles.pelvis))[:-1]}, {bone.parent for bone in body.bones}
    lines = [(heads[:, bone.parent], heads[:, index]) for index, bone in enumerate(body.bones) if bone.parent not in carriers]
    lines += [(heads[:, index], tails[:, index]) for index in range(len(body.bones)) if index not in parents]
    world = np.array(skeleton.world)
    return tuple(np.stack(ends, axis=1) @ world[:3, :3].T + world[:3, 3] for ends in zip(*lines))


def picked(joints, tips):
    """The poses and lines that are drawn, (poses, lines, 2, 3)."""
    lines = np.nan_to_num(np.stack([joints, tips], axis=2)[instants(len(joints))], posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(lines[:, :, 1] - lines[:, :, 0], axis=2).max(axis=0)
    return lines[:, np.sort(np.argsort(-lengths, kind="stable")[:LINES])]


def ways(motions):
    """For each motion the level direction that is drawn to the right: its way, or the other's, or what shows most of it."""
    tracks = [lines[..., :2].mean(axis=(1, 2)) for lines in motions]
    own = [travelled(track, size(lines)) for track, lines in zip(tracks, motions)]
    widest = main_direction((motions[0][..., :2] - tracks[0][:, None, None]).reshape(-1, 2))
    shared = next((way for way in own if way is not None), widest)
    return [shared if way is None else way for way in own]


def travelled(track, size):
    """The direction in which a track (poses, 2) goes, None if it stays in place."""
    way = main_direction(track - track.mean(axis=0))
    along = track @ way
    return (-way if along[-1] < along[0] else way) if np.ptp(along) > TRAVELS * size else None


def main_direction(places):
    return np.linalg.svd(places, full_matrices=False)[2][0]


def size(lines):
    """How far a figure reaches, at most."""
    return np.ptp(lines, axis=(1, 2)).max()


def seen(lines, way):
    """Lines (poses, lines, 2, 3) seen from the side: how far along the way, from the middle of each pose, and how high."""
    along = lines[..., :2] @ way
    middles = along.mean(axis=(1, 2))
    return along - middles[:, None, None], lines[..., 2], np.diff(middles)


def apart(sides):
    """Lines (poses, lines, 2, 2) with every pose in its own place: as far on as it travelled, or just clear of the last."""
    left, right = (
        np.max([side(along) for along, _, _ in sides], axis=0)
        for side in (lambda along: -along.min(axis=(1, 2)), lambda along: along.max(axis=(1, 2)))
    )
    heights = [np.ptp(up, axis=(1, 2)).max() for _, up, _ in sides]
    largest = max(*(left + right), *heights)
    steps = np.maximum(right[:-1] + left[1:] + CLEAR * largest, np.minimum(sides[-1][2], FAR * largest))
    places = np.concatenate([[0.0], np.cumsum(steps)])[:, None, None]
    return [np.stack([along + places, up], axis=3) for along, up, _ in sides]


def in_pixels(sides):
    """Lines in whole pixels, as large as they get, and how far down the ground is."""
    corners = np.array([(side.min(axis=(0, 1, 2)), side.max(axis=(0, 1, 2))) for side in sides])
    low, extent = corners[:, 0].min(axis=0), np.ptp(corners, axis=(0, 1))
    available = np.array([WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN])
    scale = np.min(available / np.maximum(extent, 1e-9))
    start = np.array([0.5 * (WIDTH - scale * extent[0]), HEIGHT - MARGIN])

    def pixels(points):
        return np.rint(start + scale * (points - low) * [1.0, -1.0]).astype(int)

    return [pixels(side) for side in sides], pixels(corners[0, 0])[1]


def path(pose):
    """A pose (lines, 2, 2) as the text of a path: lines that go on where the last one ended are not begun anew."""
    words, last = [], None
    for start, end in dict.fromkeys((tuple(start), tuple(end)) for start, end in pose.tolist()):
        if start != end:
            words.append(("" if start == last else "M{} {}".format(*start)) + "L{} {}".format(*end))
            last = end
    return "".join(words) or "M{0} {1}L{0} {1}".format(*pose[0, 0])


def stroke(name, paths):
    colour, width = STROKES[name]
    lines = "".join(f'<path d="{text}"/>' for text in paths)
    return f'<g style="stroke:var(--{name},{colour});stroke-width:{width}">{lines}</g>'
