# SPDX-License-Identifier: GPL-3.0-or-later
"""What it costs, side by side with peers in one run: `make bench`.

Every figure is a ratio of two times taken alternately in this process, the shortest of several. Milliseconds belong to
the machine; the ratios are what the bounds speak of. The whole operator is measured in a process of its own, as what was
measured before it decides how much memory the system must find anew: `python bench/run.py whole_operator`.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
FPS = 120.0


def main():
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="motion_signal_")
    import bpy

    package = load()
    package.register()
    from body import body
    from fourier import cycles

    if sys.argv[1:] == ["whole_operator"]:
        whole_operator()
        return package.unregister()
    print(f"Blender {bpy.app.version_string}, numpy {np.__version__}, {os.cpu_count()} cores\n")
    print(f"{'what':58} {'ms':>9}  {'ratio':>8}  bound", flush=True)
    try:
        for measure in (filter_bank, drag, read_and_write):
            measure()
        subprocess.run([sys.executable, __file__, "whole_operator"], check=True)
        start_up()
        body(best, line)
        cycles(best, line)
    finally:
        package.unregister()


def load():
    spec = importlib.util.spec_from_file_location("motion_signal", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    sys.modules["motion_signal"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["motion_signal"])
    return sys.modules["motion_signal"]


def best(*works, rounds=15):
    """The shortest time in ms of each of several works, done in turns."""
    times = [[] for _ in works]
    for _ in range(rounds):
        for work, taken in zip(works, times):
            start = time.perf_counter()
            work()
            taken.append((time.perf_counter() - start) * 1e3)
    return [min(taken) for taken in times]


def line(what, milliseconds, ratio="", bound=""):
    print(f"{what:58} {milliseconds:9.2f}  {ratio if isinstance(ratio, str) else f'{ratio:.3g}':>8}  {bound}", flush=True)


def filter_bank():
    """The equalizer's arithmetic beside a copy of the same array and PyWavelets' undecimated transform."""
    import pywt
    from motion_signal.core.numeric.bands import Bank

    signals = np.asfortranarray(np.random.default_rng(0).normal(size=(3000, 210)).cumsum(axis=0))
    padded = np.pad(signals, ((0, 1096), (0, 0)), mode="symmetric")  # swt wants a length of 2^12 for twelve bands
    gains = np.linspace(0.5, 2.0, 13)
    opened = Bank(signals, FPS)
    opened.weighted(gains)
    sharp = Bank(signals, FPS, "SHARP")
    sharp.weighted(gains)
    copy, whole, again, parted = best(
        lambda: signals.copy(order="K"),
        lambda: Bank(signals, FPS).weighted(gains),
        lambda: opened.weighted(gains),
        lambda: sharp.weighted(gains),
        rounds=60,
    )
    (deep,) = best(lambda: pywt.iswt(pywt.swt(padded, "bior3.1", level=12, axis=0), "bior3.1", axis=0), rounds=2)
    print("filter bank, 3,000 frames x 210 channels")
    line("  copy of the array", copy, 1.0)
    line("  equalize, in copies", whole, whole / copy, "at most 25")
    line("  a fader moved, in copies", again, again / copy)
    line("  a fader moved, sharp bands / the paper's", parted, parted / again, "at most 1.2")
    line("  PyWavelets swt and iswt, as many bands", deep)
    line("  equalize / swt", whole, whole / deep, "at most 0.01")


def drag():
    """A fader on 20 seconds of 31 bones: charts and bank, as the preview runs them."""
    from motion_signal.core.declare.faders import EqualizeParams
    from motion_signal.core.techniques import technique

    print("a fader moved, 2,400 frames x 31 bones")
    for mode in ("QUATERNION", "ZYX"):
        process = technique("equalize").open(clip_of(2400, 31, mode))
        params = iter([EqualizeParams(gains=(1.0,) * 5 + (gain,) + (1.0,) * 6) for gain in np.linspace(0.5, 2.0, 40)])
        (taken,) = best(lambda process=process, params=params: process(next(params)), rounds=40)
        line(f"  charts and bank, {mode.lower()}", taken, "", "under 8 ms")


def clip_of(frames, bones, mode):
    from motion_signal.core.motion.clip import Channel, Clip
    from motion_signal.core.numeric.rotation import ROTATION_SIZES

    random = np.random.default_rng(1)
    time_ = np.arange(frames)[:, None] / FPS
    speed, phase, size = random.uniform(2, 30, 3 * bones), random.uniform(0, 6, 3 * bones), random.uniform(0, 0.6, 3 * bones)
    angles = size * np.sin(time_ * speed + phase)
    if mode == "QUATERNION":
        half = 0.5 * angles.reshape(frames, bones, 3)
        norm = np.linalg.norm(half, axis=2, keepdims=True)
        values = np.concatenate([np.cos(norm), half * np.sinc(norm / np.pi)], axis=2).reshape(frames, -1)
    else:
        values = angles
    size = ROTATION_SIZES[mode]
    name = "rotation_quaternion" if size == 4 else "rotation_euler"
    channels = [
        Channel(f'pose.bones["b{bone}"].{name}', index, mode, f"b{bone}") for bone in range(bones) for index in range(size)
    ]
    places = random.normal(size=(frames, 3)).cumsum(axis=0) * 0.01
    channels += [Channel('pose.bones["b0"].location', index, "LOCATION", "b0") for index in range(3)]
    return Clip(np.asfortranarray(np.hstack([values, places])), tuple(channels), FPS, 1)


def rig(clip, name):
    """An armature object with the clip as its action, dense and linear as an importer leaves it."""
    import bpy
    from motion_signal.operators.bridge.actions import channelbag
    from motion_signal.operators.bridge.keyframes import dense_keys, new_curve, set_keys

    armature = bpy.data.armatures.new(name)
    subject = bpy.data.objects.new(name, armature)
    bpy.context.collection.objects.link(subject)
    bpy.context.view_layer.objects.active = subject
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in dict.fromkeys(channel.owner for channel in clip.channels):
        armature.edit_bones.new(bone).tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    action = bpy.data.actions.new(name)
    slot = action.slots.new(id_type="OBJECT", name=name)
    data = subject.animation_data_create()
    data.action, data.action_slot = action, slot
    bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
    frames = np.arange(clip.first_frame, clip.last_frame + 1)
    for column, channel in enumerate(clip.channels):
        set_keys(new_curve(bag, channel), dense_keys(frames, clip.values[:, column], None))
    assert channelbag(action, slot) is not None
    bpy.context.scene.render.fps = int(FPS)
    return subject


def read_and_write():
    """Curves in and out beside the bare calls, on 90 curves x 3,000 keys."""
    import bpy
    from motion_signal.core.declare.scope import ScopeParams
    from motion_signal.operators.bridge.actions import channelbag
    from motion_signal.operators.bridge.scope import gather
    from motion_signal.operators.bridge.writer import Writer

    fresh()
    clip = clip_of(3000, 29, "ZYX")
    subject = rig(clip, "ninety")
    scope = gather(bpy.context, ScopeParams(), subject)
    bag = channelbag(scope.action.copy(), scope.slot)
    bag = bag or channelbag(bpy.data.actions[-1], bpy.data.actions[-1].slots[0])
    buffers = [np.empty(6000, dtype=np.float32) for _ in scope.curves]

    def bare():
        for curve, buffer in zip(scope.curves, buffers):
            curve.keyframe_points.foreach_get("co", buffer)
        for curve, buffer in zip(bag.fcurves, buffers):
            curve.keyframe_points.foreach_set("co", buffer)

    take = scope.read()
    writer = Writer(take)
    moved = [take.clip.with_values(np.asfortranarray(take.clip.values + step)) for step in (0.1, 0.2)]
    writer.write(bag, moved[0])
    turns = iter(range(1000))

    def ours():
        scope.read()
        writer.write(bag, moved[next(turns) % 2])

    plain, own = best(bare, ours, rounds=25)
    print(f"read and write, {len(scope.curves)} curves x 3,000 keys")
    line("  bare foreach_get and foreach_set", plain, 1.0)
    line("  read a take, write a result", own, own / plain, "at most 1.5")


def whole_operator():
    """The operator and the preview's rewrite beside Blender's own Butterworth filter, 283 curves x 3,000 keys."""
    import bpy
    from motion_signal.core.techniques import technique
    from motion_signal.operators.bridge.actions import channelbag
    from motion_signal.operators.tools import technique_operators

    fresh()
    subject = rig(clip_of(3000, 70, "QUATERNION"), "seventy")
    source, slot = subject.animation_data.action, subject.animation_data.action_slot.identifier
    settings = bpy.context.window_manager.motion_signal.equalize
    gains = "[1, 1, 1, 1, 1, 2, 1.5, 1, 1, 1, 1, 1]"
    faders = iter(np.linspace(1.0, 2.0, 1000))

    def give_back():
        for action in [action for action in bpy.data.actions if action is not source]:
            subject.animation_data.action = source
            subject.animation_data.action_slot = source.slots[slot]
            bpy.data.actions.remove(action)

    def timed(work, before):
        before()
        bpy.context.view_layer.update()
        start = time.perf_counter()
        work()
        return (time.perf_counter() - start) * 1e3

    def operator():
        bpy.ops.motion_signal.equalize(gains=gains)

    def bare():
        """What any such operator asks of Blender: a copy, all keys out of it and into it, and the object having it."""
        copy = source.copy()
        bag, pairs = channelbag(copy, copy.slots[slot]), np.empty(6000, dtype=np.float32)
        for curve in bag.fcurves:
            curve.keyframe_points.foreach_get("co", pairs)
            curve.keyframe_points.foreach_set("co", pairs)
        subject.animation_data.action = copy
        subject.animation_data.action_slot = copy.slots[slot]
        bpy.context.view_layer.update()

    def rewrite():
        settings.gains = f"[1, 1, 1, 1, 1, {next(faders)}, 1.5, 1, 1, 1, 1, 1]"

    def press():
        """What the Apply button does; there are no events without a window, so a twin of the operator invokes itself."""
        twin = technique_operators.operator_for(technique("equalize"))
        twin.bl_idname = "motion_signal.pressed"
        twin.execute = lambda self, context: self.invoke(context, None)
        bpy.utils.register_class(twin)
        bpy.context.view_layer.update()  # what is shown was drawn before anybody presses
        start = time.perf_counter()
        bpy.ops.motion_signal.pressed()
        taken = (time.perf_counter() - start) * 1e3
        bpy.utils.unregister_class(twin)
        return taken

    times = {"butterworth": [], "bare": [], "operator": [], "preview": [], "apply": []}
    for _ in range(5):
        times["butterworth"].append(butterworth(source, subject))
        times["bare"].append(timed(bare, give_back))
        times["operator"].append(timed(operator, give_back))
        give_back()
        rewrite()
        times["preview"] += [timed(rewrite, lambda: None) for _ in range(3)]
        times["apply"].append(press())
        give_back()
    lowest = {name: min(taken) for name, taken in times.items()}
    print(f"whole operator, {len(source.layers[0].strips[0].channelbags[0].fcurves)} curves x 3,000 keys")
    line("  Blender's graph.butterworth_smooth", lowest["butterworth"], 1.0)
    line("  a copy, its keys out and in, evaluated", lowest["bare"], lowest["bare"] / lowest["butterworth"])
    line("  motion_signal.equalize", lowest["operator"], lowest["operator"] / lowest["butterworth"], "at most 1.2")
    line("  preview, a fader moved", lowest["preview"], lowest["preview"] / lowest["butterworth"], "at most 0.4")
    line("  Apply after it", lowest["apply"], lowest["apply"] / lowest["butterworth"], "at most 0.3")


def butterworth(source, subject):
    """Time Blender's filter on a copy of the action, all keys selected, in a Graph Editor."""
    import bpy

    copy = source.copy()
    data = subject.animation_data
    identifier = data.action_slot.identifier
    data.action = copy
    data.action_slot = copy.slots[identifier]
    with graph_editor(copy.layers[0].strips[0].channelbags[0].fcurves):
        start = time.perf_counter()
        bpy.ops.graph.butterworth_smooth(cutoff_frequency=6.0)
        taken = (time.perf_counter() - start) * 1e3
    data.action = source
    data.action_slot = source.slots[identifier]
    bpy.data.actions.remove(copy)
    return taken


