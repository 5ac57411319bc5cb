# SPDX-License-Identifier: GPL-3.0-or-later
"""The version, read from the manifest, which is the only place that says it. For pyproject.toml."""

import tomllib
from pathlib import Path

VERSION = tomllib.loads((Path(__file__).parent.parent / "blender_manifest.toml").read_text("utf-8"))["version"]
