# SPDX-License-Identifier: GPL-3.0-or-later
"""Blending and synthesis of cycles beside the equations of Molnos 2010 as they are written: `cycles()` for `make bench`.

Three cycles of 30, 34 and 42 frames, 62 channels, blended and played over 33 frames with 5 harmonics, as in the paper's
Table 1. Equations 8 and 1 are written down for all channels and frames at once, blending included.
"""

import time

import numpy as np

CHANNELS, FRAMES, HARMONICS = 62, 33, 5
LENGTHS = (30, 34, 42)
WEIGHTS = np.array([0.3, 0.5, 0.2])
PAPER = 0.39  # microseconds per channel and frame, blending included, on its laptop
BOUND = 0.01


def cycles(best, line):
    """Times and ratios, in the manner of the rest of the bench: `best` takes turns, `line` prints."""
    synthesis(best, line)
    dragging(best, line)


def synthesis(best, line):
    """The paper's own task, in microseconds per channel and frame."""
    from motion_signal.core.numeric.fourier import Palette, waves_of

    random = np.random.default_rng(0)
    waves = [waves_of(random.normal(size=(length, CHANNELS)))[: HARMONICS + 1] for length in LENGTHS]
    palette = Palette(waves)
    check(palette.played(WEIGHTS, FRAMES), equation_8(waves), equation_1(waves))
    (own,) = best(lambda: palette.played(WEIGHTS, FRAMES), rounds=2000)
    eight, one = best(lambda: equation_8(waves), lambda: equation_1(waves), rounds=100)
    print(f"Fourier blend and synthesis, {CHANNELS} channels x {FRAMES} frames, {HARMONICS} harmonics; the paper: {PAPER} us")
    for name, taken, bound in (
        ("equation 8 as written", eight, ""),
        ("equation 1 as written", one, ""),
        ("own", own, f"at most {BOUND} us"),
    ):
        line(f"  {name}; us per channel and frame", taken, f"{taken * 1e3 / CHANNELS / FRAMES:.4f}", bound)
    line("  equation 8 / own", own, eight / own)
    line("  equation 1 / own", own, one / own)


def check(own, eight, one):
    """Equation 8 blends as own; equation 1 blends otherwise (the paper calls it equivalent), but is of the same size."""
    if np.abs(own - eight).max() > 1e-9:
        print(f"  own differs from equation 8 by {np.abs(own - eight).max():.3g}")
    if one.shape != own.shape:
        print("  equation 1 has another shape")


def equation_8(waves):
    """Magnitudes and phases, blended (equation 2), and a cosine for every harmonic, frame and channel."""
    from motion_signal.core.numeric.fourier import STEADY

    mean = sum(weight * cycle[0].real for weight, cycle in zip(WEIGHTS, waves))
    sizes = sum(weight * np.abs(cycle[1:]) for weight, cycle in zip(WEIGHTS, waves))
    phases = [np.angle(cycle[1:]) for cycle in waves]
    sines, cosines = (sum(weight * wave(phase) for weight, phase in zip(WEIGHTS, phases)) for wave in (np.sin, np.cos))
    sizes = sizes * np.minimum(np.hypot(sines, cosines) / STEADY, 1.0)  # where crests do not agree, as own
    return mean + np.sum(sizes * np.cos(angles() + np.arctan2(sines, cosines)), axis=1)


def equation_1(waves):
    """Cosine and sine coefficients, blended, and a cosine and a sine for every harmonic, frame and channel."""
    mean = sum(weight * cycle[0].real for weight, cycle in zip(WEIGHTS, waves))
    alpha, beta = (
        sum(weight * value for weight, value in zip(WEIGHTS, values))
        for values in ([cycle[1:].real for cycle in waves], [-cycle[1:].imag for cycle in waves])
    )
    every = np.broadcast_to(angles(), (FRAMES, HARMONICS, CHANNELS))
    return mean + np.sum(alpha * np.cos(every) + beta * np.sin(every), axis=1)


def angles():
    return 2.0 * np.pi * np.multiply.outer(np.arange(FRAMES), np.arange(1, HARMONICS + 1))[:, :, None] / FRAMES


def dragging(best, line):
    """A puck that is dragged over five cycles of a figure, from the place of the puck to the values of all curves."""
    from motion_signal.core.body import walking_figure as gait
    from motion_signal.core.declare.technique import Surroundings
    from motion_signal.core.techniques.several_takes.network import NETWORK, NetworkParams

    takes = {str(speed): walked(speed) for speed in (0.9, 1.3, 1.7)}
    points = (
        {"action": "1.3"},
        {"action": "0.9", "y": -1.0},
        {"action": "1.7", "y": 1.0},
        {"action": "1.3", "x": -1.0},
        {"action": "1.3", "x": 1.0, "mirror": True},
    )
    process = NETWORK.open(takes["1.3"], Surroundings(gait.FIGURE, takes=takes))
    pucks = iter(np.linspace(-0.4, 0.4, 10_000))
    whole, spot = best(
        lambda: process(NetworkParams(points, next(pucks), 0.3)),
        lambda: process(NetworkParams(points, next(pucks), 0.3, path="STEPS")),
        rounds=30,
    )
    print(f"network, 5 cycles of a {len(gait.FIGURE.bones)}-bone figure, {takes['1.3'].frames} frames, all harmonics")
    line("  the puck moved, feet pushing", whole, "", "under 16.7 ms (60 Hz)")
    line("  the puck moved, steps blended", spot)


def walked(speed):
    """A cycle of the procedural walk."""
    from motion_signal.core.body import walking_figure as gait
    from motion_signal.core.declare.technique import Surroundings
    from motion_signal.core.motion.clip import Channel, Clip
    from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams

    motion, hips = gait.walk(480, 120.0, speed), gait.FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [
        Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in gait.FIGURE.bones for index in range(4)
    ]
    take = Clip(np.hstack([motion.location, motion.rotations.reshape(480, -1)]), tuple(channels), 120.0, 1)
    return CYCLE.run(take, CycleParams(find="SEARCH"), Surroundings(gait.FIGURE))


def alone():
    """This part of the bench without Blender: `python -m bench.fourier` from the project's folder."""
    from bench.run import best, line, load

    load()
    start = time.perf_counter()
    cycles(best, line)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    alone()
