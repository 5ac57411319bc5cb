# SPDX-License-Identifier: GPL-3.0-or-later
"""What every technique is asked besides its own parameters: which curves, which frames, and what to write."""

from ..numeric.frozen import frozen
from .params import choice, flag, number, records, whole, words

FAR = 1_048_574  # Blender's last frame


@frozen
class CurveName:
    """A curve of an action."""

    path: str = words("", "Data path of the curve")
    index: int = whole(0, "Which of the path's values", 0, 1000)


@frozen
class ScopeParams:
    """Which curves and frames change, and how the result is keyed."""

    scope: str = choice(
        "ALL",
        "Which curves change; locked and muted ones never do",
        (
            ("ALL", "Everything", "Every curve of the action"),
            ("BONES", "Selected Bones", "Curves of the selected bones"),
            ("CURVES", "Selected Curves", "Curves selected in the Graph Editor"),
            ("NAMED", "Named Bones", "Curves of the bones listed by name"),
            ("LISTED", "Listed Curves", "Curves listed by data path, as a result remembers them"),
        ),
        label="Change",
    )
    action: str = words("", "Action to work on; empty for the one that the object has", label="From")
    bones: str = words("", "Names of the bones that change, between commas")
    curves: tuple = records("Curves that change, as JSON such as [{'path': 'location', 'index': 2}]", CurveName)
    animated: str = choice(
        "OBJECT",
        "Whose animation changes",
        (
            ("OBJECT", "Object", "The object and its bones"),
            ("SHAPE_KEYS", "Shape Keys", "The shape keys of the object's mesh"),
            ("DATA", "Object Data", "The object's data, such as a camera's lens"),
        ),
        label="Animation Of",
    )
    frames: str = choice(
        "WHOLE",
        "Which frames change",
        (
            ("WHOLE", "Whole Action", "From the first key to the last"),
            ("RANGE", "Frame Range", "From the start to the end frame, fading in and out"),
            ("PREVIEW", "Preview Range", "The scene's preview range, fading in and out"),
        ),
    )
    frame_start: int = whole(1, "First frame that changes", -FAR, FAR, label="Start")
    frame_end: int = whole(250, "Last frame that changes", -FAR, FAR, label="End")
    fade_in: float = number(0.2, "Time over which the change fades in after the start", 0.0, 60.0, "s")
    fade_out: float = number(0.2, "Time over which the change fades out before the end", 0.0, 60.0, "s")
    angles_apart: bool = flag(
        False,
        "Treat each Euler angle as a signal of its own instead of a rotation as a whole: for hinges such as doors and wheels",
        label="Each Angle Alone",
    )
    feet: str = choice(
        "TAKE",
        "What becomes of feet that stand, and of knees, where a technique moves legs or what they hang on",
        (
            ("TAKE", "As in the Take", "Feet stand while they stand in the take, with the take's own small drift"),
            ("LOCKED", "Locked", "Feet stand in one place while they stand in the take"),
            ("PATHS", "On Their Paths", "Feet stay where they are in the take, in swings too"),
            ("FREE", "Free", "Feet go wherever the technique takes them"),
        ),
    )
    ground: str = words(
        "",
        "Mesh object that the figure is put on: feet stand on it and swing above it; empty leaves the ground as it is",
        names="mesh",
    )
    keep_ends: bool = flag(
        False, "Hold feet, hands or other bones on the paths that they have in the take, and change only what they leave free"
    )
    held_bones: str = words(
        "left_foot, right_foot, left_hand, right_hand",
        "Bones that are held, the most important first, between commas: body parts such as left_foot, or names of bones",
        label="Held",
    )
    share: bool = flag(
        False,
        "All that held bones hang on gives a little, so that limbs keep more of the change; else the trunk keeps its own",
        label="Trunk Gives Way",
    )
    keys: str = choice(
        "AUTO",
        "Where the result has keys",
        (
            ("AUTO", "As in the Take", "Few keys stay few, steps stay steps, and what has a key on every frame keeps them"),
            ("EVERY_FRAME", "Every Frame", "A key on every frame that changes"),
            ("SOURCE", "Source's Keys", "Keys where the source has them, moved to the new values"),
            ("FEWEST", "Few per Curve", "As few smooth keys as the tolerance allows, each curve for itself"),
            ("BODY", "Few for the Body", "As few smooth keys as leave feet, hands and head where they are"),
        ),
    )
    tolerance: float = number(
        0.001, "How far a curve with fewer keys may be from the result: 0.001 is 1 mm, or 0.06 degrees of turn", 1e-6, 1.0
    )
    millimetres: float = number(
        2.0,
        "How far feet, hands and head may be from where they are, where the result has few keys",
        0.001,
        1e4,
        "mm",
        label="Off by (mm)",
        slider_range=(0.1, 20.0),
    )
    degrees: float = number(
        0.5,
        "How far they may be turned from how they are",
        0.001,
        180.0,
        "degrees",
        label="Turned by (°)",
        slider_range=(0.1, 10.0),
    )
    together: bool = flag(False, "Key all curves of a bone on the same frames", label="Same Frames")
    effectors: str = words("", "Bones that are measured instead of feet, hands and head, between commas", label="Measured")
    slots_along: bool = flag(
        True,
        "Where time changes, it does so for the action's other slots too: shape keys, props, a camera",
        label="Other Slots Along",
    )
    scene_along: bool = flag(
        False,
        "Where time changes, it does so for all that is animated in the scene: shape keys, props, cameras, materials",
        label="Scene Along",
    )
    result: str = words("", "Name of the new action; empty names it after the source", label="Name")


def scope_words(bones, curves, frames, staying=0, switches=0, along=False):
    """What changes, in words: 12 bones, 48 curves, frames 20-180, and what does not change with it."""
    pieces = [count_of(bones, "bone")] if bones else []
    pieces += [count_of(curves, "curve"), f"frames {frames[0]}-{frames[1]}"]
    alone = staying + (0 if along else switches)
    aside = [f"{alone} left alone"] * bool(alone)
    aside += [f"{count_of(switches, 'switch', 'es')} along in time"] * bool(along and switches)
    return ", ".join(pieces) + (f" ({', '.join(aside)})" if aside else "")


def count_of(count, name, more="s"):
    return f"{count} {name}{'' if count == 1 else more}"
