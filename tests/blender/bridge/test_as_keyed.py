# SPDX-License-Identifier: GPL-3.0-or-later
"""Results keyed as their take is: few keys stay few, steps stay steps, keys go along in time, loops stay closed."""

import json

import bpy
import numpy as np
import pytest
import rigs
from desk import panel, press_apply

pytestmark = pytest.mark.usefixtures("settled")
LOUD = json.dumps(rigs.LOUD)
SHAPED = {
    "loud": ("equalize", {"gains": LOUD}),
    "exaggerate": ("equalize", {"preset": "exaggerate"}),
    "tone down": ("equalize", {"preset": "tone_down"}),
    "weighty": ("equalize", {"preset": "weighty"}),
    "cartoon": ("cartoon", {"strength": 1.0}),
}
KEPT = ("interpolation", "easing", "type", "amplitude", "back", "period")


def do(rig, take, technique, **properties):
    rig.animation_data.action = take
    rig.animation_data.action_slot = take.slots[0]
    with rigs.untouched(take):
        assert getattr(bpy.ops.motion_signal, technique)(**properties) == {"FINISHED"}
    return rig.animation_data.action


def total(rig, action):
    return sum(len(curve.keyframe_points) for curve in rigs.curves_of(rig, action).values())


def joints(rig, frames):
    return rigs.poses(rig, frames)[:, :, :3, 3]


@pytest.fixture
def walk(scene):
    """A rig with IK legs and a walk on it that was keyed by hand."""
    rig = rigs.control_rig()
    return rig, rigs.hand_keyed_walk(rig)


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
@pytest.mark.parametrize("technique, properties", SHAPED.values(), ids=SHAPED.keys())
def test_a_hand_keyed_walk_has_few_keys_more_and_joints_where_they_should_be(walk, technique, properties):
    rig, take = walk
    frames = range(1, 98)
    do(rig, take, technique, keys="EVERY_FRAME", **properties)
    every = joints(rig, frames)
    result = do(rig, take, technique, **properties)
    assert np.linalg.norm(joints(rig, frames) - every, axis=-1).max() < 3e-3
    assert total(rig, result) <= 1.3 * total(rig, take)
    for name, curve in rigs.curves_of(rig, take).items():
        assert set(rigs.keys(curve)[:, 0]) <= set(rigs.keys(rigs.curves_of(rig, result)[name])[:, 0])


def test_keys_that_were_added_are_known_and_the_others_keep_what_they_are(walk):
    rig, take = walk
    for curve in rigs.curves_of(rig).values():
        for index, point in enumerate(curve.keyframe_points):
            point.type = ("BREAKDOWN", "EXTREME", "KEYFRAME")[index % 3]
    result = do(rig, take, "equalize", gains=LOUD)
    for name, before in rigs.curves_of(rig, take).items():
        after = {point.co[0]: point for point in rigs.curves_of(rig, result)[name].keyframe_points}
        for point in before.keyframe_points:
            same = after.pop(point.co[0])
            assert [getattr(point, kept) for kept in KEPT] == [getattr(same, kept) for kept in KEPT]
        assert all(point.type == "GENERATED" for point in after.values())


def test_nothing_changed_leaves_every_key_to_the_bit(walk):
    rig, take = walk
    result = do(rig, take, "equalize")
    assert rigs.record(take)["curves"] == rigs.record(result)["curves"]


@pytest.mark.parametrize("technique, properties", [SHAPED["loud"], SHAPED["cartoon"]])
def test_a_walk_on_twos_stays_on_twos(scene, technique, properties):
    rig = rigs.control_rig()
    take = rigs.hand_keyed_walk(rig, hold=2)
    result = do(rig, take, technique, **properties)
    held = joints(rig, range(1, 98))
    assert np.abs(held[1::2] - held[:-1:2]).max() < 1e-6 and np.abs(held[2:60:2] - held[:58:2]).max(axis=(1, 2)).min() > 1e-3
    for name, before in rigs.curves_of(rig, take).items():
        after = rigs.curves_of(rig, result)[name]
        if len(before.keyframe_points) > 1:
            assert (rigs.keys(after)[:, 0] == rigs.keys(before)[:, 0]).all()


def test_a_stepped_modifier_stays_at_work(walk):
    rig, take = walk
    for name, curve in rigs.curves_of(rig).items():
        if "IK_FK" not in name[0]:
            curve.modifiers.new("STEPPED").frame_step = 2
    result = do(rig, take, "equalize", gains=LOUD)
    assert total(rig, result) <= 1.3 * total(rig, take)
    curve = rigs.curves_of(rig, result)['pose.bones["torso"].location', 2]
    values = [curve.evaluate(frame) for frame in range(20, 60)]
    assert not curve.modifiers[0].mute and np.count_nonzero(np.diff(values)) == pytest.approx(20, abs=1)


