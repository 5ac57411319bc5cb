# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of rigs, each made once: a rig is looked at anew only when something of it is another.

What is compared are its bones, constraints, drivers and properties, so undo and other files cannot bring back what is no more.
"""

import numpy as np

from .plan import made_plan, path_of

# Nothing that acts; whether a constraint is enabled is said by mute, which may be driven.
SHOWN = {"show_expanded", "is_valid", "error_location", "error_rotation", "is_override_data", "active", "enabled"}
KEPT = 4  # plans
_kept = {}  # plans, and the properties that they were made with, by what else they were made of


def plan_for(owner, bones, arms, skeleton):
    """What is keyed on the rig of an armature object, of which that is the skeleton, so that bones that deform move, arms by
    IK or FK."""
    key, held = (*made_of(owner, skeleton), tuple(bones), arms), properties(owner)
    plan, before = _kept.get(key, (None, {}))
    if plan is None or any(held.get(path) != before.get(path) for path in (held.keys() | before.keys()) - plan.switches.keys()):
        _kept.pop(key, None)
        while len(_kept) >= KEPT:
            del _kept[next(iter(_kept))]
        plan = made_plan(owner, bones, arms, skeleton)
        _kept[key] = plan, held
    return plan


def made_of(owner, skeleton):
    """What a rig is made of, but for properties and what drivers say: bones, constraints and drivers."""
    drivers = owner.animation_data.drivers if owner.animation_data else ()
    driven = {curve.data_path for curve in drivers}
    rests = np.empty((len(owner.data.bones), 16), dtype=np.float32)
    owner.data.bones.foreach_get("matrix_local", rests.ravel())
    bones = tuple(
        (
            *(pose.name, pose.parent and pose.parent.name, pose.bone.use_deform, bool(pose.custom_shape)),
            *(*pose.lock_location, *pose.lock_rotation),
            *(told_of(constraint, driven) for constraint in pose.constraints),
        )
        for pose in owner.pose.bones
    )
    return owner.name_full, repr(skeleton.corrections), rests.tobytes(), bones, tuple(map(told_of_driver, drivers))


def told_of(constraint, driven):
    """All that is said of a constraint and that no driver says."""
    path, found = constraint.path_from_id(), []
    for name in constraint.bl_rna.properties.keys():
        value = getattr(constraint, name)
        if f"{path}.{name}" not in driven and isinstance(value, (int, float, str)) and name not in SHOWN:
            found.append((name, value))
    entries = getattr(constraint, "targets", None) or [constraint]
    targets = tuple(
        (
            getattr(each, "target", None) and each.target.name_full,
            getattr(each, "subtarget", ""),
            getattr(each, "weight", 1.0) if f"{path}.targets[{index}].weight" not in driven else None,
        )
        for index, each in enumerate(entries)
    )
    return (tuple(found), targets)


def told_of_driver(curve):
    driver = curve.driver
    read = tuple((each.data_path, each.bone_target, each.transform_type) for one in driver.variables for each in one.targets)
    return curve.data_path, curve.array_index, curve.mute, driver.type, driver.expression, read


def properties(owner):
    """Numbers that an armature object, its armature and its bones hold as custom properties, {path: value}."""
    held = {path_of(pose, name): value for pose in owner.pose.bones for name, value in pose.items()}
    held |= {(holder.name_full, name): value for holder in (owner, owner.data) for name, value in holder.items()}
    return {path: value for path, value in held.items() if isinstance(value, (int, float))}
