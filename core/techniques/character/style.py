# SPDX-License-Identifier: GPL-3.0-or-later
"""Style: a mood, taken from one motion, laid over another, on any rig or object (Kenwright, sections 3 and 4).

What the mood does over a stride is laid over the take stride by stride: turns on top of the bones' own, moves in proportion
to the figure. Where a take makes no steps it goes by the mood's own clock. Which bone wears what of the source is found by
name and role, or said in a table.
"""

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...body.gait_phase import phases, played_at, strides
from ...body.roles import find_roles
from ...declare.lists import split_names
from ...declare.params import flag, number, tree, words
from ...declare.technique import Technique
from ...mixing.mood import axes_of, from_data, mood_of, sized
from ...motion.chart import Chart
from ...motion.ground import Ground
from ...motion.skeleton import hanging
from ...numeric import rotation
from ...numeric.bands import HZ_BANDS, Bank
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...numeric.smoothing import smooth

OBJECT = "object"  # what an object itself is called in a table of bones


@frozen
class StyleParams:
    """Which mood, how much, and who wears what of it."""

    amount: float = number(1.0, "How much of the mood is laid over the take: 0 none, 1 all, below 0 its opposite", -1.0, 2.0)
    style: dict = tree("The mood as JSON, as it is saved; none takes it from the two actions", label="Mood")
    neutral: str = words(
        "", "Action that does the same without the mood; empty takes all that the styled one does", names="action"
    )
    styled: str = words("", "Action in the mood, of the same rig as the neutral one", names="action")
    mapping: dict = tree(
        "Bones of the mood's figure and who wears what they do, as JSON such as {'Hips': 'base'}; 'object' is "
        "the object itself. None goes by names and body parts",
        label="Bones",
    )
    cycle: float = number(
        0.0,
        "How long a stride is where the take makes no steps; 0 is as long as the mood's own",
        0.0,
        60.0,
        "s",
        slider_range=(0.0, 4.0),
    )
    size: float = number(0.0, "How large the figure is, for how far it moves; 0 measures it", 0.0, 1000.0, "m")
    strides: bool = flag(
        False,
        "Let strides become as much shorter or longer as they do in the mood, so that the figure does "
        "not get as far, or farther",
    )
    standing: str = words(
        "",
        "Bones, with commas between them, that stand on the ground: they rise from it with the rhythm "
        "and rest there in between",
        label="Bones That Hop",
    )
    contacts: bool = flag(True, "Keep feet and hands where they are planted, if the figure has feet", label="Keep Contacts")


def style(clip, surroundings):
    """Lay a mood, taken from another take, over a motion.

    Strides, chart and mood are kept, so that the amount can be dragged.
    """
    ground = Ground([clip], surroundings.skeleton)
    on_spot, path = ground.taken_off(clip.values)
    chart = lru_cache(maxsize=1)(lambda: Chart(clip.with_values(on_spot)))
    knots = lru_cache(maxsize=1)(lambda: strides(clip, surroundings))
    mood_from = lru_cache(maxsize=4)(lambda data, neutral, styled: opened(json.loads(data), neutral, styled, surroundings))

    def process(params):
        if params.amount == 0.0 or not (params.style or params.styled):
            return clip
        mood = mood_from(json.dumps(params.style), params.neutral, params.styled)
        wearers = worn(mood, params.mapping, chart(), surroundings.skeleton)
        at = phases(knots(), clip.frames) if knots() is not None and mood.cycle else clock(clip, params.cycle or mood.cycle)
        size = params.size or sized(surroundings.skeleton)
        changes = {
            target: Change(mood.bones[source], axes_of(target, surroundings.skeleton, ground), at, params.amount, size)
            for source, target in wearers.items()
        }
        for name in split_names(params.standing):
            if name not in changes:
                raise Refusal(f"standing: {name} wears nothing of the mood")
            changes[name].hop()
        values = chart().values(laid(chart(), clip.fps, changes, hanging(surroundings.skeleton)))
        going = along(path, mood.stride**params.amount) if params.strides else path
        values = ground.put_on(values, going, clip.values) if ground.roots else values
        return clip.with_values(values)

    return process


