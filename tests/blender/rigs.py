# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests put on stage: objects and rigs with keys, recorded takes, and a record of all that an action holds."""

import hashlib
from contextlib import contextmanager

import bpy
import numpy as np

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
ROTATIONS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
LOUD = [1, 1, 1, 1, 1.5, 2, 2, 2, 1.5, 1, 1, 1]  # gains that change every motion of these tests clearly


def empty(name="Thing"):
    """An object without data, active."""
    return staged(bpy.data.objects.new(name, None))


def staged(subject):
    bpy.context.collection.objects.link(subject)
    bpy.context.view_layer.objects.active = subject
    return subject


def build_rig(modes=MODES, name="Rig", connected=lambda index: index % 3 == 1):
    """An armature whose bones hang in two chains, one bone for each rotation mode, and is active."""
    rig = staged(bpy.data.objects.new(name, bpy.data.armatures.new(name)))
    bpy.ops.object.mode_set(mode="EDIT")
    for index in range(len(modes)):
        bone = rig.data.edit_bones.new(f"Bone {index}")
        parent = rig.data.edit_bones.get(f"Bone {index - 2 if index > 2 else index - 1}")
        bone.head = parent.tail if parent else (0.1, 0.2, 0.3)
        if parent and not connected(index):
            bone.head = bone.head + parent.vector.orthogonal() * 0.3
        bone.tail = bone.head + type(bone.head)((0.2 * np.sin(index), 0.3 + 0.1 * index, 0.2 * np.cos(2 * index)))
        bone.roll = 0.3 * index
        bone.parent, bone.use_connect = parent, bool(parent) and connected(index)
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone, mode in zip(rig.pose.bones, modes):
        bone.rotation_mode = mode
    return rig


def wander(seed, frames, size=1.0, fps=24.0):
    """A smooth motion (frames,) of a few sines between 0.2 and 3 Hz."""
    random = np.random.default_rng(seed)
    time = np.arange(frames) / fps
    waves = [np.sin(2 * np.pi * (rate * time + random.random())) * random.uniform(0.3, 1.0) for rate in (0.2, 0.7, 1.5, 3.0)]
    return size * sum(waves) / 2


def rotation_rows(mode, seed, frames, size=0.6):
    """A smooth rotation in a mode, (components, frames)."""
    rows = np.array([wander(seed + number, frames, size) for number in range(4)])
    if mode == "QUATERNION":
        rows[0] = 1.5
        return rows / np.linalg.norm(rows, axis=0)
    if mode == "AXIS_ANGLE":
        rows[0], rows[1:] = rows[0] + 1.0, rows[1:] + np.array([[0.5], [1.5], [0.2]])
        rows[1:] /= np.linalg.norm(rows[1:], axis=0)
        return rows
    return rows[:3]


def pose_curves(rig, frames, size=0.6):
    """Dense curves that turn every bone, and move the first."""
    curves = {
        (f'pose.bones["{rig.pose.bones[0].name}"].location', index): dense(wander(90 + index, frames, 0.3))
        for index in range(3)
    }
    for number, bone in enumerate(rig.pose.bones):
        path = f'pose.bones["{bone.name}"].{ROTATIONS.get(bone.rotation_mode, "rotation_euler")}'
        for index, row in enumerate(rotation_rows(bone.rotation_mode, 10 * number, frames, size)):
            curves[path, index] = dense(row)
    return curves


def dense(values, first=1):
    """Keys (frame, value) on every frame."""
    return np.column_stack([np.arange(first, first + len(values)), values])


def animate(owner, curves, interpolation="LINEAR", name="Take", action=None):
    """Give an owner an action with keys: {(path, index): pairs of frame and value}. Bones' curves are grouped."""
    action = action or bpy.data.actions.new(name)
    slot = action.slots.new(id_type=owner.id_type, name=owner.name)
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    bag = strip.channelbag(slot, ensure=True)
    for (path, index), pairs in curves.items():
        curve = bag.fcurves.new(path, index=index)
        if path.startswith('pose.bones["'):
            group = path.split('"')[1]
            curve.group = bag.groups.get(group) or bag.groups.new(group)
        set_keys(curve, pairs, interpolation)
    data = owner.animation_data or owner.animation_data_create()
    data.action, data.action_slot = action, slot
    return action


