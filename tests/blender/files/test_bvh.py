# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH in and out: the same as by Blender's own importer and exporter, which are the oracles here."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.files import bvh_take
from bl_ext.dev.motion_signal.core.motion.skeleton import size_of
from bl_ext.dev.motion_signal.core.numeric.matrix import euler_matrices
from bl_ext.dev.motion_signal.operators.bridge.actions import channelbag, read_take
from bl_ext.dev.motion_signal.operators.bridge.armatures import skeleton_of
from bl_ext.dev.motion_signal.operators.files import bvh as bvh_files
from bl_ext.dev.motion_signal.operators.files import files
from mathutils import Euler

TAKES = ("cmu_16_36_run_jog.bvh", "cmu_113_13_punch_kick.bvh", "cmu_113_14_dance_circle.bvh", "cmu_82_12_walk_happy.bvh")
LONG = "A joint whose name is longer than the sixty-three bytes that a bone of Blender's has for its own"


def empty_file():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def situation(rig):
    """All that an import makes but for the values of keys, and these, in the order of the curves."""
    scene, action = bpy.context.scene, rig.animation_data.action
    record = rigs.record(action)
    del record["action"]["session_uid"]
    for curve in record["curves"].values():
        del curve["keys"]["co"], curve["keys"]["co_ui"]
    record["names"] = rig.name, rig.data.name, action.name, rig.animation_data.action_slot.identifier
    record["scene"] = scene.frame_start, scene.frame_end, scene.frame_current, scene.render.fps, scene.render.fps_base
    record["bones"] = [
        (
            bone.name,
            bone.rotation_mode,
            bone.bone.use_connect,
            tuple(bone.rotation_euler),
            tuple(bone.location),
            tuple(map(tuple, bone.bone.matrix_local)),
        )
        for bone in rig.pose.bones
    ]
    return record, {name: rigs.keys(curve) for name, curve in rigs.curves_of(rig).items()}


def check_import(path):
    """What is read equals what Blender reads: everything but values to the bit, values to single precision."""
    empty_file()
    expected, keys = situation(rigs.import_take(path))
    empty_file()
    bvh_files.read_bvh(path)
    found, read = situation(bpy.context.object)
    assert {key for key in expected if found[key] != expected[key]} == set()
    assert list(read) == list(keys)
    for name, pairs in keys.items():
        np.testing.assert_array_equal(read[name][:, 0], pairs[:, 0])
    for path in {path for path, _ in keys}:
        own, other = (np.array([each[path, axis][:, 1] for axis in range(3)]) for each in (read, keys))
        if "rotation" in path:  # of axes that nearly fall into one, either angle may be off by what the other is
            assert np.abs(own - other).max() < 1e-3
            mode = bpy.context.object.path_resolve(path.rpartition(".")[0]).rotation_mode
            own, other = (euler_matrices(angles.astype(np.float64), mode).reshape(9, -1) for angles in (own, other))
        assert np.abs(own - other).max() <= 5e-5 * np.abs(other).max(), path
    return keys


@pytest.mark.parametrize("take", TAKES)
def test_a_take_is_read_as_blender_reads_it(takes, take):
    check_import(takes / take)


JOINTS = (
    (0, "Hips", "Xposition Yposition Zposition Zrotation Xrotation Yrotation"),
    (1, "Upper Arm", "Yrotation Xrotation Zrotation"),
    (2, 'Fore "Arm" \\', "Zposition Xrotation Yrotation Zrotation"),
    (3, "Hand", "Xrotation Zrotation Yrotation"),
    (4, "Länge", "Yrotation Zrotation Xrotation Yposition Xposition"),
    (1, "Same", "Zrotation Yrotation Xrotation"),
    (2, "Same", "Xposition Zposition Yposition"),
    (1, "Stiff", ""),
    (1, LONG, "Xrotation Yrotation Zrotation"),
    (2, LONG + " too", "Zrotation Xrotation Yrotation"),
)


