# SPDX-License-Identifier: GPL-3.0-or-later
"""A library as libraries are: links, full disks, strange files and recipes, two runs at once, shards, and no Blender at all."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.files.bvh_take import load
from bl_ext.dev.motion_signal.core.recipes.recipe import recipe_from_json
from bl_ext.dev.motion_signal.operators.batch import at_work, worker
from bl_ext.dev.motion_signal.operators.commandline import main
from bl_ext.dev.motion_signal.operators.files import files
from bl_ext.dev.motion_signal.operators.files.whole_files import UNFINISHED, own_mark

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

ROOT = Path(__file__).resolve().parents[3]
SMOOTH = {"format": 1, "steps": [{"technique": "equalize", "preset": "exaggerate", "scope": {"feet": "FREE"}}]}
CHANNELS = "Xposition Yposition Zposition Zrotation Xrotation Yrotation"
HINGE = f"""HIERARCHY
ROOT Upper Arm {{
  OFFSET 0 0 0
  CHANNELS 6 {CHANNELS}
  JOINT Elbow {{
    OFFSET 0 3 0
    CHANNELS 1 Xrotation
    End Site {{
      OFFSET 0 3 0
    }}
  }}
}}
MOTION
Frames: 60
Frame Time: .0333330
"""


@pytest.fixture
def library(tmp_path):
    """Three short takes of an arm with a hinge, and a recipe."""
    (tmp_path / "in" / "day").mkdir(parents=True)
    for name in ("a", "b", "day/c"):
        rows = [f"0 0 0 {frame % 9} {frame % 7} 0 {20 + 15 * np.sin(frame / 5 + len(name)):.6f}" for frame in range(60)]
        (tmp_path / "in" / f"{name}.bvh").write_text(HINGE + "\n".join(rows) + "\n", "utf-8")
    (tmp_path / "recipe.json").write_text(json.dumps(SMOOTH), "utf-8")
    return tmp_path


def run(folder, *arguments, recipe=None):
    if recipe:
        (folder / "recipe.json").write_text(json.dumps({**SMOOTH, **recipe}), "utf-8")
    return main(["run", str(folder / "recipe.json"), *map(str, arguments)])


def takes_of(folder):
    return json.loads((folder / "report.json").read_text("utf-8"))["takes"]


def test_links_to_nothing_fail_alone_and_links_to_folders_are_named(library, tmp_path, capfd):
    (library / "in" / "gone.bvh").symlink_to(tmp_path / "nowhere.bvh")
    (library / "in" / "linked").symlink_to(library / "in" / "day")
    assert run(library, library / "in", "-o", library / "out") == 1
    said = capfd.readouterr().err
    assert "gone.bvh: it is a link to a file that is not there" in said and "linked: a link to a folder" in said
    assert [take["status"] for take in takes_of(library / "out")] == ["failed", "done", "done", "done"]


def test_hinges_brackets_names_and_frame_time_stay_as_they_are_written(library):
    assert run(library, library / "in", "-o", library / "out") == 0
    before, after = (load(library / folder / "a.bvh") for folder in ("in", "out"))
    assert after.as_written == before.as_written and after.values.shape == before.values.shape
    assert np.abs(after.values - before.values).max() > 0.5
    files.load(library / "in" / "a.bvh")  # Blender reads it too
    assert [bone.name for bone in files.animated_objects()[0].data.bones] == ["Upper_Arm", "Elbow"]


def test_a_recipe_with_a_mark_before_it_is_read_and_one_of_thousands_of_steps_is_refused(library, capfd):
    (library / "recipe.json").write_text(json.dumps(SMOOTH), "utf-8-sig")
    assert run(library, library / "in" / "a.bvh", "-o", library / "out") == 0
    assert run(library, library / "in", "-o", library / "out", recipe={"steps": SMOOTH["steps"] * 2_000}) == 2
    assert "steps: there are 2,000, and 1,000 are the most" in capfd.readouterr().err


def test_an_address_that_is_none_is_refused_in_a_sentence(library, capfd):
    assert run(library, library / "in", "-o", library / "out", "--scheduler", "nonsense") == 2
    said = capfd.readouterr().err
    assert "scheduler: " in said and "Traceback" not in said and not (library / "out").exists()


def test_a_disk_that_fills_fails_takes_and_leaves_nothing_unfinished(library, tmp_path, capfd):
    small = tmp_path / "small"
    small.mkdir()
    if not shutil.which("mount") or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60k", "tmpfs", small]).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        assert run(library, library / "in", "-o", small / "out") == 1
        assert "No space left" in capfd.readouterr().err
        assert not [path for path in small.rglob("*") if ".part" in path.name or path.name.startswith(".motion_signal_")]
    finally:
        subprocess.run(["umount", small], check=True)


def test_what_workers_complain_of_is_kept_and_is_the_reason_where_they_are_lost(library, tmp_path, monkeypatch):
    (tmp_path / "path").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"))
    complaint = "import sys\nprint('the driver is out of breath', file=sys.stderr, flush=True)\n"
    (tmp_path / "path" / "sitecustomize.py").write_text(complaint, "utf-8")
    assert run(library, library / "in", "-o", library / "out") == 0
    logs = list((library / "out" / ".motion_signal" / "logs").iterdir())
    assert [log.read_text("utf-8") for log in logs] == ["the driver is out of breath\n"]
    (tmp_path / "path" / "sitecustomize.py").write_text(complaint + "import os\nos._exit(3)\n", "utf-8")
    assert run(library, library / "in", "-o", library / "lost") == 1
    reasons = {take["reason"] for take in takes_of(library / "lost")}
    assert reasons == {"a worker did not start (the driver is out of breath), 2 times"}


def test_a_worker_that_is_gone_is_lost_once_and_closed_without_a_word():
    lost = worker.Worker()
    lost.process.kill()
    lost.process.wait()
    with pytest.raises(worker.WorkerLost):
        lost.ask({"limit": 10.0, "source": "a.bvh"})
    lost.close()


def test_parts_that_a_killed_run_left_go_with_the_next(library):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    hidden = library / "out" / ".motion_signal" / "day"
    hidden.mkdir(parents=True)
    mark = own_mark().replace(str(os.getpid()), str(gone.pid))
    left = [folder / f"{UNFINISHED}{mark}left.part" for folder in (library / "out", hidden)]
    for part in left:
        part.write_text("half", "utf-8")
    assert run(library, library / "in", "-o", library / "out") == 0
    assert not any(part.exists() for part in left)


def test_two_runs_into_one_folder_are_one_and_a_killed_one_is_no_hindrance(library, capfd):
    hidden = library / "out" / ".motion_signal"
    hidden.mkdir(parents=True)
    with at_work.at_work(hidden):
        note = next(hidden.glob("at_work*"))
        told = json.loads(note.read_text("utf-8"))
        note.rename(hidden / "at_work_other.json")
        (hidden / "at_work_other.json").write_text(json.dumps({**told, "process": os.getppid()}), "utf-8")
        assert run(library, library / "in", "-o", library / "out") == 2
        assert f"process {os.getppid()} on" in capfd.readouterr().err
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (hidden / "at_work_other.json").write_text(json.dumps({**told, "process": gone.pid}), "utf-8")
    assert run(library, library / "in", "-o", library / "out") == 0 and not list(hidden.glob("at_work*"))


def test_scripts_in_blend_files_are_not_run_whatever_the_preferences_say(scene, tmp_path, monkeypatch):
    text = bpy.data.texts.new("evil.py")
    text.from_string("import bpy\nbpy.app.driver_namespace['ran'] = True")
    text.use_module = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "evil.blend"))
    monkeypatch.setattr(bpy.context.preferences.filepaths, "use_scripts_auto_execute", True)
    files.load(tmp_path / "evil.blend")
    assert "ran" not in bpy.app.driver_namespace


def test_shards_do_all_takes_once_and_their_reports_merge(library, capfd):
    for shard in (1, 2):
        assert run(library, library / "in", "-o", library / f"out{shard}", "--shard", f"{shard}/2") == 0
    names = [{take["source"] for take in takes_of(library / f"out{shard}")} for shard in (1, 2)]
    assert not names[0] & names[1] and names[0] | names[1] == {"a.bvh", "b.bvh", "day/c.bvh"}
    assert main(["report", str(library / "out1"), str(library / "out2"), "-o", str(library / "both")]) == 0
    assert {take["source"] for take in takes_of(library / "both")} == names[0] | names[1]
    assert "3 of 3 takes done" in capfd.readouterr().out
    assert run(library, library / "in", "-o", library / "one", "--shard", "1/2") == 0
    assert run(library, library / "in", "-o", library / "one", "--shard", "2/2") == 0
    assert len(takes_of(library / "one")) == 3  # into one folder, the report is of all


def test_takes_are_chosen_by_pattern_and_list_and_a_dry_run_does_nothing(library, capfd, monkeypatch):
    assert run(library, library / "in", "-o", library / "out", "--include", "day", "*b.bvh", "--dry-run") == 0
    said = capfd.readouterr().out
    assert "day/c.bvh -> day/c.bvh (without Blender)" in said and "2 of 2 takes would be done" in said
    assert not (library / "out").exists()
    (library / "list.txt").write_text(f"# takes\n{library / 'in' / 'a.bvh'}\n", "utf-8")
    assert run(library, "-o", library / "out", "--takes-from", library / "list.txt", "--log-json") == 0
    lines = list(map(json.loads, capfd.readouterr().out.splitlines()))  # nothing but a line a take
    assert [(line["source"], line["status"]) for line in lines] == [("a.bvh", "done")]
    assert run(library, library / "in", "-o", library / "out", "--exclude", "*") == 2


def test_a_recipe_says_what_is_other_for_some_takes_and_what_does_not_apply(library, capfd):
    rules = [{"match": "day/*", "unit": 0.01, "params": {"equalize": {"gains": [1.0] * 12}}}]
    assert run(library, library / "in", "-o", library / "out", recipe={"takes": rules}) == 0
    same = [load(library / folder / name).values for name in ("day/c.bvh", "a.bvh") for folder in ("in", "out")]
    assert np.abs(same[0] - same[1]).max() < 1e-5 < np.abs(same[2] - same[3]).max()
    lock = {"steps": [{"technique": "lock", "params": {}}]}
    assert run(library, library / "in", "-o", library / "skip", recipe={**lock, "not_applicable": "skip"}) == 0
    assert {take["status"] for take in takes_of(library / "skip")} == {"skipped"}
    assert run(library, library / "in", "-o", library / "fail", recipe=lock) == 1
    for wrong in ({"takes": [{"match": "a", "params": {"lock": {}}}]}, {"not_applicable": "perhaps"}, {"t_pose": 1}):
        assert run(library, library / "in", "-o", library / "no", recipe=wrong) == 2
    assert "recipe.json: line 1: " in capfd.readouterr().err
    recipe = recipe_from_json(json.dumps({**SMOOTH, "takes": rules, "t_pose": "drop"}))
    assert recipe_from_json(recipe.to_json()).library == recipe.library


def test_a_t_pose_before_the_motion_is_dropped_and_the_unit_is_guessed(takes, library, capfd):
    name = "cmu_07_01_walk_normal.bvh"
    assert run(library, takes / name, "-o", library / "out", "-v", recipe={"t_pose": "drop"}) == 0
    assert len(load(library / "out" / name).values) == len(load(takes / name).values) - 1
    said = capfd.readouterr().err
    assert "1 frame(s) of T-pose dropped" in said and "a unit taken for 0.05644 m" in said


def test_completion_knows_every_command_and_version_is_said(capfd):
    for shell in ("bash", "zsh", "fish"):
        assert main(["completion", shell]) == 0
        said = capfd.readouterr().out
        assert all(word in said for word in ("equalize", "completion", "shard", "dc-gain"))
    subprocess.run(["bash", "-n"], input="_x() { :; }", text=True, check=True)
    assert main(["--version"]) == 0


def test_without_blender_the_command_runs_and_says_what_needs_it(library, takes, tmp_path):
    """In a Python that cannot import it, and ended as farms end what they run."""
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "motion_signal").symlink_to(ROOT)
    (tmp_path / "path" / "bpy.py").write_text("raise ImportError('no Blender here')", "utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "path")}
    command = [sys.executable, "-m", "motion_signal", "run", str(library / "recipe.json"), "-o", str(library / "out")]
    done = subprocess.run([*command, str(library / "in")], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "3 of 3 takes done" in done.stdout, done.stderr
    process = subprocess.Popen([*command[:-1], str(library / "end"), str(takes), "--include", "*.bvh"], env=environment)
    while not list(Path(library).glob("end/*.bvh")):
        assert process.poll() is None
    workers = [int(each) for path in Path(f"/proc/{process.pid}/task").glob("*/children") for each in path.read_text().split()]
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 1 and (library / "end" / "report.html").exists()
    ended = time.monotonic()
    assert workers
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < ended + 20.0:
        time.sleep(0.1)  # who is dead stays in the list until somebody has looked
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
