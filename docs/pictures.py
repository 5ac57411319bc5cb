# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the pictures of the window again that the pages in docs/ show.

    make build PLATFORM=linux-x64
    python3 docs/pictures.py [folder [main at_the_end ...]]

Needs what the window tests need: a screen of 1600 x 1000, `blender`, xdotool and ImageMagick.
"""

import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests" / "gui"))

from window import CONTROLS, STEP, Window  # noqa: E402

CLOSE = """
bpy.context.preferences.inputs.use_mouse_continuous = False
bpy.context.preferences.system.viewport_aa = '8'  # tests do without
area = next(area for area in window.screen.areas if area.type == area_type)
with bpy.context.temp_override(area=area):
    bpy.ops.screen.area_close()
"""
SCENE = """
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
bpy.context.scene.render.fps = 30
bpy.ops.motion_signal.add_figure(rotation_mode='XYZ')
bpy.context.scene.frame_set(84)
area = max(window.screen.areas, key=lambda area: area.width * area.height)
with bpy.context.temp_override(area=area, region=area.regions[-1]):
    bpy.ops.screen.area_split(direction='VERTICAL', factor=0.3)
"""
EDITORS = """
import mathutils
area = max(window.screen.areas, key=lambda area: area.width * area.height)
area.ui_type = 'FCURVES'
area.spaces.active.show_region_ui = True
area.spaces.active.show_cursor = False
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
view = area.spaces.active
view.show_region_toolbar = view.show_gizmo = False
view.overlay.show_relationship_lines = view.overlay.show_text = view.overlay.show_cursor = False
turn = mathutils.Euler((1.4, 0.0, 0.85)).to_quaternion()
view.region_3d.view_rotation, view.region_3d.view_perspective = turn, 'PERSP'
figure = bpy.context.object
view.region_3d.view_location = figure.pose.bones['hips'].head + mathutils.Vector((0.0, 0.0, -0.05))
view.region_3d.view_distance = 2.9
bpy.ops.object.mode_set(mode='POSE')
chosen = ('thigh.L', 'shin.L')
for bone in figure.pose.bones:
    bone.select = bone.name in chosen
figure.data.bones.active = figure.data.bones['thigh.L']
bag = figure.animation_data.action.layers[0].strips[0].channelbags[0]
for curve in bag.fcurves:
    curve.hide = not (curve.group.name in chosen and curve.array_index == 0)
    curve.select = not curve.hide
    for key in curve.keyframe_points:
        key.select_control_point = False
"""
TAB = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
next(region for region in area.regions if region.type == 'UI').active_panel_category = 'Motion'
region = next(region for region in area.regions if region.type == 'WINDOW')
with bpy.context.temp_override(area=area, region=region):
    bpy.ops.anim.channels_expand()
    bpy.ops.anim.channels_expand()
    bpy.ops.graph.view_all()
"""


