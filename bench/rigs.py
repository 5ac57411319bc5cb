# SPDX-License-Identifier: GPL-3.0-or-later
"""Every technique on every control rig: `python bench/rigs.py [part of a name of a rig] [parts of those of techniques, ...]`.

For each: how far the feet that deform slide while they stand, in millimetres, how many times the take's keys there are, and how
far the joint that is farthest off is from where it is with a key on every frame; or the sentence that it is refused with. The
take's own slide stands in the first row. Stands of results in another time are where a foot is near the ground and slow.
"""

import json
import os
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests" / "blender"
SLOW = 0.2  # metres a second
ARC = 0.5  # metres, radius of the tight turn


def main(rig="", technique=""):
    sys.path[:0] = [str(TESTS)]
    import conftest  # noqa: F401, enables the checkout as an extension
    import rigged_walks

    takes = Path(os.environ.get("MOTION_SIGNAL_TAKES", TESTS.parents[2] / "shared" / "mocap"))
    staged = dict(rigged_walks.STAGED)
    walk = takes / "cmu_07_01_walk_normal.bvh"
    if walk.exists():
        staged["walk baked onto it"] = lambda: rigged_walks.baked(walk)
    for name, stage in staged.items():
        if rig.lower() in name.lower():
            print(f"\n## {name}", flush=True)
            for line in table(stage, technique):
                print(line, flush=True)
    os._exit(0)


def table(stage, technique):
    """Lines about every technique on one rig."""
    import bpy

    figure = Staged(stage)
    yield f"| the take | {figure.slide(figure.before, same=True):.1f} mm | {figure.keys} keys |"
    for name, (operator, properties) in works(figure).items():
        if not any(part.strip() in name for part in technique.split(",")):
            continue
        start = time.process_time()
        try:
            result = figure.made(operator, properties)
        except RuntimeError as refused:
            yield f"| {name} | {str(refused).strip().removeprefix('Error: ').splitlines()[0]} | |"
            continue
        taken = time.process_time() - start
        after, joints = figure.places(result)
        slide = figure.slide(after, same=operator == "path" or result.frame_range[:] == figure.take.frame_range[:])
        keys = sum(len(curve.keyframe_points) for curve in figure.curves(result))
        dense = figure.made(operator, properties | {"keys": "EVERY_FRAME"})
        off, bone = figure.apart(joints, figure.places(dense, result.frame_range)[1])
        yield f"| {name} | {slide:.1f} mm | {keys / figure.keys:.2f} x | {off:.1f} mm, {bone} | {taken:.1f} s |"
        for action in {result, dense}:
            bpy.data.actions.remove(action)


class Staged:
    """A rig on stage, its take, and a quicker one."""

    def __init__(self, stage):
        import bpy

        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        bpy.context.scene.render.fps = 24
        self.rig, self.take, self.feet = stage()
        self.take.use_fake_user = True
        bpy.context.view_layer.objects.active = self.rig
        self.size = max(self.rig.scale)
        self.quick = self.quicker()
        self.fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
        self.joints = [bone.name for bone in self.rig.data.bones if bone.use_deform]
        self.before = self.places(self.take)[0]
        self.keys = sum(len(curve.keyframe_points) for curve in self.curves(self.take))

    def curves(self, action):
        return action.layers[0].strips[0].channelbags[0].fcurves

    def quicker(self, factor=0.8):
        """The same motion in less time."""
        quick = self.take.copy()
        quick.name, quick.use_fake_user = "Quick", True
        for curve in self.curves(quick):
            for point in curve.keyframe_points:
                for handle in (point.co, point.handle_left, point.handle_right):
                    handle[0] = 1.0 + factor * (handle[0] - 1.0)
            curve.update()
        return quick

    def wear(self, action):
        """Have the rig play an action, and all that this leaves alone stand as it was."""
        import bpy

        self.rig.animation_data.action, self.rig.animation_data.action_slot = action, action.slots[0]
        bpy.context.view_layer.update()

    def made(self, operator, properties):
        """What an operator makes of the take."""
        import bpy

        self.wear(self.take)
        getattr(bpy.ops.motion_signal, operator)(**properties)
        return self.rig.animation_data.action

    def apart(self, one, other):
        """How far in millimetres what deforms is in one row of places from where it is in another, and what that is."""
        import numpy as np

        off = 1000.0 * np.linalg.norm(one - other, axis=2).max(axis=0)
        return off.max(), self.joints[int(off.argmax())]

    def places(self, action, frames=None):
        """Where the feet that deform are in the world, (frames, feet, 3), and everything that deforms."""
        import bpy
        import numpy as np

        self.wear(action)
        first, last = (int(frame) for frame in frames or action.frame_range)
        found, joints = [], []
        for frame in range(first, last + 1):
            bpy.context.scene.frame_set(frame)
            posed = self.rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            found.append([np.array(posed.matrix_world @ posed.pose.bones[foot].head) for foot in self.feet])
            joints.append([np.array(posed.matrix_world @ posed.pose.bones[joint].head) for joint in self.joints])
        return np.array(found), np.array(joints)

    def slide(self, places, same):
        """How far feet go at most while they stand, in millimetres."""
        import numpy as np

        places = places[: len(self.before)] if same else places  # a path at its own speed may end earlier or later
        own = self.before[: len(places)] if same else places
        speed = self.fps * np.linalg.norm(np.diff(own, axis=0), axis=2) / self.size
        level = np.median(own[1:][speed < SLOW][:, 2]) if (speed < SLOW).any() else 0.0
        slow = (speed < (0.005 if same and self.sharp else SLOW)) & (np.abs(own[1:, :, 2] - level) < 0.02 * self.size)
        worst = 0.0
        for foot, stands in enumerate((slow[1:] & slow[:-1]).T):
            edges = np.flatnonzero(np.diff(stands.astype(int), prepend=0, append=0))
            for first, end in zip(edges[::2], edges[1::2]):
                if end - first < 4:
                    continue
                went, was = (rows[2 + first : end, foot, :2] for rows in (places, own))
                away = went - went[0] - (was - was[0]) * (0.0 if self.sharp or not same else 1.0)
                worst = max(worst, 1000.0 * np.linalg.norm(away, axis=1).max())
        return worst

    @property
    def sharp(self):
        """Whether feet of the take stand still to the bit."""
        import numpy as np

        return bool((self.fps * np.linalg.norm(np.diff(self.before, axis=0), axis=2) < 0.005 * self.size).mean() > 0.2)


