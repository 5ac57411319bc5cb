# SPDX-License-Identifier: GPL-3.0-or-later
"""How unlike two moments are: as far as places of the body are apart, now and where they are headed in a moment.

A moment is a row of numbers in legs; the squared distance of two rows is how unlike they are. What is faster counts as far as
it gets in a fixed time, so that all is one unit and nothing needs a weight of its own. How high the hips are above the ground
is left out, and how fast they rise is not: where the ground is, a short stretch does not tell, and on stairs it changes.
"""

import numpy as np

from .features import COLUMNS, PLANTED, POSE, RATE

AHEAD = 0.1  # seconds: a difference in speed counts as the distance that it makes in this time
UNDERWAY = 0.2  # seconds, of where the body as a whole goes and turns, which counts as one place among many
ARM = 0.5  # legs from the middle at which a turn is looked at
STANDS = 0.1  # legs that a foot which stands is from one that does not
PARTS = (POSE + 2) / 3.0  # places, by which distances become those of one
SIDED = [name.replace("left", "0").replace("right", "left").replace("0", "right") for name in COLUMNS]
PARTNER = np.array([COLUMNS.index(name) for name in SIDED])
# What the mirror turns round: what is left is right, and a turn goes the other way.
SIGN = np.array([-1.0 if name.endswith("_x") or name == "turn" else 1.0 for name in COLUMNS], np.float32)
BESIDE = np.array([0.0, *[1.0] * (POSE - 1)], np.float32)  # all but the height of the hips
WIDTH = 2 * POSE + 3 + len(PLANTED)


def moments(features):
    """Rows (rows, numbers) of features: places, where they get, where the body goes, which feet stand."""
    values = features.values
    pose = values[:, :POSE]
    speeds = np.gradient(pose, axis=0) * (RATE * AHEAD) if len(pose) > 1 else np.zeros_like(pose)
    way = values[:, POSE:] * np.array([UNDERWAY, UNDERWAY, UNDERWAY * ARM], np.float32)
    stands = np.stack([(features.marks & mark > 0) * np.float32(STANDS) for mark in PLANTED.values()], axis=1)
    return np.concatenate([pose * BESIDE, speeds, way, stands], axis=1).astype(np.float32)


def poses(features):
    """The same with what is seen of a pose alone."""
    rows = moments(features)
    rows[:, POSE:] = 0.0
    return rows


def mirrored(rows):
    """Moments as the mirror shows them."""
    pose, speeds, way, stands = np.split(rows, [POSE, 2 * POSE, 2 * POSE + 3], axis=1)
    both = [part[:, PARTNER[:POSE]] * SIGN[:POSE] for part in (pose, speeds)]
    return np.concatenate([*both, way * SIGN[POSE:], stands[:, ::-1]], axis=1)


def shown(cost, leg=1.0):
    """A squared distance as how far places of the body are apart, on average, in legs or metres."""
    return float(np.sqrt(max(cost, 0.0) / PARTS) * leg)
