# SPDX-License-Identifier: GPL-3.0-or-later
"""What carries what: every control is moved a little in turn, and it is seen which bones and which other controls go along.

A rig is asked, not read: whatever constraints, drivers and parents there are, what goes along with a control as a whole
will do so in any pose.
"""

import bpy
import numpy as np

from ...core.numeric.frozen import frozen

ANGLE, SHIFT = np.radians(7.0), (0.031, 0.017, -0.023)  # how a control is moved, the latter in lengths of its bone
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


def carrying(owner, controls, names):
    """What each of some controls of an armature object carries of bones, in the pose in which it is and stays."""
    bones = {name: index for index, name in enumerate(dict.fromkeys([*controls, *names]))}
    rest, _ = looked_at(owner, bones, controls)
    turns, points, moves = (np.zeros((len(controls), len(bones))) for _ in range(3))
    for row, name in enumerate(controls):
        turns[row], points[row], _ = moved(owner, name, shifted(0.0), bones, controls, rest)
        moves[row] = moved(owner, name, shifted(owner.pose.bones[name].bone.length), bones, controls, rest)[2]
    owner.update_tag()
    bpy.context.view_layer.update()
    return Carrying(tuple(controls), bones, turns, points, moves, rest)


def moved(owner, name, motion, bones, controls, rest):
    """How far bones go along when a control is moved: turns, ways and places; it is back then."""
    pose = owner.pose.bones[name]
    before = pose.matrix_basis.copy()
    pose.matrix_basis = before @ motion
    try:
        after, own = looked_at(owner, bones, controls)
    finally:
        pose.matrix_basis = before
    return gone_along(rest, after, own[name] @ np.linalg.inv(rest[bones[name]]))


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


def shifted(length):
    """A small turn and move."""
    from mathutils import Matrix, Vector

    turn = Matrix.Rotation(ANGLE, 4, Vector((1.0, 0.7, -0.5)).normalized())
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
