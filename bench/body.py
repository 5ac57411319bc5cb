# SPDX-License-Identifier: GPL-3.0-or-later
"""What posing, feet and paths cost while they are dragged, on the walking figure: part of `make bench`."""

import itertools

import numpy as np


def body(best, line):
    """Forward kinematics beside Blender's own, then everything that is dragged on a figure."""
    import bpy
    from motion_signal.core.declare.scope import ScopeParams
    from motion_signal.operators.bridge.scope import gather

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.render.fps = 120
    bpy.ops.motion_signal.add_figure(seconds=20.0)
    scope = gather(bpy.context, ScopeParams())
    clip, skeleton = scope.read().clip, scope.skeleton
    print(f"{clip.frames:,} frames x {len(skeleton.bones)} bones")
    (own,) = best(lambda: skeleton.posed(clip.with_values(clip.values.copy())), rounds=5)  # a posed clip is kept
    (theirs,) = best(lambda: blenders_own(scope.owner, clip), rounds=1)
    line("  scene.frame_set and reading the matrices", theirs, 1.0)
    line("  forward kinematics, and how many times that it is faster", own, theirs / own, "at least 30")
    for name, frames, work, bound in dragged(clip, skeleton):
        (taken,) = best(work, rounds=8)
        line(f"  {name}, {frames:,} frames", taken, f"{1e3 / taken:.0f}/s", bound)


def blenders_own(owner, clip):
    import bpy

    for frame in range(clip.first_frame, clip.last_frame + 1):
        bpy.context.scene.frame_set(frame)
        [bone.matrix.copy() for bone in owner.pose.bones]


def dragged(clip, skeleton):
    """Works that a drag repeats: name, frames, what to do once, and its bound."""
    from dataclasses import replace

    from motion_signal.core.declare.technique import Surroundings
    from motion_signal.core.paths.fit import fit
    from motion_signal.core.techniques.character.displace import DISPLACE, DisplaceParams
    from motion_signal.core.techniques.figure.lock import LOCK, LockParams
    from motion_signal.core.techniques.figure.path import PATH, PathParams

    around = Surroundings(skeleton)
    names = [bone.name for bone in skeleton.bones]
    amounts = itertools.cycle(np.linspace(5.0, 25.0, 20))
    displace, lock = DISPLACE.open(clip, around), LOCK.open(clip, around)

    def posed():
        turn = [next(amounts), 3.0, 2.0]
        keys = [{"frame": frame, "bones": {name: {"rotation": turn} for name in names}} for frame in (500, 1200, 1800)]
        displace(DisplaceParams(tuple(keys)))

    yield "three keys on all bones, one dragged", clip.frames, posed, "under 50 ms with keys written"
    lock(LockParams(amount=1.0))
    yield "foot lock", clip.frames, lambda: lock(LockParams(amount=next(amounts) / 25.0)), "under 150 ms"
    for frames, feet, bound in (
        (550, False, "at least 100/s"),
        (550, True, "at least 30/s"),
        (clip.frames, True, "at least 10/s"),
    ):
        part = replace(clip, values=clip.values[:frames])
        control = fit(part, skeleton, points=8)
        path, original = PATH.open(part, around), {"control": control.tolist()}

        def bend(path=path, control=control, original=original, feet=feet):
            moved = control.copy()
            moved[4, 0] += 0.1 * next(amounts)
            path(PathParams(path={"control": moved.tolist()}, original=original, ends="ON", plant=feet))

        bend()
        yield f"a path's point dragged, {'with' if feet else 'without'} feet", frames, bend, bound
