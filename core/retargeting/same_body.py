# SPDX-License-Identifier: GPL-3.0-or-later
"""The same body under other names: two trees of bones that have the same shape and, but for their size, the same lengths.

Then every bone has its counterpart, whatever both are called and however they rest. Sides that are built alike are told apart
by what is known of the body, by names, and else by the order in which bones are listed.
"""

import re
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice, permutations, product

import numpy as np

from ..body.roles import find_roles
from ..numeric.refusal import Refusal
from .bone_map import plain

ALIKE = 2e-3  # of the longest bone: how far bones of the same build differ
LOOSE = 10.0  # times as far: where bones lie around another
SHORT = 1e-3  # of the longest bone: what is shorter has no length
END = re.compile(r"(?:end|nub|site|tip|leaf)(?:[^a-z]*[lr])?[^a-z]*$", re.I)  # of names of bones that only say where others end
MOST = 720  # ways to pair bones of the same shape that are tried


class Tree:
    """The bones of a skeleton as a tree: what hangs on each, and how far each begins from the one that it hangs on."""

    def __init__(self, skeleton):
        self.skeleton = skeleton
        self.names = [plain(bone.name) for bone in skeleton.bones]
        self.below: dict[int, list[int]] = {index: [] for index in range(-1, len(skeleton.bones))}
        for index, bone in enumerate(skeleton.bones):
            self.below[bone.parent].append(index)

    @cached_property
    def lengths(self):
        """How far bones begin from the one that they hang on, (bones,)."""
        heads = np.array([bone.rest[:3, 3] for bone in self.skeleton.bones])
        parents = np.array([bone.parent for bone in self.skeleton.bones])
        return np.where(parents >= 0, np.linalg.norm(heads - heads[parents], axis=1), 0.0)

    @cached_property
    def parts(self):
        """The parts of the body below each bone, itself included, [{role}]."""
        found: list[set[str]] = [set() for _ in self.skeleton.bones]
        try:
            table = find_roles(self.skeleton).table()
        except Refusal:  # a body that cannot be told by itself is told by its twin
            table = {}
        for role, name in table.items():
            for index in self.skeleton.chain(self.skeleton.index(name)) if name else ():
                found[index].add(role)
        return found

    def way(self, index):
        """From the bone that a bone hangs on to where it begins, or to the next joint where that is the same place, (3,)."""
        above = self.skeleton.bones[index].parent
        while self.lengths[index] < SHORT * self.lengths.max() and len(self.below[index]) == 1:
            index = self.below[index][0]
        start = self.skeleton.bones[above].rest[:3, 3] if above >= 0 else np.zeros(3)
        return self.skeleton.bones[index].rest[:3, 3] - start


def same_body(source, target):
    """Counterparts of all bones, {bone of the target: bone of the source}, if both are the same body; else nothing.

    Either may have bones above the body, and such as only say where others end.
    """
    found = twins(source, target)
    if not found:
        own, into = bare(source), bare(target)
        if min(len(own), len(into)) < max(len(source.bones), len(target.bones)):
            found = twins(only(source, own), only(target, into))
            found = {into[index]: own[bone] for index, bone in found.items()}
    return found


def bare(skeleton):
    """Indices of the bones of a body: without those above it, each with one other below, and those that are ends by name."""
    parents = [bone.parent for bone in skeleton.bones]
    left = [index for index, bone in enumerate(skeleton.bones) if index in parents or not END.search(bone.name)]
    while len(left) > 1 and [parents[index] for index in left[1:]].count(left[0]) == 1 and parents.count(-1) == 1:
        parents[parents.index(left[0])] = -1
        parents[left.pop(0)] = left[0]
    return left


def only(skeleton, bones):
    """A skeleton of some of its bones, each on the one that it hangs on if that is among them."""
    new = {index: at for at, index in enumerate(bones)}
    kept = [skeleton.bones[index] for index in bones]
    return replace(skeleton, bones=tuple(replace(bone, parent=new.get(bone.parent, -1)) for bone in kept))


def twins(source, target):
    """The same for bodies of as many bones."""
    one, other = Tree(source), Tree(target)
    if len(one.names) != len(other.names) or not one.lengths.any() or not other.lengths.any():
        return {}
    found = Match(one, other).paired(-1, -1)
    return found if len(found) == len(one.names) else {}


class Match:
    """Which bones of one tree may be which of another."""

    def __init__(self, source, target):
        self.source, self.target, self.known = source, target, {}
        self.scale = target.lengths.sum() / source.lengths.sum()
        self.near = ALIKE * target.lengths.max()

    def fits(self, one, other):
        """Whether what hangs on two bones is the same, all the way down."""
        if (one, other) not in self.known:
            lengths = self.scale * self.source.lengths[one], self.target.lengths[other]
            below = len(self.source.below[one]), len(self.target.below[other])
            alike = below[0] == below[1] and abs(lengths[0] - lengths[1]) < self.near
            self.known[one, other] = alike and len(self.chosen(one, other)) == below[0]
        return self.known[one, other]

    def chosen(self, one, other):
        """For what hangs on a bone what hangs on another, [(bone, bone)]: of those of the same shape as they lie around it,
        then as is likely; nothing where not all fit."""
        free, groups = list(self.target.below[other]), []
        for bone in self.source.below[one]:
            fitting = [each for each in free if self.fits(bone, each)]
            known = next((group for group in groups if bone != group[0][0] and fitting and fitting[0] in group[1]), None)
            if known:
                known[0].append(bone)
            elif fitting:
                groups.append(([bone], fitting))
        if any(len(bones) != len(fitting) for bones, fitting in groups):
            return []
        orders = product(*(islice(permutations(fitting), MOST) for _, fitting in groups))
        bones = [bone for group, _ in groups for bone in group]
        tried = [list(zip(bones, chain(*order))) for order in islice(orders, MOST)]
        return min(tried, key=self.unlikely) if len(tried) > 1 else tried[0] if tried else []

    def unlikely(self, pairs):
        """How much speaks against pairs of bones of the same shape, that hang on a pair: that they lie otherwise around it,
        that they are other parts of the body, that they are called otherwise."""
        ways = [np.array([tree.way(pair[at]) for pair in pairs]) for at, tree in enumerate((self.source, self.target))]
        if pairs and len(pairs) > 1:
            left, _, right = np.linalg.svd(ways[1].T @ ways[0])
            turn = left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right)) or 1.0]) @ right
            apart = np.abs(ways[1] - self.scale * ways[0] @ turn.T).max()
        else:
            apart = 0.0
        parts, names = np.sum([self.likely(*pair) for pair in pairs], axis=0)
        return round(apart / (LOOSE * self.near)), -parts, -names

    def likely(self, one, other):
        """How many parts of the body two bones share, and whether they are called alike."""
        return len(self.source.parts[one] & self.target.parts[other]), self.source.names[one] == self.target.names[other]

    def paired(self, one, other):
        """Counterparts of all that hangs on two bones."""
        found = {}
        for bone, twin in self.chosen(one, other):
            found |= {twin: bone, **self.paired(bone, twin)}
        return found


def with_parts(target, source, twins):
    """A skeleton whose parts of the body are those of its twin, as long as nobody says otherwise."""
    if target.corrections or not twins:
        return target
    back = {other: target.bones[index].name for index, other in twins.items()}
    table = find_roles(source).table()
    return replace(target, corrections={role: back.get(source.index(name), "") if name else "" for role, name in table.items()})
