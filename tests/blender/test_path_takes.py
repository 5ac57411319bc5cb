# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded takes on other paths: feet stand, figures face as they did, steps are as long, pauses are pauses."""

from functools import cache
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.body.body import Body
from bl_ext.dev.motion_signal.core.body.contacts import events, feet, find_contacts
from bl_ext.dev.motion_signal.core.body.report import report
from bl_ext.dev.motion_signal.core.body.roles import find_roles
from bl_ext.dev.motion_signal.core.body.turning import rotations
from bl_ext.dev.motion_signal.core.declare.technique import Surroundings
from bl_ext.dev.motion_signal.core.motion.ground import Ground
from bl_ext.dev.motion_signal.core.numeric import rotation
from bl_ext.dev.motion_signal.core.paths.curve import read_curve, spline
from bl_ext.dev.motion_signal.core.paths.fit import fit, ground_track
from bl_ext.dev.motion_signal.core.paths.follow import PathFollower
from bl_ext.dev.motion_signal.core.techniques.figure.path import PATH, Opened, PathParams
from bl_ext.dev.motion_signal.operators.bridge.actions import read_take
from bl_ext.dev.motion_signal.operators.bridge.armatures import skeleton_of
from bl_ext.dev.motion_signal.operators.bridge.curves import Curves
from made_takes import RECORDED

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

METRE, FPS = 0.0564444, 120.0  # of one unit of the recordings
STEP = 0.3  # metres: shorter ones are shuffles, whose length says nothing
SLOW = 0.25  # metres a second, which is a pause
TOLERANCE = 0.1  # metres from the track: as paths are found that are not given


@pytest.fixture(scope="module")
def take(recorded):
    """A recorded take with the T-pose in front, its skeleton and what is planted when."""

    @cache
    def read(name):
        clip, skeleton = recorded(name).clip, recorded(name).skeleton
        contacts = {point: plants for point, plants in Body(clip, skeleton).contacts.items() if not point.endswith("hand")}
        return SimpleNamespace(clip=clip, skeleton=skeleton, contacts=contacts, surroundings=Surroundings(skeleton))

    return read


def wound(radius, turn, length, points=400):
    """Points of a spiral of so many metres, its radius growing by so much a turn."""
    angles = np.linspace(0.0, 60.0, 20000)
    places = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]) * (radius + turn * angles / (2 * np.pi))[:, None]
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    at = np.linspace(0.0, length, points)
    return {"points": np.column_stack([np.interp(at, gone, column) for column in places.T]).tolist()}


HALF_CIRCLE = wound(2.0, 0.0, 2.0 * np.pi)
STRAIGHT = {"control": [[0, 0, 0], [30, 0, 0]]}
S = {"points": [[x, np.sin(2 * np.pi * x / 7), 0] for x in np.linspace(0, 7.5, 90)]}
BEND = wound(3.0, 0.0, 3.0 * np.pi)
EDITS = pytest.mark.parametrize(
    ("name", "path"),
    [("07_01", HALF_CIRCLE), ("104_36", STRAIGHT), ("137_38", S), ("77_26", STRAIGHT), ("77_26", BEND)],
    ids=["walk on a half circle", "figure 8 on a line", "strut on an S", "search down a corridor", "search round a bend"],
)


