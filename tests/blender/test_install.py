# SPDX-License-Identifier: GPL-3.0-or-later
"""The package: a manifest that Blender accepts, and a zip that installs into a Blender that has never seen it."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))
ZIP = ROOT / "dist" / "{id}-{version}-linux_x64.zip".format(**MANIFEST)

INSTALL = """
import sys, bpy, addon_utils
from pathlib import Path
bpy.ops.extensions.package_install_files(filepath=sys.argv[1], repo="user_default", enable_on_install=True)
name = "bl_ext.user_default.motion_signal"
print("enabled", name in bpy.context.preferences.addons, addon_utils.check(name)[1])
unpacked = Path(bpy.utils.user_resource("EXTENSIONS")).glob(".local/lib/*/site-packages/*/__init__.py")
print("unpacked", *sorted(path.parent.name for path in unpacked))
addon_utils.disable(name, default_set=True)
"""


def test_blender_accepts_the_manifest():
    tool = Path(bpy.utils.system_resource("SCRIPTS")) / "addons_core/bl_pkg/cli/blender_ext.py"
    answer = subprocess.run([sys.executable, tool, "validate", ROOT], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_only_the_manifest_says_the_version():
    version = re.compile(rf"(?<![\d.]){re.escape(MANIFEST['version'])}(?![\d.])")
    folders = [ROOT / name for name in (".ci", "bench", "core", "operators", "panels", "tests")]
    sources = [path for folder in folders for path in folder.rglob("*.py")]
    pages = [page for page in ROOT.glob("*.md") if page.name != "CHANGELOG.md"]
    sources += [*ROOT.glob("*.py"), *pages, ROOT / "pyproject.toml", ROOT / "Makefile"]
    assert f"## {MANIFEST['version']}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert [str(path) for path in sources if version.search(path.read_text("utf-8"))] == []


def test_every_platform_and_python_has_one_wheel_of_each_package():
    tags = {"linux-x64": "manylinux.*x86_64", "windows-x64": "win_amd64"}
    tags |= {"macos-arm64": "macosx_.*_arm64", "macos-x64": "macosx_.*_x86_64"}
    for platform in MANIFEST["platforms"]:
        for package in ("scipy", "pywavelets"):
            for python in ("cp311", "cp313", "cp314"):
                pattern = rf"\./wheels/{package}-[\d.]+-{python}-{python}-{tags[platform]}\.whl"
                assert len([name for name in MANIFEST["wheels"] if re.fullmatch(pattern, name)]) == 1, pattern
    assert len(MANIFEST["wheels"]) == len(MANIFEST["platforms"]) * 2 * 3


@pytest.mark.skipif(not ZIP.exists() or sys.platform != "linux", reason=f"no dist/{ZIP.name}; make build packs it")
def test_the_zip_installs_and_enables_with_its_own_scipy(tmp_path):
    answer = subprocess.run(
        [sys.executable, "-c", INSTALL, ZIP],
        env=os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "enabled True True" in answer.stdout, answer.stdout + answer.stderr
    assert "unpacked pywt scipy" in answer.stdout, answer.stdout + answer.stderr
