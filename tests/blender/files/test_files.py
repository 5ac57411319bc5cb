# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion files in and out: what is written is what was loaded, and half a file is no file."""

import re
from pathlib import Path

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.operators.files import files, kinds
from scipy.spatial.transform import Rotation

TAKE = "cmu_16_36_run_jog.bvh"


def bvh_values(path):
    """Frame time and values (frames, channels) of a BVH file, read as text."""
    motion = path.read_text("utf-8").partition("MOTION")[2].split("\n", 3)
    frames, step = int(motion[1].split(":")[1]), float(motion[2].split(":")[1])
    return step, np.array(motion[3].split(), dtype=float).reshape(frames, -1)


def test_a_bvh_file_comes_through_as_it_was(takes, tmp_path):
    files.load(takes / TAKE)
    files.save(tmp_path / "out.bvh", files.animated_objects())
    (step, before), (again, after) = bvh_values(takes / TAKE), bvh_values(tmp_path / "out.bvh")
    assert abs(step - again) < 1e-6 and before.shape == after.shape
    assert np.abs(before[:, :3] - after[:, :3]).max() < 1e-3
    turned = [Rotation.from_euler("ZYX", values[:, 3:].reshape(-1, 3), degrees=True) for values in (before, after)]
    assert np.degrees((turned[0].inv() * turned[1]).magnitude()).max() < 1e-3


@pytest.mark.parametrize("ending", (".bvh", ".fbx", ".glb", ".blend"))
def test_what_is_written_poses_as_what_was_loaded(takes, tmp_path, ending):
    """Exporters keep joints, not bone axes: places of heads are compared."""
    files.load(takes / TAKE)
    heads = world_heads(files.animated_objects()[0])
    files.save(tmp_path / f"out{ending}", files.animated_objects())
    files.load(tmp_path / f"out{ending}")
    again = world_heads(files.animated_objects()[0])
    size = max(np.abs(places).max() for places in heads.values())
    shared = heads.keys() & again.keys()
    assert len(shared) == len(heads)
    assert max(np.abs(heads[bone] - again[bone]).max() for bone in shared) < 2e-4 * size  # FBX rounds times


def world_heads(rig):
    """Places (frames, 3) of the joints over the scene's frames."""
    scene = bpy.context.scene
    frames = range(scene.frame_start, scene.frame_end + 1)
    places = []
    for frame in frames[::10]:
        scene.frame_set(frame)
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places.append([posed.matrix_world @ bone.head for bone in posed.pose.bones])
    return {bone.name: np.array(row) for bone, row in zip(rig.pose.bones, np.array(places).transpose(1, 0, 2))}


def test_the_shipped_glb_and_fbx_load_with_an_action(takes):
    for name in ("cmu_07_01_walk_normal.glb", "cmu_07_01_walk_normal.fbx"):
        files.load(takes / name)
        subjects = files.animated_objects()
        assert [subject.type for subject in subjects] == ["ARMATURE"]
        assert subjects[0].animation_data.action is not None


def test_a_glb_file_is_read_at_the_rate_that_it_was_recorded_at(takes):
    files.load(takes / "cmu_07_01_walk_normal.glb")
    rig = files.animated_objects()[0]
    assert bpy.context.scene.render.fps == 120
    longest = max((rigs.keys(curve)[:, 0] for curve in rigs.curves_of(rig).values()), key=len)
    assert len(longest) >= 316 and np.abs(longest - np.rint(longest)).max() < 1e-3


def test_the_scene_gets_the_frames_of_the_motion(takes):
    files.load(takes / TAKE)
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (1, 190)


def test_loading_starts_from_an_empty_file(scene, takes):
    rigs.walker()
    files.load(takes / TAKE)
    assert [subject.name for subject in bpy.data.objects] == [TAKE.removesuffix(".bvh")]
    assert len(bpy.data.actions) == 1