def made_up(frames, size, joints=JOINTS):
    """A file with joints of all rotation orders, some of which move or do nothing, and noise that turns far."""
    random, lines, level = np.random.default_rng(7), ["HIERARCHY"], 0
    for depth, name, channels in joints:
        lines += ["}"] * (level - depth)
        lines += [
            f"{'JOINT' if depth else 'ROOT'} {name}",
            "{",
            "OFFSET {:.4f} {:.4f} {:.4f}".format(*random.normal(size=3)),
            f"CHANNELS {len(channels.split())} {channels}",
        ]
        level = depth + 1
    count = sum(len(channels.split()) for _, _, channels in joints)
    values = np.cumsum(random.normal(size=(frames, count)) * size, axis=0)
    lines += ["}"] * level + ["MOTION", f"Frames: {frames}", "Frame Time: 0.0333667"]
    return "\n".join([*lines, *(" ".join(f"{value:.4f}" for value in row) for row in values)]) + "\n"


@pytest.mark.parametrize("size", (1.0, 15.0, 120.0))
def test_any_order_of_rotations_and_joints_that_move_are_read_as_blender_reads_them(scene, tmp_path, size):
    (tmp_path / "made_up.bvh").write_text(made_up(300, size), "utf-8")
    keys = check_import(tmp_path / "made_up.bvh")
    assert len(keys) == 3 * 12 and max(np.abs(pairs[:, 1]).max() for pairs in keys.values()) > 3.5


def test_right_angles_turn_a_figure_as_blenders_import_does(scene, tmp_path):
    """Where two axes fall into one, or a step is half a turn, which of two equal sets of angles comes is the last bit's."""
    angles = np.random.default_rng(3).choice([-180, -90, 0, 45, 90, 180, 270], size=(200, 6))
    text = made_up(1, 1.0, JOINTS[:1]).rpartition("0.0333667")[0].replace("Frames: 1", "Frames: 200") + "0.0333667\n"
    (tmp_path / "right.bvh").write_text(text + "\n".join(" ".join(map(str, row)) for row in angles) + "\n", "utf-8")
    poses = []
    for read in (rigs.import_take, bvh_files.read_bvh):
        empty_file()
        read(tmp_path / "right.bvh")
        poses.append(rigs.poses(bpy.context.object, range(1, 201)))
    assert np.abs(poses[0] - poses[1]).max() < 1e-4


def check_core(path, rest=1e-6, places=1e-5):
    """What core reads alone equals what Blender reads: all that is said of bones and channels, rests and joints."""
    empty_file()
    rig = rigs.import_take(path)
    data, render = rig.animation_data, bpy.context.scene.render
    skeleton, (first, last) = skeleton_of(rig), (round(frame) for frame in data.action.frame_range)
    curves = list(channelbag(data.action, data.action_slot).fcurves)
    expected = read_take(data.action, data.action_slot, curves, rig, first, last, render.fps / render.fps_base).clip
    clip, found = bvh_take.read_bvh(path)
    assert (clip.channels, clip.fps, clip.first_frame, clip.frames) == (expected.channels, expected.fps, first, expected.frames)
    size = size_of(skeleton)
    for bone, own in zip(skeleton.bones, found.bones, strict=True):
        for name in ("name", "parent", "connected", "mode", "path", "inherit_scale", "usual", "plain", "led", "limits"):
            assert getattr(own, name) == getattr(bone, name)
        np.testing.assert_allclose(own.rest, bone.rest, atol=rest * size, rtol=0)
        assert abs(own.length - bone.length) <= rest * size
    joints = skeleton.posed(expected)[1]
    far = max(size, np.abs(joints).max())
    assert np.abs(found.posed(clip)[1] - joints).max() <= places * far
    assert np.abs(clip.values - expected.values).max() <= places * far


@pytest.mark.parametrize("take", TAKES)
def test_core_alone_reads_a_take_as_blender_reads_it(takes, take):
    check_core(takes / take)


def test_core_alone_reads_any_order_of_rotations_as_blender_does(scene, tmp_path):
    (tmp_path / "made_up.bvh").write_text(made_up(30, 4.0), "utf-8")
    check_core(tmp_path / "made_up.bvh")


