# SPDX-License-Identifier: GPL-3.0-or-later
"""What Clean finds and what it leaves: `python bench/clean.py folder faults|filters|table [names of BVH files in it]`.

Known faults put into clean takes, how many are found and how well they are mended; the noise gate beside Blender's own
Butterworth and Gaussian smoothing at equal noise left; and a table of what is found in a folder of takes.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy
from run import load

TESTS = Path(__file__).resolve().parents[1] / "tests"
SEEDS = 3


def faults(paths, seeds=SEEDS, **more):
    """Known faults in takes: found, false, and how far from the take the mended frames are."""
    from made_faults import apart, faulty
    from motion_signal.core.faults.look import Look

    print("take                        fps  noise  spikes+flips found  gaps found  false   spike off  gap off (median, 95 %)")
    sums = np.zeros(5)
    for path in paths:
        for every in (1, 2, 4):
            clip, skeleton = without_pose(path, every)
            own = Look(clip, skeleton)
            for noise in (0.0, 1.0):
                found = np.zeros(5)
                offs = {"gap": [], "spike": [], "flip": []}
                for seed in range(seeds):
                    room = clip.frames * len(skeleton.bones) // 80
                    few = min(1.0, room / 250)
                    bad, known = faulty(clip, seed, int(200 * few), int(50 * few), int(20 * few), noise, **more)
                    look = Look(bad, skeleton)
                    seen = [bar for bar in look.found if bar.label in ("spike", "flip", "gap")]
                    mended = look.mended(seen)
                    found += tally(known, seen, own.found, clip.first_frame)
                    for fault in known:
                        offs[fault.kind].append(apart(clip, mended, fault.bone)[fault.first : fault.end].max())
                sums += found
                told = [f"{np.median(offs[kind]):.2f}, {np.percentile(offs[kind], 95):.1f}" for kind in ("spike", "gap")]
                print(
                    f"{path.stem[:26]:26} {clip.fps:5.0f} {noise:4.0f}°   {found[0]:5.0f} of {found[1]:5.0f}   "
                    f"{found[2]:5.0f} of {found[3]:4.0f}  {found[4]:5.0f}   {'   '.join(told)}",
                    flush=True,
                )
    print(
        f"all: spikes and flips {100 * sums[0] / sums[1]:.2f} %, gaps {100 * sums[2] / max(sums[3], 1):.1f} %, "
        f"false {100 * sums[4] / (sums[1] + sums[3]):.2f} %"
    )


def tally(known, seen, own, first_frame):
    """Found and all spikes and flips, found and all gaps, and findings of nothing; what the take had itself is neither."""
    cells = {(bar.bone, row) for bar in seen for row in range(int(bar.first) - 1, int(bar.last) + 2)}
    counts = [0, 0, 0, 0, 0]
    for fault in known:
        hit = any((bone, first_frame + row) in cells for bone in (fault.bone, "") for row in range(fault.first, fault.end))
        if not fault.seen:  # a gap in which nothing was lost
            continue
        counts[2 * (fault.kind == "gap")] += hit
        counts[2 * (fault.kind == "gap") + 1] += 1
    true = {(fault.bone, first_frame + row) for fault in known for row in range(fault.first - 2, fault.end + 2)}
    true |= {(bar.bone, row) for bar in own for row in range(int(bar.first) - 2, int(bar.last) + 3)}
    for bar in seen:
        counts[4] += not any((bar.bone, row) in true for row in range(int(bar.first), int(bar.last) + 1))
    return np.array(counts, dtype=float)


def without_pose(path, every=1):
    """A take without the pose before it, at a lower rate."""
    from motion_signal.core.files.bvh_take import read_bvh
    from motion_signal.core.motion.leading import leading_rows

    clip, skeleton = read_bvh(path, 0.0564444)
    start = leading_rows(clip, skeleton)
    return replace(clip, values=clip.values[start::every], fps=clip.fps / every), skeleton


def filters(path, seeds=32):
    """The noise gate beside Blender's own smoothers at equal noise left: what becomes of the speed of blows."""
    from made_faults import apart, bones_of, faulty
    from motion_signal.core.body.roles import find_roles
    from motion_signal.core.faults.look import Look

    clip, skeleton = without_pose(path)
    hands = [skeleton.index(find_roles(skeleton).table()[f"{side}_hand"]) for side in ("left", "right")]
    noisy = [faulty(clip, seed, 0, 0, 0, noise=1.0)[0] for seed in range(seeds)]
    true = speeds(clip, skeleton, hands)
    fast = np.linalg.norm(true, axis=2)
    blows = [
        (row, hand)
        for hand in range(2)
        for row in scipy.signal.find_peaks(fast[:, hand], height=2.5, distance=round(0.25 * clip.fps))[0]
    ]
    bones = set(bones_of(clip)) & set(find_roles(skeleton).table().values())  # fingers of this take flip by themselves
    still = {bone: quiet(clip, bone) for bone in bones}

    def judged(results, beside=clip):
        left = [trembles(beside, result, bone, still[bone]) for result in results for bone in bones]
        return float(np.sqrt(np.nanmean(np.square(left))))

    def kept(results):
        """Speeds of blows along the way that they go, in percent beside those of the take, and how sure that is."""
        moved = [speeds(result, skeleton, hands) for result in results]
        share = np.array([[each[blow] @ true[blow] / fast[blow] ** 2 for blow in blows] for each in moved])
        return 100.0 * (share.mean(axis=0) - 1.0), 100.0 * share.std() / np.sqrt(len(share))

    def calmed(each):
        look = Look(each, skeleton)
        return look.mended([bar for bar in look.found if bar.label == "jitter"])

    def off(result):
        """How far bones are off in all frames, degrees."""
        return np.sqrt(np.mean([np.square(apart(clip, result, bone)) for bone in bones]))

    results = [calmed(each) for each in noisy]
    left, (blown, sure) = judged(results[:4]), kept(results)
    print(f"noise of 1 degree, blows of {', '.join(f'{fast[blow]:.1f}' for blow in blows)} m/s")
    tell("Clean", left, blown, off(results[0]), f"give or take {sure:.1f} %")
    for name, low, high, options in SMOOTHERS:
        for _ in range(9):
            middle = np.sqrt(low * high)
            without = smoothed(clip, name, **options(middle))
            trembling = judged([smoothed(noisy[0], name, **options(middle))], without)
            low, high = (middle, high) if (trembling > left) == (name == "gaussian_smooth") else (low, middle)
        blown, _ = kept([without])  # it is linear: without noise it keeps as much
        tell(f"Blender's {name}", trembling, blown, off(smoothed(noisy[0], name, **options(middle))), f"at {middle:.1f}")


