# SPDX-License-Identifier: GPL-3.0-or-later
"""A result on a control rig, looked at as Blender shows it before it is written, and its controls moved as that asks for."""

import bpy
import numpy as np

from ...core.body.body import LIMBS
from ...core.body.more_feet import sides_in, whole_table
from ...core.body.roles import find_roles
from ...core.numeric import scipy
from ...core.numeric.refusal import Refusal
from ...core.recipes.shown import brought_back
from ..bridge.actions import channelbag
from ..bridge.assign import note
from ..bridge.keyframes import mute_modifiers, new_curve, set_straight_keys
from ..bridge.levers import Levers
from ..bridge.measured import seen
from ..bridge.switches import write_switches

ROUNDS = 3
NEAR = 1e-4  # metres
FAR = 1.4  # times what a single curve may be off by is what all of them together may
STANDING = 0.15  # of that is what a foot that stands may be off by
STILL = 0.1  # metres a second: what is slower may stand
MARGIN = 1.4  # times as much nearer as it is too far off is what is asked for
NEAREST = 50.0  # times nearer at most: what is off by more is off for another reason than that keys are few
AROUND = 2  # frames before and after one that is too far off that come closer with it


def settle(run, scope):
    """Bring feet and hands of what steps made where they are to be on a rig whose constraints make something else of it.

    Where joints that deform are seen to be then, {bone: (frames, 3)}; nothing of a rig that is not looked at."""
    if not scope.model or not scope.model.measured or not any(each.changed for each in run.done):
        return {}
    free = {channel.owner for done in run.done for channel in done.channels if not channel.measured}
    run.hold()
    for _ in range(ROUNDS):
        clip = run.whole.clip
        matrices = shown(run, scope)
        measured = scope.model.against(matrices, clip.first_frame, clip.fps)
        try:
            result, away = brought_back(clip, measured, scope.skeleton, free)
        except Refusal:  # who has no feet that can be moved; whoever needs them says so
            break
        if away < NEAR:
            break
        run.amend(result)
    run.see(measured)
    return {bone.name: matrices[bone.name][:, :3, 3] for bone in scope.owner.data.bones if bone.use_deform}


def shown(run, scope):
    """The matrices of all bones in what steps have made by now."""
    clip, action = run.whole.clip, scope.action.copy()
    try:
        slot = action.slots[scope.slot.identifier]
        bag = channelbag(action, slot)
        write_switches(bag, clip, run.before.clip, set())
        frames = np.arange(clip.first_frame, clip.last_frame + 1, dtype=np.float32)
        pairs = np.column_stack([frames, frames])
        for channel, values in zip(clip.channels, clip.values.T):
            if channel in run.writing and not channel.measured:
                curve = bag.fcurves.find(channel.path, index=channel.index) or new_curve(bag, channel)
                mute_modifiers(curve)
                pairs[:, 1] = values
                set_straight_keys(curve, pairs)
        note(action, slot, scope.owner, scope.action)
        return seen(scope.owner, action, slot, clip.first_frame, clip.last_frame)
    finally:
        bpy.data.actions.remove(action)


def closer_by(treated, scope, slot, millimetres, before):
    """How many times nearer than they were the keys that were written must be, {control: (frames,)}, so that no joint is more
    than `FAR` times so many millimetres off, and no foot that stands more than a part of that; nothing where that is so.

    `before` is how much nearer they were asked to be.
    """
    clip, skeleton = treated.run.whole.clip, scope.skeleton
    there = seen(scope.owner, treated.action, slot, clip.first_frame, clip.last_frame)
    size = np.linalg.norm(np.array(skeleton.world)[:3, :3], axis=0).max()
    limbs, nearer, carriers = limbs_of(skeleton), {}, carriers_of(scope.owner, skeleton)
    for name, wanted in (treated.joints | dict(zip(carriers, skeleton.posed(clip)[1].swapaxes(0, 1)))).items():
        if name not in there or name not in carriers:
            continue
        off = 1e3 * size * np.linalg.norm(there[name][:, :3, 3] - wanted, axis=1) / (FAR * millimetres)
        role, handle = limbs.get(name, ("", ""))
        speed = size * clip.fps * np.linalg.norm(np.gradient(wanted, axis=0), axis=1)
        stands = (speed < STILL) & (role in ("foot", "toe"))
        chain = {handle, *carriers[name]}
        for rows, names in ((np.where(stands, off / STANDING, 0.0), {handle} if handle else chain), (off, chain)):
            if rows.max() > 1.0:
                more = scipy.ndimage.maximum_filter1d(np.where(rows > 1.0, MARGIN * rows, 1.0), 2 * AROUND + 1)
                nearer |= {name: np.maximum(nearer.get(name, 1.0), more) for name in names}
    asked = {name: nearer.get(name, 1.0) * before.get(name, 1.0) for name in {*nearer, *before}} if nearer else {}
    return {name: np.minimum(rows, NEAREST) for name, rows in asked.items()}


def carriers_of(owner, skeleton):
    """What of a skeleton carries each of its bones, in their order, and each other bone of its owner, {bone: names}."""
    names = [bone.name for bone in skeleton.bones]
    found = {name: [names[each] for each in skeleton.chain(index)] for index, name in enumerate(names)}
    levers, others = Levers(owner), {}
    for control in names:
        for name in (levers.carried(control) if control in owner.pose.bones else set()) - found.keys():
            others.setdefault(name, []).append(control)
    return found | others


def limbs_of(skeleton):
    """Which part of a limb a bone is, and what moves that limb's end, {bone: (part, control)}."""
    table = whole_table(skeleton, find_roles(skeleton))
    found = {}
    for side in sides_in(table):
        for tip, parts in LIMBS.items():
            end = table.get(f"{side}_{tip}")
            handle = skeleton.bones[skeleton.index(end)].handle if end else ""
            found |= {table[f"{side}_{part}"]: (part, handle) for part in (*parts, "toe") if table.get(f"{side}_{part}")}
    return found
