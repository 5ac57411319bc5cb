# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: what the operator makes, file by file, and one sentence where it cannot."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.operators.commandline import main
from bl_ext.dev.motion_signal.operators.files import files
from scipy.spatial.transform import Rotation

pytestmark = pytest.mark.only("4.5", "5.2")  # what it tries is not Blender's

ROOT = Path(__file__).resolve().parents[2]
TAKE = "cmu_16_36_run_jog.bvh"
GAINS = ",".join(map(str, rigs.LOUD))


@pytest.fixture
def take(takes, tmp_path):
    """A recorded take in a folder of its own."""
    (tmp_path / "in").mkdir()
    return Path(shutil.copy(takes / TAKE, tmp_path / "in"))


def applied(take):
    """Where the joints are after the operator, by bone."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = rigs.import_take(take)
    assert bpy.ops.motion_signal.equalize(gains=f"[{GAINS}]") == {"FINISHED"}
    return heads(rig, range(1, 191, 9))


def heads(rig, frames):
    """Places of the joints by bone, (frames, 3), in the world."""
    scene, places = bpy.context.scene, []
    for frame in frames:
        scene.frame_set(frame)
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places.append([posed.matrix_world @ bone.head for bone in posed.pose.bones])
    return {bone.name: np.array(row) for bone, row in zip(rig.pose.bones, np.array(places).transpose(1, 0, 2))}


def run(*arguments):
    return main([str(argument) for argument in arguments])


@pytest.mark.parametrize("ending", (".bvh", ".blend", ".fbx", ".glb"))
def test_a_bvh_take_becomes_what_the_operator_makes_of_it(scene, take, tmp_path, ending):
    target = tmp_path / f"out{ending}"
    assert run("equalize", take, "-o", target, "--gains", GAINS) == 0
    unit = 0.0254 / 0.45 if ending in (".fbx", ".glb") else 1.0  # which are in metres
    expected = {bone: unit * places for bone, places in applied(take).items()}
    files.load(target)
    rig = files.animated_objects()[0]
    found = heads(rig, range(bpy.context.scene.frame_start, bpy.context.scene.frame_start + 190, 9))
    size = max(np.abs(places).max() for places in expected.values())
    assert max(np.abs(expected[bone] - found[bone]).max() for bone in expected) < 3e-4 * size


def test_a_bvh_result_has_the_rotations_that_the_operator_makes(scene, take, tmp_path):
    assert run("equalize", take, "-o", tmp_path / "out.bvh", "--gains", GAINS) == 0
    rotations = []
    for path, gains in ((tmp_path / "out.bvh", None), (take, f"[{GAINS}]")):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rig = rigs.import_take(path)
        if gains:
            bpy.ops.motion_signal.equalize(gains=gains)
        rotations.append([turned(rigs.curves_of(rig), bone) for bone in rig.pose.bones])
    off = [np.degrees((one.inv() * other).magnitude()).max() for one, other in zip(*rotations)]
    assert len(off) > 30 and max(off) < 1e-3


def turned(curves, bone):
    """The keyed rotations of a bone by scipy, which turns about fixed axes where Blender says XYZ."""
    path, order = bone.path_from_id("rotation_euler"), bone.rotation_mode
    angles = [rigs.keys(curves[path, "XYZ".index(axis)])[:, 1] for axis in order]
    return Rotation.from_euler(order.lower(), np.column_stack(angles))


@pytest.mark.parametrize("name", ("cmu_07_01_walk_normal.glb", "cmu_07_01_walk_normal.fbx"))
def test_glb_and_fbx_become_bvh(scene, takes, tmp_path, name):
    assert run("equalize", takes / name, "-o", tmp_path / "out.bvh", "--gains", GAINS) == 0
    text = (tmp_path / "out.bvh").read_text("utf-8")
    assert abs(int(re.search(r"Frames: (\d+)", text)[1]) - 317) <= 1
    assert abs(float(re.search(r"Frame Time: ([\d.]+)", text)[1]) - 1 / 120) < 1e-5


def test_a_blend_file_becomes_another_with_the_source_beside_the_result(scene, tmp_path):
    rig, source = rigs.walker()
    before = rigs.record(source)["curves"]
    bpy.ops.motion_signal.equalize(gains=f"[{GAINS}]", result="Expected")
    expected = rigs.record(rig.animation_data.action)["curves"]
    rig.animation_data.action, rig.animation_data.action_slot = source, source.slots[0]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in.blend"))
    assert run("equalize", tmp_path / "in.blend", "-o", tmp_path / "out.blend", "--gains", GAINS) == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    assert rigs.record(bpy.data.objects["Rig"].animation_data.action)["curves"] == expected
    assert rigs.record(bpy.data.actions["Take"])["curves"] == before


def test_scope_flags_are_the_operators_own(scene, take, tmp_path, capsys):
    assert (
        run(
            "equalize",
            take,
            "-o",
            tmp_path / "out.blend",
            "--preset",
            "exaggerate",
            "--scope",
            "named",
            "--bones",
            "LeftArm,RightArm",
            "--frames",
            "range",
            "--frame-start",
            "50",
            "--frame-end",
            "120",
            "--keys",
            "fewest",
            "--tolerance",
            "0.01",
            "--result",
            "Arms",
        )
        == 0
    )
    assert "2 bones, 6 curves, frames 50-120" in capsys.readouterr().out
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    recipe = json.loads(bpy.data.actions["Arms"]["motion_signal_recipe"])
    assert recipe["steps"][0]["scope"] == {
        "scope": "NAMED",
        "bones": "LeftArm,RightArm",
        "frames": "RANGE",
        "frame_start": 50,
        "frame_end": 120,
        "keys": "FEWEST",
        "tolerance": 0.01,
        "result": "Arms",
    }
    assert recipe["steps"][0]["params"]["gains"][6] == 1.5


def test_flags_go_over_a_preset(scene, take, tmp_path):
    assert run("equalize", take, "-o", tmp_path / "out.blend", "--preset", "exaggerate", "--dc-gain", "0.5") == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    result = next(action for action in bpy.data.actions if "motion_signal_recipe" in action)
    params = json.loads(result["motion_signal_recipe"])["steps"][0]["params"]
    assert params["dc_gain"] == 0.5 and params["gains"][6] == 1.5


def written(folder):
    """Results in a folder, without report and records."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.bvh") if ".motion_signal" not in path.parts)


