# SPDX-License-Identifier: GPL-3.0-or-later
"""Batch: a recipe on folders of takes, in processes that may be killed, here and on a cluster."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.body import report as reports
from bl_ext.dev.motion_signal.core.recipes.recipe import recipe_from_json
from bl_ext.dev.motion_signal.operators.batch import one_take
from bl_ext.dev.motion_signal.operators.batch import run as batch
from bl_ext.dev.motion_signal.operators.commandline import main
from bl_ext.dev.motion_signal.operators.files import files
from bl_ext.dev.motion_signal.operators.run import apply
from bl_ext.dev.motion_signal.operators.run import recipe as recipes

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

ROOT = Path(__file__).resolve().parents[3]
TAKE = "cmu_16_36_run_jog.bvh"
RECIPE = {
    "format": 1,
    "steps": [{"technique": "equalize", "params": {"gains": rigs.LOUD}}, {"technique": "lock", "params": {"amount": 1.0}}],
}


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(RECIPE), "utf-8")
    return path


@pytest.fixture
def many(takes, tmp_path):
    """A dozen short takes in folders."""
    head, motion = (takes / TAKE).read_text("utf-8").split("Frames:")
    _, rate, *rows = motion.strip().split("\n")
    for number in range(12):
        path = tmp_path / "in" / f"day {number % 3}" / f"take{number}.bvh"
        path.parent.mkdir(parents=True, exist_ok=True)
        part = rows[5 * number : 5 * number + 120]
        path.write_text(f"{head}Frames: {len(part)}\n{rate}\n" + "\n".join(part) + "\n", "utf-8")
    return tmp_path / "in"


def run(*arguments):
    return main(["run", *map(str, arguments)])


def environment(tmp_path):
    """For a Python of its own that finds this checkout."""
    (tmp_path / "path").mkdir(exist_ok=True)
    if not (tmp_path / "path" / "motion_signal").exists():
        (tmp_path / "path" / "motion_signal").symlink_to(ROOT)
    return os.environ | {"PYTHONPATH": str(tmp_path / "path"), "BLENDER_USER_RESOURCES": str(tmp_path / "user")}


def started(tmp_path, *arguments):
    command = [sys.executable, "-m", "motion_signal", "run", *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment(tmp_path), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def results(folder):
    """What is written, by its path, without what is hidden and the report."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*.*"))
        if path.is_file() and ".motion_signal" not in path.parts and path.stem != "report" and path.name[0] != "."
    }


def contents(folder):
    return {name: path.read_bytes() for name, path in results(folder).items()}


def wait_for(condition, seconds=60):
    for _ in range(20 * seconds):
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("waited in vain")


def children(parent):
    rows = [path.read_text().split() for path in Path(f"/proc/{parent}/task").glob("*/children")]
    return [int(child) for row in rows for child in row]


