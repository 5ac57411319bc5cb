# SPDX-License-Identifier: GPL-3.0-or-later
"""A take read once for all steps of a recipe: what they may change, and what else the figure does meanwhile."""

from dataclasses import replace

from ...core.recipes.whole import Whole, choice
from .actions import channel_of, channelbag, key_count, read_take
from .measured import handles_of, measured_clip
from .scope import frame_range, is_held, whole
from .switches import SwitchFinder, read_switches


def read_whole(scope, asked):
    """The Whole of a scope's action for steps that ask for these ScopeParams, and the channels with a key on every frame."""
    owner, action, slot = scope.owner, scope.action, scope.slot
    curves = [curve for curve in channelbag(action, slot).fcurves if key_count(curve)]
    channels = {curve: channel_of(curve.data_path, curve.array_index, owner) for curve in curves}
    choices = [choice(params) for params in asked]
    wanted = {curve for curve, channel in channels.items() if any(chosen(channel) for chosen in choices)}
    names = {curve: whole(curve) for curve in curves}
    held = {names[curve] for curve in curves if is_held(curve)}
    stepped = {names[curve] for curve in SwitchFinder(owner).among(curves)}
    going = [curve for curve in curves if curve in wanted and names[curve] not in held]
    switches = [curve for curve in going if names[curve] in stepped]
    free = {curve: None for curve in going if names[curve] not in stepped}
    beside = {curve: None for curve in curves if curve not in free and not curve.mute and moves_figure(channels[curve])}
    frames = frame_range(action, list(free))
    read = [curve for curve in curves if curve in free or curve in beside]
    take = read_take(action, slot, read, owner, *frames, scope.fps, handles_of(scope.model))
    measured = measured_clip(scope.model, owner, action, slot, *frames, scope.fps)
    clip = replace(take.clip.with_clip(measured), switches=read_switches(action, slot, switches, owner, *frames, scope.fps))
    spans = {channels[curve]: frame_range(action, [curve], fewest=1) for curve in free if tuple(curve.range()) != frames}
    fixed = frozenset((channels[curve].path, channels[curve].index) for curve in beside)
    staying = tuple(channels[curve] for curve in curves if curve in wanted and names[curve] in held)
    return Whole(clip, spans, take.held, fixed, staying), take.dense


def moves_figure(channel):
    """Whether a channel has a say in where the figure is: it is of a bone, or moves the object itself."""
    return bool(channel.owner) or channel.kind != "VALUE"
