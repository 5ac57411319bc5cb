# SPDX-License-Identifier: GPL-3.0-or-later
"""How many metres a unit of a file is that does not say it, guessed from how long legs are."""

import numpy as np

from ..motion.skeleton import Skeleton
from .report import LONGEST, SHORTEST
from .roles import find_roles

LEG = 0.85  # metres from hip to ankle, of most who are captured
UNITS = {"metre": 1.0, "centimetre": 0.01, "inch": 0.0254, "millimetre": 0.001, "foot": 0.3048, "inch / 0.45": 0.0254 / 0.45}


def guessed_unit(skeleton: Skeleton) -> tuple[float, str]:
    """How many metres a unit of a skeleton is, and in words why that is thought; 1 and nothing where there is nothing to see.

    Legs of a body's size are in metres. Others are in whatever unit gives them the length that is nearest to most people's.
    """
    leg = standing_leg(skeleton)
    name, unit = nearest_unit(leg)
    if not name:
        return 1.0, ""
    return unit, f"a unit taken for {unit:.4g} m ({name}), as legs are {leg:.3g} long: --unit corrects it"


def nearest_unit(leg):
    """The unit by which a leg of such a length is most like a body's, its name and its metres; none and 1 where it is one
    already, or by no unit."""
    if not leg or SHORTEST < leg < LONGEST:
        return "", 1.0
    name, unit = min(UNITS.items(), key=lambda each: abs(np.log(leg * each[1] / LEG)))
    return (name, unit) if SHORTEST < leg * unit < LONGEST else ("", 1.0)


def standing_leg(skeleton):
    """From hip over knee to ankle at rest, in units of the file; 0 without such a leg."""
    table = find_roles(skeleton).table()
    for side in ("left", "right"):
        names = [table[f"{side}_{bone}"] for bone in ("upper_leg", "lower_leg", "foot")]
        if all(names):
            joints = np.array([skeleton.bones[skeleton.index(name)].rest[:3, 3] for name in names])
            return float(np.linalg.norm(np.diff(joints, axis=0), axis=1).sum())
    return 0.0