def set_keys(curve, pairs, interpolation="LINEAR"):
    curve.keyframe_points.add(len(pairs))
    curve.keyframe_points.foreach_set("co", np.asarray(pairs, dtype=np.float32).ravel())
    for point in curve.keyframe_points:
        point.interpolation = interpolation
    curve.update()


def walker(frames=97):
    """A rig of three bones that moves, its object and its action."""
    rig = build_rig(("QUATERNION", "XYZ", "ZYX"))
    return rig, animate(rig, pose_curves(rig, frames))


def import_take(path, **options):
    """A BVH take, one frame a row, as Blender imports it."""
    bpy.ops.import_anim.bvh(
        filepath=str(path), update_scene_fps=True, update_scene_duration=True, use_fps_scale=False, **options
    )
    return bpy.context.object


def curves_of(owner, action=None):
    """The curves of an owner's action and slot by path and index."""
    action = action or owner.animation_data.action
    slot = action.slots[owner.animation_data.action_slot.identifier]
    return {(curve.data_path, curve.array_index): curve for curve in action.layers[0].strips[0].channelbag(slot).fcurves}


def keys(curve):
    """Keys (keys, 2) of frame and value, as stored."""
    pairs = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", pairs)
    return pairs.reshape(-1, 2).astype(np.float64)


def evaluated(owner, frames, action=None):
    """What the curves of an owner show at frames, by Blender's own evaluation: {(path, index): (frames,)}."""
    return {name: np.array([curve.evaluate(frame) for frame in frames]) for name, curve in curves_of(owner, action).items()}


def poses(rig, frames):
    """Matrices (frames, bones, 4, 4) of the posed bones as Blender evaluates them; frames may be parts of one."""
    scene, matrices = bpy.context.scene, []
    for frame in frames:
        scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        matrices.append([np.array(bone.matrix) for bone in posed.pose.bones])
    return np.array(matrices)


def angles_between(first, second):
    """Angles in radians between the rotations of two arrays of matrices without scale (..., 4, 4)."""
    relative = first[..., :3, :3].swapaxes(-1, -2) @ second[..., :3, :3]
    sine = np.stack([relative[..., i, j] - relative[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))])
    return np.arctan2(np.sqrt((sine**2).sum(axis=0)), np.trace(relative, axis1=-2, axis2=-1) - 1.0)


def record(action):
    """Everything that an action holds, down to every property of every key, in a form that compares."""
    bags = action.layers[0].strips[0].channelbags if action.layers and action.layers[0].strips else ()
    names = {slot.handle: slot.identifier for slot in action.slots}
    return {
        "action": properties(action),
        "custom": repr(sorted(action.items())),
        "slots": [properties(slot) for slot in action.slots],
        "groups": [
            (names[bag.slot_handle], properties(group), [channel.data_path for channel in group.channels])
            for bag in bags
            for group in bag.groups
        ],
        "curves": {
            (names[bag.slot_handle], curve.data_path, curve.array_index): curve_record(curve)
            for bag in bags
            for curve in bag.fcurves
        },
    }


def curve_record(curve):
    return {
        "curve": properties(curve),
        "group": curve.group.name if curve.group else "",
        "modifiers": [properties(modifier) for modifier in curve.modifiers],
        "keys": digests(curve.keyframe_points, bpy.types.Keyframe),
        "samples": digests(curve.sampled_points, bpy.types.FCurveSample),
    }


