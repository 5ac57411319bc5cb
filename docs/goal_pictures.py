# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the small pictures of the goals on an empty rack, from the walking figure itself, into presets/goals.

    make pictures

What it was is blue and behind, what becomes of it is orange; the rest is transparent, so that it stands on any theme.
Needs Blender as a Python module, and no window.
"""

import sys
from pathlib import Path

import bpy
import numpy as np
from mannequin import ellipsoids, hit
from mathutils import Euler

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "bench"))

from run import load  # noqa: E402

FOLDER = DOCS.parent / "presets" / "goals"
SIZE, FINER = 96, 3  # pixels of a side, and how many are drawn for one
BLUE, ORANGE = np.array((0.42, 0.60, 0.95)), np.array((1.0, 0.55, 0.13))
GREEN = np.array((0.36, 0.80, 0.42))
TURN = np.array(Euler((1.48, 0.0, -1.38)).to_matrix())  # of the eye: the figure walks to the right, and a little to us
TALL, MIDDLE, STOUT = 1.84, 0.88, 1.35  # metres that a picture shows, the height at its middle; how thick the figure is
STRIDE = 37  # the frame of a wide step
FAINT, LINE = 0.5, 0.035  # how much is seen of what is behind; of the picture, a line to either side


class Picture:
    """Layers of color (pixels, pixels, 3) and cover (pixels, pixels), one over the other; places from -1 to 1, upwards."""

    def __init__(self):
        across = 2.0 * (np.arange(FINER * SIZE) + 0.5) / (FINER * SIZE) - 1.0
        self.places = np.stack(np.meshgrid(across, across), axis=2)
        self.color, self.cover = np.zeros((*self.places.shape[:2], 3)), np.zeros(self.places.shape[:2])

    def lay(self, color, cover):
        """Lay a color over what is there."""
        kept = self.cover * (1.0 - cover)
        total = np.maximum(kept + cover, 1e-9)
        self.color = (self.color * kept[..., None] + color * cover[..., None]) / total[..., None]
        self.cover = kept + cover

    def figure(self, pose, color, strength=1.0, at=(0.0, 0.0), size=1.0):
        """A posed figure that stands at a place, so large."""
        names, lengths, matrices = pose
        middle = np.append(matrices[0, :2, 3], MIDDLE)
        shapes = ellipsoids(names, lengths, matrices, STOUT)
        flat = (self.places.reshape(-1, 2) - at) / size * TALL / 2
        starts, way = middle + flat @ TURN[:, :2].T + 10.0 * TURN[:, 2], -TURN[:, 2]
        depth, light = np.full(len(flat), np.inf), np.zeros(len(flat))
        for shape in zip(*shapes):
            far, normals = hit(*shape, starts, np.broadcast_to(way, starts.shape))
            nearer = far < depth
            depth[nearer], light[nearer] = far[nearer], (normals @ TURN[:, 2])[nearer]
        square = self.places.shape[:2]
        shaded = np.outer(0.55 + 0.45 * light, color).reshape(*square, 3)
        self.lay(shaded, strength * np.isfinite(depth).reshape(square))

    def line(self, points, color, strength=1.0, wide=LINE):
        """A line through points (points, 2)."""
        points = np.asarray(points, dtype=float)
        cover = np.zeros(self.places.shape[:2], dtype=bool)
        for start, end in zip(points, points[1:]):
            along = end - start
            share = np.clip((self.places - start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
            cover |= np.linalg.norm(self.places - start - share[..., None] * along, axis=2) < wide
        self.lay(color, strength * cover)

    def arrow_head(self, tip, way, color, size=0.2):
        """A triangle whose tip is at a place and which points along a way (2,)."""
        way = np.asarray(way) / np.linalg.norm(way)
        back = np.asarray(tip) - self.places
        along, aside = back @ way, np.abs(back @ np.array((-way[1], way[0])))
        self.lay(color, 1.0 * ((along > 0.0) & (along < size) & (aside < 0.65 * along)))

    def diamond(self, at, color, size=0.13):
        self.lay(color, 1.0 * (np.abs(self.places - at).sum(axis=2) < size))

    def save(self, path):
        """Write the picture as a PNG, small."""
        small = (SIZE, FINER, SIZE, FINER)
        cover = self.cover.reshape(small).mean(axis=(1, 3))
        color = (self.color * self.cover[..., None]).reshape(*small, 3).mean(axis=(1, 3)) / np.maximum(cover, 1e-9)[..., None]
        image = bpy.data.images.new(path.stem, SIZE, SIZE, alpha=True)
        image.pixels = np.dstack([color, cover]).ravel().tolist()
        image.filepath_raw, image.file_format = str(path), "PNG"
        image.save()


def take(technique="", frame=STRIDE, **called):
    """The pose of a walk at a frame, after a technique was used on it: names, lengths, matrices (bones, 4, 4)."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.motion_signal.add_figure(speed=1.5)
    if technique:
        getattr(bpy.ops.motion_signal, technique)(**called)
    figure = bpy.context.object
    bpy.context.scene.frame_set(frame)
    matrices = np.array([figure.matrix_world @ bone.matrix for bone in figure.pose.bones])
    return figure.pose.bones.keys(), [bone.length for bone in figure.data.bones], matrices


