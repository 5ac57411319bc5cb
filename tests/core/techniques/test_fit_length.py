# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit Length: a take lasts as long as is asked for, and what moves much keeps its pace before what moves little."""

from dataclasses import replace

import numpy as np
import pytest
from made_takes import take
from motion_signal.core.body.contacts import carried, find_contacts
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.report import slides_of
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.resample import resampled
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.rhythm.moments import steps
from motion_signal.core.techniques.time.fit_length import FIT_LENGTH, FitLengthParams

FPS = 60.0


def sliding_block(places):
    channels = tuple(Channel("location", axis, "LOCATION") for axis in range(3))
    return Clip(np.column_stack([places, np.zeros((len(places), 2))]), channels, FPS, 1)


def opened(name):
    made = take(name)
    contacts = find_contacts(made.clip, made.skeleton)
    return made, contacts, FIT_LENGTH.open(made.clip, Surroundings(made.skeleton, contacts=lambda: contacts))


@pytest.mark.parametrize("part", [0.8, 1.4])
def test_time_is_spent_in_the_hold_and_not_in_the_move(part):
    gone = np.clip((np.arange(240) - 120.0) / 40.0, 0.0, 1.0)  # two seconds still, a move, and still again
    clip = sliding_block(gone * gone * (3.0 - 2.0 * gone))
    process = FIT_LENGTH.open(clip)
    params = FitLengthParams(seconds=part * 239.0 / FPS)
    result, rows = process(params), process.origins(params)[0].rows
    assert result.frames == round(part * 239.0) + 1
    paces = np.diff(rows)
    moving = (rows[:-1] > 122) & (rows[:-1] < 158)
    assert np.abs(paces[moving] - 1.0).max() < 0.1
    assert abs(np.diff(process.origins(replace(params, even=1.0))[0].rows).mean() - paces[moving].mean()) > 0.15
    even = np.diff(process.origins(replace(params, even=1.0))[0].rows)
    assert np.ptp(even) < 1e-6


@pytest.mark.parametrize("name, part", [("walk", 0.85), ("walk", 1.3), ("run", 1.2), ("kick", 0.8)])
def test_a_take_lasts_as_long_as_is_asked_for_and_its_feet_stay_planted(name, part):
    made, contacts, process = opened(name)
    params = FitLengthParams(seconds=part * (made.clip.frames - 1) / made.clip.fps)
    result = process(params)
    assert abs((result.frames - 1) / result.fps - params.seconds) <= 0.5 / result.fps + 1e-9
    there = carried(process.origins(params), lambda clip: contacts, result.first_frame)
    figure = Legs(made.skeleton, find_roles(made.skeleton))
    was, now = (
        max(slides_of(figure.places(clip)[0], figure, own, clip.first_frame))
        for clip, own in ((made.clip, contacts), (result, there))
    )
    assert now < was + 0.002  # contacts begin and end with whole frames
    assert process(replace(params, amount=0.0)) is made.clip


@pytest.mark.parametrize("tempo", [100.0, 125.0])
def test_steps_come_at_the_tempo(tempo):
    made, contacts, process = opened("walk")
    params = FitLengthParams(goal="TEMPO", tempo=tempo)
    result = process(params)
    struck = steps(result, carried(process.origins(params), lambda clip: contacts, result.first_frame))
    assert abs(60.0 * result.fps * (len(struck) - 1) / (struck[-1] - struck[0]) - tempo) < 0.04 * tempo


def test_who_flies_falls_as_fast_as_before():
    times = np.arange(240) / FPS
    height = np.maximum(0.0, 0.5 * 9.81 * (0.25**2 - np.square(times - 2.0)))  # half a second in the air
    clip = sliding_block(height)
    process = FIT_LENGTH.open(clip)
    params = FitLengthParams(seconds=1.35 * (clip.frames - 1) / FPS)
    process(params)
    rows = process.origins(params)[0].rows
    flying = np.abs(rows[:-1] / FPS - 2.0) < 0.22
    assert np.abs(np.diff(rows)[flying] - 1.0).max() < 0.1 and np.diff(rows).min() < 0.75


def test_the_pace_of_an_example_is_learnt():
    made = take("walk")
    rows = np.arange(0.0, made.clip.frames - 1.0, 1.25)
    around = Surroundings(made.skeleton, takes={"itself": made.clip, "faster": resampled(made.clip, rows)})
    process = FIT_LENGTH.open(made.clip, around)
    itself = process(FitLengthParams(goal="EXAMPLE", example="itself"))
    assert itself.frames == made.clip.frames and np.abs(itself.values - made.clip.values).max() < 1e-6
    faster = process(FitLengthParams(goal="EXAMPLE", example="faster"))
    assert abs(faster.frames / made.clip.frames - 0.8) < 0.05


@pytest.mark.parametrize(
    "given, said",
    [
        ({"seconds": 60.0}, "length: .* of the take's own length is outside 0.50 to 2.00; let it become slower than 0.5"),
        ({"goal": "TEMPO", "tempo": 900.0}, "tempo: .* let it become faster than 2"),
        ({"goal": "EXAMPLE", "seconds": 1.0}, "example: there is none whose pace"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(Refusal, match=said):
        opened("walk")[2](FitLengthParams(**given))


def test_a_tempo_needs_steps():
    process = FIT_LENGTH.open(sliding_block(np.arange(90.0)))
    with pytest.raises(Refusal, match="tempo: 0 step"):
        process(FitLengthParams(goal="TEMPO", tempo=90.0))
