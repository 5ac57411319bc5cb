# SPDX-License-Identifier: GPL-3.0-or-later
"""The controls that an animator keys on a rig: body, trunk, every limb by IK and by FK, and the switch between them.

Which way a limb is moved is a matter of its switch, so both are tried: the switch is set to either side, the rig is looked at
as Blender evaluates it, and everything is put back as it was.
"""

import re
from contextlib import contextmanager

import bpy

from ...core.body.body import LIMBS
from ...core.body.more_feet import sides_in
from ...core.numeric.frozen import frozen
from ..bridge.armatures import skeleton_of
from ..bridge.assign import assign
from ..bridge.deforming import body_parts
from ..bridge.rig import Rig
from .carried import groups

SIDES = (0.0, 1.0)  # the values that switches have
PROPERTY = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\["((?:[^"\\]|\\.)*)"\]$')


@frozen
class Switch:
    """A custom property that says whether a limb reaches for its control (ik) or is turned (fk), and its values for both."""

    path: str  # from the object
    ik: float
    fk: float


@frozen
class LimbControls:
    """What moves a limb; names are empty, and fk is, where the rig has none. `now` is IK, FK or empty as the switch stands."""

    ik: str = ""
    pole: str = ""
    fk: tuple = ()  # upper, lower, end
    switch: Switch | None = None
    now: str = ""


@frozen
class Controls:
    """The controls of a rig. `master` carries all of it, `body` all but the feet; `trunk` are those that carry a part of the
    trunk, the innermost first, {pelvis: names, spine: names, head: names}; `limbs` are {left_foot: LimbControls, ...}."""

    master: str
    body: str
    trunk: dict
    limbs: dict


def animator_controls(owner, skeleton=None):
    """The Controls of an armature object, found from what moves what; parts of the body that it lacks are left out."""
    roles = body_parts(owner, skeleton or skeleton_of(owner))
    chains = {
        f"{side}_{end}": [roles.get(f"{side}_{part}", "") for part in parts]
        for side in sides_in(roles)
        for end, parts in LIMBS.items()
    }
    chains = {end: bones for end, bones in chains.items() if all(bones)}
    with at_rest(owner):
        standing = seen(owner)
        pelvis = roles.get("pelvis", "")
        way = standing.way(pelvis) if pelvis else []
        switches = {end: switches_of(standing, bones, way) for end, bones in chains.items()}
        trials = [trial for paths in switched_together(switches) for trial in tried(owner, paths, standing)]
    trunk = [name for name in way if standing.is_control(name)]
    limbs = {end: limb(standing, bones, trunk, trials, switches[end]) for end, bones in chains.items()}
    body, master = movers(standing, pelvis, [bones[2] for end, bones in chains.items() if end.endswith("foot")])
    return Controls(
        master,
        body,
        {part: tuple(standing.carriers(roles[part])) for part in ("pelvis", "spine", "head") if part in roles},
        limbs,
    )


def movers(rig, pelvis, feet):
    """The control that carries the body and not its feet, and the one that carries both, as the rig stands; nothing if there
    is none."""
    trunk = rig.carriers(pelvis) if pelvis else []
    shared = [name for name in trunk if all(name in rig.way(foot) for foot in feet)]
    master = shared[-1] if shared else ""
    return rig.mover(pelvis, feet) if pelvis else "", master


def limb(standing, bones, trunk, trials, switches):
    """The controls of one limb, from the rig as it stands and with switches tried."""
    found, values = {}, {}
    for path, value, rig in [("", 0.0, standing), *trials]:
        controls = rig.limb(*bones, trunk) if not path or path in switches else ()
        if controls:
            kind = "FK" if len(controls) == 3 else "IK"
            found.setdefault(kind, (controls, rig))
            values.setdefault(path, {})[kind] = value
    sides = {path: each for path, each in values.items() if path and len(each) == 2}
    switch = next((Switch(path, each["IK"], each["FK"]) for path, each in sides.items()), None)
    (ik, *_), reaching = found.get("IK", (("",), standing))
    now = "FK" if "FK" in values.get("", {}) else "IK" if "IK" in values.get("", {}) else ""
    return LimbControls(ik, pole_of(reaching, bones) if ik else "", tuple(found.get("FK", ((), None))[0]), switch, now)


def pole_of(rig, bones):
    """The control that the knee or elbow of a limb points at; nothing if there is none."""
    for name in (each for bone in bones for each in rig.way(bone)):
        for constraint in rig.poses[name].constraints:
            if constraint.type == "IK" and constraint.pole_target == rig.owner and constraint.pole_subtarget in rig.poses:
                controls = rig.carriers(constraint.pole_subtarget)
                return controls[0] if controls else ""
    return ""


def switches_of(rig, bones, trunk):
    """Paths of custom properties that drive how much constraints act which lead a limb, and not the trunk that it hangs on."""
    owner, near = rig.owner, {name for bone in bones for name in rig.way(bone)} - set(trunk)
    places = tuple(rig.poses[name].path_from_id() + ".constraints[" for name in near)
    found = set()
    for curve in owner.animation_data.drivers if owner.animation_data else ():
        if curve.data_path.endswith((".influence", ".mute")) and curve.data_path.startswith(places):
            targets = [target for variable in curve.driver.variables for target in variable.targets if target.id == owner]
            found |= {target.data_path for target in targets if property_at(owner, target.data_path)}
    return found


def property_at(owner, path):
    """The pose bone and the name of the number that a path leads to, or nothing."""
    match = PROPERTY.match(path)
    pose = match and owner.pose.bones.get(match[1])
    return (pose, match[2]) if pose and isinstance(pose.get(match[2]), (int, float)) else None


def switched_together(switches):
    """Switches in groups of which no two lead the same limb, so that one look tells of all."""
    ends = {path: {end for end, paths in switches.items() if path in paths} for path in sorted(set().union(*switches.values()))}
    return groups(list(ends), ends)


def tried(owner, paths, standing):
    """The rig with switches on either side, [(path, value, rig)]; they have their own values again after that."""
    for value in SIDES:
        rig = seen_with(owner, paths, value, standing)
        yield from ((path, value, rig) for path in paths)


def seen_with(owner, paths, value, standing):
    """The rig with properties at a value. `standing` is the rig as it is."""
    properties = [property_at(owner, path) for path in paths]
    before = [pose[name] for pose, name in properties]
    if all(held == value for held in before):
        return standing
    try:
        for (pose, name), held in zip(properties, before):
            pose[name] = type(held)(value)
        return seen(owner)
    finally:
        for (pose, name), held in zip(properties, before):
            pose[name] = held


def seen(owner):
    """The rig as it stands, whoever is keyed."""
    owner.update_tag()
    bpy.context.view_layer.update()
    return Rig(owner, owner.evaluated_get(bpy.context.evaluated_depsgraph_get()))


@contextmanager
def at_rest(owner):
    """While an owner plays nothing."""
    data = owner.animation_data
    action, handle = (data.action, data.action_slot_handle) if data else (None, 0)
    try:
        if action:
            assign(owner, None, handle)
        yield
    finally:
        if action:
            assign(owner, action, handle)
        owner.update_tag()
        bpy.context.view_layer.update()
