# SPDX-License-Identifier: GPL-3.0-or-later
"""The library from scripts: a folder is indexed, asked, and what is found is seen on the figure, kept, and joined on."""

import os
from pathlib import Path

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.library.store import index_of
from bl_ext.dev.motion_signal.operators.desk.between import spans
from bl_ext.dev.motion_signal.operators.desk.library import library_of
from bl_ext.dev.motion_signal.operators.files import files
from bl_ext.dev.motion_signal.operators.library import readable
from bl_ext.dev.motion_signal.operators.library.stick_pictures import sticks
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel
from library_folder import RUN, TURN, WALK, filled, indexed_walk


@pytest.fixture
def folder(takes, tmp_path):
    return filled(takes, tmp_path)


@pytest.fixture
def rig(folder):
    """A walk on its figure, in a scene of 30 frames a second, and a folder that is indexed."""
    yield indexed_walk(folder)
    preview.end()


def settings():
    return bpy.context.window_manager.motion_signal_library


def find(**asked):
    assert bpy.ops.motion_signal.library_find(**asked) == {"FINISHED"}
    return [(row.path, row.first, row.last) for row in settings().found]


def hips(rig):
    """Where the hips are in the world and which way they face, at the current frame."""
    bpy.context.view_layer.update()
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    axes = np.array(posed.matrix_world @ posed.pose.bones["Hips"].matrix)
    rest = np.array(rig.data.bones["Hips"].matrix_local)[:3, :3]
    turn = axes[:3, :3] / np.linalg.norm(axes[:3, :3], axis=0) @ rest.T
    return axes[:3, 3], 2.0 * np.arctan2(turn[1, 0] - turn[0, 1], 1.0 + np.trace(turn))


def test_what_is_like_this_range_is_itself_first(rig):
    path, first, last = find(what="LIKE", frame_start=100, frame_end=220)[0]
    assert path == WALK and abs(first - 100) < 12 and abs(last - 220) < 12


def test_poses_words_curves_and_what_next_are_found(rig):
    assert find(what="POSE", frame_start=150)[0][0] == WALK
    assert {path for path, _, _ in find(what="WORDS", words="speed > 2.2")} == {RUN}
    curve = bpy.data.objects.new("Way", bpy.data.curves.new("Way", "CURVE"))
    bpy.context.scene.collection.objects.link(curve)
    spline = curve.data.splines.new("POLY")
    spline.points.add(2)
    for point, place in zip(spline.points, ((0, 0), (1, 0), (1, 1))):
        point.co = (*place, 0, 1)
    assert find(what="CURVE", curve="Way")[0][0] == TURN
    bpy.context.view_layer.objects.active = rig
    assert find(what="NEXT", frame_start=150, length=1.0)


def test_a_click_shows_it_at_this_place_and_heading_and_another_gives_the_take_back(rig):
    take, keys = rig.animation_data.action, len(rig.animation_data.action.layers[0].strips[0].channelbags[0].fcurves)
    bpy.context.scene.frame_set(160)
    where = hips(rig)
    find(what="WORDS", words="speed > 2.2")
    assert bpy.ops.motion_signal.library_show(number=0) == {"FINISHED"}
    seen = rig.animation_data.action
    assert seen != take and preview.MARK in seen
    now = hips(rig)
    assert np.abs(now[0] - where[0])[:2].max() < 0.02 * np.linalg.norm(where[0]) and abs(now[1] - where[1]) < 0.02
    bpy.context.scene.frame_set(190)
    assert np.linalg.norm(hips(rig)[0] - now[0]) > 1.0  # it runs on
    find(what="WORDS", words="speed > 0.5, seconds > 1")  # a new question gives the take back
    assert rig.animation_data.action == take
    for number in range(len(settings().found)):
        assert bpy.ops.motion_signal.library_show(number=number) == {"FINISHED"}
    assert bpy.ops.motion_signal.library_show(number=number) == {"FINISHED"}
    assert rig.animation_data.action == take and [action for action in bpy.data.actions if preview.MARK in action] == []
    assert len(take.layers[0].strips[0].channelbags[0].fcurves) == keys


def test_what_was_seen_already_is_seen_again_without_its_file_being_read_until_that_has_changed(rig, monkeypatch):
    reads, take_from = [], readable.take_from
    monkeypatch.setattr(readable, "take_from", lambda path, figure: reads.append(path) or take_from(path, figure))
    find(what="WORDS", words="speed > 0.5, seconds > 1")
    count = len(settings().found)
    for number in (*range(count), *range(count)):
        assert bpy.ops.motion_signal.library_show(number=number) == {"FINISHED"}
    assert len(reads) == count > 1
    path = Path(bpy.path.abspath(settings().folder), settings().found[0].path)
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1_000_000_000))
    assert bpy.ops.motion_signal.library_show(number=0) == {"FINISHED"} and len(reads) == count + 1
    bpy.ops.motion_signal.library_show(number=0)


