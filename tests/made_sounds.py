# SPDX-License-Identifier: GPL-3.0-or-later
"""Sounds made of arithmetic, with the beats and onsets that are in them: clicks, a drum loop, a tone with vibrato."""

import numpy as np

RATE = 22050


def beats_at(tempo, seconds, drift=0.0, start=0.31):
    """Seconds of beats at a tempo that drifts by so much of itself from start to end."""
    found = [start]
    while found[-1] < seconds - 1.5:
        found.append(found[-1] + 60.0 / (tempo * (1.0 + drift * (found[-1] / seconds - 0.5))))
    return np.array(found)


def sound(kind, tempo, drift=0.0, swing=0.5, seconds=14.0, seed=0):
    """Samples, seconds of beats, and seconds at which something begins."""
    draw, samples, beats = np.random.default_rng(seed), np.zeros(int(seconds * RATE)), beats_at(tempo, seconds, drift)
    between = beats[:-1] + swing * np.diff(beats)
    if kind == "clicks":
        for beat in beats:
            add(samples, beat, faded(0.05, 0.004) * np.sin(2 * np.pi * 1800 * at(0.05)))
    if kind == "drums":
        for index, beat in enumerate(beats):
            low = np.sin(2 * np.pi * (55 * at(0.5) + 5.4 * (1 - np.exp(-at(0.5) / 0.03)))) * faded(0.5, 0.06)
            add(samples, beat, low if index % 2 == 0 else 0.6 * draw.normal(size=len(at(0.4))) * faded(0.4, 0.04))
        for beat in [*beats, *between]:
            add(samples, beat, 0.25 * draw.normal(size=len(at(0.12))) * faded(0.12, 0.01))
        samples += 0.003 * draw.normal(size=len(samples))
    if kind == "tone":
        for beat, lasts in zip(beats, 0.9 * np.append(np.diff(beats), 60.0 / tempo)):
            time = at(lasts)
            phase = 2 * np.pi * draw.choice([220, 247, 262, 294, 330]) * time + 1.2 * np.sin(2 * np.pi * 5.5 * time)
            tone = sum(np.sin(harmonic * phase) / harmonic for harmonic in (1, 2, 3))
            ends = np.minimum(1, time / 0.01) * np.clip((lasts - time) / 0.06, 0.0, 1.0)
            add(samples, beat, 0.4 * tone * ends * np.exp(-time / 0.5))
        samples += 0.001 * draw.normal(size=len(samples))
    return samples, beats, np.sort([*beats, *between]) if kind == "drums" else beats


def at(seconds):
    return np.arange(int(seconds * RATE)) / RATE


def faded(seconds, decay):
    return np.exp(-at(seconds) / decay)


def add(samples, second, some):
    first = round(second * RATE)
    some = some[: max(0, len(samples) - first)]
    samples[first : first + len(some)] += some
