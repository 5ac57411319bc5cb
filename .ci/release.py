# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a release in dist/release: zips for each platform and Python of Blender, wheel, checksums, and a static repository.

.venv/5.2/bin/python .ci/release.py [--draft] [platform ...]

The folder, put on any web server, is what Blender adds under Get Extensions > Repositories > Add Remote Repository, by the
address of its index.json. A draft may have changes that no version has yet.
"""

import hashlib
import re
import shutil
import subprocess
import sys

from build import BUNDLED, PLATFORMS, PYTHONS, extension_tool, pack, wheel
from environment import ROOT
from version import VERSION

RELEASE = ROOT / "dist" / "release"
# Python -> the Blenders that run on it: from one version on, below another. Distributions run the newest on 3.14.
BLENDERS = {"311": ("4.5.0", "5.1.0"), "313": ("5.1.0", ""), "314": ("5.1.0", "")}


def main(arguments: list[str]) -> None:
    """Check what is to be released, and make it."""
    draft, platforms = "--draft" in arguments, [name for name in arguments if name != "--draft"] or list(PLATFORMS)
    if unknown := set(platforms) - set(PLATFORMS):
        sys.exit(f"Unknown platform {', '.join(unknown)}; choose from {', '.join(PLATFORMS)}.")
    check_changelog(draft)
    shutil.rmtree(RELEASE, ignore_errors=True)
    for python in PYTHONS:
        for platform in platforms:
            pack_one(platform, python)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", RELEASE, ROOT], check=True)
    for folder in (ROOT / "build", *ROOT.glob("*.egg-info")):
        shutil.rmtree(folder, ignore_errors=True)
    extension_tool("server-generate", "--repo-dir", RELEASE, "--html")
    write_checksums()


def check_changelog(draft: bool) -> None:
    """Stop unless the changelog's newest heading is this version, with something below it."""
    heading, *rest = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
    name, _, changes = heading.partition("\n")
    if name == "Unreleased" and changes.strip() and not draft:
        sys.exit(
            "CHANGELOG.md: what stands under Unreleased belongs to a version; raise the manifest's and name it, or --draft"
        )
    if not any(re.match(rf"{re.escape(VERSION)}\n\s*\S", each) for each in (heading, *rest)):
        sys.exit(f"CHANGELOG.md: there is nothing about {VERSION}, the version of the manifest")


def pack_one(platform: str, python: str) -> None:
    """The zip of a platform and a Python, whose name says both."""
    pack([platform], [wheel(package, python, platform) for package in BUNDLED], RELEASE / "new", BLENDERS[python])
    (packed,) = (RELEASE / "new").iterdir()
    packed.rename(RELEASE / f"{packed.stem}-py{python}.zip")
    (RELEASE / "new").rmdir()


def write_checksums() -> None:
    """SHA-256 of every file, as sha256sum -c reads it."""
    files = sorted(path for path in RELEASE.iterdir() if path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (RELEASE / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