ALONG = (
    (0, 0, 0),
    (0, -1, 0),
    (0, 1, 0),
    (0, 0, 1),
    (0, 0, -1),
    (1, 0, 0),
    (-1, 0, 0),
    (0, 0, 0.01),
    (1e-4, -1, 0),
    (0, 5e-5, 1),
)


@pytest.mark.parametrize("seed", range(12))
def test_core_alone_gives_bones_along_the_axes_blenders_roll(scene, tmp_path, seed):
    """Straight up, straight down, nearly so, back along the parent, or of no length: where a roll has two answers."""
    random, lines = np.random.default_rng(seed), []
    joints = [(depth, f"j{depth}", "Zrotation Xrotation Yrotation") for depth in range(8)]
    for line in made_up(2, 3.0, joints).splitlines():
        offset = " ".join(map(str, ALONG[random.integers(len(ALONG))]))
        lines.append(f"OFFSET {offset}" if line.startswith("OFFSET") else line)
    (tmp_path / "along.bvh").write_text("\n".join(lines) + "\n", "utf-8")
    check_core(tmp_path / "along.bvh", rest=1e-6, places=1e-5)


def test_blender_reads_what_core_writes(takes, tmp_path):
    clip, skeleton = bvh_take.read_bvh(takes / TAKES[0])
    bvh_take.write_bvh(tmp_path / "written.bvh", clip, skeleton)
    check_core(tmp_path / "written.bvh")
    again = rigs.import_take(tmp_path / "written.bvh")
    places = rigs.poses(again, (1, 60, 120))[..., :3, 3]
    expected = skeleton.posed(clip)[1][[0, 59, 119]]
    order = [skeleton.index(bone.name) for bone in again.pose.bones]
    assert np.abs(places - expected[:, order]).max() < 1e-5 * size_of(skeleton)


def test_one_frame_is_a_take(scene, tmp_path):
    (tmp_path / "still.bvh").write_text(made_up(1, 20.0), "utf-8")
    check_import(tmp_path / "still.bvh")


def test_beside_another_figure_a_take_is_read_as_alone_and_nothing_listens_any_more(scene, takes):
    before = len(bpy.app.handlers.depsgraph_update_post)
    bvh_files.read_bvh(takes / TAKES[0])
    alone = situation(bpy.context.object)[1]
    empty_file()
    rigs.walker()
    bvh_files.read_bvh(takes / TAKES[0])
    beside = situation(bpy.context.object)[1]
    assert all(np.array_equal(alone[name], beside[name]) for name in alone)
    assert len(bpy.app.handlers.depsgraph_update_post) == before


def test_the_figure_follows_the_curves_that_were_filled(takes):
    files.load(takes / TAKES[0])
    rig = files.animated_objects()[0]
    poses = rigs.poses(rig, (1, 60, 120))
    empty_file()
    expected = rigs.poses(rigs.import_take(takes / TAKES[0]), (1, 60, 120))
    assert np.abs(poses - expected).max() < 1e-5 * np.abs(expected).max()


def test_mutated_files_are_read_or_refused(scene, tmp_path):
    random, text, outcomes = np.random.default_rng(1), made_up(3, 10.0).encode(), []
    path = tmp_path / "wrong.bvh"
    for _ in range(150):
        start = random.integers(len(text))
        put = (bytes(random.integers(256, size=1, dtype=np.uint8)), b"", b"7", b"x", b"\n", b" ")[random.integers(6)]
        path.write_bytes(text[:start] + put + text[start + 1 :])
        try:
            files.load(path)
        except ValueError as error:
            assert str(path) in str(error) and "\n" not in str(error)
            outcomes.append(False)
        else:
            rig = files.animated_objects()[0]
            assert all(np.isfinite(rigs.keys(curve)).all() for curve in rigs.curves_of(rig).values())
            outcomes.append(True)
    assert 30 < sum(outcomes) < 120


def test_the_deepest_skeleton_is_read(scene, tmp_path):
    joints = tuple((depth, f"j{depth}", "Xrotation Yrotation Zrotation") for depth in range(400))
    (tmp_path / "deep.bvh").write_text(made_up(2, 1.0, joints), "utf-8")
    files.load(tmp_path / "deep.bvh")
    assert len(files.animated_objects()[0].pose.bones) == 400
    files.save(tmp_path / "again.bvh", files.animated_objects())


