# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes .venv/<Blender version>: Blender as a module, and what the tests need beside it.

python3 .ci/environment.py 5.2        makes or mends .venv/5.2
python3 .ci/environment.py newest     prints the newest Blender version that this Python takes
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Blender version -> its Python, and the packages that decide what it can do.
BLENDERS = {
    "4.5": ("3.11", ["bpy==4.5.15", "numpy==1.26.4"]),
    "5.0": ("3.11", ["bpy==5.0.1", "numpy==1.26.4"]),
    "5.2": ("3.13", ["bpy==5.2.3", "numpy==2.5.4"]),
}
BUNDLED = {"scipy": "1.17.1", "PyWavelets": "1.9.0"}  # what the extension ships as wheels
TOOLS = ["pytest==9.2.0", "jsonschema==4.26.0", "distributed==2026.8.0", "setuptools==84.2.1"]


def make(blender: str) -> None:
    """Create the environment of one Blender version, or bring it up to date."""
    python, packages = BLENDERS[blender]
    folder = ROOT / ".venv" / blender
    inside = folder / "bin" / "python"
    if not inside.exists():
        subprocess.run([find_python(python, blender), "-m", "venv", folder], check=True)
    bundled = [f"{name}=={version}" for name, version in BUNDLED.items()]
    print(f"Installing Blender {blender} as a module into .venv/{blender}", flush=True)
    pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *packages, *bundled, *TOOLS], check=True)
    link_checkout(folder / "lib" / f"python{python}" / "site-packages")
    (folder / "ready").touch()


def link_checkout(site_packages: Path) -> None:
    """Let `python -m motion_signal` run this checkout, whatever its folder is called."""
    link = site_packages / "motion_signal"
    link.unlink(missing_ok=True)
    link.symlink_to(ROOT, target_is_directory=True)


def newest() -> str:
    """Name the newest Blender that the running Python takes, else the newest that any Python here takes."""
    own = "{}.{}".format(*sys.version_info)
    takes_own = [blender for blender, (python, _) in BLENDERS.items() if python == own]
    takes_any = (blender for blender, (python, _) in reversed(BLENDERS.items()) if first_working(python))
    found = takes_own[-1] if takes_own else next(takes_any, None)
    return found or sys.exit(f"Python 3.11 or 3.13 with venv is needed, but this is {own} and no other was found.")


def find_python(version: str, blender: str) -> str:
    """Return a Python of this version, or say that there is none."""
    return first_working(version) or sys.exit(
        f"Blender {blender} needs Python {version} with venv, which was not found in PATH or pyenv."
    )


def first_working(version: str) -> str | None:
    """Return the first candidate that really runs: under pyenv a name in PATH may only be a stub."""
    question = "import ensurepip, sys; print('{}.{}'.format(*sys.version_info))"
    for candidate in candidates(version):
        if os.access(candidate, os.X_OK):
            answer = subprocess.run([candidate, "-c", question], capture_output=True, text=True)
            if answer.stdout.strip() == version:
                return str(candidate)
    return None


def candidates(version: str) -> list[Path]:
    """List where a Python of this version may be, likeliest first."""
    in_path = [Path(folder) / f"python{version}" for folder in os.get_exec_path()]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return [Path(sys.executable), *in_path, *sorted(pyenv.glob(f"versions/{version}.*/bin/python3"), reverse=True)]


if __name__ == "__main__":
    if sys.argv[1] == "newest":
        print(newest())
    else:
        make(sys.argv[1])
