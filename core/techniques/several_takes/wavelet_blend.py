# SPDX-License-Identifier: GPL-3.0-or-later
"""Wavelet blend: two takes in step, mixed level by level, at a timing in between (Ahmed 2001, sections 4 and 5).

Both are warped to the events of the take, transformed, mixed with a factor for each level, transformed back and warped to the
events in between. What all levels have in common needs no transform, and is read from the takes themselves: only what
levels differ by goes through the wavelets. So a factor of 0 or 1 gives the takes as they are, at their own timing.
"""

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from ...body.gait_events import KEYS, gait_events, paired, twins
from ...cycles.closing import refuse_open
from ...cycles.strides import begun_alike, cycle_events
from ...declare.lists import FramePair
from ...declare.params import build, choice, number, numbers, points, records, whole, words
from ...declare.scope import FAR
from ...declare.technique import Technique
from ...mixing.synchronized import Synchronized
from ...motion.chart import Chart
from ...motion.ground import Ground
from ...motion.match import common, matched
from ...numeric.bands import band_label
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...numeric.wavelets import Wavelets, level_count, level_edges
from ...timing.register import read_anchors

EACH_LEVEL = "How much farther than the amount what moves at this pace goes towards the other take: 0 as far, 1 a take more"
FADER = (-1.0, 1.0)
WHOLE = ((None, None), (None, None))  # of both takes: from the start to the end


@frozen
class LevelKey:
    """How far one level goes at a frame."""

    level: int = whole(1, "Which level: 1 the finest, 2 the next, 0 the coarse part", 0, 64)
    frame: int = whole(1, "Frame of the take", -FAR, FAR)
    offset: float = number(0.0, "How much farther than the amount the level goes here", -4.0, 4.0, slider_range=FADER)


@frozen
class WaveletBlendParams:
    """The other take, how far towards it, and what belongs together."""

    take: str = words("", "Action that the take is mixed with", names="action")
    amount: float = number(
        0.0,
        "How far towards the other take: 0 the take itself, 1 the other, beyond these more than that",
        -4.0,
        4.0,
        slider_range=(0.0, 1.0),
    )
    coarse: float = number(
        0.0,
        "How much farther than the amount the slow sway under all levels goes",
        -4.0,
        4.0,
        label="Slow Sway",
        slider_range=FADER,
    )
    levels: tuple = numbers(
        "How much farther than the amount each level goes, finest first", EACH_LEVEL, -4.0, 4.0, item=0.0, slider_range=FADER
    )
    level_keys: tuple = records(
        "How much farther than the amount a level goes at which frame as JSON, smoothly in between", LevelKey
    )
    family: str = words(
        "db4",
        "Wavelet that takes the motion apart: haar, db1 to db38, sym2 to sym20, coif1 to coif17, bior and rbio 1.1 to 6.8",
        label="Wavelet",
    )
    ends: str = choice(
        "TAKE",
        "What is before the first and after the last frame",
        (
            ("TAKE", "Take", "Nothing: the motion as in a mirror"),
            ("CYCLE", "Cycle", "The motion again: both takes repeat themselves"),
        ),
        label="Past the Take",
    )
    events: str = choice(
        "STEPS",
        "What brings the takes in step",
        (
            ("STEPS", "Steps", "Strikes and mid swings of both feet, found by themselves"),
            ("ANCHORS", "Anchors", "The frames listed as anchors, such as markers of the same name"),
        ),
    )
    anchors: tuple = points("Frames that belong together: a frame of the take, a frame of the other", entry=FramePair)


def wavelet_blend(clip, surroundings):
    """Mix two takes step by step: one slider for all, or a factor for every pace at which something moves.

    What belongs together and the levels are kept for as long as the takes are the same, so that a factor costs one mix. Steps
    that only one of the takes makes are left out, and where such come before or after all others so are the frames with them.
    """

    @lru_cache(maxsize=2)
    def opened(name, ends, events, anchors):
        return in_step(clip, name, ends == "CYCLE", partial(EVENTS[events, ends], anchors=anchors), surroundings)

    @lru_cache(maxsize=2)
    def levels(name, ends, events, anchors, family):
        pair, _ = opened(name, ends, events, anchors)
        return Wavelets(pair.difference(1)[: -1 if pair.cyclic else None], family, pair.cyclic)

    def process(params):
        process.told = ""
        if not params.take:
            return clip
        question = params.take, params.ends, params.events, params.anchors
        pair, process.told = opened(*question)
        own = pair.clips[0]
        offsets = level_offsets(params, level_count(own.frames - pair.cyclic, params.family), own)
        if not any(callable(offset) or offset for offset in offsets):
            if params.amount == 0.0:
                process.told = ""
                return clip
            if params.amount == 1.0:
                return replace(pair.clips[1], first_frame=own.first_frame)
            more = None
        else:
            change = levels(*question, params.family).weighted(offsets)
            more = pair.added(np.concatenate([change, change[:1]]) if pair.cyclic else change)
        weights = np.array([1.0 - params.amount, params.amount])
        result = pair.placed(pair.mixed(weights, more=more), "TRAVEL", *pair.start(weights))
        return replace(result, first_frame=own.first_frame)

    return process