@EDITS
def test_feet_stand_and_the_figure_faces_along_the_path_as_it_did_and_steps_as_far(take, name, path):
    own = take(name)
    result = PATH.run(own.clip, PathParams(path=path), own.surroundings)
    contacts = {
        point: [[first, min(last, result.last_frame)] for first, last in plants if first <= result.last_frame]
        for point, plants in own.contacts.items()
    }
    before, after = (report(clip, own.skeleton, contacts=contacts) for clip in (own.clip, result))

    walk = PathFollower(own.clip, own.skeleton, spline(fit(own.clip, own.skeleton, tolerance=TOLERANCE) * (1, 1, 0)))
    distances, rows = np.cumsum(walk.aside.steps)[: result.frames], slice(2, result.frames)
    offsets = [
        facing(clip, own.skeleton)[rows] - curve.at(distances)[1][rows]
        for clip, curve in ((own.clip, walk.curve), (result, read_curve("path", path)))
    ]
    turned = np.degrees(np.subtract(*(np.percentile(angles, [5, 25, 50, 75, 95]) for angles in offsets)))
    turned -= 360 * np.rint(turned.mean() / 360)

    usual, now = (strides(clip, own.skeleton, contacts) for clip in (own.clip, result))
    ratio = (now / usual)[usual > STEP]
    print(
        f"{name}: slide {before['slide_mean_mm']:.1f} -> {after['slide_mean_mm']:.2f} mm, heading {np.abs(turned).max():.1f} "
        f"degrees off, strides {ratio.min():.2f} to {ratio.max():.2f}"
    )
    assert after["slide_mean_mm"] < 2.0 < before["slide_mean_mm"]
    assert np.abs(turned).max() < 5.0
    assert 0.85 < ratio.min() and ratio.max() < 1.15
    assert after["flips"] <= before["flips"]


def facing(clip, skeleton):
    return Ground([clip], skeleton).taken_off(clip.values)[1].headings


def strides(clip, skeleton, contacts):
    """From every place where a foot stands to the next."""
    figure = Body(clip, skeleton).figure
    places = dict(zip(figure.points, np.moveaxis(figure.places(clip)[0], 1, 0)))
    found = []
    for foot, plants in feet(contacts, clip.fps).items():
        middles = [
            np.median(
                0.5
                * (places[foot.replace("foot", "heel")] + places[foot.replace("foot", "toe")])[
                    first - clip.first_frame : last - clip.first_frame + 1, :2
                ],
                axis=0,
            )
            for first, last in plants
        ]
        found += [np.linalg.norm(after - before) for before, after in zip(middles, middles[1:])]
    return np.array(found)


@pytest.mark.parametrize("name", ["07_01", "104_36", "111_13", "07_12"])
def test_an_unchanged_path_gives_the_take_back_and_a_moved_one_moves_it(take, name):
    own = take(name)
    control, process = fit(own.clip, own.skeleton, 8), PATH.open(own.clip, own.surroundings)
    original = {"control": control.tolist()}
    for timing in ("SPEED", "KEEP"):
        result = process(PathParams(path=original, original=original, timing=timing))
        assert np.abs(result.values - own.clip.values).max() < 1e-5
    angle = np.radians(130.0)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    result = process(PathParams(path={"control": (control @ turn.T + [3, -2, 0]).tolist()}, original=original))
    heads, moved = (own.skeleton.posed(clip)[1] for clip in (own.clip, result))
    assert np.abs(moved - heads @ turn.T - [3, -2, 0]).max() < 1e-5


# Who is made stops dead from one step to the next, too suddenly for a bend that is as tight as that.
PAUSED = {"straight": STRAIGHT, "bend": BEND, **({"tight bend": wound(0.5, 0.0, 3.0)} if RECORDED.is_dir() else {})}


@pytest.mark.parametrize("path", PAUSED.values(), ids=PAUSED)
def test_a_pause_turns_the_figure_no_more_than_the_take_did(take, path):
    own = take("77_26")
    result = PATH.run(own.clip, PathParams(path=path, ends="ON", plant=False), own.surroundings)
    speed = np.linalg.norm(np.gradient(ground_track(own.clip, own.skeleton), axis=0), axis=1) * FPS
    slow = speed < SLOW
    edges = np.flatnonzero(np.diff(slow.astype(int), prepend=0, append=0))
    pauses = [slice(first, end) for first, end in zip(edges[::2], edges[1::2]) if end - first > 0.25 * FPS]
    assert len(pauses) >= 2
    for rows in pauses:
        was, now = (np.degrees(np.ptp(facing(clip, own.skeleton)[rows])) for clip in (own.clip, result))
        print(f"pause of {(rows.stop - rows.start) / FPS:.2f} s: turns by {was:.1f} degrees, {now:.1f} on the path")
        assert now < was + 3.0


