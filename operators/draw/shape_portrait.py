# SPDX-License-Identifier: GPL-3.0-or-later
"""The shaper's portrait: while it is previewed, the Graph Editor shows in a corner what the shape does to the active bone.

Input goes from left to right, output from bottom to top; the bars behind tell where the motion lives.
"""

import bpy
import numpy as np

from ...core.body.underway import Underway
from ...core.numeric.refusal import Refusal
from ...core.techniques.character.waveshape import WAVESHAPE, portrait
from ..live import preview
from ..settings.properties import to_params
from .handlers import Drawing
from .inset import boxes, draw_inset

BARS = 38
BAR, STRAIGHT, SHAPE = (0.35, 0.5, 0.8, 0.7), (1.0, 1.0, 1.0, 0.25), (1.0, 0.62, 0.2, 1.0)
_cache = {}


def draw_portrait():
    current = preview.shown(bpy.context, WAVESHAPE.name)
    if current is None or current.result is None:
        return
    found = picture_of(bpy.context, current)
    if found is None:
        return
    name, inputs, line = found
    low, high = min(inputs.min(), line.min()), max(inputs.max(), line.max())
    counts, edges = np.histogram(inputs, bins=BARS)
    heights = counts / counts.max() * 0.5 * (high - low)
    bars = boxes(edges[:-1], np.full(BARS, low), np.diff(edges), heights)
    draw_inset(
        f"{name}: {inputs.min():.0f} to {inputs.max():.0f} degrees",
        (low, low),
        (high, high),
        [(BAR, bars)],
        [(STRAIGHT, [(low, low), (high, high)]), (SHAPE, line)],
    )


def picture_of(context, current):
    """The active bone (or the first there is), its inputs and the shape, worked out once for each result."""
    pose = context.active_pose_bone
    owners = [channel.owner for channel in current.take.clip.channels if channel.owner]
    name = pose.name if pose and pose.name in owners else next(iter(owners), "")
    if _cache.get("result") is not current.result or _cache.get("name") != name:
        settings = context.window_manager.motion_signal
        try:
            clip = current.take.clip
            seen = clip.with_values(Underway(clip, current.surroundings).values)
            drawn = portrait(seen, to_params(WAVESHAPE.params, settings.waveshape), name)
        except Refusal:  # the panel says why
            drawn = None
        _cache.update(result=current.result, name=name, drawn=drawn and (name, *drawn))
    return _cache["drawn"]


DRAWING = Drawing((draw_portrait, "POST_PIXEL"))
register = DRAWING.register


def unregister():
    _cache.clear()
    DRAWING.unregister()