def tell(name, left, blown, off, more):
    blows = ", ".join(f"{each:+.1f}" for each in blown)
    print(f"  {name:30} trembles by {left:.3f} degrees, blows {blows} %, {off:.2f} degrees off in all, {more}")


SMOOTHERS = (
    ("gaussian_smooth", 1.0, 64.0, lambda value: {"sigma": 0.33, "filter_width": round(value), "factor": 1.0}),
    ("butterworth_smooth", 0.5, 59.0, lambda value: {"cutoff_frequency": value, "filter_order": 4, "samples_per_frame": 1}),
)


def speeds(clip, skeleton, hands):
    """How fast hands move beside the hips, (frames, hands, 3) metres a second."""
    joints = skeleton.posed(clip)[1] * np.array(skeleton.world)[0, 0]
    return np.gradient(joints[:, hands] - joints[:, :1], axis=0) * clip.fps


def quiet(clip, bone):
    """Frames in which a bone hardly turns."""
    from made_faults import bones_of, rotations

    mode, columns = bones_of(clip)[bone]
    turns = rotations(clip.values[:, columns], mode)
    pace = np.degrees((turns[:-1].inv() * turns[1:]).magnitude()) * clip.fps
    return scipy.ndimage.gaussian_filter1d(pace, 0.1 * clip.fps) < 15.0