def test_what_is_kept_is_an_action_and_what_goes_on_a_join(rig):
    take = rig.animation_data.action
    bpy.context.scene.frame_set(200)
    find(what="NEXT", length=1.5)
    other = next(index for index, row in enumerate(settings().found) if row.path != WALK)
    assert bpy.ops.motion_signal.library_keep(number=other) == {"FINISHED"}
    kept = bpy.data.actions[-1] if bpy.data.actions[-1] != take else bpy.data.actions[0]
    assert kept.use_fake_user and rig.animation_data.action == take
    assert bpy.ops.motion_signal.library_continue(number=other) == {"FINISHED"}
    session = preview.session()
    assert session is not None and session.refusals == {} and session.technique == "join"
    length = (settings().found[other].last - settings().found[other].first) / 120.0 * 120.0
    assert session.run.whole.clip.frames == pytest.approx(200 + length, abs=3)


def test_found_stretches_become_the_takes_between_which_a_speed_is_asked(rig):
    take = rig.animation_data.action
    source = rigs.record(take)
    find(what="WORDS", words="speed > 0.9, seconds > 1", count=3)
    assert bpy.ops.motion_signal.library_between(around=0.1) == {"FINISHED"}
    session = preview.session()
    assert session.technique == "between" and session.refusals == {}
    assert len(panel().between.takes_rows) == len(settings().found) and rigs.record(take) == source
    low, high = spans(bpy.context)["speed"]
    with preview.paused():
        panel().between.speed = 0.5 * (low + high)
    panel().between.by_speed = True
    assert panel().notice == "" and preview.session().said
    find(what="WORDS", words="speed > 2.2", count=1)
    with pytest.raises(RuntimeError, match="two are the fewest"):
        bpy.ops.motion_signal.library_between()


def test_every_bad_question_gets_a_sentence_and_changes_nothing(rig, folder, tmp_path):
    before = index_of(folder).read_bytes()
    asked = {
        "one frame is a pose": lambda: find(what="LIKE", frame_start=100, frame_end=100),
        "outside the motion": lambda: find(what="LIKE", frame_start=9000, frame_end=9100),
        "nothing that is measured": lambda: find(what="WORDS", words="quick"),
        "there is no object": lambda: find(what="CURVE", curve="Nowhere"),
        "no index yet": lambda: find(what="WORDS", words="loops", folder=str(tmp_path / "none")),
        "no such folder": lambda: bpy.ops.motion_signal.library_index(folder=str(tmp_path / "none")),
    }
    for words, ask in asked.items():
        with pytest.raises(RuntimeError, match=words):
            ask()
    assert index_of(folder).read_bytes() == before
    find(what="WORDS", words="speed > 2", folder=str(folder))
    (folder / RUN).unlink()
    with pytest.raises(RuntimeError, match="cannot be read"):
        bpy.ops.motion_signal.library_show(number=0)


@pytest.mark.only("5.2")
def test_other_kinds_of_files_are_indexed_and_seen(rig, folder):
    files.fit_scene()
    files.WRITERS[".fbx"](folder / "walk.fbx", [rig])
    assert bpy.ops.motion_signal.library_index(folder=str(folder)) == {"FINISHED"}
    rows = find(what="LIKE", frame_start=100, frame_end=220)
    number = next(index for index, row in enumerate(rows) if row[0] == "walk.fbx")
    assert number < 3
    bpy.context.scene.frame_set(160)
    where = hips(rig)
    assert bpy.ops.motion_signal.library_show(number=number) == {"FINISHED"}
    assert np.abs(hips(rig)[0] - where[0])[:2].max() < 0.05 * np.linalg.norm(where[0])


def test_pictures_are_of_the_pose(rig, folder):
    library = library_of(str(folder))
    features = library.features(0)
    joints, tips, way = sticks(features.values, np.array([10, 20]), False)
    lengths = np.linalg.norm(tips - joints, axis=2)
    assert joints.shape == tips.shape == (2, 11, 3) and lengths.max() < 1.2 and np.isfinite(joints).all()
    gone = (joints[1, :, :2] - joints[0, :, :2]).mean(axis=0)
    assert gone @ way > 0.9 * np.linalg.norm(gone)  # a walk goes where it faces
    seen = sticks(features.values, np.array([10, 20]), True)[0]
    assert np.allclose(seen * [-1, 1, 1], joints)
