# SPDX-License-Identifier: GPL-3.0-or-later
"""Avatar: a take for the same skeleton at another size (Ahmed 2001, section 6).

Rotations stay as they are; what is a length grows with the figure. The paper scales the travel of the root and shifts its
height by a constant. Here all of its height grows, as who has legs twice as long also rises and sinks twice as far: so the
feet stay down.
"""

from ...declare.params import number
from ...declare.technique import Technique
from ...ik.planted_feet import lock_feet
from ...motion.scale import LARGEST, SMALLEST, scaled
from ...numeric.frozen import frozen


@frozen
class AvatarParams:
    """How large the figure is that the take is for."""

    scale: float = number(
        1.0,
        "How large the figure is that the take is for, compared with the one that it was made on",
        SMALLEST,
        LARGEST,
        slider_range=(0.1, 10.0),
    )
    legs: float = number(
        0.0,
        "How long its legs are, compared with those of that figure; 0 as long as its scale says",
        0.0,
        LARGEST,
        label="Leg Length",
        slider_range=(0.0, 10.0),
    )
    lock: float = number(0.0, "How firmly planted feet are then held in place, for figures of other proportions", 0.0, 1.0)


def avatar(clip, surroundings):
    """Give a take to the same figure at another size: it goes as much farther as its legs are longer."""

    def process(params):
        if params == AvatarParams():
            return clip
        result = scaled(clip, params.scale, params.legs, surroundings.skeleton)
        if not params.lock:
            return result
        return lock_feet(result, surroundings.skeleton, surroundings.planted(), params.lock, surroundings.beside)

    return process


AVATAR = Technique(
    "avatar",
    "Avatar",
    AvatarParams,
    avatar,
    needs=frozenset({"skeleton", "contacts"}),
    waits="set the scale of the figure that the take is for",
    principal="scale",
)
