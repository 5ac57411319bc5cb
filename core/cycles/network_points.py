# SPDX-License-Identifier: GPL-3.0-or-later
"""What animators put on the plane of a network: cycles, and where it is blended at frames."""

from ..declare.params import build, flag, number, tree, whole, words
from ..declare.scope import FAR
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

PLANE = (-10.0, 10.0)  # what sliders span
SUPERPOSED = ("plus", "minus")
NESTED = ("points", "puck_x", "puck_y")


@frozen
class NetworkPoint:
    """A cycle and where it lies."""

    action: str = words("", "Action that is a cycle; empty for the take itself", names="action")
    x: float = number(0.0, "Where the cycle lies, from left to right", label="X", slider_range=PLANE)
    y: float = number(0.0, "Where the cycle lies, from bottom to top", label="Y", slider_range=PLANE)
    shift: float = number(0.0, "How much of itself the cycle begins later than where it was aligned to", -1.0, 1.0)
    mirror: bool = flag(False, "Exchange left and right")
    superpose: dict = tree(
        "Instead of an action: actions that are added and taken away, such as {'plus': ['turn', 'slow'], "
        "'minus': ['straight']} for a slow turn",
        names="action",
    )
    network: dict = tree("Instead of an action: a network with points, puck_x and puck_y of its own", names="action")


@frozen
class PuckKey:
    """Where it is blended at a frame."""

    frame: int = whole(1, "Frame", -FAR, FAR)
    x: float = number(0.0, "Where it is blended, from left to right", label="X", slider_range=PLANE)
    y: float = number(0.0, "Where it is blended, from bottom to top", label="Y", slider_range=PLANE)


def read_points(rows, within="points"):
    """Points from plain values, or a Refusal that says which is wrong and why."""
    points = [build(NetworkPoint, row, f"{within}[{index}] ") for index, row in enumerate(rows)]
    for index, point in enumerate(points):
        name = f"{within}[{index}]"
        given = [field for field in ("action", "superpose", "network") if getattr(point, field)]
        if len(given) > 1:
            raise Refusal(f"{name}: has {' and '.join(given)}, where one of them would do")
        check_superpose(f"{name} superpose", point.superpose)
        check_nested(f"{name} network", point.network)
    return points


def check_superpose(name, lists):
    for key, actions in lists.items():
        if key not in SUPERPOSED:
            raise Refusal(f"{name}: there is no {key}; there are {', '.join(SUPERPOSED)}")
        if not isinstance(actions, (list, tuple)) or not all(isinstance(action, str) for action in actions):
            raise Refusal(f"{name} {key}: {actions!r} is no list of actions")
    if lists and not lists.get("plus"):
        raise Refusal(f"{name}: there is no action in plus for the others to be added to")


def check_nested(name, nested):
    for key in nested:
        if key not in NESTED:
            raise Refusal(f"{name}: there is no {key}; there are {', '.join(NESTED)}")
    if nested:
        read_points(nested.get("points", ()), f"{name} points")
