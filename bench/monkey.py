# SPDX-License-Identifier: GPL-3.0-or-later
"""A seeded monkey at the rack: `python bench/monkey.py [presses] [seed]`. It ends with what it pressed if anything is wrong."""

import contextlib
import io
import os
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))


def main(presses=5000, seed=1):
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="motion_signal_")
    import bpy  # noqa: F401, it is Blender
    from run import load

    load().register()
    from monkey import Monkey

    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        monkey = Monkey(int(seed), folder, lambda name: import_module(f"motion_signal.{name}"))
        for number in range(int(presses)):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                try:
                    monkey.press()
                except BaseException:
                    print(number, monkey.log[-12:])
                    raise
            if "Traceback" in said.getvalue():
                sys.exit(f"press {number}, {monkey.log[-12:]}:\n{said.getvalue()}")
            if number % 500 == 499:
                print(f"{number + 1} presses, {time.perf_counter() - began:.0f} s, {len(bpy.data.actions)} actions", flush=True)
    print(f"{presses} presses with seed {seed}: no take changed, nothing lent stayed, no settings lost, no fault")


if __name__ == "__main__":
    main(*sys.argv[1:])
