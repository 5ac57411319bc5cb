# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions in and out: read as Blender shows them, written as new actions that keep whatever was not asked for."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.operators.bridge import actions

LAST = 97
FRAMES = range(1, LAST + 1)
LOUD = str(rigs.LOUD)
SAME = 1e-6


def equalize(**properties):
    """With a key on every frame, unless something else is said."""
    assert bpy.ops.motion_signal.equalize(**{"gains": LOUD, "keys": "EVERY_FRAME", **properties}) == {"FINISHED"}
    return bpy.context.object.animation_data.action


def read(owner, first=1, last=LAST):
    data = owner.animation_data
    curves = tuple(rigs.curves_of(owner).values())
    return actions.read_take(data.action, data.action_slot, curves, owner, first, last, 24.0)


SPARSE = [(1, 0.0), (17, 1.5), (30, -0.7), (52, 2.0), (53, 2.1), (80, 0.3), (LAST, 1.0)]


def auto(curve):
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "AUTO"


def free(curve):
    for index, point in enumerate(curve.keyframe_points):
        point.handle_left_type = point.handle_right_type = "FREE"
        point.handle_left = point.co[0] - 7, point.co[1] + 0.8 * index
        point.handle_right = point.co[0] + 31, point.co[1] - 2  # longer than most segments


def easings(curve):
    kinds = ("BOUNCE", "ELASTIC", "BACK", "SINE", "EXPO", "CONSTANT", "CUBIC")
    for point, kind, easing in zip(curve.keyframe_points, kinds, ("EASE_IN", "EASE_OUT", "EASE_IN_OUT", "AUTO") * 2):
        point.interpolation, point.easing = kind, easing
        point.amplitude, point.period, point.back = 1.1, 6.0, 2.5


def extrapolated(curve):
    while len(curve.keyframe_points) > 4:
        curve.keyframe_points.remove(curve.keyframe_points[-1])
    curve.extrapolation = "LINEAR"


def cycles(curve):
    extrapolated(curve)
    modifier = curve.modifiers.new("CYCLES")
    modifier.mode_after = "REPEAT_OFFSET"


def noise(curve):
    modifier = curve.modifiers.new("NOISE")
    modifier.strength, modifier.scale = 0.8, 3.0


def between_frames(curve):
    for point in list(curve.keyframe_points)[1:-1]:
        point.co[0] += 0.37
    curve.update()


def samples(curve):
    curve.convert_to_samples(1, LAST + 1)


SHAPES = (auto, free, easings, extrapolated, cycles, noise, between_frames, samples)


def sparse_thing(shape, name="Thing", interpolation="BEZIER"):
    """An object with one sparse curve of a shape and one plain one that spans the whole take."""
    thing = rigs.empty(name)
    rigs.animate(thing, {("location", 0): SPARSE, ("location", 1): [(1, 0), (40, 3), (LAST, 1)]}, interpolation)
    shape(rigs.curves_of(thing)["location", 0])
    return thing


def test_dense_curves_are_read_to_the_bit(scene):
    rig, action = rigs.walker(LAST)
    take = read(rig)
    assert take.dense.keys() == set(take.clip.channels)
    for column, channel in enumerate(take.clip.channels):
        stored = rigs.keys(rigs.curves_of(rig)[channel.path, channel.index])
        assert (stored[:, 0] == FRAMES).all() and (take.clip.values[:, column] == stored[:, 1]).all()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_sparse_curves_are_read_as_blender_evaluates_them(scene, shape):
    thing = sparse_thing(shape)
    expected = rigs.evaluated(thing, FRAMES)
    clip = read(thing).clip
    for column, channel in enumerate(clip.channels):
        assert np.abs(clip.values[:, column] - expected[channel.path, channel.index]).max() == 0.0


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_reading_leaves_everything_as_it_was(scene, shape):
    thing = sparse_thing(shape)
    with rigs.nothing_made():
        read(thing)


def test_each_slot_of_an_action_is_read_as_its_own(scene):
    one, other = rigs.empty("One"), rigs.empty("Other")
    action = rigs.animate(one, {("location", 0): SPARSE}, "BEZIER")
    rigs.animate(other, {("location", 0): [(frame, -3 * value) for frame, value in SPARSE]}, "BEZIER", action=action)
    for thing in (one, other):
        expected = rigs.evaluated(thing, FRAMES)["location", 0]
        assert np.abs(read(thing).clip.values[:, 0] - expected).max() == 0.0