def test_a_mix_of_files_in_folders_becomes_the_same_folders_and_failures_are_listed(scene, takes, tmp_path, recipe, capfd):
    for name in (TAKE, "a/cmu_07_01_walk_normal.fbx", "a/b/cmu_07_01_walk_normal.glb"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(takes / Path(name).name, tmp_path / "in" / name)
    rigs.walker()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in" / "rig.blend"))
    (tmp_path / "in" / "a" / "broken <b>.bvh").write_text("HIERARCHY", "utf-8")
    (tmp_path / "in" / "notes.txt").write_text("no take", "utf-8")
    assert run(recipe, tmp_path / "in", "-o", tmp_path / "out", "--jobs", 2) == 1
    assert set(results(tmp_path / "out")) == {TAKE, "a/cmu_07_01_walk_normal.fbx", "a/b/cmu_07_01_walk_normal.glb"}
    said = capfd.readouterr()
    assert "a/broken <b>.bvh: it is no whole BVH file" in said.err and "Traceback" not in said.err + said.out
    assert "3 of 5 takes done" in said.out and "2 failed" in said.out
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    statuses = [take["status"] for take in report["takes"]]
    assert statuses == sorted(statuses, key=lambda status: status != "failed") and statuses.count("failed") == 2
    assert {take["source"]: take["reason"] for take in report["takes"]}["rig.blend"]  # a lock without feet
    scores = [take["score"] for take in report["takes"] if take["status"] == "done"]
    assert scores == sorted(scores, reverse=True) and len(scores) == 3
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert page.count("<svg") == 3 and "broken &lt;b&gt;.bvh" in page and "broken <b>" not in page


def test_batch_makes_what_the_recipe_makes_in_the_open_file_bit_for_bit(scene, tmp_path, recipe):
    bpy.ops.motion_signal.add_figure()
    rig = bpy.context.object
    take = rig.animation_data.action
    (tmp_path / "in").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in" / "walk.blend"))
    name = recipes.run(bpy.context, recipe_from_json(recipe.read_text("utf-8")), take)[0].name
    expected = rigs.record(bpy.data.actions[name])["curves"]
    assert run(recipe, tmp_path / "in", "-o", tmp_path / "out") == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "walk.blend"))
    assert rigs.record(bpy.data.actions[name])["curves"] == expected


def test_what_is_done_is_not_done_again_unless_take_recipe_or_result_changed(scene, many, tmp_path, recipe, capfd):
    out = tmp_path / "out"
    assert run(recipe, many, "-o", out, "--jobs", 2) == 0
    first = {name: path.stat().st_mtime_ns for name, path in results(out).items()}
    assert len(first) == 12

    def done_again():
        assert run(recipe, many, "-o", out) == 0
        now = {name: path.stat().st_mtime_ns for name, path in results(out).items()}
        changed = {name for name in now if now[name] != first.get(name)}
        first.update(now)
        return changed

    assert done_again() == set()
    assert "12 of 12 takes are done already" in capfd.readouterr().out
    (out / "day 0" / "take3.bvh").unlink()
    (out / "day 1" / "take4.bvh").write_text("somebody else's", "utf-8")
    take = many / "day 2" / "take5.bvh"
    take.write_text(take.read_text("utf-8").replace("Frame Time: 0.00", "Frame Time: 0.01"), "utf-8")
    assert done_again() == {"day 0/take3.bvh", "day 1/take4.bvh", "day 2/take5.bvh"}
    recipe.write_text(json.dumps({**RECIPE, "steps": RECIPE["steps"][:1]}), "utf-8")
    assert len(done_again()) == 12


def test_a_killed_worker_loses_nothing(many, tmp_path, recipe):
    process = started(tmp_path, recipe, many, "-o", tmp_path / "out", "--jobs", 2)
    wait_for(lambda: results(tmp_path / "out") if (tmp_path / "out").is_dir() else None)
    os.kill(children(process.pid)[0], signal.SIGKILL)
    assert len(results(tmp_path / "out")) < 12
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 0, said
    assert len(results(tmp_path / "out")) == 12 and "12 of 12 takes done" in said


def test_a_killed_run_leaves_nothing_partial_and_goes_on_where_it_was(many, tmp_path, recipe):
    out = tmp_path / "out"
    process = started(tmp_path, recipe, many, "-o", out, "--jobs", 2)
    wait_for(lambda: len(results(out)) > 2 if out.is_dir() else None)
    for victim in (process.pid, *children(process.pid)):
        os.kill(victim, signal.SIGKILL)
    process.communicate()
    before = {name: (path.stat().st_mtime_ns, path.read_bytes()) for name, path in results(out).items()}
    assert 2 < len(before) < 12
    process = started(tmp_path, recipe, many, "-o", out)
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 0, said
    assert f"{len(before)} of 12 takes are done already" in said
    after = {name: (path.stat().st_mtime_ns, path.read_bytes()) for name, path in results(out).items()}
    assert len(after) == 12 and {name: after[name] for name in before} == before
    assert not list(out.rglob(".motion_signal_*"))
    process = started(tmp_path, recipe, many, "-o", tmp_path / "whole")
    process.communicate(timeout=120)
    assert contents(tmp_path / "whole") == contents(out)


