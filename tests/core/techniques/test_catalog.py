# SPDX-License-Identifier: GPL-3.0-or-later
"""What every technique in the catalog must do."""

import dataclasses

import numpy as np
import pytest
from motion_signal.core.declare.params import CHECKS, build, changed, declarations
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Clip
from motion_signal.core.motion.fade import range_weights
from motion_signal.core.techniques import TECHNIQUES, technique

SINGLE = 1e-6

NEUTRAL = {"lock": {"amount": 0.0}, "clean": {"amount": 0.0}, "weight": {"amount": 0.0}}  # where the default does something

every_technique = pytest.mark.parametrize("entry", TECHNIQUES, ids=[entry.name for entry in TECHNIQUES])


def neutral(entry):
    return entry.params(**NEUTRAL.get(entry.name, {}))


@every_technique
@pytest.mark.parametrize("frames", [3, 120])
@pytest.mark.parametrize("angles_apart", [False, True])
def test_default_parameters_are_neutral(entry, frames, angles_apart, mixed_clip):
    clip = mixed_clip(frames)
    result = entry.run(clip, neutral(entry), Surroundings(angles_apart=angles_apart))
    assert result.channels == clip.channels
    assert (result.fps, result.first_frame) == (clip.fps, clip.first_frame)
    assert np.abs(result.values - clip.values).max() < SINGLE


@every_technique
def test_default_parameters_are_neutral_on_a_figure(entry, figure, moving):
    clip = moving(figure, scales=True)
    result = entry.run(clip, neutral(entry), Surroundings(figure))
    assert np.abs(result.values - clip.values).max() < SINGLE


@every_technique
def test_default_parameters_are_neutral_in_a_range(entry, mixed_clip):
    clip = mixed_clip()
    if entry.retimes:
        with pytest.raises(ValueError, match="frames: .* changes the time of the whole take"):
            entry.run(clip, neutral(entry), weights=range_weights(clip.frames, 20, 100, 10, 10))
        return
    result = entry.run(clip, neutral(entry), weights=range_weights(clip.frames, 20, 100, 10, 10))
    assert np.abs(result.values - clip.values).max() < SINGLE


@every_technique
def test_fitted_default_parameters_are_neutral(entry, mixed_clip):
    clip = mixed_clip()
    result = entry.run(clip, entry.fit(neutral(entry), clip.frames, clip.fps))
    assert np.abs(result.values - clip.values).max() < SINGLE


@every_technique
def test_two_frames_are_refused(entry, mixed_clip):
    with pytest.raises(ValueError, match=r"2 frame\(s\); it needs at least 3"):
        entry.run(mixed_clip(2), entry.params())


@every_technique
def test_what_is_no_number_is_refused_by_curve_and_frame(entry, mixed_clip):
    clip = mixed_clip()
    values = clip.values.copy()
    values[7, 5] = np.nan
    with pytest.raises(ValueError) as refusal:
        entry.run(Clip(values, clip.channels, clip.fps, 100), entry.params())
    assert str(clip.channels[5]) in str(refusal.value) and "frame 107" in str(refusal.value)


@every_technique
def test_tooltips_say_something_and_end_without_a_period(entry):
    assert entry.label and entry.text and not entry.text.endswith(".")
    for name, declaration in declarations(entry.params).items():
        assert declaration.text and not declaration.text.endswith("."), name
        assert declaration.label, name
        for option in declaration.options:
            assert option.label and option.text and not option.text.endswith("."), option.name


@every_technique
def test_defaults_pass_their_own_checks(entry):
    plain = dataclasses.asdict(entry.params())
    assert build(entry.params, plain) == entry.params()


@every_technique
def test_values_survive_changed_and_build(entry):
    others = {
        name: other_value(declaration, getattr(entry.params(), name))
        for name, declaration in declarations(entry.params).items()
    }
    params = build(entry.params, others)
    assert changed(params).keys() == others.keys()
    assert build(entry.params, changed(params)) == params


def other_value(declaration, default):
    """A value that is allowed and not the default."""
    low, high = max(declaration.low, -1e3), min(declaration.high, 1e3)
    inside = low + 0.3 * (high - low)
    others = [option.name for option in declaration.options if option.name != default]
    values = {
        "records": lambda: [{}],
        "tree": lambda: {"arm": 1},
        "points": lambda: [[0.0, 0.0], [0.5, 0.2], [1.0, 1.0]],
        "number": lambda: inside,
        "whole": lambda: default + 1 if default < high else default - 1,
        "flag": lambda: not default,
        "choice": lambda: others[0],
        "words": lambda: default + "else",
        "numbers": lambda: [inside],
        "marks": lambda: [1],
        "table": lambda: {"arm": [inside]},
    }
    return values[declaration.kind]()


@every_technique
def test_kinds_of_parameters_are_known(entry):
    assert {declaration.kind for declaration in declarations(entry.params).values()} <= CHECKS.keys()


@every_technique
def test_needs_are_known(entry):
    assert entry.needs <= {"skeleton", "contacts"}


@every_technique
def test_a_technique_is_found_by_its_name(entry):
    assert technique(entry.name) is entry
    assert entry.name.isidentifier() and entry.name == entry.name.lower()


def test_names_are_unique():
    assert len({entry.name for entry in TECHNIQUES}) == len(TECHNIQUES)


@every_technique
def test_a_technique_at_its_defaults_does_something_or_says_what_it_waits_for(entry):
    assert entry.keys or entry.waits and not entry.waits.endswith(".")
    assert set(entry.wants) <= declarations(entry.params).keys()
    assert bool(entry.waiting(entry.params())) == bool(entry.wants)
    given = {name: other_value(declarations(entry.params)[name], getattr(entry.params(), name)) for name in entry.wants[:1]}
    assert entry.waiting(build(entry.params, given)) == ""
