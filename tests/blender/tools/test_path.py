# SPDX-License-Identifier: GPL-3.0-or-later
"""The path in Blender: a curve object made from a take, followed live while it is edited, and any other curve."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.figure.path import PATH
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")


@pytest.fixture
def figure():
    bpy.context.scene.render.fps = 60
    bpy.ops.motion_signal.add_figure()
    return bpy.context.object


def hips(figure, frames=range(1, 361, 12)):
    return rigs.poses(figure, frames)[:, figure.pose.bones.find("hips"), :3, 3]


def drag(curve, index, offset):
    """Move a control point as the animator does, and let Blender tell who listens."""
    point = curve.data.splines[0].points[index]
    point.co[:3] = np.array(point.co[:3]) + offset
    curve.data.update_tag()
    bpy.context.view_layer.update()


def test_an_unchanged_path_gives_the_take_back(figure):
    before = hips(figure)
    bpy.ops.motion_signal.path_create(control_points=6)
    assert panel().notice == "" and preview.session()
    press_apply(PATH)
    assert np.abs(hips(figure) - before).max() < 1e-5


def test_the_figure_follows_a_point_while_it_is_dragged_and_cancel_gives_the_take_back(figure):
    before = hips(figure)
    action = figure.animation_data.action
    bpy.ops.motion_signal.path_create(control_points=6)
    curve = bpy.data.objects[panel().path.curve]
    assert len(curve.data.splines[0].points) == 6
    bpy.context.view_layer.objects.active = curve  # whoever edits a curve has it active
    drag(curve, 3, (1.5, 0.0, 0.0))
    assert panel().notice == ""
    bent = hips(figure)
    assert np.abs(bent - before).max() > 0.5
    drag(curve, 3, (0.5, 0.0, 0.0))
    assert np.abs(hips(figure) - bent).max() > 0.1
    bpy.ops.motion_signal.preview_end()
    assert figure.animation_data.action == action and np.abs(hips(figure) - before).max() == 0.0


@pytest.mark.parametrize("shape", ("STRAIGHT", "MIRROR", "END", "RESET"))
def test_buttons_change_the_curve_and_the_figure_follows(figure, shape):
    before = hips(figure)
    bpy.ops.motion_signal.path_create(control_points=6)
    curve = bpy.data.objects[panel().path.curve]
    drag(curve, 4, (1.0, 0.0, 0.0))
    bent = hips(figure)
    bpy.context.scene.cursor.location = (3.0, -3.0, 0.0)
    assert bpy.ops.motion_signal.path_shape(shape=shape) == {"FINISHED"} and panel().notice == ""
    after = hips(figure)
    assert np.abs(after - bent).max() > 0.1
    if shape == "RESET":
        assert np.abs(after - before).max() < 1e-5
    if shape == "END":
        assert np.linalg.norm(np.array(curve.data.splines[0].points[-1].co[:2]) - (3.0, -3.0)) < 1e-4


@pytest.mark.parametrize("shape", ("STRAIGHT", "MIRROR"))
@pytest.mark.parametrize("control_points", (0, 2, 3))
def test_a_straight_walk_gets_a_path_that_can_be_changed_and_reset(figure, shape, control_points):
    before = hips(figure)
    bpy.ops.motion_signal.path_create(control_points=control_points)
    curve = bpy.data.objects[panel().path.curve]
    bpy.context.scene.cursor.location = (3.0, -3.0, 0.0)
    assert len(curve.data.splines[0].points) in ((control_points,) if control_points else (5, 6, 7))
    for change in (shape, "END", "RESET"):  # the end at the cursor may need more points, which Reset takes away
        assert bpy.ops.motion_signal.path_shape(shape=change) == {"FINISHED"} and panel().notice == ""
    assert np.abs(hips(figure) - before).max() < 1e-5


def test_reset_takes_away_points_that_were_added_by_hand(figure):
    before = hips(figure)
    bpy.ops.motion_signal.path_create()
    curve = bpy.data.objects[panel().path.curve]
    curve.data.splines[0].points.add(2)
    for index in (-2, -1):
        curve.data.splines[0].points[index].co = (3.0, -4.0 + index, 0.0, 1.0)
    bpy.context.view_layer.update()
    assert bpy.ops.motion_signal.path_shape(shape="RESET") == {"FINISHED"}
    assert np.abs(hips(figure) - before).max() < 1e-5


def test_two_figures_on_one_path_stay_together(figure):
    bpy.context.scene.cursor.location = (0.8, 0.0, 0.0)
    bpy.ops.motion_signal.add_figure()
    other = bpy.context.object
    figure.select_set(True)
    other.select_set(True)
    apart = hips(other) + np.array(other.location) - hips(figure)
    bpy.ops.motion_signal.path_create(control_points=6)
    curve = panel().path.curve
    bpy.ops.motion_signal.preview_end()
    drag(bpy.data.objects[curve], 3, (1.5, 0.0, 0.0))
    for each in (figure, other):
        assert bpy.ops.motion_signal.path(object=each.name, curve=curve, ends="ON") == {"FINISHED"}
    after = hips(other) + np.array(other.location) - hips(figure)
    assert np.abs(np.linalg.norm(after, axis=1) - np.linalg.norm(apart, axis=1)).max() < 0.1


@pytest.mark.parametrize("kind", ("BEZIER", "POLY", "moved"))
def test_any_curve_may_be_gone_along(figure, kind):
    data = bpy.data.curves.new("Way", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY" if kind == "moved" else kind)
    places = [(0.0, 0.0, 0.0), (0.0, -3.0, 0.0), (4.0, -6.0, 0.0), (9.0, -6.0, 0.0)]
    points = spline.bezier_points if kind == "BEZIER" else spline.points
    points.add(3)
    for point, place in zip(points, places):
        point.co = place if kind == "BEZIER" else (*place, 1.0)
        if kind == "BEZIER":
            point.handle_left_type = point.handle_right_type = "AUTO"
    way = bpy.data.objects.new("Way", data)
    bpy.context.collection.objects.link(way)
    way.location = (2.0, 1.0, 0.0) if kind == "moved" else (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert bpy.ops.motion_signal.path(curve="Way", ends="ON") == {"FINISHED"}
    placed = hips(figure)
    start = np.array(places[0][:2]) + np.array(way.location[:2])
    assert np.linalg.norm(placed[0, :2] - start) < 0.3 and placed[-1, 0] > start[0] + 2.0


def test_what_cannot_be_gone_along_is_refused_in_a_sentence(figure):
    empty = bpy.data.objects.new("Empty Curve", bpy.data.curves.new("Empty Curve", "CURVE"))
    bpy.context.collection.objects.link(empty)
    for name, words in (
        ("Nothing", "there is no object Nothing"),
        (figure.name, "is no curve object"),
        ("Empty Curve", "Empty Curve is empty"),
    ):
        with rigs.nothing_made(), pytest.raises(RuntimeError, match=words):
            bpy.ops.motion_signal.path(curve=name)
    figure.select_set(False)
    standing = rigs.build_rig(("XYZ", "XYZ"), name="Standing")
    rigs.animate(standing, {key: pairs for key, pairs in rigs.pose_curves(standing, 60).items() if key[0].endswith("euler")})
    with pytest.raises(RuntimeError, match="travel|location|goes"):
        bpy.ops.motion_signal.path_create()


BENT = '{"points": [[0, 0, 0], [1, -2, 0], [-1, -4, 0], [2, -6, 0]]}'


@pytest.mark.parametrize(
    "technique, values",
    [
        ("path", {"path": BENT}),
        ("cycle", {"find": "SEARCH", "repeats": 3}),
        ("join", {"loop": True}),
        ("avatar", {"scale": 2.0}),
        ("speed", {"takes": '[{"action": "Faster"}]', "speed": 1.4}),
    ],
)
def test_a_location_axis_that_is_not_keyed_is_what_the_bone_holds(figure, technique, values):
    """The axis is flat: with its curve or without, figures go to the same places."""
    faster = figure.animation_data.action.copy()
    faster.name = "Faster"
    take, channel = figure.animation_data.action, ('pose.bones["hips"].location', 0)
    for action in (take, faster):
        points = rigs.curves_of(figure, action)[channel].keyframe_points
        points.foreach_set("co", np.array([(point.co[0], 0.05) for point in points], dtype=np.float32).ravel())
    if technique == "speed":
        bpy.ops.motion_signal.timewarp(moves="[[360, 300]]", action="Faster", result="Faster still")
        values = {**values, "takes": '[{"action": "Faster still"}]'}
        figure.animation_data.action = take
    results = []
    for deleted in (False, True):
        figure.animation_data.action = take
        if deleted:
            bag = take.layers[0].strips[0].channelbag(figure.animation_data.action_slot)
            bag.fcurves.remove(bag.fcurves.find(channel[0], index=0))
            figure.pose.bones["hips"].location.x = 0.05
        getattr(bpy.ops.motion_signal, technique)(**values)
        first, last = map(int, figure.animation_data.action.frame_range)
        results.append(rigs.poses(figure, range(first, last + 1, 12))[..., :3, 3])
    assert results[0].shape == results[1].shape and np.abs(results[0] - results[1]).max() < 1e-4


def test_cancel_gives_back_what_an_axis_held_that_is_not_keyed(figure):
    take, pose = figure.animation_data.action, figure.pose.bones["hips"]
    bag = take.layers[0].strips[0].channelbag(figure.animation_data.action_slot)
    bag.fcurves.remove(bag.fcurves.find('pose.bones["hips"].location', index=0))
    pose.location.x = 0.05
    panel().path.path = BENT
    bpy.context.scene.frame_set(100)
    assert panel().notice == "" and abs(pose.location.x - 0.05) > 0.1
    preview.end()
    assert figure.animation_data.action == take and pose.location.x == pytest.approx(0.05)
