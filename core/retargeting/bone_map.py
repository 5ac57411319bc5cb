# SPDX-License-Identifier: GPL-3.0-or-later
"""Bone map: which bone of one figure does what a bone of another does; found, corrected, saved and shared as JSON.

Bones are told by their roles, then by the rows that they stand in (spine, neck, collar, fingers), then by their names.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

import numpy as np

from ..motion.skeleton import Skeleton
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .chains import TWIST, fingers_of, places_along, rows_of, trunk_of

VERSION = 1
IN_WRIST = 0.01  # of a forearm: what begins nearer to the wrist begins in it
SIDED = re.compile(r"(?:left|right|(?<![a-z])[lr](?![a-z]))", re.I)


@frozen
class BoneMap:
    """What is said of bones: {bone of the figure: bone of the take's figure, or nothing}; what is not said is found."""

    bones: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    def text(self) -> str:
        """The map as JSON."""
        return json.dumps({"motion_signal_map": VERSION, "name": self.name, "bones": dict(self.bones)}, indent=1)


def read_map(text: str, source: str = "map") -> BoneMap:
    """A map from JSON, with or without a head; a Refusal that says what is wrong with it."""
    if not text.strip():
        return BoneMap()
    try:
        held = json.loads(text)
    except json.JSONDecodeError as error:
        raise Refusal(f"{source}: it is no JSON (line {error.lineno}: {error.msg})") from None
    bones = held.get("bones", held) if isinstance(held, dict) else None
    if not isinstance(bones, dict) or not all(isinstance(each, str) for pair in bones.items() for each in pair):
        raise Refusal(f'{source}: a map is {{"bones": {{"bone of the figure": "bone of the take"}}}}, all of it text')
    name = held.get("name", "") if "bones" in held else ""
    return BoneMap(bones, name if isinstance(name, str) else "")


def named_map(words: str) -> BoneMap:
    """A map that is given as JSON, or by the name of a file that has it."""
    if words.lstrip().startswith("{") or not words.strip():
        return read_map(words)
    path = Path(words)
    try:
        return read_map(path.read_text("utf-8-sig"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"map: {words} cannot be read ({getattr(error, 'strerror', None) or error})") from None


def corrected(found: dict[int, int], source: Skeleton, target: Skeleton, given: BoneMap = BoneMap()) -> dict[int, int]:
    """Which bone of the source each bone of the target follows, {index: index}, as is said or else found."""
    check(given, source, target)
    found = dict(found)
    for name, other in given.bones.items():
        index = target.index(name)
        found.pop(index, None)
        if other:
            found[index] = source.index(other)
    if not found:
        raise Refusal(
            "no bone of the take is any of this figure's: say in the table of body parts, or in a map, which they are"
        )
    return dict(sorted(found.items()))


def check(given, source, target):
    """Refuse a map that names bones that are gone."""
    check_figure(given, target)
    for name, other in given.bones.items():
        if other and source.index(other) < 0:
            raise Refusal(f"map {name}: the take's figure has no bone {other!r}; name another, or nothing to leave it at rest")


def check_figure(given, target):
    """The same for those of the figure alone."""
    for name in given.bones:
        if target.index(name) < 0:
            raise Refusal(f"map: the figure has no bone {name!r}; take it out of the map, or name the bone as it is called now")


def found_pairs(source, target, roles, others):
    """Which bone of the source each bone of the target follows, {index: index}, as found by `roles` and `others`, the bones of
    source and target by role; those without a counterpart are left out."""
    found = {index: roles[role] for role, index in others.items() if role in roles}
    own, other = trunk_of(source, roles), trunk_of(target, others)
    for row, into in ((own.spine, other.spine), (own.neck, other.neck)):
        found |= dict(zip(into, along(row, len(into))))
    rows, wanted = rows_of(source, roles), rows_of(target, others)
    for what, into in wanted.items():
        found |= {index: counterpart for index, counterpart in zip(into, rows.get(what, ())) if index not in found}
    found |= same_names(source, target, found)
    for hand in {index for role, index in others.items() if role.endswith("hand") and index in found}:
        found[hand] = whole_hand(source, found[hand], set(found.values()))
    return found


def whole_hand(skeleton, hand, taken=frozenset()):
    """The bone that turns all of a hand: the last of those that begin in the wrist, where a wrist is made of several."""
    fingers = {row[0] for row in fingers_of(skeleton, hand).values()}
    heads = {index: np.array(bone.rest[:3, 3]) for index, bone in enumerate(skeleton.bones)}
    lower = np.linalg.norm(heads[hand] - heads[skeleton.bones[hand].parent])
    below = [
        index
        for index, bone in enumerate(skeleton.bones)
        if bone.parent == hand
        and index not in fingers | taken
        and not TWIST.search(bone.name)
        and np.linalg.norm(heads[index] - heads[hand]) < IN_WRIST * lower
        and any(each.parent == index for each in skeleton.bones)
    ]
    return whole_hand(skeleton, below[0], taken) if len(below) == 1 else hand


def along(row, count):
    """The bones of a row that as many others follow: one by one, or those nearest along it; the last follows the last."""
    if not row or not count:
        return ()
    return tuple(row[at] for at in places_along(len(row), count))


def same_names(source, target, found):
    """Bones that are called alike, whatever their names begin with, and are no twist bones."""
    taken, names = set(found.values()), {}
    for index, bone in enumerate(source.bones):
        names.setdefault(plain(bone.name), index)
    return {
        index: names[plain(bone.name)]
        for index, bone in enumerate(target.bones)
        if index not in found and not TWIST.search(bone.name) and names.get(plain(bone.name), -1) not in {-1, *taken}
    }


def plain(name):
    return re.sub(r"[^a-z0-9]", "", name.rsplit(":", 1)[-1].lower())
