# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion of the body onto the controls that an animator keys: body and feet by IK, arms as is wished, all else turned.

How the bones that deform are to be is known. Every control follows the bone that it turns; what carries it was seen once
(Carrying): so its own motion is what is left of the one in the other, over all frames at once.
"""

import re

import numpy as np

from ...core.body.roles_by_shape import SIDES
from ...core.motion.clip import Channel, Clip
from ...core.numeric import rotation
from ...core.numeric.frozen import frozen
from ...core.numeric.matrix import between, matrices, product
from ...core.numeric.vectors import dot, length, unit
from ...core.retargeting.carry import components
from ..bridge.armatures import skeleton_of
from ..bridge.deforming import body_parts, deforming
from .carried import carrying
from .controls import animator_controls, movers, property_at, seen

SMALL = re.compile(r"tweak|stretch|bend|offset", re.I)  # what corrects a rig, and is not what moves it
FOLLOWS, POLES = re.compile(r"(?:neck|head)_?follow$", re.I), re.compile(r"^pole_?vector$", re.I)
BENT = np.sin(np.radians(3.0))  # of an upper against the whole limb: how far it is bent for that alone to tell which way


@frozen
class Follower:
    """A control, the bone that it follows, and whether it is moved, turned, or both; `about` are the three bones of a limb
    that it is the pole of."""

    control: str
    bone: str
    moved: bool = False
    turned: bool = True
    about: tuple = ()
    others: tuple = ()  # bones that it turns as well: it follows the mean of all


@frozen
class Plan:
    """What is keyed on a rig: followers, those that carry others first; switches with their values, {path: value}; what carries
    what; the skeleton of the bones that deform; and the control that carries the body."""

    followers: tuple
    switches: dict
    carrying: object
    body: object
    mover: str
    pelvis: str
    along: dict  # the axes (3, 3) that controls move along, in their own


def plan_for(owner, bones, arms="FK", skeleton=None):
    """What is keyed on the rig of an armature object so that bones that deform move, arms by IK or FK."""
    skeleton = skeleton or skeleton_of(owner)
    controls, body = animator_controls(owner, skeleton), deforming(owner, skeleton)
    roles = body_parts(owner, skeleton)
    switches = wished(owner, controls, arms)
    with standing(owner, switches):
        rig = seen(owner)
        limbs = {end: limb for end, limb in controls.limbs.items() if end.rsplit("_", 1)[0] in SIDES}
        own = {name for limb in limbs.values() for name in (limb.ik, limb.pole, *limb.fk) if name}
        mover, master = movers(rig, roles["pelvis"], [roles[end] for end in limbs if end.endswith("foot")])
        found = {name for bone in bones for name in rig.carriers(bone)} | own | {mover}
        names = sorted(name for name in found if name and not SMALL.search(name) and name != master)
        seen_so = carrying(owner, names, bones, carried_by(rig, [*names, *bones], set(names), limbs, roles))
    followers = [*limb_followers(limbs, roles, arms), Follower(mover, roles["pelvis"], moved=True)]
    ends = {bone for end in limbs for bone in limb_bones(end, roles)} - {roles.get(f"{side}_toe") for side in SIDES}
    followers += turning([bone for bone in bones if bone not in ends], seen_so, {each.control for each in followers} | own)
    order = sorted(followers, key=lambda each: depth(each.control, seen_so))
    along = {each.control: moving_along(owner.data.bones[each.control]) for each in order}
    return Plan(tuple(order), switches, seen_so, body, mover, roles["pelvis"], along)


def carried_by(rig, bones, controls, limbs, roles):
    """What each of some controls carries of bones as far as its rig tells, {control: {bone}}: those of a limb all that hangs
    on it, others what they lead, and themselves."""
    found = {name: {name} for name in controls}
    ways = {bone: {*rig.way(bone), *above(rig, bone)} for bone in bones}
    for bone, way in ways.items():
        for name in found.keys() & way:
            found[name].add(bone)
    for end, limb in limbs.items():
        own = {name for name in (limb.ik, limb.pole, *limb.fk) if name}
        parts = own | set(limb_bones(end, roles))
        hanging = {bone for bone, way in ways.items() if way & parts}
        found |= {name: found[name] | hanging for name in own & found.keys()}
    return found


def above(rig, name):
    """The names of a bone and of those that it hangs on, one after the other."""
    pose = rig.poses[name]
    return [pose.name, *(each.name for each in pose.parent_recursive)]


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
                yield Follower(limb.pole, bones[0], moved=True, turned=False, about=bones)
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


def controls_clip(plan, owner, clip):
    """The clip of a plan's controls that has bones that deform move as in a clip of them."""
    axes, heads = (np.moveaxis(each, 0, -1) for each in plan.body.posed(clip))
    wanted = {bone.name: (axes[index], heads[index]) for index, bone in enumerate(plan.body.bones)}
    rests = {bone.name: np.array(bone.matrix_local) for bone in owner.data.bones}
    posed = placed(plan, wanted, rests, np.zeros((3, clip.frames)))
    shift = wanted[plan.pelvis][1] - followed(plan, posed, plan.pelvis, rests)[1]
    posed = placed(plan, wanted, rests, shift)
    channels, rows = [], []
    for each in plan.followers:
        pose, (_, _, turn, move) = owner.pose.bones[each.control], posed[each.control]
        path = pose.path_from_id()
        if each.moved:
            channels += [Channel(f"{path}.location", axis, "LOCATION", each.control) for axis in range(3)]
            rows.append(move)
        if each.turned:
            mode = pose.rotation_mode
            name = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")
            values = components(mode, turn)
            channels += [Channel(f"{path}.{name}", axis, mode, each.control) for axis in range(len(values))]
            rows.append(values)
    return Clip(np.asfortranarray(np.concatenate(rows).T), tuple(channels), clip.fps, clip.first_frame)


