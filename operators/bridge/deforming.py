# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones of a control rig that deform, as a skeleton of their own: which part of the body is which is told from them.

Of a generated rig they hang on mechanism bones, each beside a bone that deforms: where the way up comes past one, that is what
they hang on.
"""

from dataclasses import replace

import numpy as np

from ...core.body.more_feet import sides_in, whole_table
from ...core.body.roles import find_roles
from ...core.motion.skeleton import Skeleton

ALONG = 0.999  # cosine: what points the same way


def body_parts(owner, skeleton):
    """Which bones are which parts of the body, {role: bone}: of those that deform, or of all if these have no feet."""
    for each in (deforming(owner, skeleton), skeleton):
        table = whole_table(each, find_roles(each))
        if any(table.get(f"{side}_foot") for side in sides_in(table)):
            break
    return {role: bone for role, bone in table.items() if bone}


def deforming(owner, skeleton):
    """The skeleton of an armature object without the bones that do not deform, unless the animator has named them."""
    bones, named = owner.data.bones, {name for given in skeleton.corrections.values() for name in given.split(", ") if name}
    own = {bone.name: bone for bone in skeleton.bones if bones[bone.name].use_deform or bone.name in named}
    starts = {}
    for name in own:
        starts.setdefault(place(bones[name]), []).append(name)
    parents = {name: above(bones[name], own, starts) for name in own}
    order = []
    for name in own:
        order += [each for each in reversed(chain(name, parents)) if each not in order]
    indices = {name: index for index, name in enumerate(order)}
    kept = tuple(replace(own[name], parent=indices.get(parents[name], -1), led=False) for name in order)
    return Skeleton(kept, skeleton.world, skeleton.corrections)


def above(bone, own, starts):
    """The name of the bone among `own` that another hangs on; nothing if there is none."""
    name = bone.name
    while bone.parent:
        bone = bone.parent
        if bone.name in own:
            return bone.name
        beside = [each for each in starts.get(place(bone), ()) if not hangs(each, name, bone) and points_alike(bone, each)]
        if beside:
            return beside[0]
    return ""


def hangs(name, other, bone):
    """Whether a bone of the same armature as `bone` is another one or hangs on it."""
    bone = bone.id_data.bones[name]
    while bone and bone.name != other:
        bone = bone.parent
    return bone is not None


def chain(name, parents):
    """A bone and all that it hangs on, the innermost first."""
    found = []
    while name and name not in found:
        found.append(name)
        name = parents[name]
    return found


def place(bone):
    """Where a bone begins, rounded to be found again."""
    return tuple(round(number, 4) for number in bone.head_local)


def points_alike(bone, name):
    return axis(bone) @ axis(bone.id_data.bones[name]) > ALONG


def axis(bone):
    return np.array(bone.matrix_local)[:3, 1]