def opened(data, neutral, styled, surroundings):
    """The mood that is given, or that of the actions."""
    if data:
        return from_data(data)
    for name in filter(None, (neutral, styled)):
        if name not in surroundings.takes:
            raise Refusal(f"style: there is no action {name}")
    takes = [surroundings.takes[name] if name else None for name in (neutral, styled)]
    return mood_of(*takes, replace(surroundings, beside=None))  # they are whole, and what is beside is of another time


def worn(mood, mapping, chart, skeleton):
    """Which owner of the take wears which bone of the mood, {source: owner}, or a Refusal if none does."""
    own = set(chart.owners)
    if mapping:
        pairs = {source: "" if target == OBJECT else target for source, target in mapping.items()}
        unknown = [source for source in pairs if source not in mood.bones]
        if len(unknown) == len(pairs):
            raise Refusal(f"mapping: the mood has no bone {unknown[0]!r}; it has {', '.join(sorted(mood.bones)) or 'none'}")
    else:
        roles = find_roles(skeleton).table() if skeleton and skeleton.bones else {}
        alike = {name: roles.get(role) for role, name in mood.roles.items()}
        pairs = {source: source if source in own else alike.get(source) for source in mood.bones}
    result = {source: target for source, target in pairs.items() if target in own and source in mood.bones}
    if not result and not mapping and not (skeleton and skeleton.bones):
        raise Refusal("mapping: a mood is for a figure, and there is none here; say under Other Bones what wears it")
    if not result:
        raise Refusal(
            f"mapping: the mood's bones ({', '.join(sorted(mood.bones))}) have no channel in common with the "
            "take; say in the table of bones who wears what"
        )
    return result


def along(path, factor):
    """A path that goes so many times as far, the same way."""
    return replace(path, places=path.places[0] + factor * (path.places - path.places[0]))


def clock(clip, cycle):
    """Phases (frames,) by time alone."""
    return np.arange(clip.frames) / (clip.fps * cycle) if cycle else np.zeros(clip.frames)


class Change:
    """What a mood does to one owner: turns and moves (frames, 3) along its own axes, and gains of its bands."""

    def __init__(self, kinds, axes, at, amount, size):
        self.turning, self.along = axes
        self.turns, self.moves = (
            amount * played_at(kinds[kind], at) @ axes if kind in kinds else np.zeros((len(at), 3))
            for kind, axes in (("turn", self.turning), ("move", self.along))
        )
        self.moves = size * self.moves
        self.gains = np.append(kinds.get("gains", np.ones(HZ_BANDS)) ** amount, 1.0)

    def hop(self):
        """Rise from the ground where the mood rises above its middle, and stand still where it does not."""
        heights = self.moves @ self.along[2]  # the world's up along the axes that it moves along
        rise = np.maximum(heights - np.median(heights), 0.0)
        air = smooth(rise / max(rise.max(), 1e-12))
        self.moves = np.outer(rise * air, self.along[2])
        self.turns = self.turns * air[:, None]


def laid(chart, fps, changes, hung):
    """The signals of a chart with changes laid over their owners, about resting axes where those are `hung` on others."""
    gains = np.stack([changes[owner].gains if owner in changes else np.ones(HZ_BANDS + 1) for owner in chart.owners], axis=1)
    base = chart
    if np.any(gains != 1.0):
        base = Chart(chart.clip.with_values(chart.values(Bank(chart.signals, fps).weighted(gains))))

    def turn(q, mode, owners):
        vectors = np.stack([changes[owner].turns if owner in changes else np.zeros((q.shape[1], 3)) for owner in owners])
        turns = rotation.exp(rotation.stack(*vectors.transpose(2, 1, 0)))
        return np.where([owner in hung for owner in owners], rotation.multiply(turns, q), rotation.multiply(q, turns))

    def move(values, channels):
        moves = [
            changes[channel.owner].moves[:, channel.index]
            if channel.owner in changes and channel.kind == "LOCATION"
            else np.zeros(len(values))
            for channel in channels
        ]
        return values + np.stack(moves, axis=1) if moves else values

    signals = base.reshaped(turn, move)
    return signals if base is chart else chart.signals_of(base.values(signals))


STYLE = Technique(
    "style",
    "Mood",
    StyleParams,
    style,
    filters=True,
    plants=True,
    planting=lambda params: params.contacts,
    needs=frozenset({"skeleton", "contacts"}),
    waits="load a mood, or choose the action that has it",
    wants=("style", "styled"),
    principal="amount",
)