def placed(plan, wanted, rests, shift):
    """Every follower's axes and place, and its own turn and move in what carries it, {control: (axes, place, turn, move)}; the
    body's is shifted."""
    posed = {}
    for each in plan.followers:
        axes, place = carried(plan, posed, each.control, shift.shape[1])
        goal, where = goal_of(each, wanted, rests)
        where = where + shift if each.control == plan.mover else where
        inverse = axes.transpose(1, 0, 2)
        turn = product(inverse, goal) if each.turned else np.broadcast_to(np.eye(3)[:, :, None], axes.shape)
        along = product(axes, plan.along[each.control][:, :, None]).transpose(1, 0, 2)
        move = np.einsum("ijf,jf->if", along, where - place) if each.moved else np.zeros_like(place)
        own = product(axes, turn)
        posed[each.control] = own, where if each.moved else place, turn, move
    return posed


def carried(plan, posed, name, frames):
    """Axes and place of a control before its own motion, from those of the controls that are keyed and carry it."""
    seen_so = plan.carrying
    rest = seen_so.rest[seen_so.bones[name]]
    turner, mover = (seen_so.innermost(table, name, posed) for table in (seen_so.turns, seen_so.moves))
    axes = np.broadcast_to(rest[:3, :3, None], (3, 3, frames))
    place = np.broadcast_to(rest[:3, 3, None], (3, frames))
    if turner:
        before = seen_so.rest[seen_so.bones[turner]]
        axes = product(posed[turner][0], (before[:3, :3].T @ rest[:3, :3])[:, :, None])
    if mover:
        before = seen_so.rest[seen_so.bones[mover]]
        arm = before[:3, :3].T @ (rest[:3, 3] - before[:3, 3])
        place = posed[mover][1] + np.einsum("ijf,j->if", posed[mover][0], arm)
    return axes, place


def followed(plan, posed, bone, rests):
    """Where a bone that deforms is, with controls so."""
    return carried(plan, posed, bone, next(iter(posed.values()))[1].shape[1])


def goal_of(each, wanted, rests):
    """Axes and place that a control is to have: as it lies to its bone at rest, or as a pole ahead of a knee."""
    axes, place = wanted[each.bone]
    bone, control = rests[each.bone], rests[each.control]
    inside = bone[:3, :3].T @ control[:3, :3]
    arm = bone[:3, :3].T @ (control[:3, 3] - bone[:3, 3])
    goal = product(axes / length(axes), inside[:, :, None])
    for count, other in enumerate(each.others, 2):
        own = product(wanted[other][0] / length(wanted[other][0]), (rests[other][:3, :3].T @ control[:3, :3])[:, :, None])
        goal = product(np.moveaxis(matrices(rotation.exp(rotation.log(between(goal, own)) / count)), 0, -1), goal)
    if not each.about:
        return goal, place + np.einsum("ijf,j->if", axes / length(axes), arm)
    return goal, pole_place(each, wanted, rests)


def pole_place(each, wanted, rests):
    """Where a pole is to be: ahead of the knee or elbow as far as at rest, in the plane in which the limb is bent."""
    root, middle, tip = (wanted[bone][1] for bone in each.about)
    first, second, third = (rests[bone][:3, 3] for bone in each.about)
    away = rests[each.control][:3, 3] - second
    line = (third - first) / np.linalg.norm(third - first)
    ahead = away - (away @ line) * line
    axes = wanted[each.about[0]][0]
    usual = np.einsum("ijf,j->if", axes / length(axes), rests[each.about[0]][:3, :3].T @ (ahead / np.linalg.norm(ahead)))
    limb = unit(tip - root)
    usual = unit(usual - limb * dot(usual, limb))
    bend = middle - root
    bend = bend - limb * dot(bend, limb)
    sine = length(bend) / np.maximum(length(middle - root), 1e-12)
    part = np.clip(sine / BENT, 0.0, 1.0)
    part = part * part * (3.0 - 2.0 * part)
    way = unit((1.0 - part) * usual + part * np.where(dot(bend, usual) < 0.0, -1.0, 1.0) * unit(bend))
    return middle + way * np.linalg.norm(away)