def trembles(clip, result, bone, still):
    """How much what a bone is off changes from frame to frame, in degrees about each axis."""
    from made_faults import bones_of, rotations

    mode, columns = bones_of(clip)[bone]
    off = (rotations(clip.values[:, columns], mode).inv() * rotations(result.values[:, columns], mode)).as_rotvec()
    return np.degrees(np.sqrt(np.mean(np.square(np.diff(off, axis=0)[still])) / 2.0)) if still.any() else np.nan


def smoothed(clip, name, **options):
    """A clip whose rotations, as quaternions without jumps, Blender's own operator has smoothed."""
    from made_faults import beside, bones_of, numbers, rotations
    from scipy.spatial.transform import Rotation

    values, bones = np.array(clip.values), bones_of(clip)
    turns = {bone: rotations(values[:, columns], mode).as_quat() for bone, (mode, columns) in bones.items()}
    for q in turns.values():
        q[1:] *= np.cumprod(np.where((q[1:] * q[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))[:, None]
    curves = by_blender(np.concatenate(list(turns.values()), axis=1), clip.fps, name, options)
    for (mode, columns), q in zip(bones.values(), np.split(curves, len(turns), axis=1)):
        values[:, columns] = beside(numbers(Rotation.from_quat(q), mode), clip.values[:, columns], mode)
    return clip.with_values(values)


def by_blender(signals, fps, name, options):
    """Signals (frames, signals) after an operator of the Graph Editor."""
    import bpy
    from run import graph_editor

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    figure = bpy.data.objects.new("smoothed", None)
    bpy.context.scene.collection.objects.link(figure)
    bpy.context.view_layer.objects.active = figure
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = round(fps), round(fps) / fps
    data, action = figure.animation_data_create(), bpy.data.actions.new("smoothed")
    slot = action.slots.new(id_type="OBJECT", name="smoothed")
    bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
    data.action = action
    data.action_slot = slot
    frames = np.arange(1, len(signals) + 1)
    for index, values in enumerate(signals.T):
        curve = bag.fcurves.new(f'["{index}"]')
        curve.keyframe_points.add(len(values))
        curve.keyframe_points.foreach_set("co", np.column_stack([frames, values]).ravel().astype(np.float32))
        curve.update()
    with graph_editor(list(bag.fcurves)):
        getattr(bpy.ops.graph, name)(**options)
    found = np.empty((len(bag.fcurves), 2 * len(signals)), dtype=np.float32)
    for row, curve in zip(found, bag.fcurves):
        curve.keyframe_points.foreach_get("co", row)
    return found[:, 1::2].T.astype(np.float64)


def table(paths):
    """What is found in takes as they are."""
    from motion_signal.core.faults.findings import LABELS
    from motion_signal.core.faults.look import Look
    from motion_signal.core.files.bvh_take import read_bvh

    print("take                      seconds " + "".join(f"{label:>8}" for label in LABELS))
    sums = np.zeros(len(LABELS) + 1)
    for path in paths:
        clip, skeleton = read_bvh(path, 0.0564444)
        counts = [sum(bar.label == label for bar in Look(clip, skeleton).found) for label in LABELS]
        seconds = clip.frames / clip.fps
        sums += [seconds, *counts]
        print(f"{path.stem[:26]:26} {seconds:6.1f} " + "".join(f"{count:8d}" for count in counts), flush=True)
    print(f"{'all':26} {sums[0]:6.1f} " + "".join(f"{count:8.0f}" for count in sums[1:]))


if __name__ == "__main__":
    sys.path.insert(0, str(TESTS))
    load()
    folder = Path(sys.argv[1])
    chosen = sorted(folder.glob("*.bvh"))
    if sys.argv[2] == "filters":
        filters(next(path for path in chosen if sys.argv[3] in path.stem))
    elif sys.argv[2] == "faults":
        faults([path for path in chosen if not sys.argv[3:] or any(name in path.stem for name in sys.argv[3:])])
    else:
        table(chosen)
