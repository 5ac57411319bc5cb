# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a take: near the way that the figure went, in order, and blind to what is no travel."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.paths.curve import spline
from motion_signal.core.paths.fit import fit, fit_together, progress, progress_of

FPS = 60.0
SIZE = 1.7


def track(places):
    return np.column_stack([places, np.zeros(len(places))])


def moving(places, fps=FPS):
    """An object that goes to these places (frames, 2) and turns with them."""
    way = np.gradient(places, axis=0)
    channels = [Channel("location", index, "LOCATION") for index in range(3)]
    channels += [Channel("rotation_euler", index, "XYZ") for index in range(3)]
    headings = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    return Clip(np.column_stack([track(places), np.zeros((len(places), 2)), headings]), tuple(channels), fps, 1)


def wave(frames=400):
    along = np.linspace(0.0, 8.0, frames)
    return np.column_stack([along, np.sin(along)])


def apart(places, control):
    samples, _ = spline(control * (1, 1, 0)).evenly(np.linspace(0.0, 1.0, 3000))
    return np.min(np.linalg.norm(samples[None, :, :2] - places[::7, None], axis=2), axis=1).max()


def test_the_path_runs_along_the_way_that_was_gone():
    assert apart(wave(), fit(moving(wave()), points=12)) < 0.03


def test_more_control_points_come_nearer_and_a_tolerance_takes_as_few_as_it_needs():
    clip = moving(wave())
    distances = [apart(wave(), fit(clip, points=count)) for count in (2, 4, 8, 16)]
    assert distances == sorted(distances, reverse=True)
    found = fit(clip, tolerance=0.1)
    assert apart(wave(), found) < 0.1 < apart(wave(), fit(clip, points=len(found) - 1))
    assert len(fit(moving(np.outer(np.linspace(0, 5, 300), [1.0, 0.5])), tolerance=0.1)) == 2


def test_control_points_are_spaced_by_distance_and_not_by_time():
    """Half of the way in a tenth of the time."""
    moments = np.linspace(0.0, 1.0, 600)
    along = np.interp(moments, [0.0, 0.9, 1.0], [0.0, 4.0, 8.0])
    control = fit(moving(np.column_stack([along, np.zeros(600)])), points=9)
    even = fit(moving(np.column_stack([8.0 * moments, np.zeros(600)])), points=9)
    assert np.abs(control - even).max() < 0.4  # by time the middle one would be at 2.2 instead of at 4 m


def test_progress_goes_from_start_to_end_and_never_back():
    gone = progress(track(wave()), FPS, SIZE)
    assert gone[0] == 0.0 and gone[-1] == 1.0 and np.diff(gone).min() >= 0.0


def test_a_take_that_comes_in_moving_makes_progress_at_once_and_evenly():
    gone = progress(track(np.column_stack([np.linspace(0, 5, 300), np.zeros(300)])), FPS, SIZE)
    assert np.abs(gone - np.linspace(0, 1, 300)).max() < 1e-3


def test_swaying_on_the_spot_is_no_progress():
    still = np.column_stack([np.zeros(180), 0.06 * np.sin(np.arange(180) / 12)])
    way = np.column_stack([np.linspace(0, 3, 180), np.zeros(180)])
    gone = progress(track(np.concatenate([way, still + way[-1], way + way[-1]])), FPS, SIZE)
    assert np.ptp(gone[200:340]) < 0.01 and gone[180] == pytest.approx(0.5, abs=0.05)


def test_a_t_pose_in_front_and_a_lost_row_are_no_travel():
    places = wave()
    lost = places.copy()
    lost[0] = (-9.0, 9.0)
    lost[200] = (0.0, 0.0)
    assert apart(places, fit(moving(lost), points=12)) < 0.05


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
def test_the_frame_rate_does_not_change_the_path(fps):
    def control(rate):
        return fit(moving(wave(round(6.0 * rate) + 1), rate), points=8)

    assert np.abs(control(fps) - control(60.0)).max() < 0.02


def test_who_never_travels_is_refused():
    still = moving(np.random.default_rng(1).normal(0, 1e-12, (100, 2)))
    with pytest.raises(ValueError, match="the take never travels"):
        fit(still)
    sway = 0.1 * np.column_stack([np.sin(np.arange(300) / 20), np.cos(np.arange(300) / 31)])
    with pytest.raises(ValueError, match=r"the take never travels: it stays within 0\.1. m of one place"):
        progress(track(sway), FPS, SIZE)


def test_two_takes_share_the_path_between_them():
    left, right = wave() + [0.0, 0.5], wave() - [0.0, 0.5]
    control, gone = fit_together([(moving(left), None), (moving(right), None)], points=12)
    assert apart(wave(), control) < 0.05
    assert np.abs(gone - progress_of(moving(wave()))).max() < 0.01
    with pytest.raises(ValueError, match="from 1 to 400 and from 7 to 406"):
        fit_together([(moving(left), None), (replace(moving(right), first_frame=7), None)])


def test_too_few_and_too_many_control_points_are_refused():
    for count in (1, 33):
        with pytest.raises(ValueError, match=f"control_points: {count} is outside 2 to 32"):
            fit(moving(wave()), points=count)
