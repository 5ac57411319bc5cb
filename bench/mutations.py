# SPDX-License-Identifier: GPL-3.0-or-later
"""2,000 random faults in recipes, presets and BVH files, and what became of them: `python bench/mutations.py [count] [seed]`.

Stops at the first that ends in anything but a result or a sentence, takes longer than 10 s, or writes elsewhere.
"""

import collections
import os
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests" / "blender"


def main(count=2000, seed=2026):
    shared = Path(os.environ.get("MOTION_SIGNAL_TAKES", TESTS.parents[2] / "shared" / "mocap"))
    sys.path[:0] = [str(TESTS)]
    import conftest  # noqa: F401, enables the checkout as an extension
    import mutations

    with tempfile.TemporaryDirectory(prefix="motion_signal_") as folder:
        trials = mutations.run(folder, mutations.short_bvh(shared / "cmu_16_36_run_jog.bvh"), int(count), int(seed))
        os.chdir(TESTS)
    print("\n".join(f"{outcome}: {number}" for outcome, number in sorted(trials.count.items())))
    print(f"{sum(trials.count.values())} in all, the longest took {trials.longest:.2f} s; refused most often with:")
    starts = collections.Counter(" ".join(sentence.split()[:6]) for sentence in trials.sentences if sentence)
    print("\n".join(f"{number:6} {start} ..." for start, number in starts.most_common(8)))


if __name__ == "__main__":
    main(*sys.argv[1:])
