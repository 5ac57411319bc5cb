# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a dragged fader goes through the house: which file calls which while one touch is shown.

Counted are pairs of files of which one calls into the other, once each, on a take of which the preview is open already; calls
within the rooms of arrays (core/numeric, core/motion, core/body) are arithmetic and not counted. Also whether a number that is
dragged becomes text on its way: which calls of json and of the texts of parameters there are.
"""

import os
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ARRAYS = ("core/numeric", "core/motion", "core/body")
TEXT = ("json", "write_text", "read_text", "steps_to_json", "steps_from_json")
MOST = 20


def main():
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="motion_signal_")
    import bpy
    from run import FPS, clip_of, fresh, load, rig

    package = load()
    package.register()
    from motion_signal.operators.live import preview

    preview.keep_soon = lambda context: None  # a window waits with that until the animator rests
    try:
        fresh()
        rig(clip_of(600, 12, "QUATERNION"), "dragged")
        bpy.context.scene.render.fps = int(FPS)
        tell("a fader moved", *walk(lambda gain: drag(bpy.context, gain)), f" (at most {MOST})")
        fresh()
        bpy.ops.motion_signal.add_figure()
        tell("the same on a figure whose feet are planted", *walk(lambda gain: drag(bpy.context, gain)))
        bpy.context.window_manager.motion_signal.equalize.limbs_row = "forearm.L"
        tell("a fader of one limb", *walk(lambda gain: drag(bpy.context, gain, "limbs_view")))
    finally:
        package.unregister()


def tell(what, pairs, texts, bound=""):
    for one, other in pairs:
        print(f"  {one} > {other}")
    print(f"{what}: {len(pairs)} switches between files{bound}, {len(texts)} calls that make or read text")
    for text in texts:
        print(f"  {text}")


def drag(context, gain, view="gains_view"):
    """Move one fader of the equalizer, as the panel's slider does."""
    settings = context.window_manager.motion_signal.equalize
    gains = list(getattr(settings, view))
    gains[5] = gain
    setattr(settings, view, gains)


def walk(touch):
    """The pairs of files that call each other while something is touched a third time, in order, and the calls about text."""
    for value in (1.2, 1.3):
        touch(value)
    pairs, texts = {}, {}

    def look(frame, event, _):
        if event != "call" or frame.f_back is None:
            return
        into, out_of = (named(each.f_code.co_filename) for each in (frame, frame.f_back))
        if (frame.f_code.co_name in TEXT or "json" in frame.f_code.co_filename) and (into or out_of):
            texts[f"{out_of}: {frame.f_code.co_name}"] = None
        if into and out_of and into != out_of and not (into.startswith(ARRAYS) and out_of.startswith(ARRAYS)):
            if not into.startswith(ARRAYS):
                pairs[out_of, into] = None

    sys.setprofile(look)
    try:
        touch(1.4)
    finally:
        sys.setprofile(None)
    return list(pairs), list(texts)


@cache
def named(path):
    """A file of the extension as it is called in the repository, nothing for any other."""
    path = Path(path).resolve()
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
    return name if name.startswith(("core/", "operators/", "panels/")) else ""


if __name__ == "__main__":
    main()