@pytest.mark.parametrize("mode", rigs.MODES)
def test_kinds_come_from_the_rotation_mode(scene, mode):
    rig = rigs.build_rig((mode,))
    rigs.animate(rig, rigs.pose_curves(rig, 9))
    assert {channel.kind for channel in read(rig, 1, 9).clip.channels} == {mode, "LOCATION"}


def test_bone_names_with_quotes_and_backslashes_are_understood(scene):
    rig = rigs.build_rig(("XYZ",))
    rig.pose.bones[0].name = 'a"b\\c'
    channel = actions.channel_of(rig.pose.bones[0].path_from_id("rotation_euler"), 2, rig)
    assert (channel.owner, channel.kind) == ('a"b\\c', "XYZ")


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_sparse_curves_give_the_same_result_as_when_baked_before(scene, shape):
    sparse, baked = sparse_thing(shape), rigs.empty("Baked")
    rigs.animate(baked, {name: rigs.dense(values) for name, values in rigs.evaluated(sparse, FRAMES).items()})
    results = []
    for thing in (sparse, baked):
        with rigs.untouched(thing.animation_data.action):
            bpy.context.view_layer.objects.active = thing
            equalize()
        results.append(rigs.evaluated(thing, FRAMES))
    for name in results[0]:
        assert np.abs(results[0][name] - results[1][name]).max() < SAME


def test_loud_gains_change_the_motion(scene):
    rig, source = rigs.walker(LAST)
    equalize()
    before, after = rigs.evaluated(rig, FRAMES, source), rigs.evaluated(rig, FRAMES)
    assert all(np.abs(after[name] - before[name]).max() > 0.02 for name in before)


def test_curves_outside_the_scope_are_the_sources_to_the_bit(scene):
    rig, source = rigs.walker(LAST)
    for name, curve in rigs.curves_of(rig).items():
        if "Bone 1" in name[0]:
            easings(curve)
            free(curve)
            noise(curve)
    with rigs.untouched(source):
        result = equalize(scope="NAMED", bones="Bone 0")
    before, after = rigs.record(source)["curves"], rigs.record(result)["curves"]
    assert before.keys() == after.keys()
    for name in before:
        assert (before[name] == after[name]) == ("Bone 0" not in name[1]), name
    assert rigs.record(source)["groups"] == rigs.record(result)["groups"]


def held_curve(rig):
    curve = rigs.curves_of(rig)['pose.bones["Bone 1"].rotation_euler', 0]
    curve.lock = True
    return {curve.data_path: {0}}


def muted_curve(rig):
    curve = rigs.curves_of(rig)['pose.bones["Bone 2"].rotation_euler', 1]
    curve.mute = True
    return {curve.data_path: {1}}


def held_group(rig):
    rigs.curves_of(rig)['pose.bones["Bone 1"].rotation_euler', 0].group.lock = True
    return {'pose.bones["Bone 1"].rotation_euler': {0, 1, 2}}


def held_component(rig):
    """A quaternion changes as a whole or not at all."""
    rigs.curves_of(rig)['pose.bones["Bone 0"].rotation_quaternion', 2].lock = True
    return {'pose.bones["Bone 0"].rotation_quaternion': {0, 1, 2, 3}}


@pytest.mark.parametrize("hold", (held_curve, muted_curve, held_group, held_component), ids=lambda hold: hold.__name__)
def test_locked_and_muted_curves_stay_to_the_bit(scene, hold):
    rig, source = rigs.walker(LAST)
    staying = hold(rig)
    with rigs.untouched(source):
        result = equalize()
    before, after = rigs.record(source)["curves"], rigs.record(result)["curves"]
    same = {(path, index) for slot, path, index in before if before[slot, path, index] == after[slot, path, index]}
    assert same == {(path, index) for path, indices in staying.items() for index in indices}


def test_other_slots_survive(scene):
    one, other = rigs.empty("One"), rigs.empty("Other")
    action = rigs.animate(one, {("location", 0): SPARSE}, "BEZIER")
    rigs.animate(other, {("location", 0): SPARSE, ("scale", 1): SPARSE}, "BEZIER", action=action)
    bpy.context.view_layer.objects.active = one
    with rigs.untouched(action):
        result = equalize()
    before, after = rigs.record(action), rigs.record(result)
    assert before["slots"] == after["slots"]
    assert {name: curve for name, curve in before["curves"].items() if "Other" in name[0]} == {
        name: curve for name, curve in after["curves"].items() if "Other" in name[0]
    }
    assert one.animation_data.action == result and other.animation_data.action == action
    assert one.animation_data.action_slot.identifier == action.slots[0].identifier


