# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter bank against the paper's convolutions written out, and the same motion at every frame rate."""

import numpy as np
import pytest
import pywt
from motion_signal.core.numeric.bands import Bank, band_edges, visible_bands

REFERENCE = 256.0 * np.sqrt(2)  # Hz, at which the responses of the HZ bank are the paper's
BANKS, BOUNDARIES = ("HZ", "SHARP", "FRAMES"), ("REFLECT", "HOLD", "CYCLE")
KERNEL = {-2: 1 / 16, -1: 1 / 4, 0: 3 / 8, 1: 1 / 4, 2: 1 / 16}
SINGLE = 2e-6  # a few roundings of single precision

EDGES = {
    "REFLECT": lambda frame, size: min(frame % (2 * size), 2 * size - 1 - frame % (2 * size)),
    "HOLD": lambda frame, size: min(max(frame, 0), size - 1),
    "CYCLE": lambda frame, size: frame % size,
}


def cascade(signal, boundary, levels=None):
    """The bands of a signal (frames,) by section 2.1.1 to the letter, and the constant part last."""
    size = len(signal)
    lows = [signal]
    for level in range(int(np.floor(np.log2(size))) if levels is None else levels):
        lows.append(
            np.array(
                [
                    sum(weight * lows[-1][EDGES[boundary](frame + tap * 2**level, size)] for tap, weight in KERNEL.items())
                    for frame in range(size)
                ]
            )
        )
    return np.array([fine - coarse for fine, coarse in zip(lows, lows[1:])] + [lows[-1]])


def noise(frames, count=3, seed=0):
    """A random walk with an offset: rough, and different at its two ends."""
    return 5.0 + np.cumsum(np.random.default_rng(seed).normal(size=(frames, count)), axis=0)


def low_pass(level, omega):
    """What is left of a sine of this angle per sample after so many levels."""
    return np.prod([np.cos(omega * 2**k / 2) ** 4 for k in range(level)])


def responses(omega, count):
    """The share of a sine in every band, and in the constant part."""
    lows = [low_pass(level, omega) for level in range(count + 1)]
    return np.array([fine - coarse for fine, coarse in zip(lows, lows[1:])] + [lows[-1]])


def test_edges_of_the_slow_version_are_those_of_the_paper():
    letters = {name: "".join("abcd"[edge(frame, 4)] for frame in range(-4, 8)) for name, edge in EDGES.items()}
    assert letters == {"REFLECT": "dcbaabcddcba", "HOLD": "aaaaabcddddd", "CYCLE": "abcdabcdabcd"}


@pytest.mark.parametrize("bands", BANKS)
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("frames", [3, 4, 5, 7, 8, 31, 64, 97, 100, 128, 1009, 2500])
def test_bands_add_up_to_the_signal(bands, boundary, frames):
    signals = noise(frames)
    total = Bank(signals, 30.0, bands, boundary).split().sum(axis=0)
    assert np.abs(total - signals).max() < 1e-12 * np.abs(signals).max()


@pytest.mark.parametrize("bands", BANKS)
@pytest.mark.parametrize("frames", [4, 5, 60, 61])
def test_bands_of_a_loop_that_repeats_its_first_frame_add_up_to_the_signal(bands, frames):
    signals = noise(frames)
    signals[-1, :2] = signals[0, :2]
    total = Bank(signals, 30.0, bands, "CYCLE").split().sum(axis=0)
    assert np.abs(total - signals).max() < 1e-12 * np.abs(signals).max()


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("frames", [3, 4, 5, 8, 17, 31, 32, 33, 100, 257])
def test_bands_in_frames_are_the_convolutions_of_the_paper(boundary, frames):
    signals = noise(frames, 2)
    split = Bank(signals, 24.0, "FRAMES", boundary).split()
    assert len(split) == int(np.log2(frames)) + 1
    for column in range(2):
        assert np.abs(split[:, :, column] - cascade(signals[:, column], boundary)).max() < 1e-12 * np.abs(signals).max()


def test_a_repeated_last_frame_is_no_part_of_the_loop():
    period = noise(60, 2)
    split = Bank(np.concatenate([period, period[:1]]), 24.0, "FRAMES", "CYCLE").split()
    for column in range(2):
        slow = cascade(period[:, column], "CYCLE", levels=5)
        assert np.abs(split[:, :-1, column] - slow).max() < 1e-12 * np.abs(period).max()
        assert np.abs(split[:, -1, column] - slow[:, 0]).max() < 1e-12 * np.abs(period).max()


