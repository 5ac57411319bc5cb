# SPDX-License-Identifier: GPL-3.0-or-later
"""What is keyed on a rig for its body to move: which control follows which bone, how switches stand, and what carries what."""

import re

import numpy as np

from ...core.body.roles_by_shape import SIDES
from ...core.numeric.frozen import frozen
from ..bridge.deforming import body_parts
from ..bridge.rig import reached
from .carried import carrying
from .controls import animator_controls, movers, property_at, seen

SMALL = re.compile(r"tweak|stretch|bend|offset", re.I)  # what corrects a rig, and is not what moves it
FOLLOWS, POLES = re.compile(r"(?:neck|head)_?follow$", re.I), re.compile(r"^pole_?vector$", re.I)


@frozen
class Follower:
    """A control, the bone that it follows, and whether it is moved, turned, or both; `about` are the three bones of a limb
    that it is the pole of."""

    control: str
    bone: str
    moved: bool = False
    turned: bool = True
    about: tuple = ()
    knee: bool = False  # whether it is the pole of a leg
    others: tuple = ()  # bones that it turns as well: it follows the mean of all


@frozen
class Plan:
    """What is keyed on a rig: followers, those that carry others first; switches with their values, {path: value}; what carries
    what; and the control that carries the body."""

    followers: tuple
    switches: dict
    carrying: object
    mover: str
    pelvis: str
    along: dict  # the axes (3, 3) that controls move along, in their own


def made_plan(owner, bones, arms, skeleton):
    """What is keyed on the rig of an armature object so that bones that deform move, arms by IK or FK."""
    controls = animator_controls(owner, skeleton)
    roles = body_parts(owner, skeleton)
    switches = wished(owner, controls, arms)
    with standing(owner, switches):
        rig = seen(owner)
        limbs = {end: limb for end, limb in controls.limbs.items() if end.rsplit("_", 1)[0] in SIDES}
        own = {name for limb in limbs.values() for name in (limb.ik, limb.pole, *limb.fk) if name}
        mover, master = movers(rig, roles["pelvis"], [roles[end] for end in limbs if end.endswith("foot")])
        followers = [*limb_followers(limbs, roles, arms), Follower(mover, roles["pelvis"], moved=True)]
        found = {name for bone in bones for name in rig.carriers(bone)} | {each.control for each in followers}
        names = sorted(name for name in found if name and not SMALL.search(name) and name != master)
        seen_so = carrying(owner, names, bones, carried_by(rig, [*names, *bones], set(names)))
    ends = {bone for end in limbs for bone in limb_bones(end, roles)} - {roles.get(f"{side}_toe") for side in SIDES}
    followers += turning([bone for bone in bones if bone not in ends], seen_so, {each.control for each in followers} | own)
    order = sorted(followers, key=lambda each: depth(each.control, seen_so))
    along = {each.control: moving_along(owner.data.bones[each.control]) for each in order}
    return Plan(tuple(order), switches, seen_so, mover, roles["pelvis"], along)


def carried_by(rig, bones, controls):
    """What each of some controls may carry of bones as far as its rig tells, {control: {bone}}: all in whose place it has a
    say, and itself."""
    found = {name: {name} for name in controls}
    for bone in bones:
        for name in reached(bone, rig.follows) & controls:
            found[name].add(bone)
    return found


def moving_along(bone):
    """The axes that a bone moves along, in its own: those that it has at rest, or its parent's."""
    if bone.use_local_location:
        return np.eye(3)
    above = np.array(bone.parent.matrix_local)[:3, :3] if bone.parent else np.eye(3)
    return np.array(bone.matrix_local)[:3, :3].T @ above


def wished(owner, controls, arms):
    """Switches that have legs reach for their controls and arms be moved as is wished, {path: value}."""
    found = {}
    for end, limb in controls.limbs.items():
        if limb.switch is None:
            continue
        reaching = bool(limb.ik) and (end.endswith("foot") or arms == "IK")
        found[limb.switch.path] = limb.switch.ik if reaching else limb.switch.fk
        pose, _ = property_at(owner, limb.switch.path)
        found |= {path_of(pose, name): 1.0 for name in pose.keys() if POLES.match(name) and reaching and limb.pole}
    for pose in owner.pose.bones:
        found |= {path_of(pose, name): 1.0 for name in pose.keys() if FOLLOWS.search(name)}
    return found


def path_of(pose, name):
    return f'{pose.path_from_id()}["{name}"]'


class standing:
    """While a rig stands at rest with switches set; after that it is as it was."""

    def __init__(self, owner, switches):
        self.owner, self.switches = owner, switches

    def __enter__(self):
        owner, data = self.owner, self.owner.animation_data
        self.poses = {pose.name: pose.matrix_basis.copy() for pose in owner.pose.bones}
        self.values = {path: value_at(owner, path) for path in self.switches}
        self.action, self.slot = (data.action, data.action_slot) if data else (None, None)
        if self.action:
            data.action = None
        for pose in owner.pose.bones:
            pose.matrix_basis.identity()
        for path, value in self.switches.items():
            put(owner, path, value)

    def __exit__(self, *_):
        for pose in self.owner.pose.bones:
            pose.matrix_basis = self.poses[pose.name]
        for path, value in self.values.items():
            put(self.owner, path, value)
        if self.action:
            data = self.owner.animation_data
            data.action = self.action
            data.action_slot = self.slot
        self.owner.update_tag()


def value_at(owner, path):
    pose, name = property_at(owner, path)
    return pose[name]


def put(owner, path, value):
    pose, name = property_at(owner, path)
    pose[name] = type(pose[name])(value)


def limb_bones(end, roles):
    side, tip = end.rsplit("_", 1)
    parts = ("upper_leg", "lower_leg", "foot") if tip == "foot" else ("upper_arm", "lower_arm", "hand")
    return tuple(roles[f"{side}_{part}"] for part in parts)


def limb_followers(limbs, roles, arms):
    """The controls of limbs: that of the end and the pole, or the three that are turned."""
    for end, limb in limbs.items():
        bones = limb_bones(end, roles)
        if limb.ik and (end.endswith("foot") or arms == "IK" or not limb.fk):
            yield Follower(limb.ik, bones[2], moved=True)
            if limb.pole:
                yield Follower(limb.pole, bones[0], moved=True, turned=False, about=bones, knee=end.endswith("foot"))
        else:
            yield from (Follower(control, bone) for control, bone in zip(limb.fk, bones))


def turning(bones, seen_so, taken):
    """For each of the other bones the control that turns the way it points, and least besides; bones that share one are
    followed together."""
    found = {}
    for bone in bones:
        control = seen_so.innermost(seen_so.points, bone)
        if control and control not in taken:
            found.setdefault(control, []).append(bone)
    return [Follower(control, together[0], others=tuple(together[1:])) for control, together in found.items()]


def depth(name, seen_so):
    """How many controls carry one, in one way or another."""
    column = seen_so.bones[name]
    return int(((seen_so.turns[:, column] != 0.0) | (seen_so.moves[:, column] != 0.0)).sum())