def test_modifiers_survive_and_those_already_in_the_values_are_muted(scene):
    thing = sparse_thing(cycles)
    source = thing.animation_data.action
    noise(rigs.curves_of(thing)["location", 0])
    equalize()
    before, after = (rigs.curves_of(thing, action)["location", 0].modifiers for action in (source, thing.animation_data.action))
    assert [(modifier.type, modifier.mute) for modifier in after] == [("CYCLES", False), ("NOISE", True)]
    after[1].mute = False
    assert [rigs.properties(modifier) for modifier in after] == [rigs.properties(modifier) for modifier in before]


def test_every_frame_gets_one_key(scene):
    thing = sparse_thing(easings)
    equalize()
    for curve in rigs.curves_of(thing).values():
        assert (rigs.keys(curve)[:, 0] == FRAMES).all()


@pytest.mark.parametrize("shape", (auto, free, easings, between_frames), ids=lambda shape: shape.__name__)
def test_keys_at_the_sources_times_move_in_value_only(scene, shape):
    thing = sparse_thing(shape)
    source = thing.animation_data.action
    full = equalize(keys="EVERY_FRAME")
    give(thing, source)
    with rigs.untouched(source):
        result = equalize(keys="SOURCE")
    for name, before in rigs.curves_of(thing, source).items():
        after, whole = rigs.curves_of(thing, result)[name], rigs.curves_of(thing, full)[name]
        times = rigs.keys(before)[:, 0]
        assert (rigs.keys(after)[:, 0] == times).all()
        for one, other in zip(before.keyframe_points, after.keyframe_points):
            for attribute in (
                "interpolation",
                "easing",
                "type",
                "handle_left_type",
                "handle_right_type",
                "amplitude",
                "period",
                "back",
            ):
                assert getattr(one, attribute) == getattr(other, attribute)
        change = [whole.evaluate(time) - straight(before, time) for time in times]
        assert np.abs(rigs.keys(after)[:, 1] - rigs.keys(before)[:, 1] - change).max() < 1e-5


def straight(curve, time):
    """A curve at a time, straight between whole frames: what the result with a key on every frame stands beside."""
    low = np.floor(time)
    return np.interp(time, (low, low + 1), (curve.evaluate(low), curve.evaluate(low + 1)))


def give(owner, action):
    identifier = owner.animation_data.action_slot.identifier
    owner.animation_data.action = action
    owner.animation_data.action_slot = action.slots[identifier]


@pytest.mark.parametrize("tolerance", (0.1, 0.01, 0.001))
@pytest.mark.parametrize("shape", (auto, easings, noise), ids=lambda shape: shape.__name__)
def test_fewest_keys_stay_within_the_tolerance_at_every_frame(scene, shape, tolerance):
    thing = sparse_thing(shape)
    source = thing.animation_data.action
    equalize()
    every = rigs.evaluated(thing, FRAMES)
    give(thing, source)
    with rigs.untouched(source):
        equalize(keys="FEWEST", tolerance=tolerance)
    for name, values in rigs.evaluated(thing, FRAMES).items():
        assert np.abs(values - every[name]).max() <= tolerance + 1e-5
    plain = rigs.curves_of(thing)["location", 1]
    assert len(plain.keyframe_points) < (12 if tolerance == 0.1 else 60)


def test_fewest_keys_of_dense_curves_stay_within_the_tolerance(scene):
    rig, source = rigs.walker(LAST)
    equalize()
    every = rigs.evaluated(rig, FRAMES)
    give(rig, source)
    equalize(keys="FEWEST", tolerance=0.02)
    for name, values in rigs.evaluated(rig, FRAMES).items():
        assert np.abs(values - every[name]).max() <= 0.02 + 1e-5
        assert len(rigs.curves_of(rig)[name].keyframe_points) < 0.7 * LAST


START, END, FADE = 33, 69, 0.25  # seconds of fade


