# SPDX-License-Identifier: GPL-3.0-or-later
"""How well takes go on in others: `python bench/chains.py [folder of takes] [chains] [seed]`.

Takes drawn by lot, cut at a place drawn by lot and some of them mirrored or at fewer frames a second, go on in four others of
the folder. Printed of each chain: the largest turn of a joint in a frame within its transitions, of the largest that either
take has there; how far feet slide while they stand, on average and at worst; and how many chains are under 1.2 and under 1 mm.
"""

import importlib.util
import shutil
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RATES = 24.0, 30.0, 60.0, 120.0
AROUND = 0.1  # seconds around a transition in which joints turn as fast as they do in the takes there


def main(folder, count, seed):
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory(prefix="motion_signal_") as aside:
        index = Path(aside) / "takes"
        shutil.copytree(folder, index, ignore=lambda _, names: [each for each in names if each.endswith(".index")])
        update(index, 2)
        library = Library(index_of(index))
        read = lru_cache(maxsize=12)(lambda path, figure: take_from(index / path, figure))
        longer = [entry for entry in library.entries if entry.path.endswith(".bvh") and entry.frames / entry.fps > 4.0]
        rows = []
        for _ in range(count):
            entry, rate, mirror, began = (
                longer[random.integers(len(longer))],
                random.choice(RATES),
                random.random() < 0.3,
                time.process_time(),
            )
            at = random.uniform(0.0, entry.frames / entry.fps - 4.0)
            try:
                rows.append(tried(library, lambda hit: read(hit.path, hit.figure), entry, rate, mirror, at))
                print(
                    f"{entry.path:42} {rate:4.0f} fps{' mirrored' if mirror else '':9}",
                    *(f"{each:6.2f}" for each in rows[-1][:4]),
                    rows[-1][4],
                    f"{time.process_time() - began:.1f} s",
                    flush=True,
                )
            except Refusal as refusal:
                print(f"{entry.path}: {refusal}")
    ratios, means, worst, pops = np.array([row[:4] for row in rows]).T
    print(
        f"{len(rows)} chains: {(ratios < 1.2).sum()} under 1.2 x, {(means < 1.0).sum()} under 1 mm on average, "
        f"{(worst < 1.0).sum()} at worst, {(pops > 0).sum()} with pops"
    )


def tried(library, read, entry, rate, mirror, at):
    clip, skeleton = read(entry)
    if entry.path.endswith(".bvh"):
        clip = clip.with_values(clip.values[leading_rows(clip, skeleton) :])
    clip = cut_out(clip, clip.first_frame + at * clip.fps, clip.last_frame, rate)
    clip = mirrored(clip, skeleton) if mirror else clip
    links = chained(library, clip, skeleton, read, 4, 2.0, {entry.path})
    recipe, takes = recipe_of(links)
    joined = run(recipe, clip, skeleton, takes=takes)
    contacts = find_contacts(joined, skeleton)
    result = continued(clip, skeleton, links)
    ratio, pops, where = at_joins(clip, links, result, skeleton)
    numbers = report(result, skeleton, contacts=contacts)
    return ratio, numbers["slide_mean_mm"], numbers["slide_worst_mm"], pops, where


def at_joins(clip, links, result, skeleton):
    """The largest turn in a frame at joins, of the largest that the two takes have there, and how many joints pop."""
    roles = find_roles(skeleton)
    bones = [skeleton.index(name) for name in roles.table().values() if name] or list(range(len(skeleton.bones)))
    turned = [np.degrees(steps(one, skeleton, bones)) for one in (clip, *(link.clip for link in links))]
    whole, gone, worst, pops, where = np.degrees(steps(result, skeleton, bones)), 0, 0.0, 0, ""
    for number, link in enumerate(links):
        span = round((link.transition / 2.0 + AROUND) * result.fps)
        leave, enter = (
            (link.leave - links[number - 1].clip.first_frame if number else link.leave - clip.first_frame),
            link.enter - link.clip.first_frame,
        )
        here, there = (turned[number + one][max(0, row - span) : row + span] for one, row in ((0, leave), (1, enter)))
        now = whole[max(0, gone + leave - span) : gone + leave + span]
        source = np.maximum(here.max(axis=0), there.max(axis=0))
        ratio = now.max() / source.max()
        pops += int((now.max(axis=0) > source + 20.0 * 120.0 / max(result.fps, 24.0) / 2).sum())
        if ratio > worst:
            bone = int(now.max(axis=0).argmax())
            worst, where = (
                ratio,
                f"join {number} {skeleton.bones[bones[bone]].name} {now.max():.1f} of {source.max():.1f} "
                f"(its own {source[bone]:.1f}) degrees, {link.transition:.2f} s, {link.hit.path}",
            )
        gone += leave - enter
    return worst, pops, where


def steps(clip, skeleton, bones):
    turns = skeleton.local(clip)[0][:, bones]
    return np.arccos(np.clip((np.einsum("fbij,fbij->fb", turns[1:], turns[:-1]) - 1.0) / 2.0, -1.0, 1.0))


if __name__ == "__main__":
    spec = importlib.util.spec_from_file_location("motion_signal", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    sys.modules["motion_signal"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    from motion_signal.core.body.contacts import find_contacts
    from motion_signal.core.body.report import report
    from motion_signal.core.body.roles import find_roles
    from motion_signal.core.composed.continued import chained, continued, recipe_of
    from motion_signal.core.library.placed import cut_out, mirrored
    from motion_signal.core.library.store import Library, index_of
    from motion_signal.core.motion.leading import leading_rows
    from motion_signal.core.numeric.refusal import Refusal
    from motion_signal.core.recipes.run import run
    from motion_signal.operators.library.index import update
    from motion_signal.operators.library.readable import take_from

    given = sys.argv[1:]
    main(
        Path(given[0]) if given else ROOT.parent / "shared" / "mocap",
        int(given[1]) if len(given) > 1 else 50,
        int(given[2]) if len(given) > 2 else 1,
    )