def test_a_folder_of_files_becomes_a_folder_of_results(scene, takes, take, tmp_path):
    shutil.copy(takes / "cmu_07_12_walk_brisk_badrow.bvh", take.parent)
    (take.parent / "notes.txt").write_text("not a take", "utf-8")
    assert run("equalize", take.parent, "-o", tmp_path / "out", "--preset", "exaggerate") == 0
    assert written(tmp_path / "out") == ["cmu_07_12_walk_brisk_badrow.bvh", TAKE]


def test_one_technique_writes_what_a_recipe_of_that_step_writes(scene, take, tmp_path):
    recipe = tmp_path / "recipe.json"
    step = {"technique": "reduce", "params": {}, "scope": {"millimetres": 3.0}}
    recipe.write_text(json.dumps({"format": 1, "steps": [step]}), "utf-8")
    assert run("run", recipe, take.parent, "-o", tmp_path / "run", "--unit", "0.056444") == 0
    assert run("reduce", take.parent, "-o", tmp_path / "reduce", "--millimetres", "3", "--unit", "0.056444") == 0
    assert run("reduce", take, "-o", tmp_path / "one.bvh", "--millimetres", "3", "--unit", "0.056444") == 0
    expected = (tmp_path / "run" / TAKE).read_bytes()
    assert (tmp_path / "reduce" / TAKE).read_bytes() == (tmp_path / "one.bvh").read_bytes() == expected
    reports = [json.loads((tmp_path / name / "report.json").read_text("utf-8"))["takes"] for name in ("run", "reduce")]
    for report in reports:
        del report[0]["seconds"]
    assert reports[0] == reports[1]


def test_a_unit_says_slide_in_the_size_of_a_body(scene, take, tmp_path, capsys):
    """The same take, a unit of which is 5.6 cm, not a metre: planted feet slide a twentieth of it."""
    slides = []
    for unit in ("1", "0.056444"):
        assert run("equalize", take, "-o", tmp_path / "out.bvh", "--unit", unit) == 0
        slides.append(float(re.search(r"planted feet slide ([\d.]+) mm", capsys.readouterr().out)[1]))
    assert slides[0] > 200 and abs(slides[1] - 0.056444 * slides[0]) < 1.0