def both(picture, *called, **given):
    """The take behind what a technique makes of it."""
    picture.figure(take(), BLUE, FAINT)
    picture.figure(take(*called, **given), ORANGE)


def sadder(picture):
    both(picture, "style", preset="tired", amount=1.6)


def happier(picture):
    both(picture, "style", preset="happy", amount=1.8)


def heavier(picture):
    """What presses it down is an arrow from above."""
    picture.line([(0.0, 0.95), (0.0, 0.66)], BLUE, wide=0.13)
    picture.arrow_head((0.0, 0.36), (0.0, -1.0), BLUE, 0.38)
    picture.figure(take("equalize", preset="weighty"), ORANGE, at=(0.0, -0.36), size=0.68)


def bigger(picture):
    both(picture, "equalize", gains=str([1.0] * 4 + [1.9] * 8), feet="FREE")


def calm_jitter(picture):
    """A trembling curve above, which becomes a calm one below."""
    across = np.linspace(-0.92, 0.92, 60)
    calm = 0.28 * np.sin(2.6 * across)
    shaken = calm + 0.2 * np.random.default_rng(5).uniform(-1.0, 1.0, len(across))
    picture.line(np.stack([across, 0.42 + shaken], axis=1), BLUE, 0.9)
    picture.line(np.stack([across, -0.46 + calm], axis=1), ORANGE, wide=0.06)


def lock_feet(picture):
    """Legs alone, large; where feet stand the ground is green."""
    picture.line([(-0.86, -0.9), (0.86, -0.9)], GREEN, wide=0.08)
    picture.figure(take(), ORANGE, at=(0.0, 0.62), size=1.6)


def loop(picture):
    turns = np.radians(np.linspace(70.0, 380.0, 60))
    picture.line(0.86 * np.stack([np.cos(turns), np.sin(turns)], axis=1), BLUE, wide=0.05)
    end = 0.86 * np.array((np.cos(turns[-1]), np.sin(turns[-1])))
    picture.arrow_head(end + (-0.07, 0.2), (-np.sin(turns[-1]), np.cos(turns[-1])), BLUE, 0.34)
    picture.figure(take(), ORANGE, size=0.72)


def few_keys(picture):
    """A curve with many keys above, and with few below."""
    across = np.linspace(-0.85, 0.85, 60)
    curve = 0.30 * np.sin(3.2 * across)
    picture.line(np.stack([across, 0.44 + curve], axis=1), BLUE, FAINT)
    picture.line(np.stack([across, -0.44 + curve], axis=1), ORANGE)
    for at in np.linspace(-0.85, 0.85, 11):
        picture.diamond((at, 0.44 + 0.30 * np.sin(3.2 * at)), BLUE, 0.11)
    for at in (-0.85, -0.49, 0.49, 0.85):
        picture.diamond((at, -0.44 + 0.30 * np.sin(3.2 * at)), ORANGE, 0.19)


def retime(picture):
    """Poses one after the other: far apart, then close together."""
    for frame, across in ((31, -0.66), (37, -0.12), (40, 0.16), (43, 0.42), (46, 0.66)):
        picture.figure(take(frame=frame), BLUE if across < -0.5 else ORANGE, 0.8, at=(across, 0.0), size=0.8)


def along_a_curve(picture):
    """A bent way on the ground with its points, and the figure on it."""
    across = np.linspace(-0.86, 0.86, 60)
    way = np.stack([across, -0.56 - 0.3 * np.sin(3.4 * across)], axis=1)
    picture.line(way, BLUE, wide=0.06)
    for at in (0, 22, 59):
        picture.diamond(way[at], BLUE, 0.19)
    picture.figure(take(), ORANGE, at=(0.42, 0.08), size=0.86)


GOALS = (sadder, happier, heavier, bigger, calm_jitter, lock_feet, loop, few_keys, retime, along_a_curve)


def main(names):
    package = load()
    package.register()
    FOLDER.mkdir(exist_ok=True)
    try:
        for draw in GOALS:
            if not names or draw.__name__ in names:
                picture = Picture()
                draw(picture)
                picture.save(FOLDER / f"{draw.__name__}.png")
    finally:
        package.unregister()


if __name__ == "__main__":
    main(sys.argv[1:])
