# SPDX-License-Identifier: GPL-3.0-or-later
"""Music: steps, hits or marked frames brought onto the beats of a sound, or of a tempo that is typed."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...body.body import planted_points
from ...body.contacts import Origin
from ...declare.params import choice, number, numbers, whole, words
from ...declare.scope import FAR
from ...declare.technique import Technique
from ...files.sound import read_wav
from ...motion.clip import FEWEST_FRAMES
from ...motion.resample import resampled
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...numeric.time_map import along
from ...rhythm.beats import find_beats
from ...rhythm.bring import assigned, off_beat
from ...rhythm.moments import hits, steps

EASE = 0.25  # seconds after the last beat in which the take gets back to its own pace


@frozen
class MusicParams:
    """What is brought onto which beats, and how far."""

    strength: float = number(1.0, "How far moments are brought onto beats: 0 leaves them, 1 puts them there", 0.0, 1.0)
    moments: str = choice(
        "STEPS",
        "What is brought onto beats",
        (
            ("STEPS", "Steps", "Feet that come down"),
            ("HITS", "Hits", "Hands that are slowed or turned most"),
            ("MARKS", "Marks", "The frames that are listed"),
        ),
        label="Bring",
    )
    marks: tuple = numbers("Frames of the take that are brought onto beats", "Frame of the take", -FAR, FAR, 0.0)
    tempo: float = number(
        0.0, "Beats a minute; 0 takes the beats that were found in the sound", 0.0, 1000.0, slider_range=(0.0, 240.0)
    )
    first_beat: float = number(
        0.0, "When the first beat is, from where the sound begins", -3600.0, 3600.0, "s", slider_range=(0.0, 4.0)
    )
    beats: tuple = numbers(
        "Seconds of every beat, from where the sound begins, as they were found or set by hand",
        "Second of a beat",
        -1e5,
        1e5,
        0.0,
    )
    every: int = whole(1, "On every beat, every second, every fourth", 1, 64)
    sound: str = words("", "Sound file, .wav, whose beats are found where none are given")
    sound_start: int = whole(1, "Frame at which the sound begins", -FAR, FAR)
    slowest: float = number(0.8, "How slow the take may become, of its own pace", 0.1, 1.0)
    fastest: float = number(1.25, "How fast the take may become, of its own pace", 1.0, 10.0, slider_range=(1.0, 4.0))


def music(clip, surroundings):
    """Bring steps, hits or marked frames onto the beat of a sound or of a tempo that is typed.

    Moments and beats are found once; strength only reads the take at other moments.
    """
    planted = lru_cache(maxsize=1)(lambda: planted_points(clip, surroundings))
    struck = lru_cache(maxsize=1)(lambda: hits(clip, surroundings.skeleton))
    heard = lru_cache(maxsize=4)(lambda path: find_beats(*read_wav(path)).beats)

    def moments_of(params):
        if params.moments == "MARKS":
            return np.unique([frame for frame in params.marks if clip.first_frame <= frame <= clip.last_frame])
        if surroundings.skeleton is None or not surroundings.skeleton.bones:
            raise Refusal(f"moments: {params.moments.lower()} are those of a figure, and this is none; list marks instead")
        return steps(clip, planted()) if params.moments == "STEPS" else struck()

    @lru_cache(maxsize=16)
    def brought(params):
        beats = beats_of(clip, params, heard)
        moments = moments_of(params)
        if not len(moments):
            raise Refusal(f"moments: there are no {params.moments.lower()} in the take to be brought onto beats")
        pairs = assigned(moments, beats, params.slowest, params.fastest, clip.first_frame)
        if not len(pairs):
            raise Refusal(
                f"beats: none can be reached between {params.slowest:g} and {params.fastest:g} of the take's own pace; allow "
                "more, or let the sound begin at another frame"
            )
        return moments, beats, pairs

    def process(params):
        process.told = ""
        if params.strength == 0.0 or MUSIC.waiting(params):
            return clip
        moments, beats, pairs = brought(replace(params, strength=1.0))
        first, rows = rows_of(clip, pairs, params.strength)
        process.told = in_words(clip, moments, beats, pairs, params.strength)
        return replace(resampled(clip, rows), first_frame=first)

    def origins(params):
        if params.strength == 0.0 or MUSIC.waiting(params):
            return ()
        pairs = brought(replace(params, strength=1.0))[2]
        return (Origin(clip, rows_of(clip, pairs, params.strength)[1]),)

    process.origins, process.brought = origins, brought
    return process


def beats_of(clip, params, heard=lambda path: find_beats(*read_wav(path)).beats):
    """Frames of beats from one to well after the take, as many as are asked for."""
    if params.tempo:
        step, start = 60.0 / params.tempo, params.first_beat
        first, last = ((frame - params.sound_start) / clip.fps for frame in (clip.first_frame, clip.last_frame))
        count = np.arange(np.floor((first - start) / step) - 8, np.ceil(1.6 * (last - start) / step) + 16)
        seconds = start + step * count[np.mod(count, params.every) == 0]
    else:
        seconds = np.sort(np.array(params.beats or heard(params.sound)))[:: params.every]
    if not len(seconds):
        raise Refusal("beats: there are none")
    return params.sound_start + clip.fps * seconds


def rows_of(clip, pairs, strength):
    """The first frame, and the rows (frames,) of the take that are then seen, some of the way to where beats are."""
    goals = pairs[:, 0] + strength * (pairs[:, 1] - pairs[:, 0])
    knots, ease = np.column_stack([goals, pairs[:, 0]]), EASE * clip.fps
    after = [knots[-1] + step for step in (ease, clip.last_frame - knots[-1, 1]) if knots[-1, 1] + step <= clip.last_frame]
    start = np.full(2, float(clip.first_frame))
    knots = np.unique(np.array([start, *knots, *after]), axis=0)
    first, last = clip.first_frame, int(np.rint(knots[-1, 0]))
    if last - first + 1 < FEWEST_FRAMES:
        raise Refusal(f"{last - first + 1} frame(s) would be left of {clip.frames}")
    rows = along(knots, np.arange(first, last + 1)) - clip.first_frame
    return first, np.clip(rows, 0.0, clip.frames - 1.0)


def in_words(clip, moments, beats, pairs, strength):
    """How many moments are on beats, and how far they were off."""
    was = 1000.0 * off_beat(moments, beats) / clip.fps
    goals = pairs[:, 0] + strength * (pairs[:, 1] - pairs[:, 0])
    now = 1000.0 * off_beat(goals, beats) / clip.fps
    paces = np.diff(pairs[:, 0]) / np.diff(goals) if len(pairs) > 1 else np.ones(1)
    return (
        f"{len(pairs)} of {len(moments)} moments within {now.max():.0f} ms of beats, {was.mean():.0f} ms off on average "
        f"before; pace {paces.min():.2f} to {paces.max():.2f}"
    )


MUSIC = Technique(
    "music",
    "Music",
    MusicParams,
    music,
    needs=frozenset({"skeleton", "contacts"}),
    retimes=True,
    waits="find the beats of a sound, or type a tempo",
    wants=("tempo", "beats", "sound"),
    principal="strength",
)