def test_one_bad_file_is_listed_and_the_others_are_done(scene, take, tmp_path, capfd):
    text = take.read_text("utf-8")
    take.with_name("a_broken.bvh").write_text(text[: len(text) // 2], "utf-8")
    assert run("equalize", take.parent, "-o", tmp_path / "out", "--preset", "exaggerate") == 1
    assert written(tmp_path / "out") == [TAKE] and "a_broken.bvh: it is cut short" in capfd.readouterr().err
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert [(record["source"], record["status"]) for record in report["takes"]] == [("a_broken.bvh", "failed"), (TAKE, "done")]


def test_files_of_one_name_in_folders_below_stay_apart(scene, take, tmp_path):
    for folder in ("monday", "tuesday"):
        (take.parent / folder).mkdir()
        shutil.copy(take, take.parent / folder / "walk.bvh")
    take.unlink()
    assert run("equalize", take.parent, "-o", tmp_path / "out", "--preset", "exaggerate") == 0
    assert written(tmp_path / "out") == ["monday/walk.bvh", "tuesday/walk.bvh"]


def test_an_action_is_named_that_is_not_the_objects_own(scene, tmp_path):
    rig, take = rigs.walker()
    other = take.copy()
    other.name = "Other"
    other.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in.blend"))
    assert run("equalize", tmp_path / "in.blend", "-o", tmp_path / "out.blend", "--action", "Other", "--gains", GAINS) == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    assert bpy.data.objects["Rig"].animation_data.action["motion_signal_source"].name == "Other"
    assert run("equalize", tmp_path / "in.blend", "-o", tmp_path / "two.blend", "--action", "Nobody") == 2


def same_folder(take, folder):
    return [take.parent, "-o", take.parent]


def same_file(take, folder):
    return [take, "-o", take]


def same_file_by_another_way(take, folder):
    return [take, "-o", take.parent / ".." / take.parent.name / take.name]


def folder_of_the_file(take, folder):
    return [take, "-o", take.parent]


def link_to_the_folder(take, folder):
    (folder / "link").symlink_to(take.parent)
    return [take, "-o", folder / "link"]


def link_to_the_file(take, folder):
    (folder / "link.bvh").symlink_to(take)
    return [take, "-o", folder / "link.bvh"]


def hard_link_to_the_file(take, folder):
    os.link(take, folder / "link.bvh")
    return [take, "-o", folder / "link.bvh"]


def hard_link_in_the_output(take, folder):
    (folder / "out").mkdir()
    os.link(take, folder / "out" / take.name)
    return [take.parent, "-o", folder / "out"]


def one_take_over_another(take, folder):
    (folder / "other").mkdir()
    shutil.copy(take, folder / "other")
    return [take, folder / "other", "-o", take.parent]


def take_brought_by_with(take, folder):
    shutil.copy(take, folder / "pace.bvh")
    return [take, "-o", folder / "pace.bvh", "--with", folder / "pace.bvh"]


def take_beside_that_was_not_given(take, folder):
    shutil.copy(take, take.with_suffix(".BVH"))
    (take.parent / "below").mkdir()
    shutil.move(take, take.parent / "below")
    shutil.copy(take.with_suffix(".BVH"), take)
    return [take.parent / "below", "-o", take.parent]


def two_folders_with_one_name(take, folder):
    (folder / "other").mkdir()
    shutil.copy(take, folder / "other")
    return [take.parent, folder / "other", "-o", folder / "out"]


OVER = (
    same_folder,
    same_file,
    same_file_by_another_way,
    folder_of_the_file,
    link_to_the_folder,
    link_to_the_file,
    hard_link_to_the_file,
    hard_link_in_the_output,
    one_take_over_another,
    take_brought_by_with,
    take_beside_that_was_not_given,
    two_folders_with_one_name,
)


@pytest.mark.parametrize("over", OVER, ids=lambda over: over.__name__)
def test_no_take_is_written_over_whatever_way_it_is_reached(scene, take, tmp_path, capsys, over):
    arguments = over(take, tmp_path)
    before = {path: path.read_bytes() if path.is_file() else b"" for path in sorted(tmp_path.rglob("*"))}
    assert run("equalize", *arguments, "--preset", "exaggerate") == 2
    assert "motion_signal: " in capsys.readouterr().err
    assert {path: path.read_bytes() if path.is_file() else b"" for path in sorted(tmp_path.rglob("*"))} == before


def test_names_that_a_disk_takes_for_one_are_refused(scene, take, tmp_path, capsys):
    """A disk to which Walk.bvh and walk.bvh are the same shows the folder of the records by its name in capitals, too."""
    (tmp_path / "out" / ".MOTION_SIGNAL").mkdir(parents=True)
    for folder, name in (("a", "Walk.bvh"), ("b", "walk.bvh")):
        (tmp_path / folder).mkdir()
        shutil.copy(take, tmp_path / folder / name)
    assert run("equalize", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "out", "--preset", "exaggerate") == 2
    assert "would be written to it" in capsys.readouterr().err and written(tmp_path / "out") == []


def missing_file(take, out):
    return [take.with_name("gone.bvh"), "-o", out / "x.bvh"], "gone.bvh: there is no such file"


def cut_file(take, out):
    text = take.read_text("utf-8")
    take.write_text(text[: len(text) // 2], "utf-8")
    return [take, "-o", out / "x.bvh"], "it is cut short"


def unknown_preset(take, out):
    return [take, "-o", out / "x.bvh", "--preset", "sparkle"], "there is no sparkle"


def too_few_gains(take, out):
    return [take, "-o", out / "x.bvh", "--gains", "1,2,3"], "gains: 3 given, but there are 12 bands"


def gain_out_of_range(take, out):
    return [take, "-o", out / "x.bvh", "--dc-gain", "40"], "dc_gain: 40 is outside -4 to 4"


def broken_json(take, out):
    return [take, "-o", out / "x.bvh", "--limbs", '{"Hips": [1'], "limbs: '{\"Hips\": [1' cannot be read"


def broken_preset_file(take, out):
    path = take.with_name("broken.json")
    path.write_text("{", "utf-8")
    return [take, "-o", out / "x.bvh", "--preset", path], "preset broken: line 1 cannot be read"


def unknown_ending(take, out):
    return [take, "-o", out / "x.xyz"], "cannot write .xyz"


def unknown_input(take, out):
    path = take.with_suffix(".txt")
    path.write_text("hello", "utf-8")
    return [path, "-o", out / "x.bvh"], "cannot read .txt"


def no_output_folder(take, out):
    return [take, "-o", out / "nowhere" / "x.bvh"], "there is no folder"


def several_into_one(take, out):
    return [take, take, "-o", out / "x.bvh"], "several files cannot go into one"


def empty_folder(take, out):
    (take.parent / "empty").mkdir()
    return [take.parent / "empty", "-o", out], "there are no motion files in it"


def unknown_object(take, out):
    return [take, "-o", out / "x.bvh", "--object", "Nobody"], "there is no Nobody"


def unknown_bone(take, out):
    return [take, "-o", out / "x.bvh", "--scope", "NAMED", "--bones", "Tail"], "has no bone Tail"


def no_choice(take, out):
    return [take, "-o", out / "x.bvh", "--keys", "sometimes"], "keys: 'SOMETIMES' is none of AUTO, EVERY_FRAME"


def no_number(take, out):
    return [take, "-o", out / "x.bvh", "--dc-gain", "loud"], "dc_gain"


WRONG = (
    missing_file,
    cut_file,
    unknown_preset,
    too_few_gains,
    gain_out_of_range,
    broken_json,
    broken_preset_file,
    unknown_ending,
    unknown_input,
    no_output_folder,
    several_into_one,
    empty_folder,
    unknown_object,
    unknown_bone,
    no_choice,
    no_number,
)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_refused_with_one_sentence_and_nothing_written(scene, take, tmp_path, capsys, wrong):
    out = tmp_path / "out"
    out.mkdir()
    arguments, sentence = wrong(take, out)
    assert run("equalize", *arguments) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith("motion_signal: ") and sentence in said and "\n" not in said, said
    assert list(out.iterdir()) == []


def test_an_unknown_technique_is_refused(scene, take, tmp_path, capsys):
    assert run("juggle", take, "-o", tmp_path / "x.bvh") == 2
    assert "'juggle'" in capsys.readouterr().err and not (tmp_path / "x.bvh").exists()


def test_no_output_is_refused(scene, take, capsys):
    assert run("equalize", take) == 2
    assert "-o/--output" in capsys.readouterr().err


def test_help_fits_a_screen_and_a_technique_lists_its_parameters_with_units(scene, capsys):
    assert run("--help") == 0
    text = capsys.readouterr().out
    assert len(text.splitlines()) <= 40 and all(f"\n  {name} " in text for name in ("run", "report", "equalize", "reduce"))
    assert run("run", "--help") == 0
    text = capsys.readouterr().out
    assert len(text.splitlines()) <= 50 and "how long a take may need [3600]" in text and "which takes:" in text
    assert run("equalize", "--help") == 0
    text = " ".join(capsys.readouterr().out.split())
    for flag in ("--gains", "--limbs", "--scope", "--frame-start", "--fade-in", "--keys", "--tolerance", "--preset"):
        assert flag in text
    assert "0 to 60 s" in text and "exaggerate" in text and "ALL, BONES, CURVES, NAMED" in text


def test_it_runs_as_a_python_module(take, tmp_path):
    """In a Python of its own, with nothing of Blender's running."""
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "motion_signal").symlink_to(ROOT)
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "path"), "BLENDER_USER_RESOURCES": str(tmp_path / "user")}
    command = [sys.executable, "-m", "motion_signal", "equalize", str(take), "-o", "out.bvh", "--gains", GAINS]
    answer = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert main(["equalize", str(take), "-o", str(tmp_path / "here.bvh"), "--gains", GAINS]) == 0
    assert (tmp_path / "out.bvh").read_bytes() == (tmp_path / "here.bvh").read_bytes()


def test_another_file_gives_the_pace(scene, takes, tmp_path):
    """A take warped to another file's timing is as long as that, at its own frame rate."""
    target = tmp_path / "out.bvh"
    other = takes / "cmu_07_01_walk_normal.bvh"
    assert (
        run(
            "timewarp",
            takes / "cmu_07_11_walk_fast.bvh",
            "-o",
            target,
            "--with",
            other,
            "--reference",
            other.stem,
            "--timing",
            "1",
        )
        == 0
    )
    files.load(target)
    assert tuple(files.animated_objects()[0].animation_data.action.frame_range) == (1.0, 317.0)


def test_a_report_names_a_bad_file_goes_on_and_never_writes_over_a_take(scene, take, tmp_path, capsys):
    before = take.read_bytes()
    assert run("report", take, "-o", take) == 2
    assert "a take would be written over" in capsys.readouterr().err and take.read_bytes() == before
    (take.parent / "broken.bvh").write_text("HIERARCHY", "utf-8")
    assert run("report", take.parent / "broken.bvh", take, "-o", tmp_path / "numbers.json") == 1
    assert "broken.bvh: it is no whole BVH file" in capsys.readouterr().err
    assert list(json.loads((tmp_path / "numbers.json").read_text("utf-8"))) == [str(take)]


def test_a_file_of_another_skeleton_is_retargeted_first_which_is_said(scene, takes, tmp_path, capsys):
    other, out = takes / "other" / "fair1_wave_hello.bvh", tmp_path / "out.bvh"
    assert run("join", takes / "cmu_07_01_walk_normal.bvh", "-o", out, "--with", other, "--take", other.stem, "-v") == 0
    assert "fair1_wave_hello is retargeted from fair1_wave_hello" in "".join(capsys.readouterr())
    files.load(out)
    assert files.animated_objects()[0].animation_data.action.frame_range[1] > 317


def test_a_report_is_printed_and_written(scene, takes, tmp_path, capsys):
    target = tmp_path / "numbers.json"
    assert run("report", takes / "cmu_07_01_walk_normal.bvh", "-o", target) == 0
    assert "planted feet slide" in capsys.readouterr().out
    ((numbers,),) = (entry.values() for entry in json.loads(target.read_text()).values())
    assert numbers["frames"] == 317