def properties(thing):
    """The plain properties of a Blender struct as text; text, because no number that is none equals itself."""
    return {
        entry.identifier: repr(
            tuple(getattr(thing, entry.identifier)) if getattr(entry, "is_array", False) else getattr(thing, entry.identifier)
        )
        for entry in thing.bl_rna.properties
        if entry.type not in ("POINTER", "COLLECTION")
    }


def digests(points, kind):
    """A digest of each property of all points."""
    result = {"count": len(points)}
    for entry in kind.bl_rna.properties:
        if entry.type in ("FLOAT", "ENUM", "BOOLEAN"):
            buffer = np.empty(
                len(points) * max(1, entry.array_length if entry.type != "ENUM" else 1),
                dtype=np.float32 if entry.type == "FLOAT" else np.int32,
            )
            points.foreach_get(entry.identifier, buffer)
            result[entry.identifier] = hashlib.sha256(buffer.tobytes()).hexdigest()
    return result


@contextmanager
def untouched(*actions):
    """What happens inside leaves these actions as they were, and their users."""
    names, before = [action.name for action in actions], [record(action) for action in actions]
    yield
    assert [record(bpy.data.actions[name]) for name in names] == before


@contextmanager
def nothing_made():
    """What happens inside neither makes nor removes an action, nor assigns another one."""
    before = situation()
    yield
    assert situation() == before


def situation():
    """All actions, and who has which with which slot."""
    animated = {subject.name: subject.animation_data for subject in bpy.data.objects if subject.animation_data}
    return {
        "actions": {action.name: record(action) for action in bpy.data.actions},
        "assigned": {
            name: (data.action and data.action.name, data.action_slot and data.action_slot.identifier)
            for name, data in animated.items()
        },
    }


CONTROLS = {  # name: head, tail, parent
    "torso": ((0, 0, 1.0), (0, 0.2, 1.0), ""),
    "spine": ((0, 0, 1.0), (0, 0, 1.45), "torso"),
    "head": ((0, 0, 1.45), (0, 0, 1.75), "spine"),
    **{
        f"{name}.{side}": (
            *(tuple(sign * place if axis == 0 else place for axis, place in enumerate(point)) for point in (head, tail)),
            f"{parent}.{side}" if parent not in ("torso", "spine", "") else parent,
        )
        for side, sign in (("L", 1.0), ("R", -1.0))
        for name, head, tail, parent in (
            ("upper_arm", (0.2, 0, 1.4), (0.2, 0.02, 1.1), "spine"),
            ("forearm", (0.2, 0.02, 1.1), (0.2, 0, 0.85), "upper_arm"),
            ("hand", (0.2, 0, 0.85), (0.2, 0, 0.75), "forearm"),
            ("thigh", (0.1, 0, 0.95), (0.1, -0.03, 0.5), "torso"),
            ("shin", (0.1, -0.03, 0.5), (0.1, 0, 0.1), "thigh"),
            ("foot", (0.1, 0, 0.1), (0.1, -0.15, 0.02), "shin"),
            ("foot_ik", (0.1, 0, 0.1), (0.1, 0.2, 0.1), ""),
        )
    },
}


def control_rig(name="Controls"):
    """A figure with IK legs: torso and foot_ik are controls that stand in the world, IK_FK on the torso switches both legs."""
    rig = staged(bpy.data.objects.new(name, bpy.data.armatures.new(name)))
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (head, tail, parent) in CONTROLS.items():
        made = rig.data.edit_bones.new(bone)
        made.head, made.tail, made.parent = head, tail, rig.data.edit_bones.get(parent)
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    rig.pose.bones["head"].rotation_mode = "QUATERNION"
    rig.pose.bones["torso"]["IK_FK"] = 0.0
    for side in "LR":
        reach = rig.pose.bones[f"shin.{side}"].constraints.new("IK")
        reach.target, reach.subtarget, reach.chain_count = rig, f"foot_ik.{side}", 2
        turn = rig.pose.bones[f"foot.{side}"].constraints.new("COPY_ROTATION")
        turn.target, turn.subtarget, turn.mix_mode = rig, f"foot_ik.{side}", "BEFORE"
        turn.target_space = turn.owner_space = "LOCAL"
        for constraint in (reach, turn):
            driver = constraint.driver_add("influence").driver
            driver.expression = "1 - switch"
            variable = driver.variables.new()
            variable.name, variable.targets[0].id = "switch", rig
            variable.targets[0].data_path = 'pose.bones["torso"]["IK_FK"]'
    return rig


