# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit Length: a take made as long as is asked for, the time spent where it is seen least (Hsu, da Silva and Popovic 2007)."""

from functools import lru_cache

import numpy as np

from ...body.body import planted_points
from ...body.contacts import Origin
from ...declare.params import choice, number, words
from ...declare.technique import Technique
from ...mixing.transitions import SPEED_SECONDS, moments
from ...motion.chart import Chart
from ...motion.clip import FEWEST_FRAMES
from ...motion.ground import Ground
from ...motion.leading import leading_rows
from ...motion.match import matched
from ...motion.resample import resampled
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...numeric.time_map import along
from ...rhythm.moments import steps
from ...timing.spend import SeenTake, Spending

MINUTE = 60.0


@frozen
class FitLengthParams:
    """How long the take is to be, and whose timing it is to have."""

    amount: float = number(1.0, "How far the take goes from its own timing to the new one", 0.0, 1.0)
    goal: str = choice(
        "LENGTH",
        "What is asked for",
        (
            ("LENGTH", "Length", "So many seconds"),
            ("TEMPO", "Tempo", "So many steps a minute"),
            ("EXAMPLE", "Example's Pace", "As long as it takes at the pace of the example"),
        ),
    )
    seconds: float = number(
        0.0, "How long the take lasts then; 0 as long as it does", 0.0, 3600.0, "s", label="Length", slider_range=(0.0, 60.0)
    )
    tempo: float = number(
        0.0,
        "How many steps the figure makes a minute then; 0 as many as it does",
        0.0,
        1000.0,
        label="Steps a Minute",
        slider_range=(0.0, 300.0),
    )
    example: str = words("", "Action whose timing is learnt from; none keeps to the timing of the take itself", names="action")
    even: float = number(
        0.0, "How evenly the time is spent: 0 where it is seen least, 1 alike everywhere", 0.0, 1.0, label="Evenly"
    )
    slowest: float = number(0.5, "How slow the take may become, of its own pace", 0.1, 1.0)
    fastest: float = number(2.0, "How fast the take may become, of its own pace", 1.0, 10.0, slider_range=(1.0, 4.0))


def fit_length(clip, surroundings):
    """Make a take longer or shorter where it is seen least, with the timing of its own or of an example.

    What it costs to slow or hurry each moment is found once; another length costs one look at other moments.
    """
    ground, skeleton = Ground([clip], surroundings.skeleton), surroundings.skeleton

    def seen(take):
        rows = np.arange(leading_rows(take, skeleton), take.frames)
        return SeenTake(looked_at(take.with_values(take.values[rows], rows), ground, skeleton), clip.fps, SPEED_SECONDS)

    own = lru_cache(maxsize=1)(lambda: seen(clip))
    struck = lru_cache(maxsize=1)(lambda: steps(clip, planted_points(clip, surroundings)))

    @lru_cache(maxsize=4)
    def spending(example, slowest, fastest):
        if not example:
            return Spending(own(), slowest, fastest)
        return Spending(own(), slowest, fastest, seen(matched(clip, surroundings.takes[example])[0]))

    def rows_of(params):
        ways = spending(params.example, params.slowest, params.fastest)
        leading = leading_rows(clip, skeleton)  # a pose that no body moves out of keeps its place before the take
        wanted = GOALS[params.goal](clip, params, ways, struck) - leading
        return np.concatenate([np.arange(leading), leading + spent(ways, wanted, params)])

    def process(params):
        process.told = ""
        if params.amount == 0.0 or FIT_LENGTH.waiting(params):
            return clip
        rows = rows_of(params)
        process.told = in_words(clip, rows)
        return resampled(clip, rows)

    process.origins = lambda params: (
        () if params.amount == 0.0 or FIT_LENGTH.waiting(params) else (Origin(clip, rows_of(params)),)
    )
    return process


def looked_at(clip, ground, skeleton):
    """Every moment as poses and then speeds (frames, numbers): joints, or whatever is animated, travel included."""
    if skeleton is None or not skeleton.bones:
        signals = Chart(clip).signals
        return np.hstack([signals, np.gradient(signals, axis=0) * (SPEED_SECONDS * clip.fps)])
    points = moments(clip, ground, skeleton)
    if not ground.roots or ground.roots[0].owner:
        return points
    going = np.column_stack(ground.taken_off(clip.values)[1].steps(ground.up)) * (SPEED_SECONDS * clip.fps)
    poses, speeds = np.split(points, 2, axis=1)
    return np.hstack([poses, np.zeros((clip.frames, going.shape[1])), speeds, going[np.r_[0, : len(going)]]])


def by_length(clip, params, ways, struck):
    return params.seconds * clip.fps if params.seconds else clip.frames - 1.0


def by_tempo(clip, params, ways, struck):
    """How many frames the take lasts when its steps come at a tempo."""
    if not params.tempo:
        return clip.frames - 1.0
    found = struck()
    if len(found) < 2:
        raise Refusal(f"tempo: {len(found)} step(s) are found in the take, and a tempo needs two or more; ask for a length")
    own = MINUTE * clip.fps * (len(found) - 1) / (found[-1] - found[0])
    return (clip.frames - 1.0) * own / params.tempo


def by_example(clip, params, ways, struck):
    if not params.example:
        raise Refusal("example: there is none whose pace the take could have; choose one, or ask for a length")
    return clip.frames - 1.0 - ways.take.last + ways.natural


GOALS = {"LENGTH": by_length, "TEMPO": by_tempo, "EXAMPLE": by_example}


def spent(ways, wanted, params):
    """The rows (frames,) of the take that are seen when it lasts so many frames."""
    last = ways.take.last
    least, most = ways.bounds()
    if not least - 0.5 <= wanted <= most + 0.5:
        own = "slower" if wanted > most else "faster"
        raise Refusal(
            f"{params.goal.lower()}: {wanted / last:.2f} of the take's own length is outside {least / last:.2f} to "
            f"{most / last:.2f}; let it become {own} than {params.slowest if own == 'slower' else params.fastest:g} of its pace"
        )
    lasts = ways.lasts((1.0 - params.even) * ways.way(wanted) - params.even * np.log(wanted / last))
    plain = np.diff(ways.take.ends)
    lasts = plain + params.amount * (lasts * (wanted / lasts.sum()) - plain)
    frames = int(np.rint(lasts.sum())) + 1
    if frames < FEWEST_FRAMES:
        raise Refusal(f"{params.goal.lower()}: {frames} frame(s) would be left of {int(last) + 1}")
    clock = np.concatenate([[0.0], np.cumsum(lasts * ((frames - 1.0) / lasts.sum()))])
    return np.clip(along(np.column_stack([clock, ways.take.ends]), np.arange(frames)), 0.0, last)


def in_words(clip, rows):
    """How long the take has become, and where it is slowed and hurried most."""
    paces = np.diff(rows)
    slow, fast = (clip.first_frame + int(np.rint(rows[find(paces)])) for find in (np.argmin, np.argmax))
    return (
        f"{(len(rows) - 1) / clip.fps:.2f} s instead of {(clip.frames - 1) / clip.fps:.2f}; "
        f"slowest {paces.min():.2f} at frame {slow} of the take, fastest {paces.max():.2f} at {fast}"
    )


FIT_LENGTH = Technique(
    "fit_length",
    "Fit Length",
    FitLengthParams,
    fit_length,
    needs=frozenset({"skeleton", "contacts"}),
    retimes=True,
    waits="type a length or a tempo, or choose an example",
    wants=("seconds", "tempo", "example"),
    principal="amount",
)
