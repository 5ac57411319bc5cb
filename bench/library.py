# SPDX-License-Identifier: GPL-3.0-or-later
"""What a library costs as it grows: `python bench/library.py [folder of takes]`.

The folder is indexed on one core and on all; its features, repeated with random changes, then stand for libraries of up to ten
million frames. Printed are seconds and bytes a frame of the index, seconds to open it, and milliseconds of each kind of query.
"""

import importlib.util
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SIZES = (100_000, 1_000_000, 10_000_000)
QUERIES = 12


def main(folder):
    with tempfile.TemporaryDirectory(prefix="motion_signal_") as aside:
        takes = Path(aside) / "takes"
        shutil.copytree(folder, takes, ignore=lambda _, names: [name for name in names if name.endswith(".index")])
        for jobs in (1, os.cpu_count()):
            index_of(takes).unlink(missing_ok=True)
            began = time.perf_counter()
            done = update(takes, jobs)
            spent, size = time.perf_counter() - began, index_of(takes).stat().st_size
            print(f"{jobs} jobs: {done.words()}, {spent:.1f} s, {size / done.frames:.1f} bytes a frame")
        library = Library(index_of(takes))
        features = [library.features(index) for index in range(len(library.entries))]
        frames = [entry.frames for entry in library.entries]
        queries(library, features)
        for size in SIZES:
            path = Path(aside) / f"{size}.index"
            grown(path, features, frames, size)
            began = time.perf_counter()
            larger = Library(path)
            print(f"{path.stat().st_size / 1e6:.0f} MB, opened in {time.perf_counter() - began:.2f} s: ", end="")
            queries(larger, features)
            path.unlink()


def grown(path, features, frames, size):
    """An index of so many frames: takes again and again, each time at another size, with other places of every part."""
    random, total = np.random.default_rng(1), 0
    with opened(path, writing=True) as base:
        base.execute("PRAGMA synchronous = OFF")
        while total < size:
            for one, count in zip(features, frames):
                moved = one.values + random.normal(0.0, 0.03, one.values.shape[1]).astype(np.float32)
                other = Features(moved * np.float32(random.uniform(0.9, 1.1)), one.marks, one.fps, one.first_frame, one.leg)
                keep(base, f"{total}.bvh", (0, 0), "", {"body": row_of(other, count)})
                total += count
                if total >= size:
                    break


def queries(library, features):
    """Milliseconds of each kind of query, the median and the longest of some."""
    random = np.random.default_rng(2)
    spent = {"stretch": [], "pose": [], "words": [], "way": []}
    longer = [one for one in features if one.rows > 70]
    laid_out(library)
    for _ in range(QUERIES):
        one = longer[random.integers(len(longer))]
        first = int(random.integers(one.rows - 60))
        part = one.between(one.frame(first), one.frame(first + int(random.integers(24, 60))))
        way = np.cumsum(random.uniform(0.2, 1.0, (4, 2)), axis=0)
        for name, ask, asked in (
            ("stretch", find_like, part),
            ("pose", find_pose, part),
            ("words", find_words, "speed > 1.5, turn < 20"),
            ("way", find_way, way),
        ):
            began = time.perf_counter()
            ask(library, asked)
            spent[name].append(1000.0 * (time.perf_counter() - began))
    frames = sum(entry.frames for entry in library.entries)
    print(f"{frames:,} frames, {len(library.moments):,} moments; query ms (median, longest): ", end="")
    print(", ".join(f"{name} {np.median(each):.0f} {max(each):.0f}" for name, each in spent.items()))


if __name__ == "__main__":
    spec = importlib.util.spec_from_file_location("motion_signal", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    sys.modules["motion_signal"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    from motion_signal.core.library.features import Features
    from motion_signal.core.library.find import find_like, find_pose
    from motion_signal.core.library.store import Library, index_of, keep, opened, row_of
    from motion_signal.core.library.ways import find_way, laid_out
    from motion_signal.core.library.words import find_words
    from motion_signal.operators.library.index import update

    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "mocap")