WRONG = {
    "cut in the middle": (lambda text: text[: len(text) * 2 // 3], "it is cut short"),
    "cut in the skeleton": (lambda text: text[:2000], "it is no whole BVH file"),
    "empty": (lambda text: "", "it is no whole BVH file"),
    "something else": (lambda text: "hello", "it is no whole BVH file"),
    "a word among numbers": (lambda text: text.rstrip()[:-4] + " oops", "no number"),
    "no time": (lambda text: re.sub(r"Frame Time: \S+", "Frame Time: 0", text), "no number"),
}


@pytest.mark.parametrize("damage, sentence", WRONG.values(), ids=WRONG.keys())
def test_a_damaged_bvh_file_is_refused(takes, tmp_path, damage, sentence):
    path = tmp_path / "wrong.bvh"
    text = damage((takes / TAKE).read_text("utf-8"))
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError) as error:
        files.load(path)
    assert sentence in str(error.value) and str(path) in str(error.value)


@pytest.mark.parametrize("name", ("wrong.fbx", "wrong.glb", "wrong.blend", "wrong.gltf"))
def test_a_file_that_is_something_else_is_refused(scene, tmp_path, name):
    (tmp_path / name).write_text("hello", "utf-8")
    with pytest.raises(ValueError, match=name) as error:
        files.load(tmp_path / name)
    assert "Location:" not in str(error.value)  # where in this code Blender's importer stumbled is no reason


def test_unknown_endings_and_missing_files_are_refused(scene, tmp_path):
    with pytest.raises(ValueError, match="cannot read .txt; can read .bvh"):
        files.load(tmp_path / "take.txt")
    with pytest.raises(ValueError, match="there is no such file"):
        files.load(tmp_path / "take.bvh")
    with pytest.raises(ValueError, match="cannot write .txt; can write .bvh"):
        kinds.check_ending(tmp_path / "take.txt")


def test_places_of_loose_bones_are_written_to_bvh_only_if_they_move(takes, tmp_path):
    """A figure that is stretched alone moves none: no column is there for what single precision leaves."""
    files.load(takes / TAKE)
    rig = files.animated_objects()[0]
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.motion_signal.equalize(gains=str(rigs.LOUD), target="POSITIONS") == {"FINISHED"}
    files.save(tmp_path / "stretched.bvh", [rig])
    assert bvh_values(tmp_path / "stretched.bvh")[1].shape[1] == 96
    leg = rig.pose.bones["LeftLeg"]
    leg.location = (0.0, 0.0, 1.5)
    leg.keyframe_insert("location", frame=20)
    files.save(tmp_path / "loose.bvh", [rig])
    loose = sum(bone.parent is not None and not bone.bone.use_connect for bone in rig.pose.bones)
    assert loose > 1 and bvh_values(tmp_path / "loose.bvh")[1].shape[1] == 96 + 3 * loose


def test_writing_a_bvh_file_leaves_the_figure_upright(takes, tmp_path):
    files.load(takes / TAKE)
    rig = files.animated_objects()[0]
    before = world_heads(rig)
    files.save(tmp_path / "out.bvh", [rig])
    after = world_heads(rig)
    assert max(np.abs(before[bone] - after[bone]).max() for bone in before) < 1e-4


def test_a_file_that_cannot_be_written_leaves_nothing_behind(scene, tmp_path):
    """BVH holds one armature: an animated empty is refused, and the older file of that name stays."""
    thing = rigs.empty()
    rigs.animate(thing, {("location", 0): rigs.dense(rigs.wander(1, 20))})
    (tmp_path / "out.bvh").write_text("older", "utf-8")
    with pytest.raises(ValueError, match="BVH holds one armature"):
        files.save(tmp_path / "out.bvh", [thing])
    assert [path.name for path in tmp_path.iterdir()] == ["out.bvh"]
    assert (tmp_path / "out.bvh").read_text("utf-8") == "older"


def test_a_missing_folder_is_refused(scene, tmp_path):
    rig, _ = rigs.walker()
    with pytest.raises(ValueError, match="there is no folder"):
        files.save(tmp_path / "nowhere" / "out.bvh", [rig])


def test_armatures_go_before_other_moving_objects(scene):
    rig, _ = rigs.walker()
    rigs.animate(rigs.empty("Prop"), {("location", 0): rigs.dense(rigs.wander(1, 20))})
    assert files.animated_objects() == [rig]
    assert files.animated_objects("Prop") == [bpy.data.objects["Prop"]]
    with pytest.raises(ValueError, match="there is no Nobody; there are"):
        files.animated_objects("Nobody")


def test_a_file_without_motion_is_refused(scene):
    rigs.empty()
    with pytest.raises(ValueError, match="there is no animated object in the file"):
        files.animated_objects()


def test_a_blend_file_finds_what_it_links_from_where_it_is_written_to(scene, tmp_path):
    """Paths within a file are relative to where it lies, not to where its part was written."""
    (tmp_path / "rigs").mkdir()
    (tmp_path / "out" / "deep").mkdir(parents=True)
    rigs.walker()
    bpy.data.libraries.write(str(tmp_path / "rigs" / "rig.blend"), {bpy.data.objects["Rig"]})
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "rigs" / "rig.blend"), link=True) as (there, here):
        here.objects = there.objects
    bpy.context.scene.collection.objects.link(here.objects[0])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"), relative_remap=True)
    bpy.ops.file.make_paths_relative()
    files.save(tmp_path / "out" / "deep" / "shot.blend", [])
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "deep" / "shot.blend"))
    library = bpy.data.libraries[0]
    found = Path(bpy.path.abspath(library.filepath)).resolve()
    assert library.filepath.startswith("//") and found == tmp_path / "rigs" / "rig.blend"
    assert "Rig" in bpy.data.objects