def hand_keyed_walk(rig, steps=8, step=12, interpolation="BEZIER", stride=0.6, hold=1):
    """Key a walk as an animator does: contact, down, passing and up, arms at contacts and passings, feet where they stand.

    With `hold` every key stands on a frame that is a multiple of so many after the first, as on twos.
    """
    quarter, last = step // 4, 1 + steps * step
    curves = {}

    def key(path, index, pairs):
        curves[f'pose.bones["{path[0]}"].{path[1]}', index] = [(1 + frame, value) for frame, value in pairs]

    times = range(0, steps * step + 1, quarter)
    phases = [time // quarter % 4 for time in times]
    key(("torso", "location"), 0, [(time, 0.02 * np.sin(np.pi * time / step)) for time in times[::2]])
    key(("torso", "location"), 1, [(time, -stride / step * time) for time in times[::4]])
    key(("torso", "location"), 2, [(time, (-0.09, -0.12, -0.06, -0.05)[phase]) for time, phase in zip(times, phases)])
    for index, size in enumerate((0.03, 0.04, 0.12)):
        key(("torso", "rotation_euler"), index, [(time, size * np.cos(np.pi * time / step)) for time in times[::2]])
        key(("spine", "rotation_euler"), index, [(time, -size * np.cos(np.pi * time / step)) for time in times[::2]])
    for index, size in enumerate((1.0, 0.05, 0.02, 0.01)):
        key(("head", "rotation_quaternion"), index, [(time, size * (1 if not index else np.sin(time))) for time in times[::4]])
    for side, sign in (("L", 1.0), ("R", -1.0)):
        swing = [(time, sign * np.cos(np.pi * time / step)) for time in times[::2]]
        key((f"upper_arm.{side}", "rotation_euler"), 0, [(time, 0.5 * value) for time, value in swing])
        key((f"upper_arm.{side}", "rotation_euler"), 2, [(0, -sign * 0.1)])
        key((f"forearm.{side}", "rotation_euler"), 0, [(time, -0.3 + 0.2 * value) for time, value in swing])
        ahead, up, roll = [], [], []
        for count in range(-1, steps + 1):
            if (count % 2 == 0) == (side == "L"):
                strike = count * step
                ahead += [(strike, -stride * (count + 0.5) - 0.0), (strike + step, -stride * (count + 0.5))]
                up += [(strike, 0.0), (strike + step, 0.0), (strike + step * 3 // 2, 0.12)]
                roll += [(strike, -0.3), (strike + quarter, 0.0), (strike + 3 * quarter, 0.0), (strike + step, 0.5)]
        for (name, index), rows in {("location", 1): ahead, ("location", 2): up, ("rotation_euler", 0): roll}.items():
            key((f"foot_ik.{side}", name), index, [(time, value) for time, value in rows if 0 <= time < last])
        key((f"foot_ik.{side}", "location"), 0, [(0, 0.0)])
    if hold > 1:
        dense_times = np.arange(0, steps * step + 1, hold)
        for name, pairs in curves.items():
            if len(pairs) > 1:
                frames, values = np.array(pairs).T
                spline = np.interp(1 + dense_times, frames, values)
                curves[name] = list(zip(1 + dense_times, spline))
        interpolation = "CONSTANT"
    curves['pose.bones["torso"]["IK_FK"]', 0] = [(1, 0.0), (last - 30, 0.0), (last - 20, 1.0), (last - 10, 0.0)]
    action = animate(rig, curves, interpolation, "Walk")
    bpy.context.scene.frame_end = last
    return action
