# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches are no signals: no technique filters them, and whoever changes time takes them along as steps."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.declare.scope import ScopeParams
from bl_ext.dev.motion_signal.core.techniques import TECHNIQUES
from bl_ext.dev.motion_signal.operators.bridge.scope import gather
from bl_ext.dev.motion_signal.operators.tools.walking_figure import create_figure

FPS, LAST = 30, 180
ON_OFF = [(1, 0.0), (61, 1.0), (121, 0.0)]
IK_FK, FOLLOW = 'pose.bones["thigh.L"]["IK_FK"]', 'pose.bones["head"]["follow"]'
INFLUENCE, SCALE = 'constraints["Follow"].influence', 'pose.bones["head"].scale'
STEPS = ((IK_FK, 0), ('["steps"]', 0), ("hide_render", 0), ('["count"]', 0), *((SCALE, index) for index in range(3)))
EVEN = ((FOLLOW, 0), (INFLUENCE, 0))  # keyed so that they go evenly from one value to the next

OF_OTHERS = {"retarget"}  # a new action, of another figure's take
FILTERS = {
    "equalize": {"gains": json.dumps(rigs.LOUD), "dc_gain": 0.5},
    "waveshape": {"preset": "s_curve"},
    "displace": {"displacement_keys": json.dumps([{"frame": 60, "bones": {"head": {"rotation": [20, 0, 0]}}}])},
    "lock": {"amount": 1.0},
    "pins": {"pins": json.dumps([{"bone": "hand.L", "first": 40, "last": 60}])},
    "avatar": {"scale": 2.0},
    "cartoon": {"strength": 2.0},
    "automate": {"automation": json.dumps([{"band": 7, "keys": [[1, 1.0], [LAST, 3.0]]}])},
    "style": {"preset": "tired"},
    "weight": {"banking": 1.0},
    "clean": {"amount": 1.0, "slides": True, "knees": True, "floor": True},
    "life": {"take": "Other"},
    "reduce": {},
}
CYCLE = {"find": "FRAMES", "loop_start": 50, "loop_end": 82}
RETIMERS = {
    "timewarp": {"moves": "[[60, 90]]"},
    "fit_length": {"seconds": 3.0},
    "locomotion": {"path": '{"points": [[0, 0, 0], [4, 0, 0]]}'},
    "music": {"tempo": 100.0},
    "cycle": {**CYCLE, "phase": 0.3, "repeats": 3},
    "harmonics": {"length": 50},
    "join": {"take": "Other"},
    "blend": {"takes": json.dumps([{"action": "Other", "weight": 0.4}])},
    "between": {"takes": json.dumps([{"action": "Other"}]), "by_speed": True, "speed": 1.25},
    "wavelet_blend": {"take": "Other", "amount": 0.4},
    "speed": {"takes": json.dumps([{"action": "Other"}]), "speed": 1.25, "repeats": 3},
    "network": {
        "points": json.dumps([{"x": -1.0}, {"x": 1.0, "mirror": True}, {"y": 1.0, "shift": 0.1}]),
        "puck_x": -0.5,
        "repeats": 2,
        "lock": 1.0,
    },
    "path": {"path": json.dumps({"control": [[0, 0, 0], [0, -2, 0], [1, -5, 0], [4, -9, 0], [9, -9, 0]]}), "ends": "FILL"},
}


@pytest.fixture
def rig(scene):
    """The walking figure with properties that drive, a constraint, and whatever else is switched and does not move."""
    scene.render.fps = FPS
    other = create_figure(bpy.context, 1.15, LAST / FPS)
    other.animation_data.action.name = "Other"
    other.animation_data.action.use_fake_user = True
    bpy.data.objects.remove(other)
    rig = create_figure(bpy.context, 1.3, LAST / FPS)
    rig["steps"], rig["count"], rig["follows"] = 0.0, 1, 0.0
    rig.pose.bones["thigh.L"]["IK_FK"] = rig.pose.bones["head"]["follow"] = 0.0
    rig.constraints.new("COPY_LOCATION").name = "Follow"
    driver = rig.driver_add('["follows"]').driver
    for path in (IK_FK, FOLLOW):
        target = driver.variables.new().targets[0]
        target.id, target.data_path = rig, path
    take = rig.animation_data.action
    bag = take.layers[0].strips[0].channelbag(take.slots[0])
    for path, index in (*STEPS, *EVEN):
        pairs = [(frame, 1.0 + 0.2 * value if path == SCALE else value) for frame, value in ON_OFF]
        rigs.set_keys(bag.fcurves.new(path, index=index), pairs, "CONSTANT" if (path, index) in STEPS else "LINEAR")
    return rig