ADD = (242, CONTROLS)  # from the upper left corner of the tab to the + beside a list, in the first step
SETTINGS = "settings = bpy.context.window_manager.motion_signal\n"
LIMB = (
    SETTINGS
    + """
settings.equalize.gains = '[1, 1, 1, 1, 1, 1.5, 1.6, 1.4]'
settings.equalize.limbs = '{"upper_arm.L": [1, 1, 1, 1, 1, 1, 2, 2.2]}'
settings.equalize.limbs_row = 'upper_arm.L'
settings.equalize.mute = '[3]'
settings.equalize.solo = '[5, 6, 7]'
"""
)
SCOPE = (
    SETTINGS
    + """
settings.scope.scope, settings.scope.frames = 'BONES', 'RANGE'
settings.scope.frame_start, settings.scope.frame_end = 40, 120
settings.scope.keys = 'FEWEST'
"""
)
RAISED = SETTINGS + "settings.equalize.gains = '[1, 1, 1, 1, 1, 1.8, 1.5, 1.2]'"
KNEE = (
    SETTINGS
    + """
bpy.context.object.data.bones.active = bpy.context.object.data.bones['shin.L']
bpy.ops.motion_signal.preset_load(technique='waveshape', preset='press')
settings.waveshape.measure = 'X'
"""
)
POSED = """
import math
import mathutils
figure = bpy.context.object
for frame, names, degrees in ((50, ('thigh.L', 'shin.L'), 20), (84, ('thigh.L', 'upper_arm.R', 'forearm.R'), -40)):
    bpy.context.scene.frame_set(frame)
    for name in names:
        bone = figure.pose.bones[name]
        bone.matrix_basis = bone.matrix_basis @ mathutils.Matrix.Rotation(math.radians(degrees), 4, 'X')
    bpy.context.view_layer.update()
    bpy.ops.motion_signal.displace_key_add()
bpy.context.window_manager.motion_signal.displace.displacement_keys_rows[0].reach = 0.5
"""
OTHERS = """
figure = bpy.context.object
bpy.ops.object.mode_set(mode='OBJECT')
figure.animation_data.action = bpy.data.actions['Walking Figure']
for speed, name in ((0.9, 'Stroll'), (1.8, 'Brisk Walk')):
    bpy.ops.motion_signal.add_figure(rotation_mode='XYZ', speed=speed)
    made = bpy.context.object
    made.animation_data.action.name = name
    made.animation_data.action.use_fake_user = True
    bpy.data.objects.remove(made)
bpy.context.view_layer.objects.active = figure
figure.select_set(True)
bpy.ops.object.mode_set(mode='POSE')
bag = figure.animation_data.action.layers[0].strips[0].channelbags[0]
for curve in bag.fcurves:
    curve.hide = not (curve.group.name == 'thigh.L' and curve.array_index == 0)
    curve.select = not curve.hide
    for key in curve.keyframe_points:
        key.select_control_point = False
"""
TIMEWARP = (
    SETTINGS
    + """
settings.timewarp.reference, settings.timewarp.timing = 'Stroll', 0.6
bpy.context.scene.frame_set(84)
bpy.ops.motion_signal.timewarp_pair_add()
"""
)
BLEND = (
    SETTINGS
    + """
settings.blend.takes_rows[1].weight, settings.blend.takes_rows[2].weight = 0.3, 0.8
"""
)
JOIN = SETTINGS + "settings.join.take = 'Brisk Walk'"
LOCK = (
    SETTINGS
    + """
bpy.ops.motion_signal.contacts()
bpy.ops.motion_signal.equalize(preset='exaggerate')
settings.lock.amount = 1.0
"""
)
BENT = (
    SETTINGS
    + """
import mathutils
settings.show_contacts = False
bpy.ops.motion_signal.path_create(control_points=6)
curve = bpy.data.objects[settings.path.curve]
curve.name = settings.path.curve = 'Way'
view = next(area for area in window.screen.areas if area.type == 'VIEW_3D').spaces.active.region_3d
view.view_rotation = mathutils.Euler((0.9, 0.0, 0.6)).to_quaternion()
view.view_location, view.view_distance = (0.6, -3.6, 0.4), 8.0
"""
)
BEND = """
points = bpy.data.objects['Way'].data.splines[0].points
for place, across in ((2, 1.6), (3, 2.4), (4, 0.6)):
    points[place].co.x += across
bpy.data.objects['Way'].data.update_tag()
bpy.context.view_layer.update()
"""
HILL = """
import math, mathutils
figure = bpy.context.object
bpy.ops.object.mode_set(mode='OBJECT')
bpy.ops.mesh.primitive_grid_add(x_subdivisions=120, y_subdivisions=120, size=16.0, location=(0.0, -2.0, 0.0))
hill = bpy.context.object
hill.name = 'Hill'
for corner in hill.data.vertices:
    x, y, _ = corner.co
    corner.co.z = 0.12 * math.sin(2.1 * x) * math.cos(1.7 * y) + 0.05 * math.sin(5.0 * (x + y)) - 0.16 * y
bpy.context.view_layer.objects.active = figure
hill.select_set(False)
figure.select_set(True)
bpy.ops.object.mode_set(mode='POSE')
bpy.context.scene.frame_set(80)
view = next(area for area in window.screen.areas if area.type == 'VIEW_3D').spaces.active.region_3d
view.view_rotation = mathutils.Euler((1.4, 0.0, 1.25)).to_quaternion()
hips = figure.matrix_world @ figure.pose.bones['hips'].head
view.view_location, view.view_distance = hips - mathutils.Vector((0.0, 0.0, 0.1)), 2.6
"""
ON_HILL = (
    SETTINGS
    + """
settings.scope.ground = 'Hill'
settings.lock.amount = 1.0
"""
)
BACK_TO_THE_TAKE = "bpy.context.object.animation_data.action = bpy.data.actions['Walking Figure']"
LOOPS = SETTINGS + "settings.cycle.find, settings.cycle.path = 'SEARCH', 'STRAIGHT'"
HARMONICS = (
    SETTINGS
    + """
bpy.ops.motion_signal.cycle(find='SEARCH', path='STRAIGHT', result='Cycle')
settings.harmonics.harmonics = 5
settings.harmonics.gains = '[1.2, 1.4, 0.6]'
"""
)
PLANE = (
    SETTINGS
    + """
figure = bpy.context.object
bpy.context.object.animation_data.action.use_fake_user = True
for source in ('Stroll', 'Brisk Walk'):
    figure.animation_data.action = bpy.data.actions[source]
    figure.animation_data.action_slot = bpy.data.actions[source].slots[0]
    bpy.ops.motion_signal.cycle(find='SEARCH', path='STRAIGHT', result=f'{source} Cycle')
    figure.animation_data.action.use_fake_user = True
"""
)
PUCK = (
    SETTINGS
    + """
settings.network.points = ('[{"action": "Stroll Cycle"}, {"action": "Cycle", "x": 0.5, "y": 1},'
                           ' {"action": "Brisk Walk Cycle", "x": 1}]')
settings.network.puck_x, settings.network.puck_y = 0.5, 0.45
"""
)
WALKS = (
    SETTINGS
    + """
settings.speed.takes = '[{"action": "Stroll"}, {"action": "Brisk Walk"}]'
settings.speed.repeats = 3
settings.speed.speed = 1.6
"""
)
EVENTS = (
    SETTINGS
    + """
settings.wavelet_blend.take = 'Stroll'
bpy.ops.motion_signal.wavelet_events()
settings.wavelet_blend.amount = 0.4
"""
)
CARTOON = SETTINGS + "settings.scope.keep_ends = True\nsettings.cartoon.strength = 1.5"
FADERS = (
    SETTINGS
    + """
for frame, gain in ((60, 1.0), (90, 2.5)):
    bpy.context.scene.frame_set(frame)
    gains = [1.0] * 32
    gains[6] = gain
    settings.equalize.gains_view = gains
    bpy.ops.motion_signal.automate_key(band=6)
"""
)
MOOD = SETTINGS + "bpy.ops.motion_signal.preset_load(technique='style', preset='tired')"
APPLIED = """
bpy.context.object.animation_data.action = bpy.data.actions['Walking Figure']
bpy.ops.motion_signal.equalize(preset='exaggerate')
bpy.ops.motion_signal.lock(amount=1.0)
bpy.ops.motion_signal.report()
"""
THREE = """
bpy.ops.motion_signal.goal(goal='sadder')
bpy.ops.motion_signal.add_step(technique='equalize')
bpy.context.window_manager.motion_signal.equalize.gains = '[1, 1, 1, 1, 1.2, 1.6, 1.4, 1.2]'
bpy.ops.motion_signal.add_step(technique='lock')
bpy.ops.motion_signal.step_change(step=1, change='OPEN')
"""
STEPS = """
bpy.context.object.animation_data.action = bpy.data.actions['Walking Figure']
bpy.ops.motion_signal.equalize(preset='exaggerate')
bpy.ops.motion_signal.waveshape(preset='s_curve', scope='NAMED', bones='upper_arm.L, forearm.L', frames='RANGE',
                                frame_start=40, frame_end=120)
bpy.ops.motion_signal.lock(amount=1.0, keys='BODY')
bpy.ops.motion_signal.recipe_change(step=1, change='SWITCH')
"""
NOTHING = "bpy.ops.pose.select_all(action='DESELECT')"  # steps begin with what is selected: the whole take
THIGH = "bpy.context.object.pose.bones['thigh.L'].select = True"  # and then there are curves to be seen
LISTED = {"blend": ("Stroll", "Brisk Walk")}  # what is chosen in the popup of its +
FACE = """
area = next(area for area in window.screen.areas if area.type == 'GRAPH_EDITOR')
region = next(region for region in area.regions if region.type == 'WINDOW')
with bpy.context.temp_override(area=area, region=region):
    bpy.ops.graph.view_all()
"""