def test_a_take_that_takes_too_long_fails_and_the_rest_goes_on(scene, many, takes, tmp_path, recipe, capfd):
    """The limit is far below what any take needs, so that each has its worker stopped, twice."""
    for path in sorted(many.rglob("*.bvh"))[1:]:
        path.unlink()
    assert run(recipe, many, "-o", tmp_path / "out", "--limit", "0.1") == 1
    assert "the worker was stopped after 0.1 seconds while it worked on it, 2 times" in capfd.readouterr().err
    assert not results(tmp_path / "out")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def cluster(tmp_path):
    """A Dask scheduler and two workers, processes of their own: its address, and the workers."""
    address, processes = f"tcp://127.0.0.1:{free_port()}", []

    def start(*arguments):
        log = open(tmp_path / f"dask{len(processes)}.log", "w", encoding="utf-8")
        processes.append(
            subprocess.Popen(
                [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]],
                stdout=log,
                stderr=log,
                env=environment(tmp_path),
                cwd=tmp_path,
            )
        )
        return processes[-1]

    start("dask_scheduler", "--host", "127.0.0.1", "--port", address.split(":")[-1], "--no-dashboard")
    workers = [start("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(2)]
    yield address, workers
    for process in reversed(processes):
        process.kill()
        process.wait()


def test_a_cluster_that_loses_a_worker_makes_what_a_local_run_makes(many, tmp_path, recipe, cluster):
    pytest.importorskip("distributed")
    address, workers = cluster
    assert started(tmp_path, recipe, many, "-o", tmp_path / "here").wait(timeout=120) == 0
    out = tmp_path / "there"
    process = started(tmp_path, recipe, many, "-o", out, "--scheduler", address)
    wait_for(lambda: len(results(out)) > 2 if out.is_dir() else None)
    workers[0].kill()
    assert len(results(out)) < 12
    said = process.communicate(timeout=180)[0]
    assert process.returncode == 0, said
    assert "12 of 12 takes done" in said and "Traceback" not in said
    assert contents(out) == contents(tmp_path / "here") and len(contents(out)) == 12


def no_takes(many, recipe, out):
    (many / "empty").mkdir()
    return [recipe, many / "empty", "-o", out], "there are no motion files in it"


def missing_take(many, recipe, out):
    return [recipe, many / "gone", "-o", out], "gone: there is no such file or folder"


def output_in_input(many, recipe, out):
    return [recipe, many, "-o", many / "day 0" / "out"], "the output lies in the folder of the takes"


def output_is_input(many, recipe, out):
    return [recipe, many, "-o", many], "the output lies in the folder of the takes"


def output_over_take(many, recipe, out):
    return [recipe, many / "day 0" / "take0.bvh", "-o", many / "day 0"], "a take would be written over"


def output_is_a_file(many, recipe, out):
    return [recipe, many, "-o", recipe], "nothing can be written to it"


def unwritable_output(many, recipe, out):
    return [recipe, many, "-o", "/proc/motion_signal"], "nothing can be written to it"


def two_takes_of_one_name(many, recipe, out):
    shutil.copy(many / "day 0" / "take0.bvh", many / "day 1")
    return [recipe, many / "day 0", many / "day 1", "-o", out], "take0.bvh: both "


def missing_recipe(many, recipe, out):
    return [recipe.with_name("gone.json"), many, "-o", out], "gone.json: cannot be read"


def recipe_from_the_future(many, recipe, out):
    recipe.write_text('{\n"format": 7, "steps": []}', "utf-8")
    return [recipe, many, "-o", out], "recipe.json: line 2: format 7 is of a newer Motion Signal"


def recipe_without_steps(many, recipe, out):
    recipe.write_text('{"format": 1, "steps": []}', "utf-8")
    return [recipe, many, "-o", out], "recipe.json: none of its steps is on"


def missing_reference(many, recipe, out):
    step = {"technique": "timewarp", "params": {"reference": "brisk", "timing": 1}}
    recipe.write_text(json.dumps({"format": 1, "steps": [step]}), "utf-8")
    return [recipe, many, "-o", out], "step 1, Timewarp: there is no action brisk; --with brings its file"


def missing_file_with_reference(many, recipe, out):
    return [recipe, many, "-o", out, "--with", many / "gone.bvh"], "gone.bvh: there is no such file"


def silent_scheduler(many, recipe, out):
    return [recipe, many, "-o", out, "--scheduler", f"tcp://127.0.0.1:{free_port()}"], "scheduler: "


def no_number_of_jobs(many, recipe, out):
    return [recipe, many, "-o", out, "--jobs", "0"], "'0' is no number of jobs"


def no_unit(many, recipe, out):
    return [recipe, many, "-o", out, "--unit", "0"], "'0' is no number of metres from 1e-06 to 1e+06"


def no_ending(many, recipe, out):
    return [recipe, many, "-o", out, "--ending", ".xyz"], "'.xyz'"


WRONG = (
    no_takes,
    missing_take,
    output_in_input,
    output_is_input,
    output_over_take,
    output_is_a_file,
    unwritable_output,
    two_takes_of_one_name,
    missing_recipe,
    recipe_from_the_future,
    recipe_without_steps,
    missing_reference,
    missing_file_with_reference,
    silent_scheduler,
    no_number_of_jobs,
    no_unit,
    no_ending,
)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_refused_before_any_take_is_touched(scene, many, tmp_path, recipe, capsys, wrong):
    arguments, sentence = wrong(many, recipe, tmp_path / "out")
    before = sorted(tmp_path.rglob("*"))
    assert run(*arguments) == 2
    said = capsys.readouterr().err
    assert sentence in said and "Traceback" not in said
    assert sorted(tmp_path.rglob("*")) == before


def test_a_scheduler_that_does_not_answer_is_refused_in_a_sentence(many, tmp_path, recipe):
    process = started(tmp_path, recipe, many, "-o", tmp_path / "out", "--scheduler", f"tcp://127.0.0.1:{free_port()}")
    said = process.communicate(timeout=60)[0]
    assert process.returncode == 2 and "does not answer" in said and "Traceback" not in said, said
    assert not (tmp_path / "out").exists()


def test_a_full_disk_is_refused_in_a_sentence(scene, many, tmp_path, recipe, capsys):
    small = tmp_path / "small"
    small.mkdir()
    if not shutil.which("mount") or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small]).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        assert run(recipe, many, "-o", small / "out") == 2
        assert re.search(r"the disk has 0 MB left, and the results need about \d MB", capsys.readouterr().err)
        (small / "filler").write_bytes(b"0" * 60_000)
        with pytest.raises(OSError):
            (small / "more").write_bytes(b"0" * 60_000)
        assert run(recipe, many, "-o", small / "out") == 2
        assert str(small) in capsys.readouterr().err
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_file_of_another_skeleton_is_retargeted_before_takes_are_mixed_with_it(scene, many, takes, tmp_path, recipe):
    mixed = [{"action": "", "weight": 1.0}, {"action": "fair1_wave_hello", "weight": 1.0}]
    step = {"technique": "blend", "params": {"takes": mixed, "alignment": "STRETCH"}}
    recipe.write_text(json.dumps({"format": 1, "steps": [step]}), "utf-8")
    out = tmp_path / "out"
    assert run(recipe, many / "day 0" / "take0.bvh", "-o", out, "--with", takes / "other" / "fair1_wave_hello.bvh") == 0, (
        out / "report.json"
    ).read_text()[:3000]
    (record,) = json.loads((out / "report.json").read_text("utf-8"))["takes"]
    words = " ".join(figure["words"] for figure in record["figures"].values())
    assert record["status"] == "done" and "fair1_wave_hello is retargeted" in words and (out / "take0.bvh").exists()


