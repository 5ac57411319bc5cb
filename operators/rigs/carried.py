# SPDX-License-Identifier: GPL-3.0-or-later
"""What carries what: every control is moved a little in turn, and it is seen which bones and which other controls go along.

A rig is asked, not read: whatever constraints, drivers and parents there are, what goes along with a control as a whole
will do so in any pose.
"""

import bpy
import numpy as np

from ...core.numeric.frozen import frozen

ANGLE, SHIFT = np.radians(7.0), (0.031, 0.017, -0.023)  # how a control is moved, the latter in lengths of its bone
AXIS, STEP = 2.4, 0.11  # radians and part of the angle by which motions of controls that are moved together differ
WHOLE, STILL = 3e-3, 1e-4  # of the motion: what differs less from all of it goes along as a whole, from nothing stays


@frozen
class Carrying:
    """Controls in rows, bones {name: index} in columns: `turns[c, b]` is 1 where control c turns bone b as itself, 0 where
    it does not at all, NaN in between; `points` is the same for the way that bones point, `moves` for where they begin.
    `rest` are their matrices as they stand.

    Of controls the bone is where it would be without its own motion.
    """

    controls: tuple
    bones: dict
    turns: np.ndarray
    points: np.ndarray
    moves: np.ndarray
    rest: np.ndarray

    def innermost(self, table, name, among=None):
        """The control that carries a bone as a whole and least besides; nothing if there is none."""
        column = self.bones[name]
        found = [c for c in range(len(self.controls)) if table[c, column] == 1.0 and self.controls[c] != name]
        found = [c for c in found if among is None or self.controls[c] in among]
        return self.controls[min(found, key=lambda c: (table[c] != 0.0).sum())] if found else ""


def carrying(owner, controls, names, apart=()):
    """What each of some controls of an armature object carries of bones, in the pose in which it is and stays.

    Those that are told `apart`, sets of bones that they may carry by name, are moved together where they share none: whatever
    then goes along with neither is looked at again, with fewer at a time.
    """
    bones = {name: index for index, name in enumerate(dict.fromkeys([*controls, *names]))}
    rest, _ = looked_at(owner, bones, controls)
    tables = np.zeros((3, len(controls), len(bones)))
    for together in groups(controls, dict(apart)):
        found = told_apart(owner, together, bones, controls, rest, dict(apart))
        tables[:, [controls.index(name) for name in together]] = found
    owner.update_tag()
    bpy.context.view_layer.update()
    return Carrying(tuple(controls), bones, *tables, rest)


def groups(controls, apart):
    """Controls in groups of those that share nothing; each alone of which nothing is told."""
    found = []
    for name in controls:
        own = apart.get(name)
        fitting = (group for group in found if own and group[1] is not None and not group[1] & own)
        group = next(fitting, None)
        if group:
            group[0].append(name)
            group[1].update(own)
        else:
            found.append(([name], set(own) if own else None))
    return [together for together, _ in found]


def told_apart(owner, together, bones, controls, rest, apart):
    """How far bones go along with controls, moved all at once, or half of them at a time where that tells not which they
    follow."""
    found, half = moved(owner, together, bones, controls, rest), len(together) // 2
    if half and mixed(found, together, bones, apart):
        parts = together[:half], together[half:]
        return np.concatenate([told_apart(owner, part, bones, controls, rest, apart) for part in parts], axis=1)
    return found


def mixed(tables, together, bones, apart):
    """Whether some bone goes along a little (3, controls, bones) with controls that were moved together, and it is not told
    with which of them; where it is, the others do not carry it."""
    told = np.array([[name in apart[control] for name in bones] for control in together])
    part = np.isnan(tables).any(axis=1)
    tables[np.isnan(tables) & ~told] = 0.0
    return bool((part & (told.sum(axis=0) != 1)).any())


def moved(owner, together, bones, controls, rest):
    """How far bones go along when controls are turned, and when they are moved as well: turns, ways and places, (3, controls,
    bones); they are back then."""
    lengths = [owner.pose.bones[name].bone.length for name in together]
    turned, placed = (
        tried(owner, together, [shifted(size * length, number) for number, length in enumerate(lengths)], bones, controls, rest)
        for size in (0.0, 1.0)
    )
    found = np.stack([turned[0], turned[1], placed[2]])
    whole = (found == 1.0).any(axis=1, keepdims=True)  # what goes along with one as a whole goes along with no other
    return np.where(np.isnan(found) & whole & (len(together) > 1), 0.0, found)


def tried(owner, together, motions, bones, controls, rest):
    """The same for one motion of each control."""
    poses = [owner.pose.bones[name] for name in together]
    before = [pose.matrix_basis.copy() for pose in poses]
    for pose, basis, motion in zip(poses, before, motions):
        pose.matrix_basis = basis @ motion
    try:
        after, own = looked_at(owner, bones, controls)
    finally:
        for pose, basis in zip(poses, before):
            pose.matrix_basis = basis
    ways = [own[name] @ np.linalg.inv(rest[bones[name]]) for name in together]
    return np.stack([np.stack(gone_along(rest, after, way)) for way in ways], axis=1)


def gone_along(rest, after, way):
    """How far bones (bones, 4, 4) went along with a motion: 1 all of it, 0 nothing, NaN a part; turns, ways and places."""
    wanted = way @ rest
    turned = [each[:, :3, :3].reshape(-1, 9) for each in (rest, after, wanted)]
    pointed = [each[:, :3, 1] for each in (rest, after, wanted)]
    begun = [each[:, :3, 3] for each in (rest, after, wanted)]
    return share(*turned, STILL), share(*pointed, STILL), share(*begun, 1e-6)


def share(rest, after, wanted, still):
    """1 where rows are as wanted, 0 where they are as they were, NaN elsewhere."""
    apart = np.linalg.norm(wanted - rest, axis=1)
    off, moved = (np.linalg.norm(after - each, axis=1) for each in (wanted, rest))
    return np.where(moved < still + STILL * apart, 0.0, np.where(off < WHOLE * apart + still, 1.0, np.nan))


def shifted(length, number=0):
    """A small turn and move, another for every number."""
    from mathutils import Matrix, Vector

    axis = Matrix.Rotation(AXIS * number, 3, Vector((0.3, 0.9, 0.6)).normalized()) @ Vector((1.0, 0.7, -0.5)).normalized()
    turn = Matrix.Rotation(ANGLE * (1.0 + STEP * (number % 9)), 4, axis)
    return Matrix.Translation([length * part for part in SHIFT]) @ turn


def looked_at(owner, bones, controls):
    """Matrices (bones, 4, 4) as Blender evaluates them, those of controls without their own motion; and those of controls with
    it, {name: matrix}."""
    owner.update_tag()
    bpy.context.view_layer.update()
    posed = owner.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    found, own = np.empty((len(bones), 4, 4)), {}
    for name, index in bones.items():
        found[index] = matrix = plain(np.array(posed[name].matrix))
        if name in controls:
            own[name] = matrix
            found[index] = matrix @ np.linalg.inv(np.array(posed[name].matrix_basis))
    return found, own


def plain(matrix):
    """A matrix without scale."""
    result = np.array(matrix, dtype=np.float64)
    result[:3, :3] /= np.linalg.norm(result[:3, :3], axis=0)
    return result
