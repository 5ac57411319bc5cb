# SPDX-License-Identifier: GPL-3.0-or-later
"""Demo: a walking figure under three equalizer presets, then with its feet locked, as a .blend file, a picture and a table.

python bench/demo.py [folder]
"""

import importlib.util
import json
import sys
import tempfile
from pathlib import Path

import bpy
import matplotlib
import numpy as np
from matplotlib import pyplot  # noqa: E402

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parent.parent
SOURCE = "source"
PRESETS = {"exaggerate": "#d1495b", "tone_down": "#1f8a84", "nervous_twitch": "#7a4fbf"}
GREY, INK = "#b4b8bf", "#22262e"
APART, BEHIND = 1.6, 2.4  # metres between the figures in the file, and to those with locked feet
INSTANTS, SPACING = 7, 1.2  # stick figures in a row, and metres between them


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    package = load_package("motion_signal")
    package.register()
    try:
        bpy.context.scene.render.fps = 30
        takes = make_takes()
        locked = lock_feet(takes)
        select_alone(takes[SOURCE])
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "motion_signal_demo.blend"), compress=True)
        poses = {name: Pose(figure) for name, figure in takes.items()}
        record(poses)
        slides = {name: (slide(figure), slide(locked[name])) for name, figure in takes.items()}
    finally:
        package.unregister()
    numbers = {name: measure(pose, *slides[name]) for name, pose in poses.items()}
    draw(poses, numbers, folder / "motion_signal_demo.png")
    print_table(numbers)
    print(f"\nWritten: {folder / 'motion_signal_demo.blend'} and {folder / 'motion_signal_demo.png'}")


