# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the extension lies, and which version it is: said once, in its manifest."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))["version"]
COMMAND = "motion_signal"  # what Blender's command line calls it
TYPED = COMMAND if __package__.startswith("bl_ext") else "motion-signal"  # what is typed to have this very one
