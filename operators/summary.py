# SPDX-License-Identifier: GPL-3.0-or-later
"""What a panel says about the motion at hand: scope in words, bands by name, how much moves in each.

Draw calls come many times a second and must not compute: words are gathered again only when something they depend on
has changed, and band energies are worked out between draws.
"""

from dataclasses import dataclass

import bpy

from ..core.bands import band_edges, visible_bands
from ..core.equalize import band_energies, band_label
from ..core.params import changed
from ..core.scope import ScopeParams
from . import preview
from .properties import to_params
from .scope import gather

_energies = {}  # by what they were measured on; the last few takes
_waiting = []
KEPT = 8


@dataclass(frozen=True)
class Band:
    place: int
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
    try:
        params = to_params(ScopeParams, settings.scope)
        current = preview.session()
        if current:
            clip = current.take.clip
            return Summary(f"{current.subject}: {words_of(clip)}", settings.notice,
                           bands_of(settings, clip.frames, clip.fps, measured_on(current.lent[preview.SOURCE], params)))
        scope = gather(context, params)
    except ValueError as error:
        return Summary("", str(error))
    frames = scope.last - scope.first + 1
    key = measured_on(scope.action, params)
    if key not in _energies:
        measure_later(scope, key)
    return Summary(scope.words, settings.notice, bands_of(settings, frames, scope.fps, key))


def words_of(clip):
    return f"{len(clip.channels)} curves, frames {clip.first_frame}-{clip.last_frame}"


def bands_of(settings, frames, fps, key):
    chosen = settings.equalize.bands
    edges = band_edges(chosen, fps, frames)
    energies = _energies.get(key, {}).get(chosen)
    return tuple(Band(place, band_label(*edges[place]), None if energies is None else float(energies[place]))
                 for place in visible_bands(chosen, fps, frames))


def measured_on(action, params):
    render = bpy.context.scene.render
    return (action.name_full, tuple(action.frame_range), render.fps, render.fps_base, str(changed(params)))


def measure_later(scope, key):
    """Measure the band energies once the window is idle."""
    if key in _waiting:
        return
    _waiting.append(key)
    subject = bpy.context.object.name

    def measure():
        _waiting.remove(key)
        context = bpy.context
        if context.object is None or context.object.name != subject:
            return
        try:
            clip = gather(context, to_params(ScopeParams, context.window_manager.motion_signal.scope)).read().clip.check()
            _energies[key] = {bands: band_energies(clip, bands, "REFLECT") for bands in ("HZ", "FRAMES")}
        except ValueError:
            _energies[key] = {}
        while len(_energies) > KEPT:
            del _energies[next(iter(_energies))]
        for window in context.window_manager.windows:
            for area in window.screen.areas:
                if area.type == "GRAPH_EDITOR":
                    area.tag_redraw()

    if not bpy.app.background:
        bpy.app.timers.register(measure, first_interval=0.05)


def unregister():
    _energies.clear()
    _waiting.clear()