def test_travel_of_a_loop_stays_with_the_constant_part():
    phase = np.linspace(0, 2 * np.pi, 61)
    step, travel = np.sin(3 * phase), np.linspace(0.0, 4.0, 61)
    split = Bank(np.stack([step, step, step + travel], axis=1), 30.0, "FRAMES", "CYCLE").split()
    assert np.abs(split[:-1, :, 2] - split[:-1, :, 0]).max() < 1e-12
    assert np.abs(split[-1, :, 2] - split[-1, :, 0] - travel).max() < 1e-12


def test_bands_in_hz_at_the_reference_rate_are_the_convolutions_of_the_paper():
    signals = noise(300, 2)
    split = Bank(signals, REFERENCE, "HZ", "CYCLE").split()
    for column in range(2):
        slow = cascade(signals[:, column], "CYCLE", levels=12)
        assert np.abs(split[:, :, column] - slow).max() < 1e-12 * np.abs(signals).max()


def test_an_impulse_spreads_as_in_the_stationary_transform_of_pywavelets():
    low = np.array([0, 1, 4, 6, 4, 1]) / 16
    wavelet = pywt.Wavelet("cubic", filter_bank=[low, np.eye(6)[3], low, np.eye(6)[3]])
    impulse = np.zeros(128)
    impulse[64] = 1.0
    split = Bank(impulse[:, None], 24.0, "FRAMES", "CYCLE").split()[:, :, 0]
    approximations = [pair[0] for pair in pywt.swt(impulse, wavelet, level=5)[::-1]]
    for level, found in enumerate(approximations):
        smoothed = split[level + 1 :].sum(axis=0)
        centered = np.roll(found, 64 - int(np.argmax(found)))  # its filters start at their first tap
        assert np.abs(smoothed - centered).max() < 1e-12


@pytest.mark.parametrize("bands", BANKS)
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_weighted_is_the_sum_of_the_bands_times_their_gains(bands, boundary):
    signals = noise(500, 20)
    bank = Bank(signals, 30.0, bands, boundary)
    split = bank.split()
    gains = np.random.default_rng(1).uniform(-2, 3, len(split))
    gains[-1] = 1.0
    expected = np.einsum("b,bfs->fs", gains, split)
    off = np.abs(bank.weighted(gains) - expected)
    change = np.abs(np.einsum("b,bfs->fs", gains - 1, split)).max()
    assert off.max() < SINGLE * (change + np.abs(signals).max())
    gains[-1] = -0.5
    off = np.abs(bank.weighted(gains) - np.einsum("b,bfs->fs", gains, split))
    assert off.max() < SINGLE * 2 * np.abs(signals).max()


@pytest.mark.parametrize("bands", BANKS)
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_small_change_is_as_exact_as_it_is_small(bands, boundary):
    signals = noise(400, 4) - 5.0
    bank = Bank(signals, 30.0, bands, boundary)
    split = bank.split()
    gains = np.ones(len(split))
    gains[2] = 1.001
    change = 0.001 * split[2]
    assert np.abs(bank.weighted(gains) - signals - change).max() < SINGLE * 0.001 * np.abs(signals).max()


@pytest.mark.parametrize("bands", BANKS)
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("frames", [3, 50, 1000])
def test_gains_of_one_give_the_signals_back_to_the_bit(bands, boundary, frames):
    signals = noise(frames, 20)
    bank = Bank(signals, 30.0, bands, boundary)
    gains = np.ones(len(bank.edges) + 1)
    assert (bank.weighted(gains) == signals).all()
    assert (bank.weighted(np.repeat(gains[:, None], 20, axis=1)) == signals).all()


@pytest.mark.parametrize("bands", BANKS)
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_every_signal_may_have_gains_of_its_own(bands, boundary):
    signals = noise(200, 40)
    bank = Bank(signals, 30.0, bands, boundary)
    gains = np.random.default_rng(2).uniform(-1, 2, (len(bank.edges) + 1, 40))
    together = bank.weighted(gains)
    for column in (0, 7, 39):
        alone = Bank(signals[:, column : column + 1], 30.0, bands, boundary).weighted(gains[:, column])
        assert np.abs(together[:, column] - alone[:, 0]).max() < SINGLE * 4 * np.abs(signals).max()


def test_a_bank_may_be_weighted_again_and_again():
    signals = noise(200)
    bank = Bank(signals, 30.0)
    first = bank.weighted(np.full(13, 0.3))
    bank.weighted(np.full(13, 2.0))
    assert (bank.weighted(np.full(13, 0.3)) == first).all()
    assert (bank.signals == noise(200)).all()


@pytest.mark.parametrize("band", range(3, 9))
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_sine_in_the_middle_of_an_octave_is_loudest_in_its_band(band, boundary):
    low, high = band_edges("HZ", 60.0, 1)[band]
    middle = np.sqrt(low * high)
    sine = np.sin(2 * np.pi * middle * np.arange(60 * 20) / 60.0)[:, None]
    power = Bank(sine, 60.0, "HZ", boundary).energies()[:, 0] ** 2
    assert np.argmax(power) == band
    assert power[band] > 0.6 * power.sum()  # the kernel is gentle: its neighbours share