@contextmanager
def graph_editor(curves):
    """A Graph Editor in which all keys of some curves are selected."""
    import bpy

    for curve in curves:
        curve.select = True
        curve.keyframe_points.foreach_set("select_control_point", np.ones(len(curve.keyframe_points), dtype=bool))
    window = bpy.context.window_manager.windows[0]
    area = window.screen.areas[0]
    area.type = "GRAPH_EDITOR"
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        area.spaces.active.dopesheet.show_only_selected = False
        bpy.context.view_layer.update()
        yield


def fresh():
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def start_up():
    """What importing and registering adds to Blender's start, in processes of their own."""
    code = (
        "import time, bpy, sys, importlib.util\n"
        "start = time.perf_counter()\n"
        f"spec = importlib.util.spec_from_file_location('motion_signal', {str(ROOT / '__init__.py')!r}, "
        f"submodule_search_locations=[{str(ROOT)!r}])\n"
        "module = importlib.util.module_from_spec(spec); sys.modules['motion_signal'] = module\n"
        "spec.loader.exec_module(module); module.register()\n"
        "print('took', (time.perf_counter() - start) * 1e3); module.unregister()\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def start():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        return float(done.stdout.split("took")[1].split()[0])

    start()  # compiles, as it does when the extension is installed
    taken = [start() for _ in range(6)]
    print("start")
    line("  import and register", min(taken), "", "under 150 ms")


if __name__ == "__main__":
    main()
