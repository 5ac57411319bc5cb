# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan of steps: it goes as fast as is wanted, stands where it is to, and ends there with a whole number of steps."""

import numpy as np
import pytest
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.paths.step_plan import Stop, plan_steps

FPS = 120.0


def even(value):
    return lambda along: np.full(len(along), value)


@pytest.mark.parametrize("length", [0.5, 1.0, 2.3, 9.7])
@pytest.mark.parametrize("start, end", [(True, True), (False, True), (True, False), (False, False)])
def test_it_goes_from_end_to_end_and_never_back(length, start, end):
    plan = plan_steps(length, even(1.3), even(1.4), FPS, start=start, end=end)
    assert plan.along[0] == 0.0 and abs(plan.along[-1] - length) < 0.012
    assert np.diff(plan.along).min() >= -1e-12 and np.diff(plan.along).max() * FPS < 1.31
    for row, stands in ((0, start), (-1, end)):
        assert (plan.shares[row] == 0.0 and plan.down[:, row].all()) == stands
    if end:
        assert abs(2.0 * plan.phases[plan.shares > 0.0][-1] - np.rint(2.0 * plan.phases[plan.shares > 0.0][-1])) < 0.1


def test_keyed_speeds_are_gone():
    wanted = lambda along: np.interp(along, [2.0, 8.0], [0.9, 1.7])  # noqa: E731
    plan = plan_steps(10.0, wanted, even(1.4), FPS)
    speeds = np.gradient(plan.along) * FPS
    going = (plan.along > 0.5) & (plan.along < 9.5)
    assert np.abs(speeds[going] / wanted(plan.along[going]) - 1.0).max() < 0.01
    strides = np.gradient(plan.along)[going] / np.gradient(plan.phases)[going]
    assert np.abs(strides / 1.4 - 1.0).max() < 0.05


def test_a_stop_is_waited_at_with_both_feet_down():
    plan = plan_steps(6.0, even(1.2), even(1.4), FPS, [Stop(3.0, 0.8)])
    still = np.abs(plan.along - 3.0) < 1e-9
    assert abs(still.sum() / FPS - 0.8) < 0.02 and plan.down[:, still].all() and plan.shares[still].max() < 1e-9


def test_stops_too_close_are_refused():
    with pytest.raises(Refusal, match="too close for a step"):
        plan_steps(6.0, even(1.2), even(1.4), FPS, [Stop(3.0), Stop(3.05)])