def load_package(name):
    """Import the checkout as a package of this name, whatever its folder is called."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def make_takes():
    """Put the source and a copy of it for each preset side by side; objects by name of preset."""
    bpy.ops.motion_signal.add_figure()
    source = bpy.context.object
    takes = {SOURCE: source}
    for preset in PRESETS:
        figure = takes[preset] = source.copy()
        figure.name = title(preset)
        bpy.context.collection.objects.link(figure)
        select_alone(figure)
        bpy.ops.motion_signal.equalize(preset=preset)
        figure.animation_data.action.name = title(preset)
    for index, (name, figure) in enumerate(takes.items()):
        figure.location.x = APART * (index - (len(takes) - 1) / 2)
        add_label(title(name), figure.location)
    return takes


def lock_feet(takes):
    """Put a copy of every take with its feet locked behind it; objects by name of preset."""
    locked = {}
    for name, figure in takes.items():
        copy = locked[name] = figure.copy()
        copy.name = f"{title(name)}, feet locked"
        bpy.context.collection.objects.link(copy)
        copy.location.y += BEHIND
        select_alone(copy)
        bpy.ops.motion_signal.lock(amount=1.0)
        copy.animation_data.action.name = copy.name
        add_label(copy.name, copy.location)
    return locked


def title(name):
    return name.replace("_", " ").capitalize()


def select_alone(figure):
    for other in bpy.context.selected_objects:
        other.select_set(False)
    figure.select_set(True)
    bpy.context.view_layer.objects.active = figure


def add_label(text, place):
    """Lay a name on the ground behind a figure."""
    label = bpy.data.objects.new(f"Label {text}", bpy.data.curves.new(f"Label {text}", type="FONT"))
    label.data.body, label.data.align_x, label.data.size = text, "CENTER", 0.2
    label.location = (place.x, place.y + 0.6, place.z)
    bpy.context.collection.objects.link(label)


class Pose:
    """Where the bones of a figure are at each frame: heads and tails (frames, 3) by bone, walking along -Y."""

    def __init__(self, figure):
        self.figure, self.heads, self.tails = figure, {}, {}

    def direction(self, bone):
        along = self.tails[bone] - self.heads[bone]
        return along / np.linalg.norm(along, axis=1, keepdims=True)

    def swing(self, bone):
        """Degrees (frames,) that a hanging bone is swung to the front."""
        direction = self.direction(bone)
        return np.degrees(np.arctan2(-direction[:, 1], -direction[:, 2]))

    def bend(self, upper, lower):
        """Degrees (frames,) between two bones."""
        return np.degrees(np.arccos(np.clip((self.direction(upper) * self.direction(lower)).sum(1), -1, 1)))


def record(poses):
    """Step through the scene and note the evaluated bones of every figure, each seen from its own place."""
    scene = bpy.context.scene
    rows = {name: [] for name in poses}
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        for name, pose in poses.items():
            rows[name].append([(*bone.head, *bone.tail) for bone in pose.figure.pose.bones])
    for name, pose in poses.items():
        ends = np.array(rows[name])
        for index, bone in enumerate(pose.figure.pose.bones):
            pose.heads[bone.name], pose.tails[bone.name] = ends[:, index, :3], ends[:, index, 3:]


CURVES = {"Thigh swing": lambda pose: pose.swing("thigh.L"), "Elbow bend": lambda pose: pose.bend("upper_arm.L", "forearm.L")}


def measure(pose, slid, locked):
    """What the table says of a take: ranges in degrees, then millimetres."""
    return {
        **{name: np.ptp(curve(pose)) for name, curve in CURVES.items()},
        "Pelvis bob": 1000 * np.ptp(pose.heads["hips"][:, 2]),
        "Foot slide": slid,
        "Feet locked": locked,
    }


def slide(figure):
    """Millimetres that planted feet of a figure slide, as the report measures them."""
    select_alone(figure)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        bpy.ops.motion_signal.report(path=str(path))
        found = json.loads(path.read_text())["slide_mean_mm"]
    return found["after"] if isinstance(found, dict) else found


def print_table(numbers):
    units = {name: "deg" if name in CURVES else "mm" for name in numbers[SOURCE]}
    print("\n" + " " * 16 + "".join(f"{f'{name}, {unit}':>18}" for name, unit in units.items()))
    for take, row in numbers.items():
        print(f"{title(take):16}" + "".join(f"{row[name]:18.1f}" for name in units))


def draw(poses, numbers, path):
    """Draw a row for each preset: stick figures over one stride, and two joints over time."""
    pyplot.rcParams.update(
        {
            "font.size": 11,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "axes.edgecolor": GREY,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
    figure, rows = pyplot.subplots(len(PRESETS), 3, figsize=(18, 10), width_ratios=(3.3, 1, 1), sharex="col", sharey="col")
    figure.subplots_adjust(left=0.02, right=0.985, top=0.86, bottom=0.06, wspace=0.14, hspace=0.28)
    figure.text(0.02, 0.955, "One walk, three settings of the equalizer", fontsize=24, fontweight="bold")
    figure.text(0.02, 0.92, "Grey is the walk as it was; color is the new take.", fontsize=13, color="#6b717b")
    for (walkers, *plots), (preset, color) in zip(rows, PRESETS.items()):
        draw_walkers(walkers, poses[SOURCE], poses[preset], color)
        walkers.set_title(title(preset), loc="left", fontsize=17, fontweight="bold", color=color)
        for axes, (name, curve) in zip(plots, CURVES.items()):
            draw_curve(axes, curve(poses[SOURCE]), curve(poses[preset]), color)
            before, after = numbers[SOURCE][name], numbers[preset][name]
            axes.set_title(f"{name}  {before:.0f}° → {after:.0f}°", loc="left", fontsize=12)
    for axes in rows[-1, 1:]:
        axes.set_xlabel("seconds")
    figure.savefig(path, dpi=100, facecolor="white")
    pyplot.close(figure)


def draw_walkers(axes, source, result, color):
    """Draw one stride from the side, walking to the right, the source in grey behind the result."""
    first, last = stride(source)
    for index, frame in enumerate(np.linspace(first, last, INSTANTS, endpoint=False).round().astype(int)):
        origin = source.heads["hips"][frame, 1] + SPACING * index
        for pose, shade, width in ((source, GREY, 5.5), (result, color, 3)):
            draw_sticks(axes, pose, frame, origin, shade, width)
    axes.axhline(0, color=GREY, lw=1, zorder=0)
    axes.set_aspect("equal")
    axes.set_ylim(-0.12, 1.85)
    axes.set_axis_off()


def draw_sticks(axes, pose, frame, origin, color, width):
    """Draw one figure, its far side paler and behind."""
    pale = 1 - 0.45 * (1 - np.array(matplotlib.colors.to_rgb(color)))
    for bone in sorted(pose.heads, key=lambda name: not name.endswith(".L")):
        ends = np.array([pose.heads[bone][frame], pose.tails[bone][frame]])
        across, up = origin - ends[:, 1], ends[:, 2]
        if bone == "head":
            axes.add_patch(pyplot.Circle((across.mean(), up.mean()), 0.1, color=color, lw=width - 2.5))
        else:
            axes.plot(across, up, color=pale if bone.endswith(".L") else color, lw=width, solid_capstyle="round")


def stride(source):
    """First and last frame of a stride in the middle of the walk: from one furthest swing of a thigh to the next."""
    swing = source.swing("thigh.R")
    peaks = [frame for frame in range(8, len(swing) - 8) if swing[frame] == swing[frame - 8 : frame + 9].max()]
    middle = len(peaks) // 2
    return peaks[middle - 1], peaks[middle]


def draw_curve(axes, before, after, color):
    scene = bpy.context.scene
    seconds = np.arange(len(before)) * scene.render.fps_base / scene.render.fps
    axes.plot(seconds, before, color=GREY, lw=2.5)
    axes.plot(seconds, after, color=color, lw=1.6)
    axes.set_xlim(0, seconds[-1])
    axes.yaxis.set_major_formatter("{x:.0f}°")
    axes.margins(y=0.08)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "demo")