def test_other_takes_and_curves_come_with_files(scene, many, takes, tmp_path, recipe):
    step = {"technique": "timewarp", "params": {"reference": "cmu_07_01_walk_normal", "timing": 1.0}}
    recipe.write_text(json.dumps({"format": 1, "steps": [step]}), "utf-8")
    assert (
        run(
            recipe,
            many / "day 0" / "take0.bvh",
            "-o",
            tmp_path / "out",
            "--with",
            takes / "cmu_07_01_walk_normal.bvh",
            "--ending",
            ".blend",
        )
        == 0
    )
    files.load(tmp_path / "out" / "take0.blend")
    assert tuple(files.animated_objects()[0].animation_data.action.frame_range) == (1.0, 317.0)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.curve.primitive_nurbs_path_add(radius=50.0)
    bpy.context.object.name = "Way"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "way.blend"))
    step = {"technique": "path", "params": {"curve": "Way"}}
    recipe.write_text(json.dumps({"format": 1, "steps": [step]}), "utf-8")
    assert run(recipe, takes / "cmu_07_01_walk_normal.bvh", "-o", tmp_path / "bent", "--with", tmp_path / "way.blend") == 0
    assert set(results(tmp_path / "bent")) == {"cmu_07_01_walk_normal.bvh"}


def test_a_ground_comes_with_a_file_too(scene, takes, tmp_path, recipe):
    recipe.write_text(
        json.dumps({"format": 1, "steps": [{"technique": "lock", "params": {}, "scope": {"ground": "Hill"}}]}), "utf-8"
    )
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=900.0, rotation=(0.1, 0.0, 0.0))
    bpy.context.object.name = "Hill"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hill.blend"))
    out, record = tmp_path / "up", tmp_path / "up" / "report.json"
    take = takes / "cmu_07_01_walk_normal.bvh"
    assert run(recipe, take, "-o", out, "--unit", "0.0564444", "--with", tmp_path / "hill.blend") == 0
    figure = next(iter(json.loads(record.read_text("utf-8"))["takes"][0]["figures"].values()))
    assert figure["after"]["penetration_worst_mm"] < 5.0