def changed_part(thing, **properties):
    """The change (frames,) of each curve in a part of the take, and what it would be in the whole of it."""
    source = thing.animation_data.action
    before = rigs.evaluated(thing, range(-20, LAST + 21))
    equalize()
    whole = {
        name: values[21:-20] - before[name][21:-20] for name, values in rigs.evaluated(thing, range(-20, LAST + 21)).items()
    }
    give(thing, source)
    with rigs.untouched(source):
        equalize(frames="RANGE", frame_start=START, frame_end=END, fade_in=FADE, fade_out=FADE, **properties)
    part = {name: values - before[name] for name, values in rigs.evaluated(thing, range(-20, LAST + 21)).items()}
    return part, whole


def plain_dense():
    thing = rigs.empty()
    rigs.animate(thing, {("location", index): rigs.dense(rigs.wander(index, LAST)) for index in range(3)})
    return thing


def smooth_dense():
    """Keys on every frame that are curves between, some with handles set by hand."""
    thing = rigs.empty()
    rigs.animate(thing, {("location", index): rigs.dense(rigs.wander(index, LAST)) for index in range(3)}, "BEZIER")
    free(rigs.curves_of(thing)["location", 1])
    return thing


PARTS = {
    "dense": plain_dense,
    "smooth dense": smooth_dense,
    **{shape.__name__: lambda shape=shape: sparse_thing(shape) for shape in SHAPES},
}


@pytest.mark.parametrize("keyed", ("EVERY_FRAME", "FEWEST"))
@pytest.mark.parametrize("make", PARTS.values(), ids=PARTS.keys())
def test_frames_outside_a_range_are_the_sources(scene, make, keyed):
    thing = make()
    part, _ = changed_part(thing, keys=keyed, tolerance=0.01)
    frames = np.arange(-20, LAST + 21)
    within_clip = (frames >= 1) & (frames <= LAST)
    outside = ((frames <= START) | (frames >= END)) & within_clip
    for name, change in part.items():
        allowed = SAME if keyed == "EVERY_FRAME" else 0.01 + SAME
        assert np.abs(change[outside]).max() < allowed, (name, frames[outside][np.abs(change[outside]) > allowed])
        assert np.abs(change).max() > 0.02


@pytest.mark.parametrize("keyed", ("EVERY_FRAME", "FEWEST"))
@pytest.mark.parametrize(
    "make", [PARTS[name] for name in ("dense", "smooth dense", "auto", "free", "easings", "between_frames")]
)
def test_beyond_the_next_key_outside_a_range_nothing_differs_even_between_frames(scene, make, keyed):
    thing = make()
    borders = {
        name: (
            rigs.keys(curve)[:, 0][rigs.keys(curve)[:, 0] < START].max(),
            rigs.keys(curve)[:, 0][rigs.keys(curve)[:, 0] > END].min(),
        )
        for name, curve in rigs.curves_of(thing).items()
    }
    times = np.arange(-5, LAST + 6, 0.25)
    before = rigs.evaluated(thing, times)
    equalize(frames="RANGE", frame_start=START, frame_end=END, keys=keyed)
    for name, values in rigs.evaluated(thing, times).items():
        outside = (times <= borders[name][0]) | (times >= borders[name][1])
        assert np.abs(values - before[name])[outside].max() < SAME


def test_keys_beyond_a_range_keep_handles_kinds_and_selection(scene):
    thing = sparse_thing(easings)
    source = rigs.curves_of(thing)["location", 0]
    source.auto_smoothing = "NONE"  # where every automatic handle depends on all others, they are set by hand instead
    source.keyframe_points[1].select_control_point = False
    source.keyframe_points[6].type = "EXTREME"
    source.update()
    equalize(frames="RANGE", frame_start=START, frame_end=END)
    points = rigs.curves_of(thing)["location", 0].keyframe_points
    for before, after in ((0, 0), (1, 1), (-1, -1)):
        assert rigs.properties(source.keyframe_points[before]) == rigs.properties(points[after])


@pytest.mark.parametrize("make", PARTS.values(), ids=PARTS.keys())
def test_borders_of_a_range_are_whole_in_value_and_slope(scene, make):
    """The fade rises as 3 t^2: one frame inside, no more than 3 / N^2 of the whole change can be there."""
    part, whole = changed_part(make())
    first_step = 3.0 / (FADE * 24) ** 2
    for name, change in part.items():
        change = change[21:-20]
        assert abs(change[START - 1]) < SAME and abs(change[END - 1]) < SAME
        for inside in (START, END - 2):
            assert abs(change[inside]) <= first_step * abs(whole[name][inside]) + SAME
        middle = slice(START + 6, END - 8)
        assert np.abs(change[middle] - whole[name][middle]).max() < SAME


