# SPDX-License-Identifier: GPL-3.0-or-later
"""Every preset keeps what its text promises, and none of them leads a figure astray: on a walk that turns, with jitter."""

import json
from pathlib import Path as File

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.report import report
from motion_signal.core.declare.params import build
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.chart import Chart
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.ground import Ground, walked
from motion_signal.core.motion.orientations import about_mean
from motion_signal.core.numeric import rotation
from motion_signal.core.recipes.opened import opened
from motion_signal.core.techniques import technique
from scipy.optimize import minimize_scalar

FOLDER = File(__file__).parents[2] / "presets"
PRESETS = {file.stem: file for file in sorted(FOLDER.glob("*/*.json"))}
FIGURE, FPS, FRAMES = gait.FIGURE, 60.0, 480
AROUND = Surroundings(FIGURE)


def named(folder):
    return [name for name, file in PRESETS.items() if file.parent.name == folder]


def applied(name, clip, surroundings=AROUND, feet="FREE", **more):
    entry = json.loads(PRESETS[name].read_text("utf-8"))
    chosen = technique(entry["technique"])
    params = chosen.fit(build(chosen.params, {**entry["params"], **more}), clip.frames, clip.fps)
    return opened(chosen, clip, surroundings, ScopeParams(feet=feet))(params)


@pytest.fixture(scope="module")
def walk():
    """Eight seconds of walking round a corner, the left arm swung far, with jitter from a capture."""
    motion = gait.walk(FRAMES, FPS, 1.3)
    hips = FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    clip = Clip(np.hstack([motion.location, motion.rotations.reshape(FRAMES, -1)]), tuple(channels), FPS, 1)
    ground = Ground([clip], FIGURE)
    values, path = ground.taken_off(clip.values)
    steps, turns = path.steps()
    corner = np.radians(90.0) * np.exp(-0.5 * ((np.arange(FRAMES - 1) - 240) / 30.0) ** 2) / (30.0 * np.sqrt(2 * np.pi))
    bent = walked(path.places[0], path.headings[0], steps, turns + corner)
    chart = Chart(clip.with_values(ground.put_on(values, bent, clip.values)))
    jitter = np.zeros_like(chart.signals)
    turning = [column for column, kind in enumerate(chart.kinds) if kind == "ROTATION"]
    jitter[:, turning] = 0.004 * np.random.default_rng(5).normal(size=(FRAMES, len(turning)))
    arm = [column for column in turning if chart.owners[column] == "upper_arm.L"]
    jitter[:, arm] += 3.0 * (chart.signals[:, arm] - chart.signals[:, arm].mean(axis=0))
    return clip.with_values(chart.values(chart.signals + jitter))


def way(clip):
    """Where the hips are on the ground (frames, 2), and which way they face."""
    path = Ground([clip], FIGURE).taken_off(clip.values)[1]
    return path.places[:, :2], path.headings


def columns_of(clip, bone):
    return [
        clip.channels.index(Channel(f'pose.bones["{bone}"].rotation_quaternion', index, "QUATERNION", bone))
        for index in range(4)
    ]


BONES = ("thigh.L", "shin.L", "upper_arm.L", "forearm.L", "head")


def about(clip, source):
    """How far some bones are turned away from their mean poses in the source, in degrees, (frames, bones)."""
    return np.degrees(np.column_stack([np.linalg.norm(away(clip, source, bone), axis=1) for bone in BONES]))


def away(clip, source, bone):
    """The turns (frames, 3) of a bone away from its mean pose in the source."""
    own = columns_of(clip, bone)
    center = about_mean(source.values[:, own].T[:, :, None])[0]
    turned = rotation.multiply(rotation.conjugate(center), clip.values[:, own].T[:, :, None])
    return rotation.log(turned * np.where(turned[:1] < 0, -1.0, 1.0))[:, :, 0].T


@pytest.fixture(scope="module")
def least(walk):
    """How little the same bones are turned away from there at any time, at a frame or between two, in degrees, (bones,): looked
    for along the straight way from turn to turn."""
    found = []
    for bone in BONES:
        vectors = away(walk, walk, bone)
        at = [
            minimize_scalar(on_the_way(*each), bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12})
            for each in zip(vectors, vectors[1:])
        ]
        found.append(min(np.linalg.norm(vectors, axis=1).min(), min(each.fun for each in at)))
    return np.degrees(found)


def on_the_way(start, end):
    return lambda fraction: np.linalg.norm(start + fraction * (end - start))


def swing(clip, low, high):
    """How much all bones but the hips turn between two paces in Hz."""
    chart = Chart(clip)
    turning = [column for column, kind in enumerate(chart.kinds) if kind == "ROTATION" and chart.owners[column] != "hips"]
    signals = chart.signals[:, turning] - chart.signals[:, turning].mean(axis=0)
    spectra = np.abs(np.fft.rfft(signals * np.hanning(FRAMES)[:, None], axis=0))
    hertz = np.fft.rfftfreq(FRAMES, 1.0 / FPS)
    return np.sqrt(np.sum(spectra[(hertz >= low) & (hertz < high)] ** 2))