def works(figure):
    """What is done, {name: (operator, properties)}."""
    import numpy as np

    way = figure.before.mean(axis=1)
    along, length = way[-1] - way[0], float(np.linalg.norm((way[-1] - way[0])[:2]))
    ahead = along / max(np.linalg.norm(along), 1e-9)
    aside = np.array([-ahead[1], ahead[0], 0.0])

    def line(places):
        return json.dumps({"points": [[float(x) for x in place] for place in places]})

    start = way[0] * (1, 1, 0)
    parts, angles = np.linspace(0.0, 1.0, 25), np.linspace(0.0, length / (ARC * figure.size), 160)
    bend = [start + part * along + 0.8 * figure.size * np.sin(np.pi * part) * aside for part in parts]
    half, tight = (
        [start + radius * (np.sin(turn) * ahead + (1.0 - np.cos(turn)) * aside) for turn in turns]
        for radius, turns in ((length / np.pi, np.pi * parts), (ARC * figure.size, angles))
    )
    second = round(figure.fps)
    speed = 1.125 * float(np.linalg.norm(way[second:] - way[:-second], axis=1).max())  # halfway between the takes
    quick, middle = figure.quick.name, int(sum(figure.take.frame_range) / 2)
    return {
        "equalize exaggerate": ("equalize", {"preset": "exaggerate"}),
        "equalize nervous_twitch": ("equalize", {"preset": "nervous_twitch"}),
        "waveshape s_curve": ("waveshape", {"preset": "s_curve"}),
        "cartoon": ("cartoon", {"strength": 1.0}),
        "automate": ("automate", {"automation": json.dumps([{"band": 6, "keys": [[1, 1.0], [middle, 3.0]]}])}),
        "style tired": ("style", {"preset": "tired"}),
        "lock": ("lock", {}),
        "path bend": ("path", {"path": line(bend)}),
        "path half circle": ("path", {"path": line(half)}),
        "path radius 0.5 m": ("path", {"path": line(tight)}),
        "timewarp": ("timewarp", {"moves": json.dumps([[middle, middle + 10]])}),
        "blend": ("blend", {"takes": json.dumps([{"action": quick, "weight": 1.0}])}),
        "wavelet blend": ("wavelet_blend", {"take": quick, "amount": 0.5}),
        "join": ("join", {"take": quick}),
        "cycle": ("cycle", {"find": "SEARCH"}),
        "speed": ("speed", {"takes": json.dumps([{"action": quick}]), "speed": speed}),
        "locomotion line": ("locomotion", {"path": line([start, start + 1.5 * along])}),
        "locomotion bend": ("locomotion", {"path": line(bend), "takes": json.dumps([{"action": quick}])}),
        "avatar": ("avatar", {"scale": 0.8}),
        "reduce": ("reduce", {}),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