def test_a_range_to_the_end_of_the_take_fades_only_inside(scene):
    thing = plain_dense()
    source = thing.animation_data.action
    before = rigs.evaluated(thing, FRAMES)
    equalize()
    whole = rigs.evaluated(thing, FRAMES)
    give(thing, source)
    equalize(frames="RANGE", frame_start=START, frame_end=LAST + 50, fade_in=FADE, fade_out=FADE)
    for name, values in rigs.evaluated(thing, FRAMES).items():
        assert np.abs(values[:START] - before[name][:START]).max() < SAME
        assert np.abs(values[START + 6 :] - whole[name][START + 6 :]).max() < SAME


def test_rotations_in_a_part_are_the_sources_outside_and_whole_at_the_borders(scene):
    rig, source = rigs.walker(LAST)
    before = rigs.poses(rig, FRAMES)
    equalize()
    most = rigs.angles_between(before, rigs.poses(rig, FRAMES)).max()
    give(rig, source)
    equalize(frames="RANGE", frame_start=START, frame_end=END, fade_in=FADE, fade_out=FADE)
    change = rigs.angles_between(before, rigs.poses(rig, FRAMES)).max(axis=1)
    assert max(change[:START].max(), change[END - 1 :].max()) < 2e-6
    assert max(change[START], change[END - 2]) < 3.0 / (FADE * 24) ** 2 * most * 1.2
    assert change.max() > 0.5 * most


@pytest.mark.parametrize("keyed", ("EVERY_FRAME", "SOURCE", "FEWEST"))
def test_a_missing_quaternion_component_is_what_the_bone_holds(scene, keyed):
    rig = rigs.build_rig(("QUATERNION",))
    path = 'pose.bones["Bone 0"].rotation_quaternion'
    rows = rigs.rotation_rows("QUATERNION", 4, LAST)
    rows[2] = 0.25
    rigs.animate(rig, {(path, index): rigs.dense(row) for index, row in enumerate(rows)})
    equalize(keys=keyed)
    whole = rigs.poses(rig, FRAMES)

    rig.animation_data.action = None
    rig.pose.bones[0].rotation_quaternion = (1.0, 0.0, 0.25, 0.0)
    source = rigs.animate(rig, {(path, index): rigs.dense(row) for index, row in enumerate(rows) if index != 2})
    with rigs.untouched(source):
        equalize(keys=keyed)
    assert rigs.angles_between(whole, rigs.poses(rig, FRAMES)).max() < (0.005 if keyed == "FEWEST" else 1e-5)


def shape_keys():
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    face = rigs.staged(bpy.data.objects.new("Face", mesh))
    for name in ("Basis", "Smile"):
        face.shape_key_add(name=name)
    return mesh.shape_keys, 'key_blocks["Smile"].value', "SHAPE_KEYS", lambda: mesh.shape_keys.key_blocks["Smile"].value


def camera_lens():
    camera = bpy.data.cameras.new("Camera")
    rigs.staged(bpy.data.objects.new("Camera", camera))
    return camera, "lens", "DATA", lambda: camera.lens


def custom_property():
    thing = rigs.empty()
    thing["mood"] = 0.0
    return thing, '["mood"]', "OBJECT", lambda: thing["mood"]


def object_transform():
    thing = rigs.empty()
    return thing, "scale", "OBJECT", lambda: thing.scale[0]


@pytest.mark.parametrize("make", (shape_keys, camera_lens, custom_property, object_transform), ids=lambda make: make.__name__)
def test_whatever_is_animated_can_be_treated_and_shows_it(scene, make):
    owner, path, animated, held = make()
    twin = rigs.empty("Twin")
    motion = rigs.dense(3.0 + rigs.wander(5, LAST))
    source = rigs.animate(owner, {(path, 0): motion})
    rigs.animate(twin, {("location", 0): motion})
    equalize()
    expected = rigs.evaluated(twin, FRAMES)["location", 0]
    bpy.context.view_layer.objects.active = next(
        subject for subject in bpy.data.objects if owner in (subject, subject.data, getattr(subject.data, "shape_keys", None))
    )
    with rigs.untouched(source):
        assert bpy.ops.motion_signal.equalize(gains=LOUD, animated=animated) == {"FINISHED"}
    for frame in range(1, LAST, 7):
        scene.frame_set(frame)
        assert abs(held() - np.clip(expected[frame - 1], *limits(owner, path))) < 1e-5