def test_a_unit_gives_speeds_in_metres_and_leaves_the_file_in_its_own(scene, takes, tmp_path, recipe):
    """The speed of this walk was measured; the equalizer's neutral setting must not change the file, however large it is."""
    truth = json.loads((takes / "truth.json").read_text("utf-8"))["cmu_07_01_walk_normal.bvh"]
    recipe.write_text('{"format": 1, "steps": [{"technique": "equalize", "params": {}}]}', "utf-8")
    found = {}
    for unit in (1.0, truth["unit"]):
        out = tmp_path / f"out{unit}"
        assert run(recipe, takes / "cmu_07_01_walk_normal.bvh", "-o", out, "--unit", unit) == 0
        (figure,) = json.loads((out / "report.json").read_text("utf-8"))["takes"][0]["figures"].values()
        found[unit] = figure
    assert abs(found[truth["unit"]]["after"]["speed_m_s"] - truth["median_speed"]) < 0.05
    assert "say by --unit" in found[1.0]["words"] and "--unit" not in found[truth["unit"]]["words"]
    results_of = [(tmp_path / f"out{unit}" / "cmu_07_01_walk_normal.bvh").read_bytes() for unit in found]
    assert results_of[0] == results_of[1]


def test_what_was_done_in_another_unit_is_done_again(scene, tmp_path, recipe, capfd):
    recipe.write_text(json.dumps({**RECIPE, "steps": RECIPE["steps"][:1]}), "utf-8")
    rows = "\n".join(f"{0.1 * frame} 90 0 {frame % 7} 0 {frame % 5}" for frame in range(40))
    (tmp_path / "nod.bvh").write_text(
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        f"End Site\n{{\nOFFSET 0 9 0\n}}\n}}\nMOTION\nFrames: 40\nFrame Time: 0.033333\n{rows}\n",
        "utf-8",
    )

    def done_already(*unit):
        assert run(recipe, tmp_path / "nod.bvh", "-o", tmp_path / "out", *unit) == 0
        return "1 of 1 takes are done already" in capfd.readouterr().out

    assert not done_already("--unit", 0.01) and done_already("--unit", 0.01)
    assert not done_already("--unit", 0.02) and done_already("--unit", 0.02)
    assert not done_already() and done_already() and not done_already("--unit", 1)


