# SPDX-License-Identifier: GPL-3.0-or-later
"""The fewest keys that keep feet, hands and head where they are: a written action is gone over once more."""

import math

import numpy as np

from ...core.body.roles import find_roles
from ...core.declare.lists import split_names
from ...core.numeric.refusal import Refusal
from ...core.techniques.figure.reduce import distances, drawn, reduced
from ..bridge.actions import channelbag, key_count, read_take
from ..bridge.kept_texts import contacts_of
from ..bridge.keyframes import KEY_ATTRIBUTES, attribute, dense_keys, key_total, mute_modifiers, set_keys, splice
from ..bridge.measured import measured_clip
from ..bridge.scope import frame_range
from ..bridge.switches import SwitchFinder


def check_body(owner, skeleton):
    """A Refusal for whoever has no body to be measured."""
    if skeleton is None:
        raise Refusal(f"keys: {owner.name} is no armature, and has no feet, hands and head to keep in place")
    if skeleton.led:
        raise Refusal(f"{skeleton.led[0]} is moved by constraints or drivers: bake the take to its bones first")


def reduce_keys(action, slot, scope, figure, channels, how):
    """Give these channels of an action few keys, in the frames that may change; what came of it, in words.

    All that is animated is measured, whatever of it gets other keys.
    """
    owner, skeleton, bag, params = scope.owner, figure.skeleton, channelbag(action, slot), how.scope
    switch = SwitchFinder(owner)
    curves = [curve for curve in bag.fcurves if key_count(curve) and not curve.mute and not switch(curve)]
    frames = frame_range(action, curves)
    clip = read_take(action, slot, curves, owner, *frames, scope.fps).clip
    clip = clip.with_clip(measured_clip(scope.model, owner, action, slot, *frames, scope.fps))
    before, roles, effectors = key_total(bag), find_roles(skeleton), split_names(params.effectors)
    rows = rows_in(clip, how.changing)
    keys = reduced(
        clip,
        skeleton,
        roles,
        params.millimetres,
        params.degrees,
        contacts_of(action) or None,
        params.together,
        effectors,
        set(channels),
        rows,
    )
    off, turned = distances(clip, drawn(clip, keys), skeleton, roles, effectors)
    for channel, key in zip(clip.channels, keys):
        curve = bag.fcurves.find(channel.path, index=channel.index)
        if key is not None and curve is not None:
            put(curve, dense_keys(clip.first_frame + key.rows, key.values, key.slopes), how.changing)
    return (
        f"{key_total(bag):,} keys instead of {before:,}; {', '.join(effectors) or 'feet, hands and head'} are off by "
        f"{off.max():.1f} mm and {turned.max():.2f} degrees at most"
    )


def rows_in(clip, changing):
    """First and last row of the frames that change, or None for all."""
    if changing is None:
        return None
    first, last = max(changing[0], clip.first_frame), min(changing[1], clip.last_frame)
    return first - clip.first_frame, last - clip.first_frame


def put(curve, keys, changing):
    """Give a curve these keys; where only a part changes, between those that stay, unless the gap to them is to be drawn."""
    if changing is None:
        mute_modifiers(curve)
        set_keys(curve, keys)
        return
    old = {name: attribute(curve.keyframe_points, name, kind, width).reshape(-1, width) for name, kind, width in KEY_ATTRIBUTES}
    times, (first, last) = old["co"][:, 0], keys["co"][[0, -1], 0]
    start, end = times[times < first].max(initial=-math.inf), times[times > last].min(initial=math.inf)
    if all(np.isinf(key) or gap <= 1.0 for key, gap in ((start, first - start), (end, end - last))):
        splice(curve, old, keys, start, end)
