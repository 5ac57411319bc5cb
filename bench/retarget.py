# SPDX-License-Identifier: GPL-3.0-or-later
"""Retargeting beside what is done by hand today: Copy Rotation on every bone, Copy Location on the hips, and a bake.

    python bench/retarget.py [folder of .bvh takes] [number of takes]

Both bring every take onto the same figure, which rests in an A-pose with other rolls and proportions. Degrees are between the
ways that limbs point, twist how far limbs are turned about themselves from what rests ask for, slide how far planted feet get
from their places, in millimetres, deep how far feet are under the ground.
Needs Blender as a Python module.
"""

import importlib.util
import sys
import time
from pathlib import Path

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests")]
UNIT = 0.0564444  # metres in a unit of CMU's files
SEGMENTS = (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg"), ("lower_leg", "foot"))


LINE = "{:5.1f} deg {:6.1f} twist {:6.1f} mm slide {:6.1f} deep {:6.2f} s"


def load_package():
    spec = importlib.util.spec_from_file_location("motion_signal", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    sys.modules["motion_signal"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["motion_signal"])
    return sys.modules["motion_signal"]


def main(folder, most):
    """Print a line for every take, and the means."""
    rows = []
    for path in sorted(Path(folder).glob("*.bvh"))[:most]:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rows.append(both(path))
        print(f"{path.stem:36}" + "   ".join(LINE.format(*one) for one in rows[-1]))
    for name, one in zip(("Retarget", "Copy Rotation and bake"), np.mean(rows, axis=0)):
        print(f"{name:36}" + LINE.format(*one))


def both(path):
    """Degrees, slide, depth and seconds of both ways."""
    from made_figures import UNREAL, figure
    from motion_signal.core.retargeting.retarget import Retarget
    from motion_signal.core.techniques.several_takes.retarget import RetargetParams
    from motion_signal.operators.files.bvh import read_bvh
    from motion_signal.operators.run.retarget import retarget_onto, take_of_object

    read_bvh(path)
    source = bpy.context.object
    source.scale = [UNIT] * 3
    bpy.context.view_layer.update()
    target = armature(figure(UNREAL))
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    started = time.perf_counter()
    take = take_of_object(source, fps)
    retarget_onto(take, target, RetargetParams())
    ours = time.perf_counter() - started
    carry = Retarget(take.skeleton, take_of_object(target, fps).skeleton, clip=take.clip)
    first = (*judged(carry, take, take_of_object(target, fps)), ours)
    started = time.perf_counter()
    by_hand(source, target, carry.names, take.clip)
    return first, (*judged(carry, take, take_of_object(target, fps)), time.perf_counter() - started)


def by_hand(source, target, names, clip):
    """Constrain every bone to its counterpart, bake, and take the constraints off."""
    target.animation_data_clear()
    pelvis = next(bone for bone, other in names.items() if other == "Hips")
    for bone, other in names.items():
        constraint = target.pose.bones[bone].constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget = source, other
        if bone == pelvis:
            constraint = target.pose.bones[bone].constraints.new("COPY_LOCATION")
            constraint.target, constraint.subtarget = source, other
    bpy.context.view_layer.objects.active = target
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    bpy.ops.nla.bake(
        frame_start=clip.first_frame, frame_end=clip.last_frame, visual_keying=True, clear_constraints=True, bake_types={"POSE"}
    )
    bpy.ops.object.mode_set(mode="OBJECT")


def judged(carry, take, seen):
    """Mean degrees between the ways that limbs point, and of their twist, mean slide, and how deep feet are at worst."""
    from motion_signal.core.body.report import report
    from motion_signal.core.retargeting.stance import in_world

    (turns, before), (shown, after) = in_world(carry.source, take.clip), in_world(seen.skeleton, seen.clip)
    frames = min(len(before), len(after))
    own, other = carry.alignment.source.roles, carry.alignment.target.roles
    errors, twists = [], []
    for side in ("left", "right"):
        for upper, lower in SEGMENTS:
            ways = [
                heads[1:frames, roles[f"{side}_{lower}"]] - heads[1:frames, roles[f"{side}_{upper}"]]
                for heads, roles in ((before, own), (after, other))
            ]
            ways = [way / np.linalg.norm(way, axis=1, keepdims=True) for way in ways]
            bone = other[f"{side}_{upper}"]
            wanted = turns[1:frames, own[f"{side}_{upper}"]] @ carry.alignment.inside(bone)
            cosine = np.einsum("fi,fi->f", wanted[..., 0], shown[1:frames, bone, :, 0])
            twists.append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).mean())
            errors.append(np.degrees(np.arccos(np.clip(np.sum(ways[0] * ways[1], axis=1), -1.0, 1.0))).mean())
    contacts, ground = carry.footing
    numbers = report(seen.clip, seen.skeleton, contacts=contacts, ground=ground * carry.alignment.scale)
    return np.mean(errors), np.mean(twists), numbers["slide_mean_mm"] or 0.0, numbers["penetration_worst_mm"] or 0.0


def armature(skeleton):
    """An armature object with the bones of a skeleton."""
    data = bpy.data.armatures.new("figure")
    subject = bpy.data.objects.new("figure", data)
    bpy.context.collection.objects.link(subject)
    bpy.context.view_layer.objects.active = subject
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in skeleton.bones:
        edit, rest = data.edit_bones.new(bone.name), np.array(bone.rest)
        edit.head, edit.tail = rest[:3, 3], rest[:3, 3] + rest[:3, 1] * bone.length
        edit.align_roll(rest[:3, 2])
        if bone.parent >= 0:
            edit.parent = data.edit_bones[skeleton.bones[bone.parent].name]
    bpy.ops.object.mode_set(mode="OBJECT")
    return subject


if __name__ == "__main__":
    package = load_package()
    package.register()
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else ROOT.parent / "shared" / "mocap", int((sys.argv[2:] or [99])[0]))
    finally:
        package.unregister()