def test_an_empty_output_folder_stays_when_the_command_is_refused(scene, many, tmp_path, recipe):
    (tmp_path / "out").mkdir()
    arguments, _ = missing_reference(many, recipe, tmp_path / "out")
    assert run(*arguments) == 2 and list((tmp_path / "out").iterdir()) == []


def broken(*_):
    """A fault as numpy's are: it is a ValueError, too."""
    return np.zeros(3) + np.zeros(4)


@pytest.fixture
def fault(monkeypatch):
    """Slides that cannot be worked out, in this process."""
    monkeypatch.setattr(reports, "slides_of", broken)
    monkeypatch.setattr(batch, "over_processes", lambda jobs, count: map(one_take.work, jobs))


def test_a_fault_in_the_report_fails_its_take_as_an_internal_error_and_says_where(scene, many, tmp_path, recipe, fault, capfd):
    recipe.write_text('{"format": 1, "steps": [{"technique": "equalize", "params": {}}]}', "utf-8")
    without = tmp_path / "in" / "rig.blend"
    rigs.walker()  # has no feet that slide
    bpy.ops.wm.save_as_mainfile(filepath=str(without))
    assert run(recipe, many / "day 0" / "take0.bvh", without, "-o", tmp_path / "out") == 1
    assert "take0.bvh: internal error (ValueError: operands could not be broadcast" in capfd.readouterr().err
    assert set(results(tmp_path / "out")) == {"rig.blend"}
    one, other = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["takes"]
    assert one["status"] == "failed" and one["reason"].startswith("internal error (ValueError: operands could not be broadcast")
    assert "in broken" in one["traceback"] and other["status"] == "done" and "traceback" not in other
    assert "in broken" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_a_fault_while_one_file_becomes_another_is_shown_as_one(scene, many, tmp_path, fault, capfd):
    assert main(["equalize", str(many / "day 0" / "take0.bvh"), "-o", str(tmp_path / "out.bvh")]) == 1
    said = capfd.readouterr().err
    assert "internal error (ValueError" in said and "in broken" in said and not (tmp_path / "out.bvh").exists()


def test_a_fault_in_an_operator_is_no_refusal_and_leaves_nothing(scene, monkeypatch):
    bpy.ops.motion_signal.add_figure()
    take, before = bpy.context.object.animation_data.action, list(bpy.data.actions)
    monkeypatch.setattr(apply, "write_switches", broken)
    with pytest.raises(RuntimeError, match="Traceback"):
        bpy.ops.motion_signal.equalize(preset="exaggerate")
    assert bpy.context.object.animation_data.action == take and list(bpy.data.actions) == before
    monkeypatch.setattr(reports, "slides_of", broken)
    with pytest.raises(RuntimeError, match="Traceback"):
        bpy.ops.motion_signal.report()


def test_what_cannot_be_measured_says_why(scene, tmp_path, recipe):
    bpy.ops.mesh.primitive_cube_add()
    for frame in range(1, 30):
        bpy.context.object.location.x = frame % 7
        bpy.context.object.keyframe_insert("location", frame=frame)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "cube.blend"))
    recipe.write_text('{"format": 1, "steps": [{"technique": "equalize", "params": {}}]}', "utf-8")
    assert run(recipe, tmp_path / "cube.blend", "-o", tmp_path / "out") == 0
    (take,) = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["takes"]
    assert "not measured: Cube is no armature" in take["figures"]["Cube"]["words"]
