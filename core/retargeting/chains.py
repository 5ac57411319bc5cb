# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains: the bones of a body in rows, so that a row of one figure can be held against that of another.

Arms and legs are rows between roles; the trunk is pelvis, spine up to where arms leave it, neck and head; a hand has its
fingers, told by their names.
"""

import re

from ..body.roles_by_shape import SIDES
from ..numeric.frozen import frozen

FINGERS = {
    "thumb": r"thumb|pollex",
    "index": r"index|pointer|finger_?0?1(?!\d)",
    "middle": r"middle|mid(?!dle)",
    "ring": r"ring",
    "pinky": r"pinky|pinkie|little",
}
PALM = re.compile(r"palm|metacarpal|carpal|inhand|fingerbase", re.I)
TWIST = re.compile(r"twist|roll(?!er)|bendy", re.I)


@frozen
class TrunkBones:
    """Indices of a trunk's bones: the pelvis, the spine with the chest as its last, the neck, and the head or -1."""

    pelvis: int
    spine: tuple[int, ...]
    neck: tuple[int, ...]
    head: int


def trunk_of(skeleton, roles):
    """The trunk of a skeleton whose roles are indices."""
    pelvis, head = roles["pelvis"], roles.get("head", -1)
    arms = [roles[f"{side}_upper_arm"] for side in SIDES if f"{side}_upper_arm" in roles]
    shared = [index for index in skeleton.chain(arms[0]) if all(index in skeleton.chain(arm) for arm in arms)] if arms else []
    above = [index for index in skeleton.chain(head) if index != head] if head >= 0 else shared
    way = above[above.index(pelvis) + 1 :] if pelvis in above else [index for index in above if index not in known(roles)]
    cut = max((way.index(index) + 1 for index in shared if index in way), default=len(way))
    return TrunkBones(pelvis, tuple(way[:cut]), tuple(way[cut:]), head)


def places_along(count, few):
    """Where in a row of so many those are that as few others stand for, evenly along it; the last is the last."""
    return [max(0, round((index + 1) * count / few) - 1) for index in range(few)]


def known(roles):
    return set(roles.values())


def between(skeleton, upper, lower):
    """Bones after one on the way to another, both left out; empty where there is no such way."""
    chain = skeleton.chain(lower)
    return chain[chain.index(upper) + 1 : -1] if upper in chain else []


def rows_of(skeleton, roles):
    """Rows of bones that may be paired one by one, {what they are: indices}, each from the end where both surely begin."""
    trunk, rows = trunk_of(skeleton, roles), {}
    ends = [roles.get(f"{side}_upper_leg", -1) for side in SIDES]
    shared = set(skeleton.chain(ends[0])) & set(skeleton.chain(ends[1])) if min(ends) >= 0 else set()  # no side's own
    chest = trunk.spine[-1] if trunk.spine else trunk.pelvis
    for side in SIDES:
        for upper, lower, backwards in (
            (chest, roles.get(f"{side}_upper_arm", -1), True),
            (trunk.pelvis, roles.get(f"{side}_upper_leg", -1), True),
            *((roles.get(f"{side}_{one}", -1), roles.get(f"{side}_{other}", -1), False) for one, other in INNER),
        ):
            if min(upper, lower) >= 0:
                row = [index for index in between(skeleton, upper, lower) if index not in known(roles) | shared]
                rows[side, "to", role_of(roles, lower)] = row[::-1] if backwards else row
        if f"{side}_hand" in roles:
            rows |= {(side, finger): row for finger, row in fingers_of(skeleton, roles[f"{side}_hand"]).items()}
    return rows


INNER = (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg"), ("lower_leg", "foot"))


def role_of(roles, index):
    return next(role for role, own in roles.items() if own == index)


def fingers_of(skeleton, hand):
    """The fingers of a hand, {name: indices from its base}; those that no name tells are left out."""
    below = [skeleton.index(name) for name in skeleton.below(skeleton.bones[hand].name)]
    found = {}
    for index in sorted(set(below) - {hand}, key=lambda index: len(skeleton.chain(index))):
        name = skeleton.bones[index].name
        kind = next((kind for kind, words in FINGERS.items() if re.search(words, name, re.I)), None)
        if kind and not PALM.search(name) and not TWIST.search(name):
            row = found.setdefault(kind, [])
            if not row or row[-1] in skeleton.chain(index):
                row.append(index)
    return found