@pytest.mark.parametrize("fps", [24.0, 25.0, 29.97, 60.0, 120.0])
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("gain, made", [(2.0, 2.0), (0.0, 0.0), (-1.0, -1.0)])
def test_a_sharp_fader_moves_its_octave_alone(fps, boundary, gain, made):
    """Away from the ends, however a motion goes on there."""
    for band, (low, high) in enumerate(band_edges("SHARP", fps, 1)):
        middle = np.sqrt(low * high)
        if middle >= 0.5 * fps:
            continue
        time = np.arange(round(9 / middle * fps)) / fps
        sines = np.sin(2 * np.pi * (middle * time[:, None] + np.linspace(0.0, 0.5, 4)))
        gains = np.ones(13)
        gains[band] = gain
        inner = (time * middle > 2) & (time * middle < 7)
        treated = Bank(sines, fps, "SHARP", boundary).weighted(gains)[inner]
        assert np.linalg.norm(treated - made * sines[inner]) < 0.05 * np.linalg.norm(sines[inner]), (low, high)


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
@pytest.mark.parametrize("swings", [7, 12])
@pytest.mark.parametrize("alone", [True, False], ids=["alone", "among others, and going somewhere"])
def test_a_sharp_fader_moves_its_octave_alone_up_to_the_ends(fps, swings, alone):
    middles = {
        band: np.sqrt(low * high) for band, (low, high) in enumerate(band_edges("SHARP", fps, 1)) if 0.2 < low < 0.2 * fps
    }
    random = np.random.default_rng(swings)
    for band, middle in middles.items():
        time = np.arange(max(round(swings / middle * fps), round(fps)) + 1)[:, None] / fps
        own = np.sin(2 * np.pi * (middle * time + random.uniform(size=(1, 12))))
        rest = np.zeros_like(own) if alone else random.normal(size=(1, 12)) * (1.0 + time / time[-1])
        for other in middles.values() if not alone else ():
            if other != middle:
                rest = rest + min(1.0, middle / other) * np.sin(2 * np.pi * (other * time + random.uniform(size=(1, 12))))
        bank = Bank(own + rest, fps, "SHARP", "REFLECT")
        for gain in (0.0, 2.0):
            gains = np.ones(13)
            gains[band] = gain
            off = bank.weighted(gains) - rest - gain * own
            assert (np.linalg.norm(off, axis=0) < 0.05 * np.linalg.norm(own, axis=0)).all(), middle


def test_a_sharp_fader_leaves_other_octaves_alone():
    time = np.arange(60 * 40) / 60.0
    for band in range(3, 8):
        low, high = band_edges("SHARP", 60.0, 1)[band]
        for hertz in (np.sqrt(low * high) / 2, np.sqrt(low * high) * 2):
            sine = np.sin(2 * np.pi * hertz * time)[:, None]
            heard = Bank(sine, 60.0, "SHARP").in_band(band)[600:-600]
            assert np.abs(heard).max() < 0.01