def limits(owner, path):
    """A shape key stops at its own limits."""
    block = owner.key_blocks["Smile"] if "key_blocks" in path else None
    return (block.slider_min, block.slider_max) if block else (-np.inf, np.inf)


@pytest.mark.parametrize("mode", rigs.MODES)
def test_neutral_gives_every_key_back_to_the_bit(scene, mode):
    rig = rigs.build_rig((mode,) * 3)
    source = rigs.animate(rig, rigs.pose_curves(rig, LAST))
    with rigs.untouched(source):
        result = equalize(gains=str([1] * 12))
    assert rigs.record(result)["curves"] == rigs.record(source)["curves"]


@pytest.mark.parametrize("keyed", ("EVERY_FRAME", "FEWEST"))
@pytest.mark.parametrize("mode", rigs.MODES)
def test_strong_gains_never_flip(scene, mode, keyed):
    """Half-way between frames too: two keys a whole turn apart would show there."""
    rig = rigs.build_rig((mode,) * 3)
    rigs.animate(rig, rigs.pose_curves(rig, LAST))
    times = np.arange(1, LAST, 0.5)
    before = rigs.poses(rig, times)
    equalize(gains=str([1, 1, 1, 1, 2, 3, 3, 3, 2, 1, 1, 1]), keys=keyed, tolerance=0.01)
    after = rigs.poses(rig, times)
    steps_before, steps_after = (rigs.angles_between(matrices[1:], matrices[:-1]) for matrices in (before, after))
    assert steps_before.max() < 0.6
    assert (steps_after.max(axis=0) < 4.0 * steps_before.max(axis=0)).all()
    assert steps_after.max() > 1.5 * steps_before.max()


@pytest.mark.parametrize("mode", rigs.MODES)
def test_a_bone_that_spins_round_and_round_never_flips(scene, mode):
    rig = rigs.build_rig((mode,))
    path = f'pose.bones["Bone 0"].{rigs.ROTATIONS.get(mode, "rotation_euler")}'
    turn = np.linspace(0, 6 * np.pi, LAST) + rigs.wander(1, LAST, 0.3)
    rows = {
        "QUATERNION": np.array([np.cos(turn / 2), 0 * turn, np.sin(turn / 2), 0 * turn]),
        "AXIS_ANGLE": np.array([turn, 0 * turn, 1 + 0 * turn, 0 * turn]),
    }.get(mode, np.array([rigs.wander(2, LAST, 0.2), turn, rigs.wander(3, LAST, 0.2)]))
    if mode in ("YXZ", "ZXY", "XYZ", "ZYX", "XZY", "YZX"):  # the axis that may turn freely is the first or last
        rows = np.roll(rows, "XYZ".index(mode[2]) - 1, axis=0)
    rigs.animate(rig, {(path, index): rigs.dense(row) for index, row in enumerate(rows)})
    times = np.arange(1, LAST, 0.5)
    before = rigs.poses(rig, times)
    equalize()
    after = rigs.poses(rig, times)
    steps_before, steps_after = (rigs.angles_between(matrices[1:], matrices[:-1]) for matrices in (before, after))
    assert steps_after.max() < 2.0 * steps_before.max()
    assert rigs.angles_between(before, after).max() > 0.02


def test_a_range_of_a_recorded_take_has_no_jump_that_its_source_has_not(scene, takes):
    """This take's recorded arm turns over once: what changes must stay on its source's branch, up to both borders."""
    rig = rigs.import_take(takes / "cmu_82_12_walk_happy.bvh")
    frames = np.arange(90, 211)
    before = rigs.evaluated(rig, frames)
    equalize(gains=str([1, 1, 1, 1, 1.5, 2, 2, 2, 1.5, 1, 1, 1]), frames="RANGE", frame_start=100, frame_end=200)
    after = rigs.evaluated(rig, frames)
    for channel, values in after.items():
        if "rotation" in channel[0]:
            source = np.abs(np.diff(before[channel])).max()
            assert np.abs(np.diff(values)).max() < 4.0 * source + 0.2, channel
