# SPDX-License-Identifier: GPL-3.0-or-later
"""What a drag in the rack costs: equalizer, cartoon and locked feet over 600 and 2,316 frames of a recorded walk.

`python bench/rack.py`. A drag of the first step shows that step at once; the others follow when the mouse rests. Medians of
drags, in milliseconds; with a window, what Blender itself needs to draw comes on top.
"""

import os
import statistics
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TAKES = Path(os.environ.get("MOTION_SIGNAL_TAKES", ROOT.parent / "shared" / "mocap"))
LONG = "cmu_104_36_walk_figure8_long.bvh"
DRAGS = 15


def main():
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="motion_signal_")
    import bpy
    from run import load

    load().register()
    from motion_signal.operators.files import files
    from motion_signal.operators.live import at_hand, preview

    print(f"{'frames':>7} {'curves':>7} {'open':>8} {'first step':>11} {'all steps':>10} {'amount of last':>15} {'apply':>8}")
    for frames in (600, 2316):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        with tempfile.TemporaryDirectory() as folder:
            files.load(shortened(TAKES / LONG, Path(folder) / "take.bvh", frames))
        figure = files.animated_objects()[0]
        bpy.context.view_layer.objects.active = figure
        settings = bpy.context.window_manager.motion_signal
        began = time.perf_counter()
        for technique in ("equalize", "cartoon", "lock"):
            bpy.ops.motion_signal.add_step(technique=technique)
        opened = time.perf_counter() - began
        settings.rows[1].amount = 0.5
        bpy.ops.motion_signal.step_change(step=0, change="OPEN")
        at_once = preview.show_later_steps
        own, whole, gains = [], [], list(settings.equalize.gains_view)
        for drag in range(DRAGS):
            preview.show_later_steps = lambda: None
            began = time.perf_counter()
            gains[6] = 1.0 + 0.05 * (drag + 1)
            settings.equalize.gains_view = gains  # one entry written from Python alone is two updates, by the mouse it is one
            own.append(time.perf_counter() - began)
            preview.show_later_steps = at_once
            began = time.perf_counter()
            preview.show_later_steps()
            whole.append(time.perf_counter() - began)
        last = []
        for drag in range(DRAGS):
            began = time.perf_counter()
            settings.rows[2].amount = 1.0 - 0.02 * drag
            last.append(time.perf_counter() - began)
        curves = len(preview.session().bag.fcurves)
        began = time.perf_counter()
        bpy.ops.motion_signal.rack_apply()
        applied = time.perf_counter() - began
        numbers = (opened, statistics.median(own), statistics.median(whole), statistics.median(last), applied)
        print(
            "{:7d} {:7d} {:8.0f} {:11.1f} {:10.1f} {:15.1f} {:8.0f}".format(frames, curves, *(1000 * each for each in numbers))
        )
        at_hand.forget()


def shortened(source, path, frames):
    """The first frames of a .bvh file."""
    head, motion = source.read_text().split("MOTION", 1)
    lines = motion.strip().splitlines()
    rows = (lines[2:] * (frames // len(lines[2:]) + 1))[:frames]
    path.write_text(f"{head}MOTION\nFrames: {frames}\n{lines[1]}\n" + "\n".join(rows) + "\n")
    return path


if __name__ == "__main__":
    main()
