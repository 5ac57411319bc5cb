# SPDX-License-Identifier: GPL-3.0-or-later
"""Music in Blender: beats of a sound that Blender reads, changed and dragged, and a walk that is brought onto them."""

import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
import scipy
from bl_ext.dev.motion_signal.core.techniques.time.music import MUSIC
from bl_ext.dev.motion_signal.operators.desk import music
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel, press_apply

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from made_sounds import RATE, sound  # noqa: E402

pytestmark = pytest.mark.usefixtures("settled")


@pytest.fixture
def figure(scene):
    bpy.context.scene.render.fps = 60
    bpy.ops.motion_signal.add_figure(speed=1.3)
    return bpy.context.object


@pytest.fixture
def clicks(tmp_path):
    """A file with 100 clicks a minute, and when they are."""
    samples, beats, _ = sound("clicks", 100.0, seconds=8.0)
    path = tmp_path / "clicks.wav"
    scipy.io.wavfile.write(path, RATE, (30000 * samples / np.abs(samples).max()).astype(np.int16))
    return path, beats


def test_beats_of_a_file_are_found_and_steps_brought_onto_them(figure, clicks):
    path, beats = clicks
    bpy.ops.motion_signal.add_step(technique="music")
    assert bpy.ops.motion_signal.music_find(filepath=str(path)) == {"FINISHED"}
    assert np.allclose(music.own_beats(bpy.context), beats, atol=0.01)
    assert panel().notice == "" and "within 0 ms of beats" in preview.session().process.told
    assert len(music.bars(bpy.context)) >= 3
    take = figure.animation_data.action
    assert press_apply(MUSIC) == {"FINISHED"} and figure.animation_data.action != take


def test_beats_of_the_first_sound_strip_are_found_where_it_begins(figure, clicks):
    path, beats = clicks
    scene = bpy.context.scene
    editor = scene.sequence_editor or scene.sequence_editor_create()
    where = editor.strips if hasattr(editor, "strips") else editor.sequences
    where.new_sound("clicks", str(path), 1, 21)
    bpy.ops.motion_signal.add_step(technique="music")
    assert bpy.ops.motion_signal.music_find() == {"FINISHED"}
    assert panel().music.sound_start == 21 and np.allclose(music.own_beats(bpy.context), beats, atol=0.01)


def test_beats_are_doubled_halved_and_moved_by_one_that_is_dragged(figure):
    bpy.ops.motion_signal.add_step(technique="music")
    panel().music.tempo = 90.0
    before = music.frames_shown(bpy.context)
    bpy.ops.motion_signal.music_change(how="DOUBLE")
    assert panel().music.tempo == 180.0 and len(music.frames_shown(bpy.context)) > 1.8 * len(before)
    bpy.ops.motion_signal.music_change(how="HALVE")
    assert np.allclose(music.frames_shown(bpy.context), before)
    assert music.move(bpy.context, 2, before[2] + 6, before[2] + 6)
    assert panel().music.first_beat == pytest.approx(0.1) and panel().notice == ""
    panel().music.beats, panel().music.tempo = "[0.5, 1.1, 1.7, 2.3]", 0.0
    bpy.ops.motion_signal.music_change(how="OTHER")
    assert np.allclose(music.own_beats(bpy.context), [0.8, 1.4, 2.0])


def test_three_taps_make_a_tempo(figure, monkeypatch):
    bpy.ops.motion_signal.add_step(technique="music")
    for second in (10.0, 10.5, 11.0):
        monkeypatch.setattr(music.time, "monotonic", lambda second=second: second)
        bpy.ops.motion_signal.music_tap()
    assert panel().music.tempo == pytest.approx(120.0)


def test_taps_that_are_too_fast_for_a_tempo_are_refused(figure, monkeypatch):
    bpy.ops.motion_signal.add_step(technique="music")
    for second in (20.0, 20.01):
        monkeypatch.setattr(music.time, "monotonic", lambda second=second: second)
        bpy.ops.motion_signal.music_tap()
    monkeypatch.setattr(music.time, "monotonic", lambda: 20.02)
    with pytest.raises(RuntimeError, match="taps 0.01 s apart are no tempo"):
        bpy.ops.motion_signal.music_tap()
    assert panel().music.tempo == 0.0


def test_a_sound_that_is_not_there_or_has_no_beat_is_refused(figure, tmp_path):
    bpy.ops.motion_signal.add_step(technique="music")
    with pytest.raises(RuntimeError, match="choose a sound file"):
        bpy.ops.motion_signal.music_find()
    with pytest.raises(RuntimeError, match="there is no file"):
        bpy.ops.motion_signal.music_find(filepath=str(tmp_path / "nothing.wav"))
    silent = tmp_path / "silent.wav"
    scipy.io.wavfile.write(silent, RATE, np.zeros(5 * RATE, dtype=np.int16))
    with pytest.raises(RuntimeError, match="nothing to be heard"):
        bpy.ops.motion_signal.music_find(filepath=str(silent))
    broken = tmp_path / "broken.wav"
    broken.write_bytes(b"nothing")
    with pytest.raises(RuntimeError, match="cannot be read"):
        bpy.ops.motion_signal.music_find(filepath=str(broken))
    other = tmp_path / "broken.mp3"
    other.write_bytes(b"nothing at all")
    with pytest.raises(RuntimeError, match="it is no sound file"):
        bpy.ops.motion_signal.music_find(filepath=str(other))
    assert panel().music.beats == ""


def test_blender_reads_what_is_no_wav(figure, clicks):
    samples, rate = music.by_blender(clicks[0])
    assert rate == RATE and len(samples) == round(8.0 * RATE)
