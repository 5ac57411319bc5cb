# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed Blender's own command line: blender --command motion_signal ..."""

import math
import os
import subprocess

from window import installed

HEAD = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Leg
  {
    OFFSET 0 1 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 1 0
    }
  }
}
MOTION
Frames: 120
Frame Time: 0.0333333
"""


def swinging(path, frames=120):
    """A leg that swings once a second, by 30 degrees."""
    rows = [f"0 0 {frame / 30:.6f} 0 0 0 {30 * math.sin(2 * math.pi * frame / 30):.6f} 0 0" for frame in range(frames)]
    path.write_text(HEAD + "\n".join(rows) + "\n")
    return path


def swing(path):
    lines = path.read_text().split("Frame Time:")[1].splitlines()[1:]
    rows = [list(map(float, line.split())) for line in lines if line.strip()]
    return max(max(map(abs, row[6:])) for row in rows[30:90])


def command(*arguments):
    return subprocess.run(
        ["blender", "--background", "--command", "motion_signal", *map(str, arguments)],
        text=True,
        capture_output=True,
        env=os.environ | {"BLENDER_USER_RESOURCES": installed()},
    )


def test_a_preset_on_a_file_gives_a_file(tmp_path):
    source = swinging(tmp_path / "swing.bvh")
    done = command("equalize", source, "--preset", "exaggerate", "-o", tmp_path / "out.bvh")
    assert done.returncode == 0, done.stderr
    assert 1.3 < swing(tmp_path / "out.bvh") / swing(source) < 1.8


def test_a_file_cut_in_the_middle_is_refused_with_a_sentence_and_two(tmp_path):
    source = swinging(tmp_path / "swing.bvh", frames=50)
    done = command("equalize", source, "--preset", "exaggerate", "-o", tmp_path / "out.bvh")
    assert done.returncode == 2 and not (tmp_path / "out.bvh").exists()
    assert "cut short, 50.0 of 120 frames" in done.stderr and "Traceback" not in done.stderr


def test_help_lists_the_technique_and_its_parameters():
    done, own = command("--help"), command("equalize", "--help")
    assert done.returncode == own.returncode == 0 and "equalize" in done.stdout
    assert "--dc-gain" in own.stdout and "-4 to 4" in own.stdout
