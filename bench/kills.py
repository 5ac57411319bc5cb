# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch that is killed outright at 20 random moments, and goes on each time: `python bench/kills.py [times] [seed]`.

Run and workers are killed at once. Afterwards every take is done, byte for byte as in a run that nobody killed, nothing is left
unfinished, and no take was touched.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from batch import RECIPE, children, cut_takes

TAKES = 40


def main(times=20, seed=2026):
    chance = random.Random(int(seed))
    with tempfile.TemporaryDirectory(prefix="motion_signal_") as folder:
        takes, recipe, out = Path(folder) / "takes", Path(folder) / "recipe.json", Path(folder) / "out"
        cut_takes(takes)
        for path in sorted(takes.iterdir())[TAKES:]:
            path.unlink()
        recipe.write_text(json.dumps(RECIPE), "utf-8")
        before = contents(takes)
        began, whole = time.monotonic(), start(recipe, takes, Path(folder) / "whole")
        while not contents(Path(folder) / "whole"):
            time.sleep(0.02)
        first, exit_whole = time.monotonic() - began, whole.wait()
        rest = time.monotonic() - began - first
        for number in range(int(times)):
            process = start(recipe, takes, out)
            time.sleep(chance.uniform(0.3, 1.0) * first + chance.uniform(0.0, 0.15) * rest)
            victims = [process.pid, *children(process.pid)]
            for victim in chance.sample(victims, len(victims)):
                os.kill(victim, signal.SIGKILL)
            process.communicate()
            print(f"killed {number + 1}: {len(contents(out))} of {TAKES} takes are done", flush=True)
        last = start(recipe, takes, out).wait()
        stray = [path for path in out.rglob(".motion_signal_*")]
        print(f"exit codes {last} and {exit_whole}; takes touched: {contents(takes) != before}; left unfinished: {len(stray)}")
        print(
            f"results are {'the same, byte for byte' if contents(out) == contents(Path(folder) / 'whole') else 'NOT THE SAME'}"
        )


def start(recipe, takes, out):
    command = [sys.executable, "-m", "motion_signal", "run", recipe, takes, "-o", out, "--jobs", "2", "-q"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.bvh")} if folder.is_dir() else {}


if __name__ == "__main__":
    main(*sys.argv[1:])