@pytest.mark.parametrize("name", ["07_05", "07_11", "07_01"])
def test_a_walk_of_four_metres_fills_a_spiral_of_forty(take, name):
    own, params = take(name), PathParams(path=wound(1.5, 1.2, 40.0), ends="FILL")
    opened = Opened(own.clip, own.skeleton, {}, 0, (), True, {}, {})
    rows, _ = opened.at_own_speed(read_curve("path", params.path), params)
    result = PATH.run(own.clip, params, own.surroundings)
    assert result.frames == len(rows)
    contacts = opened.feet().contacts_at(result, rows)
    slide = report(result, own.skeleton, contacts=contacts)["slide_mean_mm"]
    length = np.linalg.norm(np.diff(ground_track(result, own.skeleton), axis=0), axis=1).sum()
    assert slide < 3.0
    assert 39.0 < length < 42.0
    usual = np.median([end - start for foot in events(own.contacts, own.clip).values() for start, end in foot["cycles"]])
    for foot in events(find_contacts(result, own.skeleton, find_roles(own.skeleton)), result).values():
        assert len(foot["strikes"]) > 15 and np.abs(np.diff(foot["strikes"]) / usual - 1.0).max() < 0.1

    seams = np.flatnonzero(np.diff(rows % own.clip.frames) != 1)
    around = np.unique(seams[:, None] + [-1, 0, 1])
    turns, gaps = (made[around].max() / np.percentile(taken, 99) for taken, made in zip(changes(own.clip), changes(result)))
    print(
        f"{name}: {result.frames} frames, {len(seams)} seams, slide {slide:.2f} mm; at seams bones turn at most {turns:.2f}, "
        f"and faster or slower by {gaps:.2f}, of the take's 99th percentile"
    )
    assert len(seams) > 15 and turns < 1.0 and gaps < 1.0


def changes(clip):
    """How far bones turn from frame to frame, and how much that changes, (frames, bones) each."""
    turned, changed = [], []
    for _, _, _, q in rotations(clip):
        q = q * rotation.lifted(q)
        steps = rotation.log(rotation.multiply(rotation.conjugate(q[:, :-1]), q[:, 1:]))
        turned.append(np.linalg.norm(steps, axis=0))
        changed.append(np.linalg.norm(np.diff(steps, axis=1), axis=0))
    return np.hstack(turned), np.hstack(changed)


def test_a_path_from_any_take_gives_it_back_and_can_be_straightened_mirrored_and_reset(scene, takes):
    """Those that travel, which most do; the others are refused in a sentence."""
    files = [*sorted(takes.glob("*.bvh")), *sorted(takes.glob("other/*.bvh")), *sorted(takes.glob("library/*.bvh"))[:7]]
    settings, done = bpy.context.window_manager.motion_signal, 0
    settings.live = False  # what the figure does on such paths is looked at above
    try:
        for file in files:
            rig = rigs.import_take(file, global_scale=METRE)
            done += tries_shapes(rig, settings)
            bpy.data.actions.remove(rig.animation_data.action)
            bpy.data.objects.remove(rig)
    finally:
        settings.live, settings.path.curve = True, ""
    assert done > 0.75 * len(files)


def tries_shapes(rig, settings):
    """Make a path of a rig's take, change it by every button and give it back; False where the take never travels."""
    try:
        bpy.ops.motion_signal.path_create()
    except RuntimeError as error:
        assert "never travels" in str(error)
        return False
    curve = bpy.data.objects[settings.path.curve]
    points, data = curve.data.splines[0].points, rig.animation_data
    assert 5 <= len(points) <= 7 and curve.data.splines[0].order_u == 4
    render, last = bpy.context.scene.render, int(data.action.frame_range[1])
    clip = read_take(
        data.action, data.action_slot, tuple(rigs.curves_of(rig).values()), rig, 1, last, render.fps / render.fps_base
    ).clip
    around = Surroundings(skeleton_of(rig), curves=Curves())
    assert np.abs(PATH.run(clip, PathParams(curve=curve.name), around).values - clip.values).max() < 1e-5
    own = np.array([point.co for point in points])
    for shape in ("STRAIGHT", "MIRROR", "RESET"):
        assert bpy.ops.motion_signal.path_shape(shape=shape) == {"FINISHED"}
    assert np.abs(np.array([point.co for point in curve.data.splines[0].points]) - own).max() < 1e-5
    return True