def apply(technique, **params):
    assert getattr(bpy.ops.motion_signal, technique)(**params) == {"FINISHED"}


def test_every_technique_is_tried_here():
    assert {entry.name for entry in TECHNIQUES} == FILTERS.keys() | RETIMERS.keys() | OF_OTHERS
    assert {entry.name for entry in TECHNIQUES if entry.retimes} == RETIMERS.keys() | OF_OTHERS


@pytest.mark.parametrize("keys", ["EVERY_FRAME", "FEWEST"])
@pytest.mark.parametrize("technique", FILTERS)
def test_no_filter_touches_a_switch(rig, technique, keys):
    take = rig.animation_data.action
    before = {name: rigs.curve_record(rigs.curves_of(rig)[name]) for name in (*STEPS, *EVEN)}
    apply(technique, **({"keys": keys} if technique != "reduce" else {}), **FILTERS[technique])
    assert rig.animation_data.action != take
    after = rigs.curves_of(rig)
    assert {name: rigs.curve_record(after[name]) for name in before} == before


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
@pytest.mark.parametrize("technique", RETIMERS)
def test_switches_go_along_in_time_and_stay_steps(rig, technique):
    if technique in ("harmonics", "network", "speed", "locomotion"):
        apply("cycle", **CYCLE)
    apply(technique, **RETIMERS[technique])
    curves = rigs.curves_of(rig)
    last = max(curve.range()[1] for (path, _), curve in curves.items() if path.endswith("rotation_quaternion"))
    frames = np.arange(1, last + 1)
    on = np.array([curves[STEPS[0]].evaluate(frame) for frame in frames]) > 0.5
    assert on.any() and not on.all()
    for name in STEPS:
        low, high = (1.0, 1.2) if name[0] == SCALE else (0.0, 1.0)
        curve = curves[name]
        assert {point.interpolation for point in curve.keyframe_points} == {"CONSTANT"}
        assert len(curve.keyframe_points) <= 12
        values = np.array([curve.evaluate(frame) for frame in frames])
        assert np.abs(values - np.where(on, high, low)).max() < 1e-6, name
    for name in EVEN:
        values = np.array([curves[name].evaluate(frame) for frame in frames])
        assert values.min() >= -1e-6 and values.max() <= 1.0 + 1e-6
        assert "CONSTANT" not in {point.interpolation for point in curves[name].keyframe_points}


def test_a_switch_happens_when_its_moment_does(rig):
    apply("timewarp", moves="[[61, 91]]")
    curves = rigs.curves_of(rig)
    for name in STEPS:
        assert 91.0 in rigs.keys(curves[name])[:, 0]
        assert curves[name].evaluate(90.9) == pytest.approx(1.0 if name[0] == SCALE else 0.0)
        assert curves[name].evaluate(91.0) == pytest.approx(1.2 if name[0] == SCALE else 1.0)
    assert curves[EVEN[1]].evaluate(91.0) == pytest.approx(1.0)


def test_what_follows_a_join_brings_its_own_switches(rig):
    other = bpy.data.actions["Other"]
    bag = other.layers[0].strips[0].channelbag(other.slots[0])
    rigs.set_keys(bag.fcurves.new(IK_FK), [(1, 7.0)], "CONSTANT")
    apply("join", take="Other", cut="FRAMES", cut_frame=150, enter_frame=30)
    curve = rigs.curves_of(rig)[IK_FK, 0]
    assert [curve.evaluate(frame) for frame in (30, 100, 149, 151, 170, 250)] == [0.0, 1.0, 0.0, 7.0, 7.0, 7.0]


