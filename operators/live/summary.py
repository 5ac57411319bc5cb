# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel says about the motion at hand: the take, what a step changes in words, bands by name, how feet slide.

Draw calls come many times a second and must stay cheap: all that takes time is worked out between draws.
"""

from functools import lru_cache

import bpy

from ...core.numeric.bands import BANDS, band_edges, visible_bands
from ...core.numeric.frozen import frozen
from ...core.numeric.refusal import Refusal
from ...core.recipes.words import feet_slides
from ...core.techniques.character.equalize import band_energies
from ..bridge.armatures import CORRECTIONS
from ..bridge.kept_texts import kept
from ..bridge.scope import active_object
from ..settings.body import found_roles
from . import preview
from .at_hand import AtHand
from .band_names import band_name
from .survive import follow

KEPT = 8
_known = {}  # what was worked out, by what it is about
_waiting = {}  # what is to be worked out once the window is idle, by the same


@frozen
class Band:
    index: int
    label: str  # what moves in it
    range: str  # in Hz
    energy: float | None


@frozen
class Summary:
    words: str  # what the open step changes
    problem: str  # what stands in the way
    bands: tuple = ()


def at_hand(context):
    """The rack of the active object, or None while that is still to be taken up, or where there is none."""
    subject = active_object(context)
    if subject is None:
        return None
    if AtHand.rack is None or AtHand.subject != subject.name and not preview.stays(subject):
        later(("follow", subject.name), follow)
        return None
    return AtHand.rack


def summarize(context):
    """The summary of the open step."""
    settings, current, rack = context.window_manager.motion_signal, preview.session(), AtHand.rack
    action = bpy.data.actions.get(rack.take) if rack else None
    if action is None:
        return Summary("", settings.notice)
    fps = context.scene.render.fps / context.scene.render.fps_base
    frames = current.take.clip.frames if current else frame_count(action)
    key = ("bands", action.name_full, frames, fps, settings.scope.angles_apart, id(current.opening) if current else 0)
    energies = worked_out(key, measure_bands) if current else {}
    words = current.said if current else ""
    bands = settings.equalize.bands
    return Summary(words, settings.notice, bands_of(bands, frames, fps, (energies or {}).get(bands, ())))


def frame_count(action, current=None):
    """How many frames a take has, as it was read for a preview if there is one: Blender looks through all curves for that."""
    if current:
        return current.open.stack.run.before.clip.frames
    first, last = action.frame_range
    return round(last - first) + 1


@lru_cache(maxsize=8)
def bands_of(chosen, frames, fps, energies):
    if frames < 3:
        return ()
    measured = dict(enumerate(energies))
    return tuple(Band(index, *names, measured.get(index)) for index, names in named_bands(chosen, fps, frames))


@lru_cache(maxsize=8)
def named_bands(chosen, fps, frames):
    """The bands that a take can hold anything in, with their names."""
    edges = band_edges(chosen, fps, frames)
    return [(index, band_name(*edges[index])) for index in visible_bands(chosen, fps, frames)]


def measure_bands():
    current = preview.session()
    try:
        return {bands: tuple(band_energies(current.take.clip, bands, "AUTO")) for bands in BANDS} if current else {}
    except Refusal:  # nothing to measure any more
        return {}


def figure_words(subject):
    """Whether body parts were found in an object, in a few words; nothing while that is not known."""
    if subject.type != "ARMATURE":
        return "no figure"
    key = ("figure", subject.data.name_full, len(subject.data.bones), kept(subject.data, CORRECTIONS))
    return worked_out(key, lambda name=subject.name: look_at(name)) or ""


def look_at(name):
    subject = bpy.data.objects.get(name)
    if subject is None:
        return ""
    table = found_roles(subject)
    return "figure found" if table["left_foot"] and table["right_foot"] else "no feet found"


def feet_shown():
    """How far planted feet slide in millimetres, before and after, as far as that is known: (was, now) or None."""
    current = preview.session()
    if current is None or current.run is None or current.behind:
        return None
    return worked_out(("feet", id(current.run)), lambda: feet_of(current.run))


def feet_of(run):
    current = preview.session()
    return feet_slides(run) if current and current.run is run else None


def worked_out(key, work):
    """What is known under a key; it is worked out once the window is idle, and until then nothing is known."""
    if key not in _known:
        later(key, work)
    return _known.get(key)


def later(key, work):
    if bpy.app.background or (key in _waiting and bpy.app.timers.is_registered(_waiting[key])):
        return

    def measure():
        _waiting.pop(key, None)
        _known[key] = work()
        while len(_known) > KEPT:
            del _known[next(iter(_known))]
        preview.redraw()

    _waiting[key] = measure
    bpy.app.timers.register(measure, first_interval=0.1)


def unregister():
    for measure in filter(bpy.app.timers.is_registered, _waiting.values()):
        bpy.app.timers.unregister(measure)
    _known.clear()
    _waiting.clear()