def parts_of(path):
    """Skeleton, what is said about frames, channel names and values of a BVH file, read as text."""
    head, _, motion = path.read_text("utf-8").partition("MOTION\n")
    frames, time, rows = motion.split("\n", 2)
    channels = [word for line in head.splitlines() if "CHANNELS" in line for word in line.split()[2:]]
    return head, (frames, time), channels, np.array([row.split() for row in rows.splitlines()], dtype=float)


def check_export(rig, tmp_path, position=2e-5, angle=1e-3):
    """What is written equals what Blender's exporter writes; gives the skeleton's text."""
    bvh_files.write_bvh(tmp_path / "ours.bvh", [rig])
    first, last = (round(frame) for frame in rig.animation_data.action.frame_range)
    bvh_files.export(tmp_path / "blenders.bvh", rig, None, first, last, bvh_files.loose_bones_move(rig))
    ours, blenders = parts_of(tmp_path / "ours.bvh"), parts_of(tmp_path / "blenders.bvh")
    assert ours[:3] == blenders[:3] and ours[3].shape == blenders[3].shape
    limits = np.array([position if name.endswith("position") else angle for name in ours[2]])
    scale = np.maximum(1.0, np.abs(blenders[3]))  # single precision has no more than that of large numbers
    scale[:, limits == angle] = 1.0
    assert (np.abs(ours[3] - blenders[3]) <= limits * scale).all()
    assert (tmp_path / "ours.bvh").read_text("utf-8").count(" \n") == len(ours[3])
    return ours[0]


def by_curves(rig):
    return bvh_files.posed_by_curves(rig, bvh_files.skeleton_of(rig))


@pytest.mark.parametrize("take", TAKES)
@pytest.mark.parametrize("target", ("ROTATIONS", "POSITIONS"))
def test_a_treated_take_is_written_as_blender_writes_it(takes, tmp_path, take, target):
    files.load(takes / take)
    rig = files.animated_objects()[0]
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.motion_signal.equalize(gains=str(rigs.LOUD), target=target) == {"FINISHED"}
    assert by_curves(rig)
    assert ("JOINT LHipJoint" in check_export(rig, tmp_path)) and files.animated_objects() == [rig]


def test_a_walker_is_written_as_blender_writes_it(scene, tmp_path):
    rig, _ = rigs.walker()
    assert by_curves(rig)
    check_export(rig, tmp_path)


def loose_curves(rig, frames):
    """Curves that turn every bone far, and move and scale all of them."""
    curves = rigs.pose_curves(rig, frames, 2.5)
    for number, bone in enumerate(rig.pose.bones):
        for index in range(3):
            path = bone.path_from_id()
            curves[path + ".location", index] = rigs.dense(rigs.wander(200 + 3 * number + index, frames))
            curves[path + ".scale", index] = rigs.dense(1.0 + 0.2 * rigs.wander(300 + 3 * number + index, frames))
    return curves


@pytest.mark.parametrize("connected", (lambda index: index % 3 == 1, lambda index: False))
def test_every_rotation_mode_with_places_and_scales_is_written_as_blender_writes_it(scene, tmp_path, connected):
    rig = rigs.build_rig(connected=connected)
    rig.location, rig.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.2, 0.1)
    rigs.animate(rig, loose_curves(rig, 97))
    assert by_curves(rig)
    assert check_export(rig, tmp_path).count("CHANNELS 6") == sum(not connected(index) for index in range(8))


def test_sparse_curves_held_values_and_muted_curves_are_written_as_blender_writes_them(scene, tmp_path):
    rig = rigs.build_rig()
    curves = rigs.pose_curves(rig, 60)
    kept = {name: pairs[::13] for index, (name, pairs) in enumerate(curves.items()) if index % 4}
    rigs.animate(rig, kept, interpolation="BEZIER")
    for bone in rig.pose.bones:
        bone.rotation_euler, bone.rotation_quaternion = (0.3, 0.2, -0.4), (0.9, 0.2, 0.3, 0.1)
        bone.location = (0.1, 0.2, 0.3)
    list(rigs.curves_of(rig).values())[-2].mute = True
    assert by_curves(rig)
    check_export(rig, tmp_path)


