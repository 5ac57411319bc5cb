# SPDX-License-Identifier: GPL-3.0-or-later
"""What a panel says about the motion at hand: scope in words, bands by name, how much moves in each.

Draw calls come many times a second and must stay cheap: words are gathered without reading a key, and band energies are
worked out between draws.
"""

from dataclasses import dataclass

import bpy

from ...core.declare.scope import ScopeParams
from ...core.numeric.bands import BANDS, band_edges, band_label, visible_bands
from ...core.numeric.refusal import Refusal
from ...core.techniques.equalize import band_energies
from ..bridge.scope import gather
from ..run.apply import SOURCE
from ..settings.properties import to_params
from . import preview

_energies = {}  # by what they were measured on; the last few takes
_waiting = {}  # the timers that will measure, by the same; opening a file drops them
KEPT = 8


@dataclass(frozen=True)
class Band:
    index: int
    label: str
    energy: float | None


@dataclass(frozen=True)
class Summary:
    words: str
    problem: str
    bands: tuple = ()


def summarize(context):
    """The summary of what the panel would change now."""
    settings = context.window_manager.motion_signal
    current = preview.session()
    try:
        if current:
            clip, words, action = current.take.clip, current.words, current.lent[SOURCE]
            frames, fps, curves = clip.frames, clip.fps, [(channel.path, channel.index) for channel in clip.channels]
        else:
            scope = gather(context, to_params(ScopeParams, settings.scope))
            words, action, frames, fps = scope.words, scope.action, scope.last - scope.first + 1, scope.fps
            curves = [(curve.data_path, curve.array_index) for curve in scope.curves]
    except Refusal as error:
        return Summary("", str(error))
    key = (action.name_full, tuple(action.frame_range), fps, settings.scope.angles_apart, hash(tuple(curves)))
    if key not in _energies:
        measure_later(key)
    return Summary(words, settings.notice, bands_of(settings, frames, fps, key))


def bands_of(settings, frames, fps, key):
    chosen = settings.equalize.bands
    edges = band_edges(chosen, fps, frames)
    energies = dict(enumerate(_energies.get(key, {}).get(chosen, ())))
    return tuple(Band(index, band_label(*edges[index]), energies.get(index)) for index in visible_bands(chosen, fps, frames))


def measure_later(key):
    """Measure the band energies once the window is idle."""
    if bpy.app.background or (key in _waiting and bpy.app.timers.is_registered(_waiting[key])):
        return

    def measure():
        del _waiting[key]
        try:
            clip = clip_at_hand(bpy.context)
            _energies[key] = {bands: band_energies(clip, bands, "AUTO") for bands in BANDS}
        except Refusal:  # nothing to measure any more
            _energies[key] = {}
        while len(_energies) > KEPT:
            del _energies[next(iter(_energies))]
        preview.redraw()

    _waiting[key] = measure
    bpy.app.timers.register(measure, first_interval=0.05)


def clip_at_hand(context):
    current = preview.session()
    if current:
        return current.take.clip
    return gather(context, to_params(ScopeParams, context.window_manager.motion_signal.scope)).read().clip.check()


def unregister():
    for measure in filter(bpy.app.timers.is_registered, _waiting.values()):
        bpy.app.timers.unregister(measure)
    _energies.clear()
    _waiting.clear()
