# SPDX-License-Identifier: GPL-3.0-or-later
"""Splines with tension, continuity and bias: the published tangents, written out one by one."""

import numpy as np
import pytest
from motion_signal.core.numeric.tcb import tcb

TIMES = np.array([0.0, 4.0, 5.0, 11.0, 20.0])
VALUES = np.array([[0.0, 1.0], [2.0, -1.0], [-1.0, 0.5], [3.0, 2.0], [1.0, 0.0]])


def slow(tension, continuity, bias, at):
    """Hermite segments with tangents worked out key by key, arriving and leaving, corrected for spacing."""
    count = len(TIMES)

    def tangent(key, leaving):
        last, following = max(key, 1), min(key + 1, count - 1)
        d0 = VALUES[last] - VALUES[last - 1]
        d1 = VALUES[following] - VALUES[following - 1]
        n0, n1 = TIMES[last] - TIMES[last - 1], TIMES[following] - TIMES[following - 1]
        sign = 1 if leaving else -1
        t, c, b = tension[key], sign * continuity[key], bias[key]
        raw = 0.5 * (1 - t) * ((1 + c) * (1 + b) * d0 + (1 - c) * (1 - b) * d1)
        return raw * 2 * (n1 if leaving else n0) / (n0 + n1)

    segment = max(0, min(count - 2, int(np.searchsorted(TIMES, at, side="right")) - 1))
    s = (at - TIMES[segment]) / (TIMES[segment + 1] - TIMES[segment])
    basis = (2 * s**3 - 3 * s**2 + 1, -2 * s**3 + 3 * s**2, s**3 - 2 * s**2 + s, s**3 - s**2)
    return (
        basis[0] * VALUES[segment]
        + basis[1] * VALUES[segment + 1]
        + basis[2] * tangent(segment, True)
        + basis[3] * tangent(segment + 1, False)
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_spline_has_the_published_tangents_on_uneven_spacing(seed):
    knobs = np.random.default_rng(seed).uniform(-1, 1, (3, len(TIMES)))
    at = np.linspace(0, 20, 401)
    wanted = np.array([slow(*knobs, moment) for moment in at])
    assert np.abs(tcb(TIMES, VALUES, *knobs, at) - wanted).max() < 1e-12


def test_it_passes_through_every_key():
    knobs = np.full((3, 5), 0.3)
    assert np.abs(tcb(TIMES, VALUES, *knobs, TIMES) - VALUES).max() < 1e-12


def test_full_tension_stops_at_every_key():
    near = tcb(TIMES, VALUES, np.ones(5), np.zeros(5), np.zeros(5), np.array([4 - 1e-6, 4.0, 4 + 1e-6]))
    assert np.abs(np.diff(near, axis=0)).max() < 1e-10


def test_outside_its_keys_it_holds():
    assert (tcb(TIMES, VALUES, *np.zeros((3, 5)), np.array([-3.0, 25.0])) == VALUES[[0, -1]]).all()