NAMES = {"waveshape": "shaper", "displace": "displacement"}  # what their pages are called


@contextmanager
def opened(folder):
    """A window with a walking figure and the Motion tab, and the desk that takes its pictures."""
    with Window() as window:
        for area in ("PROPERTIES", "OUTLINER"):
            window.run(CLOSE, area_type=area)
            time.sleep(1)
        for code in (SCENE, EDITORS, TAB):
            window.run(code)
            window.settle()
        yield window, Desk(window, folder)


HELD = (
    SETTINGS
    + """
import json
import mathutils
curve = bpy.data.curves.new('Rail', 'CURVE')
curve.dimensions, curve.bevel_depth = '3D', 0.015
spline = curve.splines.new('NURBS')
spline.points.add(3)
figure = bpy.context.object
hand = figure.matrix_world @ figure.pose.bones['hand.L'].head
for point, along in zip(spline.points, (2.0, 0.7, -0.7, -2.0)):
    point.co = (hand.x + 0.1, hand.y + along, hand.z + 0.12, 1.0)
spline.order_u, spline.use_endpoint_u = 4, True
rail = bpy.data.objects.new('Rail', curve)
bpy.context.scene.collection.objects.link(rail)
settings.pins.pins = json.dumps([
    {'bone': 'hand.R', 'first': 60, 'last': 100, 'target_bone': 'hips', 'hold': 'PLACE', 'x': -0.17, 'y': 0.1, 'z': 0.02},
    {'bone': 'hand.L', 'first': 70, 'last': 110, 'target': 'Rail', 'hold': 'PLACE'},
])
settings.pins.pins_index = 1
"""
)