def test_several_roots_are_written_as_blender_writes_them(scene, tmp_path):
    rig, _ = rigs.walker()
    bpy.ops.object.mode_set(mode="EDIT")
    for name, head in (("Prop", (3, 0, 1)), ("__0", (1, 4, 0))):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = head, (2, 2, 2)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert by_curves(rig)
    assert check_export(rig, tmp_path).startswith("HIERARCHY\nROOT __1\n{\n\tOFFSET 0.0 0.0 0.0\n\tCHANNELS 0\n")


def constrained(rig):
    target = rigs.empty("Target")
    target.location = (3.0, 1.0, 2.0)
    rig.pose.bones[2].constraints.new("DAMPED_TRACK").target = target


def driven(rig):
    rig.pose.bones[1].driver_add("rotation_euler", 1).driver.expression = "0.01 * frame"


def layered(rig):
    data = rig.animation_data
    strip = data.nla_tracks.new().strips.new("Below", 1, data.action)
    strip.action_slot = data.action_slot
    data.action_blend_type = "ADD"


def without_rotation(rig):
    rig.data.bones[1].use_inherit_rotation = False


def at_rest(rig):
    rig.data.pose_position = "REST"


def switched(rig):
    bone = rig.pose.bones[2]
    for frame, mode in ((1, "ZYX"), (50, "XYZ")):
        bone.rotation_mode = mode
        bone.keyframe_insert("rotation_mode", frame=frame)


@pytest.mark.parametrize("steer", (constrained, driven, layered, without_rotation, at_rest, switched))
def test_what_curves_alone_do_not_say_goes_out_through_blender(scene, tmp_path, steer):
    rig, _ = rigs.walker()
    bvh_files.write_bvh(tmp_path / "plain.bvh", [rig])
    steer(rig)
    bpy.context.view_layer.update()
    assert not by_curves(rig)
    check_export(rig, tmp_path, 1e-4, 1e-3)
    assert steer is switched or np.abs(parts_of(tmp_path / "ours.bvh")[3] - parts_of(tmp_path / "plain.bvh")[3]).max() > 0.1


def test_writing_leaves_the_figure_as_it_was_to_the_bit(takes, tmp_path):
    files.load(takes / TAKES[0])
    rig = files.animated_objects()[0]
    before = [tuple(map(tuple, bone.matrix_local)) for bone in rig.data.bones]
    with rigs.untouched(rig.animation_data.action):
        files.save(tmp_path / "out.bvh", [rig])
    assert [tuple(map(tuple, bone.matrix_local)) for bone in rig.data.bones] == before
    assert len(bpy.data.armatures) == 1


def test_reading_what_was_written_is_stable(takes, tmp_path):
    """Again and again through Blender and back, the numbers stay where single precision puts them."""
    files.load(takes / TAKES[0])
    for turn in range(4):
        files.save(tmp_path / f"{turn}.bvh", files.animated_objects())
        files.load(tmp_path / f"{turn}.bvh")
    first, last = parts_of(tmp_path / "0.bvh"), parts_of(tmp_path / "3.bvh")
    assert first[1:3] == last[1:3]
    np.testing.assert_allclose(offsets(first), offsets(last), atol=1e-5)
    assert np.abs(first[3][:, :3] - last[3][:, :3]).max() < 2e-5
    assert np.abs(turned(first) - turned(last)).max() < 2e-5
    assert np.abs(first[3] - last[3]).max() < 1e-2  # degrees; more than the rotation where two axes are nearly one


def offsets(joints):
    return [float(word) for line in joints[0].splitlines() if "OFFSET" in line for word in line.split()[1:]]


def turned(joints):
    """The rotation matrices of some frames."""
    angles = np.radians(joints[3][::20, 3:]).reshape(-1, 3)
    return np.array([np.array(Euler(row[::-1], "XYZ").to_matrix()) for row in angles])
