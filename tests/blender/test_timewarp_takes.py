# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded walks registered to each other: their heel strikes, measured independently of us, fall on each other."""

from types import SimpleNamespace

import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.declare.technique import Surroundings
from bl_ext.dev.motion_signal.core.motion.resample import resampled
from bl_ext.dev.motion_signal.core.numeric.time_map import along
from bl_ext.dev.motion_signal.core.techniques.time.timewarp import TIMEWARP, TimewarpParams, time_map

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's

TAKES = {
    "sad": "cmu_82_10_walk_sad.bvh",
    "happy": "cmu_82_12_walk_happy.bvh",
    "drunk": "cmu_137_16_walk_drunk.bvh",
    "march": "cmu_111_13_march.bvh",
}


@pytest.fixture(scope="module")
def walks(recorded):
    """Clip, skeleton and strikes of each walk."""
    read = {name: recorded(file.removesuffix(".bvh")) for name, file in TAKES.items()}
    return {name: SimpleNamespace(**vars(take), strikes=take.truth["strikes"]) for name, take in read.items()}


def apart(source, reference, strikes):
    """Seconds from each strike of the source, at its time in the reference, to the nearest there of the same foot."""
    return np.array(
        [
            np.abs(np.array(reference.strikes[foot]) - strike).min() / reference.clip.fps
            for foot in source.strikes
            for strike in strikes(np.array(source.strikes[foot], dtype=float))
        ]
    )


@pytest.mark.parametrize("one, other", [("sad", "happy"), ("drunk", "march")])
def test_heel_strikes_coincide_within_50_ms_in_the_median(walks, one, other):
    source, reference = walks[one], walks[other]
    surroundings = Surroundings(source.skeleton, takes={"reference": reference.clip})
    pairs = time_map(source.clip, TimewarpParams(reference="reference"), surroundings)
    stretch = np.array([[source.clip.first_frame] * 2, [source.clip.last_frame, reference.clip.last_frame]], dtype=float)
    after = apart(source, reference, lambda strikes: along(pairs, strikes))
    before = apart(source, reference, lambda strikes: along(stretch, strikes))
    print(f"{one} to {other}: strikes {1e3 * np.median(after):.0f} ms apart, {1e3 * np.median(before):.0f} merely stretched")
    assert np.median(after) < 0.05 < np.median(before)


def test_a_known_time_map_of_a_take_is_found_again(walks):
    source = walks["happy"]
    fraction = np.linspace(0.0, 1.0, 460)
    moments = (source.clip.frames - 1) * (fraction + 0.06 * np.sin(2 * np.pi * fraction))
    reference = resampled(source.clip, moments)
    surroundings = Surroundings(source.skeleton, takes={"reference": reference})
    pairs = time_map(source.clip, TimewarpParams(reference="reference"), surroundings) - source.clip.first_frame
    assert np.median(np.abs(along(pairs[:, ::-1], np.arange(460)) - moments)) < 1.5
    warped = TIMEWARP.run(source.clip, TimewarpParams(reference="reference", timing=1.0), surroundings)
    spans = np.ptp(reference.values, axis=0)
    errors = np.abs(warped.values - reference.values)[:, spans > 1e-4] / spans[spans > 1e-4]
    assert np.median(errors) < 0.01 and np.median(errors, axis=0).mean() < 0.01