def main(folder):
    with opened(folder) as (window, desk):
        desk.step_aside()
        desk.shoot_tab("goals.png")
        desk.run(NOTHING)
        desk.run(THREE)
        desk.step_aside()
        desk.shoot_tab("rack.png")
        desk.cancel()
        desk.equalizer()
        for name, code in (("waveshape", KNEE), ("displace", POSED)):
            desk.take(NAMES.get(name, name), name, code)
        desk.run(OTHERS)
        for name, code in (("timewarp", TIMEWARP), ("blend", BLEND), ("join", JOIN), ("lock", LOCK)):
            desk.take(name, name, code, whole=True)
        desk.path()
        desk.run(BACK_TO_THE_TAKE)
        for name, code in (("cycle", LOOPS), ("harmonics", HARMONICS)):
            desk.take(name, name, code, whole=name == "cycle")
        desk.run(PLANE)
        desk.run(BACK_TO_THE_TAKE)
        for name, code in (
            ("network", PUCK),
            ("speed", WALKS),
            ("wavelet_blend", EVENTS),
            ("cartoon", CARTOON),
            ("style", MOOD),
        ):
            desk.take(name, name, code, whole=name in ("network", "speed", "cartoon"))
        desk.take("automate", "equalize", FADERS)


def at_the_end(folder):
    """A step's scope, the report, and the steps of a result, one of them open."""
    with opened(folder) as (window, desk):
        window.add_step("equalize")
        desk.run(SCOPE)
        desk.click(60, STEP + 268)  # Scope
        desk.step_aside()
        desk.shoot_tab("equalizer_scope.png")
        desk.click(60, STEP + 268)
        desk.cancel()
        desk.run(APPLIED)
        desk.shoot_tab("report.png")
        desk.run(STEPS)
        desk.step_aside()
        desk.shoot_tab("recipe.png")
        desk.run("bpy.ops.motion_signal.reopen(step=0)")
        desk.step_aside()
        desk.shoot_tab("recipe_edit.png")


def on_a_mesh(folder):
    """The figure before and after it is put on a mesh, by the field in Scope."""
    with opened(folder) as (window, desk):
        desk.run(HILL)
        left, top, width, height = window.region("VIEW_3D", "WINDOW")
        view = left, top + height // 6, width, 2 * height // 3
        desk.shoot("ground_before.png", view)
        desk.run(ON_HILL)
        desk.shoot("ground_after.png", view)


def with_pins(folder):
    """A hand on a rail and one on the hip, their rows and their bars."""
    with opened(folder) as (window, desk):
        window.add_step("pins")
        desk.run(HELD)
        desk.run(THIGH)
        desk.run(FACE)
        desk.step_aside()
        left, top, width, _ = window.region("GRAPH_EDITOR", "WINDOW")
        view, above, _, _ = window.region("VIEW_3D", "WINDOW")
        desk.shoot("pins.png", (view, top, left + width + desk.width - view, 760))


