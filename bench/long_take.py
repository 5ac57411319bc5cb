# SPDX-License-Identifier: GPL-3.0-or-later
"""A take of 200,000 frames from .bvh to .bvh through the equalizer: `python bench/long_take.py [frames]`.

Prints where the time goes, and the most memory that the process had until then.
"""

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONG = "cmu_104_36_walk_figure8_long.bvh"


def main(frames=200_000):
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="motion_signal_")
    import bpy
    from run import load

    load().register()
    from motion_signal.core.declare.scope import ScopeParams
    from motion_signal.core.recipes import run as pipeline
    from motion_signal.core.recipes.recipe import Recipe, Step
    from motion_signal.core.techniques.character.equalize import EQUALIZE
    from motion_signal.operators.bridge import provenance as remembered
    from motion_signal.operators.bridge import read_whole, scope
    from motion_signal.operators.files import files
    from motion_signal.operators.live import presets
    from motion_signal.operators.run import apply, recipe

    with tempfile.TemporaryDirectory(prefix="motion_signal_") as folder:
        source = repeated(Path(folder) / "long.bvh", int(frames))
        print(f"{frames} frames, {source.stat().st_size / 1e6:.0f} MB of text")
        clock = Clock()
        files.load(source)
        clock.tell("read the file into curves")
        subject = files.animated_objects()[0]
        for module, name, what in (
            (read_whole, "read_take", "read the curves"),
            (pipeline, "opened", "equalizer, once a take"),
            (apply, "copy_action", "copy the action"),
            (apply.Writer, "write", "write the curves"),
            (remembered, "fingerprint", "remember what it looks like"),
            (apply, "run_words", "say what happened, and to the feet"),
        ):
            clock.watch(module, name, what)
        bounds = scope.gather(bpy.context, ScopeParams(), subject)
        preset = presets.load_preset(EQUALIZE, "exaggerate").params
        params = EQUALIZE.fit(preset, bounds.last - bounds.first + 1, bounds.fps)
        words = recipe.run_recipe(bpy.context, Recipe((Step(EQUALIZE, params),)), bounds, subject).words
        clock.tell("equalizer and all the rest of Apply")
        files.save(Path(folder) / "out.bvh", [subject])
        clock.tell("write the file")
        print(f"{'in all':38} {time.perf_counter() - clock.begun:7.1f} s {memory():8.0f} MB (bound 4096)\n{words}")


class Clock:
    """Prints how long each part took, without the parts in it that were printed on their own."""

    def __init__(self):
        self.begun = self.last = time.perf_counter()

    def tell(self, what):
        now = time.perf_counter()
        print(f"{what:38} {now - self.last:7.1f} s {memory():8.0f} MB", flush=True)
        self.last = now

    def watch(self, module, name, what):
        function = getattr(module, name)

        def watched(*arguments, **named):
            before = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                spent = time.perf_counter() - before
                print(f"  {what:36} {spent:7.1f} s {memory():8.0f} MB", flush=True)
                self.last += spent

        setattr(module, name, watched)


def repeated(path, frames):
    """A recorded take, there and back, until it is long enough."""
    shared = Path(os.environ.get("MOTION_SIGNAL_TAKES", ROOT.parent / "shared" / "mocap"))
    head, motion = (shared / LONG).read_text("utf-8").split("Frames:")
    _, rate, *rows = motion.strip().split("\n")
    rows += rows[::-1]
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{head}Frames: {frames}\n{rate}\n")
        file.writelines(rows[number % len(rows)] + "\n" for number in range(frames))
    return path


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