def test_timewarp_keeps_every_key(walk):
    rig, take = walk
    frames = range(1, 109)
    do(rig, take, "timewarp", moves="[[49, 60]]", keys="EVERY_FRAME")
    every = joints(rig, frames)
    result = do(rig, take, "timewarp", moves="[[49, 60]]")
    assert np.linalg.norm(joints(rig, frames) - every, axis=-1).max() < 3e-3
    assert total(rig, result) <= 1.3 * total(rig, take)
    for name, before in rigs.curves_of(rig, take).items():
        after = [point for point in rigs.curves_of(rig, result)[name].keyframe_points if point.type != "GENERATED"]
        assert len(after) == len(before.keyframe_points), name
        assert len(before.keyframe_points) > 1 or len(rigs.curves_of(rig, result)[name].keyframe_points) == 1
        for one, other in zip(before.keyframe_points, after):
            assert one.co[0] != 49.0 or other.co[0] == pytest.approx(60.0, abs=1e-3)


def test_twos_go_along_in_time_as_steps(scene):
    rig = rigs.control_rig()
    take = rigs.hand_keyed_walk(rig, hold=2)
    result = do(rig, take, "timewarp", moves="[[49, 73]]")
    for name, before in rigs.curves_of(rig, take).items():
        after = rigs.curves_of(rig, result)[name]
        if len(before.keyframe_points) > 4:
            assert len(after.keyframe_points) == len(before.keyframe_points)
            assert np.abs(rigs.keys(after)[:, 1] - rigs.keys(before)[:, 1]).max() < 1e-5
            assert {point.interpolation for point in after.keyframe_points} == {"CONSTANT"}
            assert (rigs.keys(after)[:, 0] % 1.0 == 0.0).all()


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
def test_dense_curves_stay_dense_beside_few_keys(walk):
    rig, take = walk
    bag = take.layers[0].strips[0].channelbags[0]
    path = 'pose.bones["hand.L"].rotation_euler'
    for index in range(3):
        rigs.set_keys(bag.fcurves.new(path, index=index), rigs.dense(rigs.wander(index, 97, 0.2)))
    result = do(rig, take, "equalize", gains=LOUD)
    counts = {name: len(curve.keyframe_points) for name, curve in rigs.curves_of(rig, result).items()}
    assert [counts[path, index] for index in range(3)] == [97] * 3
    assert counts['pose.bones["torso"].location', 2] < 50


SWITCHES = {
    ('pose.bones["torso"]["IK_FK"]', 0): "BEZIER",
    ('pose.bones["torso"]["parent"]', 0): "BEZIER",
    ('pose.bones["foot.L"].constraints["Copy Rotation"].influence', 0): "BEZIER",
    ('pose.bones["hand.R"].constraints["Hold"].mute', 0): "BEZIER",
    ("hide_viewport", 0): "CONSTANT",
    ('["visible"]', 0): "CONSTANT",
}


def switched(rig, take):
    """The walk with whatever is switched on and off in production, as animators key it; what it holds, byte for byte."""
    rig.pose.bones["torso"]["parent"], rig["visible"] = 1, 1.0
    rig.pose.bones["hand.R"].constraints.new("LIMIT_ROTATION").name = "Hold"
    bag = take.layers[0].strips[0].channelbags[0]
    for (path, index), interpolation in SWITCHES.items():
        if "IK_FK" not in path:
            rigs.set_keys(bag.fcurves.new(path, index=index), [(1, 0.0), (31, 1.0), (62, 0.0), (80, 1.0)], interpolation)
    return {name: rigs.curve_record(rigs.curves_of(rig)[name]) for name in SWITCHES}


FIRST, *OTHERS = *SHAPED.values(), ("waveshape", {"preset": "s_curve"})