FAULTY = """
import random
random.seed(1)
bag = bpy.context.object.animation_data.action.layers[0].strips[0].channelbags[0]
for curve in bag.fcurves:
    for bone, frames in (('thigh.L', (36, 97)), ('forearm.R', (60,)), ('head', (41,))):
        if f'"{bone}"' in curve.data_path and curve.data_path.endswith('euler') and curve.array_index == 0:
            for key in curve.keyframe_points:
                key.co.y += 0.6 if round(key.co.x) in frames else 0.0
    if '"upper_arm.L"' in curve.data_path:
        for key in curve.keyframe_points:
            key.co.y += random.gauss(0.0, 0.03)
    curve.update()
"""


def faults(folder):
    """What was found in a walk that has faults."""
    with opened(folder) as (window, desk):
        desk.run(FAULTY)
        window.add_step("clean")
        desk.step_aside()
        left, top, width, _ = window.region("GRAPH_EDITOR", "WINDOW")
        desk.shoot("clean.png", (left, top, width + desk.width, 840))


def on_the_beat(folder):
    """A walk on 100 beats a minute, and the beats in their lane."""
    with opened(folder) as (window, desk):
        window.add_step("music")
        desk.run(SETTINGS + "settings.music.tempo = 100.0")
        desk.step_aside()
        left, top, width, _ = window.region("GRAPH_EDITOR", "WINDOW")
        desk.shoot("music.png", (left, top, width + desk.width, 840))


def fitted(folder):
    """A walk that is made to last longer."""
    with opened(folder) as (window, desk):
        window.add_step("fit_length")
        desk.run(SETTINGS + "settings.fit_length.seconds = 8.0")
        desk.step_aside()
        desk.shoot_tab("fit_length.png")


WAY = (
    SETTINGS
    + """
import json
curve = bpy.data.curves.new('Way', 'CURVE')
curve.dimensions = '3D'
spline = curve.splines.new('NURBS')
spline.points.add(4)
for point, place in zip(spline.points, ((0, 0), (0, -1.5), (1.6, -2.5), (1.8, -4.5), (0, -6))):
    point.co = (*place, 0.0, 1.0)
spline.order_u, spline.use_endpoint_u = 4, True
bpy.context.collection.objects.link(bpy.data.objects.new('Way', curve))
keys = [{'along': 1.0, 'speed': 1.1}, {'along': 4.0, 'speed': 0.0}, {'along': 5.0, 'speed': 1.4}]
settings.locomotion.speed_keys = json.dumps(keys)
settings.locomotion.curve = 'Way'
"""
)


def along_a_curve(folder):
    """A figure that walks a curve and stops on the way."""
    with opened(folder) as (window, desk):
        window.add_step("locomotion")
        desk.run(WAY)
        desk.step_aside()
        desk.shoot_tab("locomotion.png")


def with_weight(folder):
    """A walk with a heavy posture, and what weight makes of it."""
    with opened(folder) as (window, desk):
        desk.run("bpy.ops.motion_signal.equalize(dc_gain=1.8)")
        window.add_step("weight")
        desk.run(THIGH)
        desk.run(FACE)
        desk.step_aside()
        left, top, width, _ = window.region("GRAPH_EDITOR", "WINDOW")
        view, above, _, _ = window.region("VIEW_3D", "WINDOW")
        desk.shoot("weight.png", (view, top, left + width + desk.width - view, 700))


def alive(folder):
    """A few poses with the life of the walk that they are of."""
    with opened(folder) as (window, desk):
        desk.run(POSES)
        window.add_step("life")
        desk.run(SETTINGS + "settings.life.take = 'Walk'")
        desk.step_aside()
        left, top, width, _ = window.region("GRAPH_EDITOR", "WINDOW")
        desk.shoot("life.png", (left, top, width + desk.width, 840))


def between_walks(folder):
    """A walk as fast as its fader says, between a slow and a fast one."""
    with opened(folder) as (window, desk):
        as_many_steps = "speed=speed, seconds=6.0 * (1.3 / speed) ** 0.5)"
        desk.run(OTHERS.replace("speed=speed)", as_many_steps))
        window.add_step("between")
        desk.run(SETTINGS + BETWEEN)
        desk.step_aside()
        left, top, width, _ = window.region("GRAPH_EDITOR", "WINDOW")
        desk.shoot("between.png", (left, top, width + desk.width, 620))