def in_step(clip, name, cyclic, find_events, surroundings):
    """The take and the other of this name, in step, and what of them was left out, in words."""
    if name not in surroundings.takes:
        raise Refusal(f"take: there is no action {name}")
    source = surroundings.takes[name]
    other, _ = matched(clip, source)
    if cyclic:
        for take, called in ((clip, "the take"), (other, name)):
            on_spot = Ground([take], surroundings.skeleton).taken_off(take.values)[0]
            refuse_open(Chart(take.with_values(on_spot), surroundings.angles_apart), called)
    missing = ~common(clip, source)
    pairs, bounds, words = find_events(clip, source, other, name, surroundings)
    clips = [within(take, *ends) for take, ends in zip((clip, other), bounds)]
    starts = [part.first_frame - take.first_frame for part, take in zip(clips, (clip, other))]
    rows = (np.array(pairs, dtype=np.float64).reshape(-1, 2) - starts).T
    return Synchronized(clips, rows, [np.zeros_like(missing), missing], surroundings, cyclic), words


def within(clip, first, last):
    """The frames of a clip from one to another, from its start or to its end where there is none."""
    first, last = clip.first_frame if first is None else first, clip.last_frame if last is None else last
    rows = np.arange(first, last + 1) - clip.first_frame
    return clip if len(rows) == clip.frames else replace(clip.with_values(clip.values[rows], rows), first_frame=first)


def steps(clip, source, other, name, surroundings, anchors):
    find = partial(gait_events, skeleton=surroundings.skeleton, kinds=KEYS)
    found = twins(find(clip, contacts=surroundings.contacts()), find(other, name=name), "the take", name)
    pairs = [(frame - clip.first_frame, there - other.first_frame) for frame, there in found.pairs]
    return pairs, found.bounds, found.words("the take", name)


def cycled_steps(clip, source, other, name, surroundings, anchors):
    own, others = cycle_events(clip, "the take", surroundings), cycle_events(other, name, surroundings)
    return paired(own, begun_alike(own, others, other.frames - 1), "the take", name), WHOLE, ""


def anchors_listed(clip, source, other, name, surroundings, anchors):
    if not anchors:
        raise Refusal("anchors: there are none; list frames that belong together, or set events to steps")
    return read_anchors(clip, source, anchors, source.fps / clip.fps, other.frames), WHOLE, ""


EVENTS = {
    ("STEPS", "TAKE"): steps,
    ("STEPS", "CYCLE"): cycled_steps,
    ("ANCHORS", "TAKE"): anchors_listed,
    ("ANCHORS", "CYCLE"): anchors_listed,
}


def level_offsets(params, count, clip):
    """How much farther than the amount each level goes, finest first, coarse last: numbers, or functions of rows."""
    if len(params.levels) > count:
        raise Refusal(f"levels: {len(params.levels)} given, but {clip.frames} frames have {count} with {params.family}")
    offsets = [*params.levels, *[0.0] * (count - len(params.levels)), params.coarse]
    keys = [build(LevelKey, key, f"level_keys[{index}] ") for index, key in enumerate(params.level_keys)]
    for level in {key.level for key in keys}:
        if level > count:
            raise Refusal(f"level_keys: there is no level {level}, only 1 to {count} and 0 for the coarse part")
        own = sorted((key.frame - clip.first_frame, key.offset) for key in keys if key.level == level)
        offsets[level - 1] = over_time(*zip(*own))
    return offsets


def over_time(rows, offsets):
    """A function that goes smoothly from key to key, and stays where there are none."""
    if len(set(rows)) < len(rows):
        raise Refusal("level_keys: two of one level stand on one frame")

    def offset(times):
        along = np.clip(np.interp(times, rows, np.arange(len(rows))), 0, len(rows) - 1)
        fraction = along % 1.0
        before = along.astype(int)
        after = np.minimum(before + 1, len(rows) - 1)
        eased = fraction * fraction * (3.0 - 2.0 * fraction)
        return np.array(offsets)[before] * (1.0 - eased) + np.array(offsets)[after] * eased

    return offset


def level_label(name, index, params, fps):
    """What a level is called: its range in Hz."""
    return band_label(*level_edges(index + 1, fps)[index])


WAVELET_BLEND = Technique(
    "wavelet_blend",
    "Wavelet Blend",
    WaveletBlendParams,
    wavelet_blend,
    item_label=level_label,
    needs=frozenset({"skeleton", "contacts"}),
    retimes=True,
    waits="choose the take that this one is mixed with, and an amount",
    wants=("take",),
    principal="amount",
)