@pytest.mark.parametrize(
    "technique, properties", [FIRST, *(pytest.param(*each, marks=pytest.mark.only("5.2")) for each in OTHERS)]
)
def test_no_filter_touches_what_is_switched(walk, technique, properties):
    rig, take = walk
    before = switched(rig, take)
    result = do(rig, take, technique, **properties)
    assert {name: rigs.curve_record(rigs.curves_of(rig, result)[name]) for name in SWITCHES} == before


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
def test_switches_keep_their_keys_in_another_time(walk):
    rig, take = walk
    switched(rig, take)
    result = do(rig, take, "timewarp", moves="[[31, 43]]")
    for name, interpolation in SWITCHES.items():
        before, after = (rigs.curves_of(rig, action)[name] for action in (take, result))
        kept = [point for point in after.keyframe_points if point.type != "GENERATED"]
        assert [point.co[1] for point in before.keyframe_points] == [point.co[1] for point in kept]
        assert {point.interpolation for point in after.keyframe_points} == {interpolation}
        assert "IK_FK" in name[0] or kept[1].co[0] == pytest.approx(43.0)


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
def test_an_action_on_a_strip_alone_can_be_chosen(walk):
    rig, take = walk
    data = rig.animation_data
    data.nla_tracks.new().strips.new("Walk", 1, take).action_slot = take.slots[0]
    data.action = None
    with pytest.raises(RuntimeError, match="Controls has no action: Walk is on an NLA strip; choose it"):
        bpy.ops.motion_signal.equalize(gains=LOUD)
    assert bpy.ops.motion_signal.equalize(gains=LOUD, action="Walk") == {"FINISHED"}
    assert data.action.name == "Walk equalizer" and data.action_slot == data.action.slots[0]


@pytest.mark.parametrize("cycles", (True, False))
def test_a_loop_stays_closed(scene, cycles):
    thing = rigs.empty()
    curves = {
        ("location", 0): [(1, 0), (7, 0.5), (13, 0), (19, -0.5), (25, 0)],
        ("location", 1): [(1, 0), (25, 1.2)],
        ("location", 2): [(1, 0.1), (4, 0.3), (10, 0), (16, 0.3), (22, 0), (25, 0.1)],
        ("rotation_euler", 2): [(1, 0.1), (9, 0.3), (17, 0), (25, 0.1)],
    }
    take = rigs.animate(thing, curves, "BEZIER")
    for (path, index), curve in rigs.curves_of(thing).items():
        if cycles:
            modifier = curve.modifiers.new("CYCLES")
            modifier.mode_after = "REPEAT_OFFSET" if (path, index) == ("location", 1) else "REPEAT"
        curve.update()
    for keys in ("AUTO", "EVERY_FRAME"):
        result = do(thing, take, "equalize", gains=LOUD, keys=keys)
        for name, curve in rigs.curves_of(thing, result).items():
            first, last = curve.keyframe_points[0], curve.keyframe_points[-1]
            if name != ("location", 1):
                assert abs(last.co[1] - first.co[1]) < 1e-4
            if keys == "AUTO" and (cycles or name != ("location", 1)):  # which is no loop by itself
                slopes = [
                    (handle[1] - point.co[1]) / (handle[0] - point.co[0])
                    for point, handle in ((first, first.handle_right), (last, last.handle_left))
                ]
                assert abs(slopes[0] - slopes[1]) < 1e-4
            assert [modifier.mute for modifier in curve.modifiers] == [False] * cycles


@pytest.mark.only("4.5", "5.2")  # 5.0 stands between them
def test_what_is_shown_is_what_is_applied(walk):
    rig, take = walk
    frames = range(1, 98)
    panel().equalize.gains = LOUD
    shown = joints(rig, frames)
    assert press_apply(next(entry for entry in catalog() if entry.name == "equalize")) == {"FINISHED"}
    result = rig.animation_data.action
    assert np.linalg.norm(joints(rig, frames) - shown, axis=-1).max() < 3e-3
    assert total(rig, result) <= 1.3 * total(rig, take)


def catalog():
    from bl_ext.dev.motion_signal.core.techniques import TECHNIQUES

    return TECHNIQUES


def test_keys_outside_a_range_are_the_takes(walk):
    rig, take = walk
    result = do(rig, take, "equalize", gains=LOUD, frames="RANGE", frame_start=30, frame_end=60)
    times = np.concatenate([np.arange(1, 30.1, 0.5), np.arange(60, 97.1, 0.5)])
    before, after = (rigs.evaluated(rig, times, action) for action in (take, result))
    assert max(np.abs(before[name] - after[name]).max() for name in before) < 1e-5
    for name, curve in rigs.curves_of(rig, take).items():
        kept = {point.co[0]: point for point in rigs.curves_of(rig, result)[name].keyframe_points}
        for point in curve.keyframe_points:
            assert point.co[0] in kept and (30 <= point.co[0] <= 60 or kept[point.co[0]].co[1] == point.co[1])
