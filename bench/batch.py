# SPDX-License-Identifier: GPL-3.0-or-later
"""What a batch of 200 takes costs on one job and on two: `python bench/batch.py`.

The recorded takes, cut into stretches and repeated, run through an equalizer and the foot lock. Printed are takes a second on
one and on two jobs, the time until the first take is done, what each take needs after that, and the memory of every worker
at the first, the middle and the last take.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TAKES, FRAMES = 200, 240
RECIPE = {
    "format": 1,
    "steps": [
        {"technique": "equalize", "params": {"gains": [1, 1, 1, 1, 1, 1.5, 1.5]}},
        {"technique": "lock", "params": {"amount": 1.0}},
    ],
}


def main():
    with tempfile.TemporaryDirectory(prefix="motion_signal_") as folder:
        takes, recipe = Path(folder) / "takes", Path(folder) / "recipe.json"
        cut_takes(takes)
        recipe.write_text(json.dumps(RECIPE), "utf-8")
        rates = {}
        for jobs in (1, 2):
            rates[jobs] = measured(recipe, takes, Path(folder) / f"out{jobs}", jobs)
        print(f"2 jobs do {rates[2] / rates[1]:.2f} x the takes of 1 (bound 1.9)")
        same = all(
            (Path(folder) / "out1" / path.name).read_bytes() == (Path(folder) / "out2" / path.name).read_bytes()
            for path in takes.iterdir()
        )
        print(f"results of 1 and 2 jobs are {'the same, byte for byte' if same else 'NOT THE SAME'}")


def cut_takes(folder):
    """Stretches of the recorded takes, as files of their own."""
    folder.mkdir()
    shared = Path(os.environ.get("MOTION_SIGNAL_TAKES", Path(__file__).resolve().parents[2] / "shared" / "mocap"))
    sources = [(path.stem, *path.read_text("utf-8").split("Frames:")) for path in sorted(shared.glob("cmu_*.bvh"))]
    for number in range(TAKES):
        stem, head, motion = sources[number % len(sources)]
        _, rate, *rows = motion.strip().split("\n")
        start = (37 * number) % max(1, len(rows) - FRAMES)
        rows = rows[start : start + FRAMES]
        text = f"{head}Frames: {len(rows)}\n{rate}\n" + "\n".join(rows) + "\n"
        (folder / f"{number:03}_{stem}.bvh").write_text(text, "utf-8")


def measured(recipe, takes, output, jobs):
    """Run the batch and print what it cost; takes a second."""
    started, lines, memory = time.perf_counter(), [], {}
    process = subprocess.Popen(
        [sys.executable, "-m", "motion_signal", "run", recipe, takes, "-o", output, "--jobs", str(jobs)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    watcher = threading.Thread(target=watch, args=(process, lines, memory))
    watcher.start()
    for line in process.stderr:
        if "->" in line:
            lines.append(time.perf_counter() - started)
    process.wait()
    watcher.join()
    whole, first = lines[-1], lines[0]
    print(
        f"{jobs} job(s): {len(lines)} takes in {whole:.1f} s, {len(lines) / whole:.2f} a second; the first after "
        f"{first:.1f} s, then {1e3 * (whole - first) * jobs / (len(lines) - jobs):.0f} ms each; "
        f"Blenders started: {len(memory)}"
    )
    for index, rows in enumerate(memory.values()):
        spots = [rows[round(fraction * (len(rows) - 1))] for fraction in (0.1, 0.5, 1.0)]
        print(
            f"   Blender {index + 1} has {', '.join(f'{kilobytes / 1024:.0f}' for kilobytes in spots)} MB "
            "at a tenth, a half and the end of its takes"
        )
    return len(lines) / whole


def watch(process, lines, memory):
    """Write down the memory of the Blenders while they work."""
    while process.poll() is None:
        for child in children(process.pid):
            kilobytes = resident(child)
            if kilobytes and lines:
                memory.setdefault(child, []).append(kilobytes)
        time.sleep(0.25)


def children(parent):
    task = Path(f"/proc/{parent}/task")
    found = [path.read_text().split() for path in task.glob("*/children")] if task.is_dir() else []
    return [int(child) for row in found for child in row]


def resident(process):
    try:
        rows = Path(f"/proc/{process}/status").read_text().split("\n")
    except OSError:
        return 0
    return next((int(row.split()[1]) for row in rows if row.startswith("VmRSS")), 0)


if __name__ == "__main__":
    main()
