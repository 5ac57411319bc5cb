# SPDX-License-Identifier: GPL-3.0-or-later
"""How feet come out of strong edits: `python bench/feet.py takes/ results/ [--judge PROGRAM] [--every N] [--rows WORD ...]`.

Every take runs through eight presets as they are, with feet locked and with ends kept, and through the foot lock alone: 25
rows, a folder of results each. A program that is called as `judge takes/ results/row` then says what it finds.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

EDITS = {
    "exaggerate": {"technique": "equalize", "preset": "exaggerate"},
    "nervous_twitch": {"technique": "equalize", "preset": "nervous_twitch"},
    "weighty": {"technique": "equalize", "preset": "weighty"},
    "cartoon_1": {"technique": "cartoon", "params": {"strength": 1.0}},
    "cartoon_2": {"technique": "cartoon", "params": {"strength": 2.0}},
    "tired": {"technique": "style", "preset": "tired"},
    "sneaking": {"technique": "style", "preset": "sneaking"},
    "s_curve": {"technique": "waveshape", "preset": "s_curve"},
}
SCOPES = {"as_it_is": {}, "locked": {"feet": "LOCKED"}, "ends_kept": {"keep_ends": True}}
ROWS = {f"{name}-{how}": {**step, "scope": scope} for how, scope in SCOPES.items() for name, step in EDITS.items()}
ROWS["lock_alone"] = {"technique": "lock", "params": {"amount": 1.0}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takes", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--judge", help="program that holds results against takes")
    parser.add_argument("--every", type=int, default=1, help="only every Nth take")
    parser.add_argument("--rows", nargs="+", default=[""], help="only rows with one of these words in their name")
    asked = parser.parse_args()
    takes = sorted(asked.takes.rglob("*.bvh"))[:: asked.every]
    for name, step in ROWS.items():
        if any(word in name for word in asked.rows):
            print(f"{name}: {done(takes, asked.takes, asked.results / name, step)}")
            if asked.judge:
                subprocess.run([asked.judge, asked.takes, asked.results / name], check=False)


def done(takes, folder, results, step):
    """Run one step on takes of a folder; how many went wrong, in words."""
    results.mkdir(parents=True, exist_ok=True)
    recipe = results / "recipe.json"
    recipe.write_text(json.dumps({"format": 1, "steps": [step]}), "utf-8")
    command = [sys.executable, "-m", "motion_signal", "run", recipe, folder, "-o", results, "--quiet"]
    include = ["--include", *(path.relative_to(folder).as_posix() for path in takes)]
    ran = subprocess.run([*map(str, command), *include], capture_output=True, text=True)
    return f"{len(list(results.rglob('*.bvh')))} of {len(takes)} takes {ran.stderr.strip()}".rstrip()


if __name__ == "__main__":
    main()