BETWEEN = """
settings.between.takes = '[{"action": "Stroll"}, {"action": "Brisk Walk"}]'
bpy.ops.motion_signal.between_ask(field='by_speed')
settings.between.speed = 1.55
"""
POSES = """
action = bpy.context.object.animation_data.action
walk = action.copy()
walk.name, walk.use_fake_user = 'Walk', True
for curve in action.layers[0].strips[0].channelbags[0].fcurves:
    values = {frame: curve.evaluate(frame) for frame in (1, 61, 121, 180)}
    curve.keyframe_points.clear()
    for frame, value in values.items():
        curve.keyframe_points.insert(frame, value)
    curve.update()
"""


class Desk:
    """The Motion tab in front of a camera; places are pixels from its top left."""

    def __init__(self, window, folder):
        self.window, self.folder = window, folder
        self.left, self.top, self.width, _ = window.region("GRAPH_EDITOR", "UI")

    def run(self, code):
        self.window.run(code)
        time.sleep(0.5)
        self.window.settle()

    def click(self, across, down):
        self.window.move(self.left + across, self.top + down)
        self.window.settle()
        self.window.click(self.left + across, self.top + down)
        time.sleep(0.5)  # panels unfold slowly
        self.window.settle()

    def take(self, picture, technique, code, whole=False):
        """A step of its own: choose what it lists, with its +, set the rest, take its picture, and the editor's."""
        self.run(NOTHING)
        self.window.add_step(technique)
        for action in LISTED.get(technique, ()):
            self.window.choose(*ADD, name=action)
        self.run(code)
        self.run(THIGH)
        self.run(FACE)
        self.step_aside()
        self.shoot_tab(f"{picture}.png")
        left, top, width, height = self.window.region("GRAPH_EDITOR", "WINDOW")
        if whole:
            self.shoot(f"{picture}_window.png", (left, top, width + self.width, 840))
        if technique == "waveshape":
            self.shoot("shaper_portrait.png", (left + width - 420, top + height - 330, 420, 330))
        if technique == "displace":
            self.shoot("displacement_keys.png", (left, top, width, 260))
        self.cancel()

    def cancel(self):
        """Take the rack's changes back."""
        self.run("bpy.ops.motion_signal.preview_end()")

    def equalizer(self):
        """The equalizer neutral, with its presets, with faders of a limb, and applied with the redo panel."""
        self.window.add_step("equalize")
        self.step_aside()
        self.shoot_tab("equalizer_neutral.png")
        self.click(100, CONTROLS - 25)
        self.shoot("equalizer_presets.png", self.tab(0, 560))
        self.window.key("Escape")
        self.run(LIMB)
        self.step_aside()
        self.shoot_tab("equalizer_preview.png")
        self.cancel()
        self.window.add_step("equalize")
        self.run(RAISED)
        self.run(THIGH)
        self.run(FACE)
        self.step_aside()
        self.shoot("window.png")
        self.cancel()

    def path(self):
        """The figure before and after its path is bent, and the step."""
        self.run(BENT)
        view = self.window.region("VIEW_3D", "WINDOW")
        self.shoot("path_before.png", view)
        self.run(BEND)
        self.shoot("path_after.png", view)
        self.run(FACE)
        self.step_aside()
        self.shoot_tab("path.png")
        self.cancel()
        self.run("bpy.data.objects.remove(bpy.data.objects['Way'])")

    def shoot_tab(self, name):
        """The tab as far down as there is anything in it."""
        _, top, _, height = self.window.region("GRAPH_EDITOR", "UI")
        path = self.folder / name
        self.shoot(name, (self.left, top, self.width - 30, height - 16))
        subprocess.run(["mogrify", "-trim", "+repage", path], check=True)

    def tab(self, above, below):
        return self.left, self.top + above, self.width, below - above

    def shoot(self, name, box=None):
        """Save a part of the screen, or all of it, in few enough colors to be small; never one that shows an error."""
        notice = self.window.run(SETTINGS + "result = settings.notice")
        if notice:
            raise RuntimeError(f"{name} would show: {notice}")
        path = self.window.picture(self.folder / name, box)
        subprocess.run(
            ["mogrify", "-strip", "+dither", "-quantize", "Lab", "-colors", "200", "-define", "png:compression-level=9", path],
            check=True,
        )
        path.chmod(0o644)

    def step_aside(self):
        self.window.move(30, 700)
        time.sleep(1)
        self.window.settle()


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    takers = (main, at_the_end, on_a_mesh, with_pins, faults, on_the_beat, fitted, along_a_curve, with_weight, alive)
    for some in (*takers, between_walks):
        if not sys.argv[2:] or some.__name__ in sys.argv[2:]:
            some(target)