def test_the_scope_says_what_becomes_of_switches(rig):
    scope = gather(bpy.context, ScopeParams())
    count = len(STEPS) + len(EVEN)
    assert scope.words.endswith(f"frames 1-{LAST} ({count} left alone)")
    named = {entry.name: entry for entry in TECHNIQUES}
    assert scope.words_of(named["equalize"]) == scope.words
    assert scope.words_of(named["timewarp"]).endswith(f"frames 1-{LAST} ({count} switches along in time)")


def test_a_pose_that_is_only_held_is_no_switch(rig):
    """Importers write what does not move as one or two keys that are held."""
    curves = rigs.curves_of(rig)
    take = rig.animation_data.action
    bag = take.layers[0].strips[0].channelbag(take.slots[0])
    for index in range(3):
        rigs.set_keys(bag.fcurves.new('pose.bones["neck"].location', index=index), [(1, 0.1), (LAST, 0.1)], "CONSTANT")
    scope = gather(bpy.context, ScopeParams())
    assert 'pose.bones["neck"].location' in {curve.data_path for curve in scope.curves}
    assert {(curve.data_path, curve.array_index) for curve in scope.switches} == set(STEPS) | set(EVEN) < set(curves)


def test_a_take_in_steps_alone_is_changed_in_steps(scene):
    rig = rigs.build_rig(("QUATERNION", "XYZ"))
    rigs.animate(rig, rigs.pose_curves(rig, 20), "CONSTANT")
    before = {name: rigs.keys(curve) for name, curve in rigs.curves_of(rig).items()}
    apply("equalize", gains=json.dumps(rigs.LOUD))
    for name, curve in rigs.curves_of(rig).items():
        assert (rigs.keys(curve)[:, 0] == before[name][:, 0]).all() and not np.allclose(rigs.keys(curve), before[name])
        assert {point.interpolation for point in curve.keyframe_points} == {"CONSTANT"}


def test_switches_alone_are_refused(scene):
    thing = rigs.empty()
    rigs.animate(thing, {("scale", index): [(1, 1.0), (20, 2.0), (40, 1.0)] for index in range(3)}, "CONSTANT")
    with pytest.raises(RuntimeError, match="all 3 curves in scope are locked, muted, switches or keyed in steps"):
        bpy.ops.motion_signal.equalize(gains=json.dumps(rigs.LOUD))


@pytest.mark.only("5.2")
def test_the_switches_of_a_rigify_rig_stay(scene):
    """IK and FK, what follows what, and which parent: all custom properties that drive."""
    bpy.ops.preferences.addon_enable(module="rigify")
    try:
        bpy.ops.object.armature_basic_human_metarig_add()
        bpy.ops.pose.rigify_generate()
        rig = bpy.context.object
        curves = rigs.pose_curves(rig, 5)
        switches = {
            (f'pose.bones["{bone.name}"]["{name}"]', 0)
            for bone in rig.pose.bones
            for name in bone.keys()
            if name.startswith("IK_") or name.endswith("_follow")
        }
        assert len(switches) >= 12
        curves = {('pose.bones["torso"].location', index): rigs.dense(rigs.wander(index, 97)) for index in range(3)}
        curves |= {name: [(1, 0.0), (30, 1.0), (60, 0.0)] for name in switches}
        rigs.animate(rig, curves, "BEZIER")
        before = {name: rigs.curve_record(rigs.curves_of(rig)[name]) for name in switches}
        apply("equalize", gains=json.dumps(rigs.LOUD))
        after = rigs.curves_of(rig)
        assert {name: rigs.curve_record(after[name]) for name in switches} == before
        assert len(after['pose.bones["torso"].location', 0].keyframe_points) == 97
    finally:
        bpy.ops.preferences.addon_disable(module="rigify")
        handlers = bpy.app.handlers.load_post  # Rigify leaves one behind, which then fails
        handlers[:] = [handler for handler in handlers if not handler.__module__.startswith("rigify")]