@pytest.mark.parametrize("frames", [40, 400])
def test_sharp_bands_swing_over_a_step_no_farther_than_is_said(frames):
    step = (np.arange(frames) >= frames // 2).astype(float)[:, None]
    for levels in range(3, 12):
        low = Bank(step, 60.0, "SHARP", "HOLD").split()[levels:].sum(axis=0)
        assert -0.09 < low.min() and low.max() < 1.09


@pytest.mark.parametrize("gain", [0.0, 2.0])
@pytest.mark.parametrize("band", range(4, 10))
def test_sharp_bands_jerk_no_more_at_the_ends_than_within(gain, band):
    """As with the paper's bank: no kink where the motion is carried on."""
    time = np.arange(60 * 12 + 1) / 60.0
    signals, gains = analytic(time), np.ones(13)
    gains[band] = gain
    jerk = np.abs(np.diff(Bank(signals, 60.0, "SHARP").weighted(gains), n=3, axis=0)).max(axis=1)
    assert jerk[[0, 1, 2, -3, -2, -1]].max() < 1.5 * jerk[60:-60].max()


@pytest.mark.parametrize("fps", [24.0, 29.97, 120.0])
def test_a_sine_is_shared_among_the_bands_in_hz_by_its_frequency_alone(fps):
    frames, cycles = 600, 12
    sine = np.sin(2 * np.pi * cycles * np.arange(frames) / frames)[:, None]
    energies = Bank(sine, fps, "HZ", "CYCLE").energies()[:, 0]
    omega = 2 * np.pi * (cycles * fps / frames) / REFERENCE
    assert np.abs(energies - np.abs(responses(omega, 12)[:-1]) * np.sqrt(0.5)).max() < 1e-12


def test_energies_of_a_sine_are_its_root_mean_square_times_the_response():
    frames, cycles, size = 128, 8, 3.0
    sine = size * np.sin(2 * np.pi * cycles * np.arange(frames) / frames)
    energies = Bank(np.stack([sine, 2 * sine], axis=1), 24.0, "FRAMES", "CYCLE").energies()
    expected = size * np.sqrt(0.5) * responses(2 * np.pi * cycles / frames, 7)[:-1]
    assert energies.shape == (7, 2)
    assert np.abs(energies - expected[:, None] * [1, 2]).max() < 1e-12


def analytic(time):
    """Content below 10 Hz with a slope, a curve and an offset at both ends."""
    waves = [(0.3, 1.0, 0.4), (0.9, 0.7, 1.0), (2.2, 0.5, 2.0), (4.1, 0.25, 0.3), (7.0, 0.1, 1.1), (9.5, 0.05, 2.5)]
    return (
        np.stack(
            [
                sum(size * np.sin(2 * np.pi * hertz * time + phase + shift) for hertz, size, phase in waves)
                for shift in (0.0, 0.8, 1.9)
            ],
            axis=1,
        )
        + 0.3 * time[:, None]
    )


GAINS = {
    "louder middle": [1, 1, 1, 1, 1, 1.5, 2, 2, 1, 1, 1, 1, 1],
    "no jitter": [0, 0, 0, 0.25, 1] + [1] * 8,
    "slow turned over": [1] * 7 + [1.3, -0.6, 1, 1, 1, 1],
    "all fast": [3, 3, 3, 3, 2] + [1] * 8,
    "posture alone": [0] * 12 + [1.0],
    "other posture": [1] * 12 + [0.5],
}


@pytest.mark.parametrize("gains", GAINS.values(), ids=GAINS)
@pytest.mark.parametrize("boundary, off", [("REFLECT", 0.01), ("HOLD", 0.02)])  # standing still begins with a kink
@pytest.mark.parametrize("seconds", [2, 6])
@pytest.mark.parametrize("bands", ["HZ", "SHARP"])
def test_bands_in_hz_give_the_same_motion_at_every_frame_rate(gains, boundary, off, seconds, bands):
    def treated(fps):
        return Bank(analytic(np.arange(seconds * fps + 1) / fps), fps, bands, boundary).weighted(gains)

    finest, size = treated(120), np.ptp(analytic(np.linspace(0, seconds, 1000)), axis=0).max()
    for fps in (24, 30, 60):
        assert np.abs(treated(fps) - finest[:: 120 // fps]).max() < off * size


@pytest.mark.parametrize("gains", GAINS.values(), ids=GAINS)
def test_loops_in_hz_are_the_same_motion_at_every_frame_rate(gains):
    def treated(fps):
        time = np.arange(4 * fps + 1) / fps
        loop = np.stack(
            [np.sin(2 * np.pi * 0.5 * time) + 0.2 * np.cos(2 * np.pi * 9.0 * time + shift) for shift in (0.0, 1.0)], axis=1
        )
        return Bank(loop, fps, "HZ", "CYCLE").weighted(gains)

    finest = treated(120)
    for fps in (24, 30, 60):
        assert np.abs(treated(fps) - finest[:: 120 // fps]).max() < 1e-5


def test_edges_in_hz_are_octaves_from_128_hertz_down():
    edges = band_edges("HZ", 24.0, 100)
    assert edges[0] == (64.0, 128.0) and edges[6] == (1.0, 2.0) and edges[-1] == (1 / 32, 1 / 16)
    assert edges == band_edges("HZ", 120.0, 7)


def test_edges_in_frames_are_octaves_from_half_the_frame_rate_down():
    assert band_edges("FRAMES", 24.0, 31) == [(6.0, 12.0), (3.0, 6.0), (1.5, 3.0), (0.75, 1.5)]
    assert len(band_edges("FRAMES", 24.0, 32)) == 5


@pytest.mark.parametrize(
    "fps, frames, first, last",
    [
        (30.0, 181, 3, 10),  # 8-16 Hz holds the last that 30 frames a second can show, 1/16-1/8 Hz half a wave in 6 seconds
        (24.0, 241, 3, 11),
        (120.0, 121, 1, 7),
        (120.0, 12001, 1, 11),
        (30.0, 3, 3, 4),
    ],
)
def test_visible_bands_are_those_that_rate_and_length_can_hold(fps, frames, first, last):
    assert visible_bands("HZ", fps, frames) == list(range(first, last + 1))


def test_all_bands_in_frames_are_visible():
    assert visible_bands("FRAMES", 30.0, 100) == list(range(6))