def test_every_preset_is_promised_something_here():
    assert set(PRESETS) == set(LOUDER) | {*CURVED, *SHAPED} | set(named("style")) | {
        "anticipation_and_follow_through",
        "rig_limits",
    }


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "rig_limits"])
def test_a_preset_changes_the_walk(name, walk):
    assert np.abs(applied(name, walk).values - walk.values).max() > 0.01


@pytest.mark.parametrize("name", named("equalize"))
def test_an_equalized_figure_goes_where_it_went(name, walk):
    """Sway may grow and shrink; the corner stays where it was, and so does the end."""
    (places, headings), (there, faced) = way(walk), way(applied(name, walk))
    off = np.linalg.norm(there - places, axis=1)
    assert off.max() < 0.1 and off[30:-30].max() < 0.06
    assert np.degrees(np.abs(faced - headings)).max() < 5.0
    assert np.linalg.norm((there[-1] - there[0]) - (places[-1] - places[0])) < 0.04


@pytest.mark.parametrize("name", [name for name in named("waveshape") if name != "rig_limits"])
def test_a_shaped_figure_goes_where_it_went(name, walk):
    (places, headings), (there, faced) = way(walk), way(applied(name, walk))
    assert np.abs(there - places).max() < 1e-6 and np.abs(faced - headings).max() < 1e-6
    heights = [clip.values[:, :3] @ FIGURE.bones[0].rest[:3, :3].T[:, 2] for clip in (walk, applied(name, walk))]
    assert np.ptp(heights[1]) < 1.01 * np.ptp(heights[0])


# How much of each band is left, from and to: strides (1/2 to 2 Hz), quick moves (2 to 8 Hz) and jitter (over 18 Hz).
LOUDER = {
    "exaggerate": ((1.3, 1.7), (1.0, 1.45), (0.95, 1.05)),
    "tone_down": ((0.55, 0.8), (0.4, 0.6), (0.3, 0.5)),
    "weighty": ((0.9, 1.2), (0.6, 0.9), (0.25, 0.55)),
    "calm_the_jitter": ((0.98, 1.01), (0.92, 1.01), (0.0, 0.1)),
    "nervous_twitch": ((0.98, 1.25), (1.3, 3.2), (1.0, 2.0)),
}


@pytest.mark.parametrize("name", LOUDER)
def test_faders_raise_and_lower_what_the_text_says(name, walk):
    result = applied(name, walk)
    for band, (least, most) in zip(((0.5, 2.0), (2.0, 8.0), (18.0, 30.0)), LOUDER[name]):
        share = swing(result, *band) / swing(walk, *band)
        assert least <= share <= most, (band, share)


@pytest.mark.parametrize("seconds", [0.3, 0.5, 0.8])
def test_anticipation_winds_up_before_a_move_and_goes_past_its_end(seconds):
    """A hinge turns by 60 degrees: back first, then too far, and then it is where it was to be."""
    time = np.arange(FRAMES) / FPS
    gone = np.clip((time - 4.0) / seconds + 0.5, 0.0, 1.0)
    angle = np.radians(60.0) * gone**3 * (10.0 - 15.0 * gone + 6.0 * gone**2)
    clip = Clip(angle[:, None], (Channel("rotation_euler", 0, "XYZ"),), FPS, 1)
    result = np.degrees(applied("anticipation_and_follow_through", clip, Surroundings()).values[:, 0])
    assert result[time < 4.0].min() < -3.0 and result[time > 4.0].max() > 63.0
    early, late = (time > 0.7) & (time < 2.0), (time > 6.0) & (time < 7.3)
    assert np.abs(result[early]).max() < 0.5 and np.abs(result[late] - 60.0).max() < 0.5


def test_anticipation_takes_no_reach(walk):
    """A held reach of an arm, half a second long, gets as far as it got."""
    chart = Chart(walk)
    column = [
        index
        for index, (owner, kind) in enumerate(zip(chart.owners, chart.kinds))
        if owner == "upper_arm.R" and kind == "ROTATION"
    ][0]
    signals = chart.signals.copy()
    signals[:, column] += np.interp(np.arange(FRAMES), [200, 212, 236, 248], [0.0, 1.4, 1.4, 0.0])
    punch = walk.with_values(chart.values(signals))
    hands = []
    for clip in (punch, applied("anticipation_and_follow_through", punch)):
        heads = FIGURE.posed(clip)[1]
        ahead = np.linalg.norm(heads[:, FIGURE.index("hand.R")] - heads[:, 0], axis=1)
        hands.append(ahead[205:245].max())
    assert hands[1] > hands[0] - 0.005


