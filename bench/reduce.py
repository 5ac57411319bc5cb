# SPDX-License-Identifier: GPL-3.0-or-later
"""Key reduction beside Blender's own Decimate: `reduction(best, line)` for `make bench`, or `python bench/reduce.py`.

Every recorded take is reduced so that feet, hands and head stay within 2 mm and 0.5 degrees at every frame. Blender's
decimate gets the same take as it was imported and, by halving, the largest error margin with which it keeps to the same.
Both are measured through the same kinematics, on the curves as Blender draws them. Own lets fingers and toes go further
than decimate does, so keys are also counted on those curves alone that move feet, hands and head.
"""

import json
import os
from pathlib import Path

import numpy as np

MILLIMETRES, DEGREES = 2.0, 0.5
HALVINGS = 6
MARGINS = (2e-4, 2e-2)  # in metres and radians alike, as decimate takes them


def reduction(best, line):
    """How many times fewer keys than frames both need on every take, and what it costs on 31 bones x 2,400 frames."""
    takes = sorted(folder().glob("cmu_*.bvh"))
    if not takes:
        print(f"no recorded takes in {folder()}; set MOTION_SIGNAL_TAKES")
        return
    print(f"keys per curve within {MILLIMETRES} mm and {DEGREES} degrees at feet, hands and head, at every frame")
    print(f"{'':38} {'':6} {'own':>30}   {'decimate':>30}")
    print(f"{'take':38} {'frames':>6}" + 2 * f" {'x fewer':>8} {'of these':>8} {'mm':>6} {'deg':>6} ")
    means = np.mean([compared(take) for take in takes], axis=0)
    print(
        f"{'mean; own at least 10, and more than decimate':45}"
        + "{:9.2f} {:8.2f} {:15}".format(*means[:2], "")
        + "{:9.2f} {:8.2f}".format(*means[2:])
    )
    cost(best, line, takes)


def folder():
    return Path(os.environ.get("MOTION_SIGNAL_TAKES", Path(__file__).resolve().parents[2] / "shared" / "mocap"))


def compared(path):
    """One take in both ways, as a line; how many times fewer keys than frames each needs, on all curves and on these."""
    clip, skeleton, roles, contacts, scope = opened(path)
    counts, far = decimate_within(scope, clip, skeleton, roles)
    keys = own_keys(clip, skeleton, roles, contacts)
    write(scope, clip, keys)
    these = moving_ends(clip, skeleton, roles)
    found = []
    for count, (millimetres, degrees) in (
        (np.array([len(own.rows) for own in keys]), off(clip, scope, skeleton, roles)),
        (counts, far),
    ):
        found.append((clip.values.size / count.sum(), clip.frames * these.sum() / count[these].sum(), millimetres, degrees))
    print(
        f"{path.stem:38} {clip.frames:6}" + "".join(" {:8.2f} {:8.2f} {:6.3f} {:6.3f} ".format(*row) for row in found),
        flush=True,
    )
    return [ratio for row in found for ratio in row[:2]]


def moving_ends(clip, skeleton, roles):
    """Which channels are those of bones that feet, hands and head hang on, themselves included."""
    from motion_signal.core.keys.effectors import chosen_effectors

    bones = {
        skeleton.bones[index].name
        for name in chosen_effectors(skeleton, roles)
        for index in skeleton.chain(skeleton.index(name))
    }
    return np.array([channel.owner in bones for channel in clip.channels])


def opened(path):
    import bpy
    from motion_signal.core.body.contacts import find_contacts
    from motion_signal.core.body.roles import find_roles
    from motion_signal.core.declare.scope import ScopeParams
    from motion_signal.operators.bridge.scope import gather

    truth = json.loads((path.parent / "truth.json").read_text())[path.name]
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.import_anim.bvh(
        filepath=str(path), update_scene_fps=True, update_scene_duration=True, use_fps_scale=False, global_scale=truth["unit"]
    )
    scope = gather(bpy.context, ScopeParams())
    clip, skeleton = scope.read().clip, scope.skeleton
    roles = find_roles(skeleton)
    return clip, skeleton, roles, find_contacts(clip, skeleton, roles), scope


def own_keys(clip, skeleton, roles, contacts):
    from motion_signal.core.techniques.figure.reduce import reduced

    return reduced(clip, skeleton, roles, MILLIMETRES, DEGREES, contacts)


def off(clip, scope, skeleton, roles):
    """The largest distance and the largest angle that the action is off, as Blender draws its curves."""
    from motion_signal.core.techniques.figure.reduce import distances

    return [array.max() for array in distances(clip, scope.read().clip, skeleton, roles)]


def write(scope, clip, keys):
    """Give the take these keys, or with none its own on every frame, straight between them as they were imported."""
    from motion_signal.operators.bridge.keyframes import dense_keys, set_keys

    for index, curve in enumerate(curves_of(scope, clip)):
        rows, values, slopes = keys[index] if keys else (np.arange(clip.frames), clip.values[:, index], None)
        set_keys(curve, dense_keys(clip.first_frame + rows, values, slopes))


def curves_of(scope, clip):
    from motion_signal.operators.bridge.actions import channelbag

    bag = channelbag(scope.action, scope.slot)
    return [bag.fcurves.find(channel.path, index=channel.index) for channel in clip.channels]


def decimate_within(scope, clip, skeleton, roles):
    """The keys of each curve that decimate leaves while all stay in place, and how far off they then are."""
    low, high = np.log(MARGINS)
    found = np.full(len(clip.channels), clip.frames), (0.0, 0.0)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        write(scope, clip, None)
        decimate(scope, clip, float(np.exp(middle)))
        far = off(clip, scope, skeleton, roles)
        if far[0] <= MILLIMETRES and far[1] <= DEGREES:
            low, found = middle, (np.array([len(curve.keyframe_points) for curve in curves_of(scope, clip)]), far)
        else:
            high = middle
    return found


def decimate(scope, clip, margin):
    """Blender's own, on all keys, in a Graph Editor."""
    import bpy
    from run import graph_editor

    with graph_editor(curves_of(scope, clip)):
        bpy.ops.graph.decimate(mode="ERROR", remove_error_margin=margin)


def cost(best, line, takes):
    """The longest take, repeated to 2,400 frames."""
    path = max(takes, key=lambda take: json.loads((take.parent / "truth.json").read_text())[take.name]["rows"])
    clip, skeleton, roles, contacts, _ = opened(path)
    clip = clip.with_values(np.concatenate([clip.values, clip.values[-2 : -2402 + clip.frames : -1]]))
    (taken,) = best(lambda: own_keys(clip, skeleton, roles, contacts), rounds=3)
    line(f"  {len(skeleton.bones)} bones x {clip.frames} frames, {len(clip.channels)} curves", taken, "", "under 3000 ms")


if __name__ == "__main__":
    from run import best, line, load

    package = load()
    package.register()
    try:
        reduction(best, line)
    finally:
        package.unregister()
