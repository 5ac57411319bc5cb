# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries of made takes: their files, and stretches of them that are turned, moved, retimed and mirrored."""

from dataclasses import replace

import made_takes
import numpy as np
from motion_signal.core.body.mirror import Mirror
from motion_signal.core.library.features import features_of
from motion_signal.core.library.store import Library, keep, opened, row_of
from motion_signal.core.motion.ground import Ground, Path
from motion_signal.core.motion.resample import resampled

NAMES = ("walk", "slow", "run", "fast", "kick", "turn", "limp")


def library(folder, names=NAMES):
    """The index of some made takes, opened."""
    path = folder / ".motion_signal.index"
    with opened(path, writing=True) as base:
        for name in names:
            made = made_takes.take(name)
            keep(base, name, (0, 0), "", {"body": row_of(features_of(made.clip, made.skeleton), made.clip.frames)})
    return Library(path)


def lying(skeleton):
    """The skeleton as it is read of a file in which Z is up: all of it lies in the scene."""
    world = np.array(skeleton.world)
    world[:3] = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)) @ world[:3]
    return replace(skeleton, world=tuple(map(tuple, world.tolist())), standing=None)


def changed(clip, skeleton, pace=1.0, angle=0.0, place=(0.0, 0.0), mirror=False):
    """A clip at another pace, turned about, moved, and seen in the mirror."""
    clip = resampled(clip, np.arange(0.0, clip.frames - 1e-9, pace))
    ground = Ground([clip], skeleton)
    values, path = ground.taken_off(clip.values)
    if mirror:
        seen = Mirror(skeleton)
        values, path = seen.values(clip.with_values(values)), seen.path(path)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    path = Path(path.places @ turn.T + [*place, 0.0], path.headings + angle)
    return clip.with_values(ground.put_on(values, path, clip.values))
