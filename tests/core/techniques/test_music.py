# SPDX-License-Identifier: GPL-3.0-or-later
"""Music: a walk is brought onto a tempo, or onto the beats of a sound file, with its feet and contacts."""

import numpy as np
import pytest
import scipy
from made_faults import bones_of, rotations
from made_sounds import RATE, sound
from made_takes import take
from motion_signal.core.body.contacts import carried, find_contacts
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.report import slides_of
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.rhythm.bring import off_beat
from motion_signal.core.rhythm.moments import hits, steps
from motion_signal.core.techniques.time.music import MUSIC, MusicParams, beats_of


def opened(name):
    made = take(name)
    contacts = find_contacts(made.clip, made.skeleton)
    return made, contacts, MUSIC.open(made.clip, Surroundings(made.skeleton, contacts=lambda: contacts))


def largest_turn(clip, bone):
    """How far a bone turns in a frame at most, in degrees."""
    mode, columns = bones_of(clip)[bone]
    turns = rotations(clip.values[:, columns], mode)
    return np.degrees((turns[:-1].inv() * turns[1:]).magnitude()).max()


@pytest.mark.parametrize("name, tempo", [("walk", 100.0), ("walk", 118.0), ("slow", 90.0), ("run", 160.0)])
def test_steps_are_on_beats_feet_stay_planted_and_nothing_turns_faster(name, tempo):
    made, contacts, process = opened(name)
    params = MusicParams(tempo=tempo, first_beat=0.13)
    result = process(params)
    there = carried(process.origins(params), lambda clip: contacts, result.first_frame)
    moments, beats, pairs = process.brought(params)
    assert len(pairs) >= len(moments) - 1
    struck = steps(result, there)
    off = np.sort(1000.0 * off_beat(struck, beats) / result.fps)
    assert off[: len(pairs)].max() < 25.0
    figure = Legs(made.skeleton, find_roles(made.skeleton))
    was, now = (
        max(slides_of(figure.places(clip)[0], figure, own, clip.first_frame))
        for clip, own in ((made.clip, contacts), (result, there))
    )
    assert now < was + 0.001
    for bone in bones_of(made.clip):
        assert largest_turn(result, bone) < 1.35 * max(largest_turn(made.clip, bone), 0.5)


def test_strength_goes_there_by_degrees_and_limits_hold():
    _, _, process = opened("walk")
    offs = []
    for strength in (0.25, 0.5, 1.0):
        params = MusicParams(tempo=100.0, strength=strength)
        moments, beats, pairs = process.brought(params)
        process(params)
        goals = pairs[:, 0] + strength * (pairs[:, 1] - pairs[:, 0])
        offs.append(off_beat(goals, pairs[:, 1]).mean())
        rows = process.origins(params)[0].rows
        assert np.diff(rows).min() > 0.7 and np.diff(rows).max() < 1.4
    assert offs[0] > offs[1] > offs[2] and offs[2] < 1e-9
    assert process(MusicParams(tempo=100.0, strength=0.0)) is take("walk").clip


def test_the_beats_of_a_file_are_those_that_are_in_it(tmp_path):
    samples, beats, _ = sound("clicks", 104.0)
    path = tmp_path / "clicks.wav"
    scipy.io.wavfile.write(path, RATE, (30000 * samples / np.abs(samples).max()).astype(np.int16))
    clip = take("walk").clip
    found = beats_of(clip, MusicParams(sound=str(path)))
    assert np.abs(found[:, None] - (1 + beats * clip.fps)).min(axis=1).max() < 0.01 * clip.fps


def test_a_hand_that_stops_is_a_hit():
    made = take("kick")
    frames = hits(made.clip, made.skeleton)
    assert len(frames) and np.diff(frames).min(initial=np.inf) >= 0.2 * made.clip.fps


def test_marks_go_onto_beats_without_a_figure():
    channel = Channel("location", 0, "LOCATION")
    clip = Clip(np.linspace(0.0, 1.0, 121)[:, None], (channel,), 30.0, 1)
    process = MUSIC.open(clip)
    result = process(MusicParams(moments="MARKS", marks=(20.0, 44.0, 70.0), tempo=72.0, sound_start=1))
    first = result.first_frame
    for mark, beat in process.brought(MusicParams(moments="MARKS", marks=(20.0, 44.0, 70.0), tempo=72.0, sound_start=1))[2]:
        seen = np.interp(beat, first + np.arange(result.frames), result.values[:, 0])
        assert abs(seen - clip.values[int(mark) - 1, 0]) < 1e-3


@pytest.mark.parametrize(
    "params, said",
    [
        ({"tempo": 100.0, "moments": "MARKS"}, "there are no marks"),
        ({"sound": "nowhere.wav"}, "there is no file nowhere.wav"),
        ({"tempo": 100.0, "moments": "HITS"}, "and this is none"),
    ],
)
def test_what_cannot_be_brought_is_refused_in_a_sentence(params, said):
    channel = Channel("location", 0, "LOCATION")
    clip = Clip(np.linspace(0.0, 1.0, 61)[:, None], (channel,), 30.0, 1)
    with pytest.raises(ValueError, match=said):
        MUSIC.open(clip)(MusicParams(**params))