def curved(check):
    """A check of amounts (frames,) in a bone's own range, which is that of all that it has passed, after and before, of every
    bone."""

    def checked(before, after, least):
        for index in range(before.shape[1]):
            low, high = least[index], before[:, index].max()
            fraction = (before[:, index] - low) / (high - low)
            bent = (after[:, index] - low) / (high - low)
            assert bent.min() > -1e-6 and bent.max() < 1.0 + 1e-6
            check(fraction, bent)

    return checked


def more_contrast(fraction, bent):
    lower, upper = (fraction > 0.1) & (fraction < 0.4), (fraction > 0.6) & (fraction < 0.9)
    assert (bent[lower] < fraction[lower]).all() and (bent[upper] > fraction[upper]).all()


def quantised(fraction, bent):
    nearest = np.rint(3.0 * fraction) / 3.0
    held = np.abs(fraction[:, None] - [1 / 6, 1 / 2, 5 / 6]).min(axis=1) > 0.046
    assert held.mean() > 0.5 and np.abs(bent - nearest)[held].max() < 1e-3
    assert np.abs(bent - nearest).max() <= 1 / 6 + 0.01


def lifted(fraction, bent):
    middle, ends = np.abs(fraction - 0.5) < 0.08, (fraction < 0.05) | (fraction > 0.95)
    assert (bent[middle] > fraction[middle]).all() and np.abs(bent - fraction)[ends].max() < 0.03


def waved(fraction, bent):
    order = np.argsort(fraction)
    assert np.abs(bent - fraction).max() < 0.15 and (np.diff(bent[order]) < -1e-5).any()


def pressed(before, after):
    assert np.abs(after - np.where(before > 10.0, 10.0 + (before - 10.0) / 2.5, before)).max() < 1e-6


def limited(before, after):
    assert np.abs(after - np.minimum(before, 45.0)).max() < 1e-6


def softly(before, after):
    assert after.max() < 45.0 and np.abs(after - before)[before < 25.0].max() < 1e-6


def mirrored(before, after):
    assert np.abs(after - before).max() < 1e-6


def calmed(before, after):
    small = before < 8.0
    assert np.abs(after - before)[~small].max(initial=0.0) < 1e-6
    assert (after[small] <= before[small] + 1e-9).all() and after[before < 4.0].max() < 4.0 * 0.5**1.5 + 1e-6


CURVED = {
    "s_curve": curved(more_contrast),
    "quantise": curved(quantised),
    "bump": curved(lifted),
    "undulate": curved(waved),
}
SHAPED = {
    "press": pressed,
    "limit": limited,
    "soft_limit": softly,
    "mirror_about_the_mean": mirrored,
    "calm_the_fidgets": calmed,
}


@pytest.mark.parametrize("name", CURVED)
def test_a_curve_does_to_every_bone_what_the_text_says(name, walk, least):
    CURVED[name](about(walk, walk), about(applied(name, walk), walk), least)


@pytest.mark.parametrize("name", SHAPED)
def test_a_shape_does_to_every_bone_what_the_text_says(name, walk):
    SHAPED[name](about(walk, walk), about(applied(name, walk), walk))


def test_mirrored_about_the_mean_twice_is_the_walk_again(walk):
    again = applied("mirror_about_the_mean", applied("mirror_about_the_mean", walk))
    assert np.abs(np.abs(again.values) - np.abs(walk.values)).max() < 1e-6


def test_rig_limits_hold_bones_within_them(walk):
    with pytest.raises(ValueError, match="limits: none given"):
        applied("rig_limits", walk)
    held = applied("rig_limits", walk, limits={"shin.L": [-40.0, 0.0, -5.0, 5.0, -5.0, 5.0]})
    bends = [clip.values[:, own].T[:, :, None] for own in [columns_of(walk, "shin.L")] for clip in (walk, held)]
    before, after = (np.degrees(rotation.to_euler(q, "XYZ", np.zeros((3, FRAMES, 1))))[0] for q in bends)
    assert before.min() < -45.0 and after.min() > -40.0 and after.max() <= 0.0
    changed = [
        channel.owner
        for channel, one, other in zip(walk.channels, walk.values.T, held.values.T)
        if np.abs(one - other).max() > 1e-9
    ]
    assert set(changed) == {"shin.L"}


@pytest.mark.parametrize("name", named("style"))
def test_a_mood_goes_round_the_same_corner_on_planted_feet_with_its_own_stride(name, walk):
    result = applied(name, walk, feet="TAKE")
    assert np.degrees(np.abs(way(result)[1] - way(walk)[1])).max() < 3.0
    assert report(result, FIGURE)["slide_mean_mm"] < report(walk, FIGURE)["slide_mean_mm"] + 3.0
    lengths = [np.linalg.norm(np.diff(way(clip)[0][::30], axis=0), axis=1).sum() for clip in (walk, result)]
    stride = json.loads(PRESETS[name].read_text("utf-8"))["params"]["style"]["stride"]
    assert (lengths[1] > lengths[0]) == (stride > 1.0)
