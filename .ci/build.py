# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension: one zip a platform in dist/, each with scipy and PyWavelets for every Python it may meet.

.venv/5.2/bin/python .ci/build.py                all platforms, and the wheels list in the manifest
.venv/5.2/bin/python .ci/build.py linux-x64      that one's wheels and zip only
"""

import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from environment import BUNDLED, ROOT
from manual import write_manual

WHEELS = ROOT / "wheels"
PYTHONS = ["311", "313", "314"]
# Blender's platform -> pip's system and machine. Of several macOS wheels, the one that runs on the oldest system.
PLATFORMS = {
    "linux-x64": ("manylinux_2_28", "x86_64"),
    "windows-x64": ("win", "amd64"),
    "macos-arm64": ("macosx_12_0", "arm64"),
    "macos-x64": ("macosx_12_0", "x86_64"),
}


def main(platforms: list[str]) -> None:
    """Fetch the wheels, note them in the manifest if they are complete, and pack."""
    unknown = set(platforms) - set(PLATFORMS)
    if unknown:
        sys.exit(f"Unknown platform {', '.join(unknown)}; choose from {', '.join(PLATFORMS)}.")
    chosen = platforms or list(PLATFORMS)
    wheels = [wheel(package, python, platform) for platform in chosen for package in BUNDLED for python in PYTHONS]
    if chosen == list(PLATFORMS):
        write_manifest(ROOT, chosen, wheels)
    pack(chosen, wheels)


def wheel(package: str, python: str, platform: str) -> str:
    """Return the file name of a wheel in wheels/, downloaded unless it is there."""
    system, machine = PLATFORMS[platform]
    pattern = f"{package.lower()}-{BUNDLED[package]}-cp{python}-cp{python}-{system.split('_')[0]}*{machine}.whl"
    if not any(WHEELS.glob(pattern)):
        print(f"Downloading {package} {BUNDLED[package]} for Python {python} on {platform}", flush=True)
        # Naming the ABI keeps out free-threaded builds, which Blender would take and fail to load.
        only = ["--only-binary=:all:", "--implementation=cp", f"--abi=cp{python}", f"--python-version={python}"]
        where = [f"--platform={system}_{machine}", f"--dest={WHEELS}", f"{package}=={BUNDLED[package]}"]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, *only, *where], check=True)
    (found,) = WHEELS.glob(pattern)
    return found.name


def pack(
    platforms: list[str], wheels: list[str], output: Path = ROOT / "dist", blenders: tuple[str, str] | None = None
) -> None:
    """Check and zip a copy whose manifest names only these platforms, so that the wheels of others may be missing; and only
    Blenders from a version on and below another, if they are given."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "motion_signal"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "dist", "wheels"))
        (copy / "wheels").symlink_to(WHEELS)
        write_manual(ROOT / "docs", copy / "manual")
        write_manifest(copy, platforms, wheels)
        if blenders:
            limit_blenders(copy, *blenders)
        extension_tool("validate", copy)
        extension_tool("build", "--split-platforms", "--source-dir", copy, "--output-dir", output)


def limit_blenders(folder: Path, lowest: str, below: str) -> None:
    """Replace the oldest Blender in a manifest, and add the first that is too new, if there is one."""
    manifest = folder / "blender_manifest.toml"
    limits = f'blender_version_min = "{lowest}"' + (f'\nblender_version_max = "{below}"' if below else "")
    text = re.sub(r"^blender_version_min = .*$", limits, manifest.read_text("utf-8"), flags=re.MULTILINE)
    manifest.write_text(text, encoding="utf-8")


def write_manifest(folder: Path, platforms: list[str], wheels: list[str]) -> None:
    """Replace the platforms, and the wheels between their markers."""
    manifest = folder / "blender_manifest.toml"
    quoted = ", ".join(f'"{platform}"' for platform in platforms)
    lines = "".join(f'  "./wheels/{name}",\n' for name in wheels)
    text = manifest.read_text(encoding="utf-8")
    text = re.sub(r"^platforms = .*$", f"platforms = [{quoted}]", text, flags=re.MULTILINE)
    text = re.sub(r"(# wheels: begin.*?\n).*?(  # wheels: end)", rf"\g<1>{lines}\g<2>", text, flags=re.DOTALL)
    manifest.write_text(text, encoding="utf-8")


def extension_tool(*arguments: str | Path) -> None:
    """Run Blender's own extension tool, which comes with the bpy module."""
    blender = Path(find_spec("bpy").origin).parent
    (tool,) = blender.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    subprocess.run([sys.executable, tool, *arguments], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
