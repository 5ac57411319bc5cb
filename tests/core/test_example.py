# SPDX-License-Identifier: GPL-3.0-or-later
"""The command example: from nothing to a finished batch, without Blender."""

import json
import sys

import numpy as np
from motion_signal.core.body.report import report
from motion_signal.core.files.bvh_take import read_bvh
from motion_signal.operators.commandline import main
from motion_signal.operators.shell.example import TAKES


def test_a_library_is_made_run_and_reported_without_blender(tmp_path, capsys):
    there = {name for name in sys.modules if name == "bpy"}
    assert main(["example", str(tmp_path / "trying")]) == 0
    assert {name for name in sys.modules if name == "bpy"} == there
    names = {f"{name}.bvh" for name in TAKES}
    for folder in ("takes", "out"):
        assert {path.name for path in (tmp_path / "trying" / folder).glob("*.bvh")} == names
    told = json.loads((tmp_path / "trying" / "out" / "report.json").read_text("utf-8"))
    assert {take["status"] for take in told["takes"]} == {"done"} and len(told["takes"]) == len(TAKES)
    assert (tmp_path / "trying" / "out" / "report.html").exists()
    said = capsys.readouterr().out
    assert f"run {tmp_path}/trying/recipe.json {tmp_path}/trying/takes -o {tmp_path}/trying/out" in said


def test_its_takes_walk_as_fast_as_they_should(tmp_path):
    assert main(["example", str(tmp_path / "trying")]) == 0
    for name, (speed, _) in TAKES.items():
        numbers = report(*read_bvh(tmp_path / "trying" / "takes" / f"{name}.bvh"))
        np.testing.assert_allclose(numbers["speed_m_s"], speed, rtol=0.05)
        assert 0.7 < numbers["leg_m"] < 1.0


def test_a_folder_with_something_in_it_is_left_alone(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["example", str(tmp_path)]) == 2
    assert "name a folder that is not" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
