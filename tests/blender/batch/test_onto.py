# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes of a batch on another figure: of a .bvh without Blender, of a .blend on the controls of its rig."""

import json
import shutil

import bpy
import control_rigs
import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.files.bvh_take import read_bvh
from bl_ext.dev.motion_signal.core.retargeting.retarget import Retarget
from bl_ext.dev.motion_signal.operators.commandline import main
from bl_ext.dev.motion_signal.operators.files import files

WALK = "cmu_07_01_walk_normal.bvh"


@pytest.fixture
def one(takes, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(takes / WALK, folder)
    return folder


def run(*words):
    return main([str(word) for word in words])


@pytest.mark.parametrize("word", ["retarget", "bring"])
def test_takes_come_onto_the_figure_of_a_bvh_file(scene, takes, one, tmp_path, word):
    before, hero = (one / WALK).read_bytes(), takes / "other" / "fair1_wave_hello.bvh"
    assert run(word, one, "--onto", hero, "-o", tmp_path / "out", "--map", '{"Head": "Neck"}') == 0
    clip, skeleton = read_bvh(tmp_path / "out" / WALK)
    own, other = read_bvh(one / WALK)
    assert [bone.name for bone in skeleton.bones] == [bone.name for bone in read_bvh(hero)[1].bones]
    assert clip.frames == own.frames and clip.fps == pytest.approx(own.fps)
    assert (one / WALK).read_bytes() == before
    assert np.isfinite(clip.values).all() and Retarget(other, skeleton, clip=own).pairs


@pytest.mark.only("5.2")  # what it tries is not Blender's
def test_a_take_has_the_same_axis_up_as_the_file_of_the_figure(one, takes, tmp_path):
    hero = takes / "other" / "fair1_wave_hello.bvh"
    assert run("retarget", one, "--onto", hero, "-o", tmp_path / "out") == 0
    ups = []
    for path in (hero, tmp_path / "out" / WALK):
        clip, skeleton = read_bvh(path)
        heads = skeleton.posed(clip)[1].mean(axis=0)
        up = heads[skeleton.index("Head")] - heads[skeleton.index("LeftFoot")]
        ups.append(up / np.linalg.norm(up))
    assert ups[0] @ ups[1] > 0.95 and np.abs(ups[0]).argmax() == 1  # Y in Blender: Z in the file


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
def test_takes_come_onto_the_controls_of_a_rig_in_a_blend_file_and_the_recipe_goes_on(scene, one, tmp_path):
    control_rigs.rigify("human")
    hero = tmp_path / "hero.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(hero))
    before = hero.read_bytes()
    recipe = tmp_path / "recipe.json"
    steps = [{"technique": "retarget", "params": {"onto": str(hero)}}, {"technique": "equalize", "params": {"dc_gain": 0.9}}]
    recipe.write_text(json.dumps({"format": 1, "steps": steps}), "utf-8")
    assert run("run", recipe, one, "-o", tmp_path / "out") == 0
    assert hero.read_bytes() == before
    files.load(tmp_path / "out" / WALK.replace(".bvh", ".blend"))
    rig = bpy.data.objects["rig"]
    keyed = {curve.data_path for curve in rig.animation_data.action.layers[0].strips[0].channelbags[0].fcurves}
    assert any("foot_ik.L" in path for path in keyed) and any("torso" in path for path in keyed)


def test_a_file_of_two_armatures_and_a_hero_of_none_are_refused(scene, one, tmp_path, capsys):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "empty.blend"))
    assert run("retarget", one, "--onto", tmp_path / "empty.blend", "-o", tmp_path / "out") == 1
    assert "there are 0 armatures in empty.blend" in "".join(capsys.readouterr())
    assert run("retarget", one, "--onto", tmp_path / "nobody.bvh", "-o", tmp_path / "out") == 2
    assert "nobody.bvh: there is no such file" in "".join(capsys.readouterr())


@pytest.mark.only("5.2")  # what it tries is not Blender's
def test_a_figure_or_a_map_that_no_take_can_be_brought_onto_is_refused_once_and_nothing_is_made(one, takes, tmp_path, capsys):
    hero = takes / "other" / "fair1_dab.bvh"
    head, motion = hero.read_text("utf-8").split("MOTION")
    rows = motion.strip().split("\n")
    two = [head, head.replace("HIERARCHY", ""), "MOTION\n", "\n".join(rows[:2]), *(f"\n{row} {row}" for row in rows[2:])]
    (tmp_path / "two.bvh").write_text("".join(two), "utf-8")
    (tmp_path / "rope.bvh").write_text(ROPE, "utf-8")
    for onto, given, said in (
        (hero, '{"Tail": "Head"}', "map: the figure has no bone 'Tail'"),
        (tmp_path / "two.bvh", "", "two.bvh: there are 2 figures in one"),
        (tmp_path / "rope.bvh", "", "rope.bvh: no left upper leg is found"),
        (hero, "nowhere.json", "nowhere.json cannot be read"),
    ):
        assert run("retarget", one, "--onto", onto, "-o", tmp_path / "out", *(("--map", given) if given else ())) == 2
        assert said in "".join(capsys.readouterr())
    assert not (tmp_path / "out").exists()
    assert run("retarget", tmp_path / "two.bvh", "--onto", takes / WALK, "-o", tmp_path / "other") == 1
    assert "there are 2 figures in one" in "".join(capsys.readouterr())


ROPE = """HIERARCHY
ROOT a
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 1 0
}
}
MOTION
Frames: 3
Frame Time: 0.033
0 0 0 0 0 0
0 0 0 0 0 0
0 0 0 0 0 0
"""
