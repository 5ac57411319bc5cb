# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to rack and preview when Blender undoes, saves, loads, or another object becomes active: nothing is lost."""

import bpy

from ...core.numeric.refusal import Refusal
from ..bridge.scope import active_object
from . import at_hand, preview
from .at_hand import AtHand
from .rows import fit_rows

_interrupted = []  # whose preview undo or redo has interrupted, and which rack was at hand


@bpy.app.handlers.persistent
def rest(*_):
    """Give back what was there while a file is saved: nobody has the lent action then, and so it is not in the file."""
    at_hand.keep_now()
    current = preview.session()
    if current and current.after:
        preview.flip(after=False)
        current.resting = True
    if current is None or current.lent.users:  # it may have been made a strip of the NLA
        preview.end()


@bpy.app.handlers.persistent
def go_on_after(*_):
    current = preview.session()
    if current and current.resting:
        current.resting = False
        preview.flip(after=True)


@bpy.app.handlers.persistent
def end_before(*_):
    preview.end()


@bpy.app.handlers.persistent
def begin_anew(*_):
    """What was loaded may hold a lent action of a session that is no more, and a rack."""
    preview.end()
    at_hand.forget()
    follow()


@bpy.app.handlers.persistent
def interrupt(*_):
    """Undo is about to begin: what is shown, and which rack is at hand, is noted."""
    current = preview.session()
    _interrupted[:] = [(current.subject if current else "", AtHand.subject, AtHand.action, AtHand.text)]
    AtHand.touched = ""
    preview.end()


@bpy.app.handlers.persistent
def look_again(*_):
    """Undo has brought back an older rack, or none: its settings are the panel's again, and its preview goes on."""
    preview.end()
    follow()
    if _interrupted and not bpy.app.background:
        bpy.app.timers.register(go_on, first_interval=0.0)


def go_on():
    """Preview again what undo interrupted, or the rack that it has brought back."""
    settings = bpy.context.window_manager.motion_signal
    while _interrupted:
        shown, *before = _interrupted.pop()
        another = before != [AtHand.subject, AtHand.action, AtHand.text]
        if settings.live and AtHand.rack is not None and AtHand.rack.kept and (another or shown == AtHand.subject):
            try:
                preview.show_rack(bpy.context)
            except Refusal as error:
                preview.notify(settings, str(error))
    preview.redraw()


@bpy.app.handlers.persistent
def follow(scene=None, depsgraph=None):
    """Take up the active object's rack where it is another than the one at hand, or was changed elsewhere."""
    subject, context = active_object(bpy.context), bpy.context
    if subject is None or not hasattr(context.window_manager, "motion_signal") or at_hand.is_paused():
        return
    fit_rows()
    if subject.name == AtHand.subject and at_hand.in_step():
        if depsgraph is not None and AtHand.rack.steps and not AtHand.rack.kept and depsgraph.id_type_updated("ACTION"):
            look_soon()
        return
    if preview.stays(subject) or at_hand.take_is_gone(subject):
        return
    if preview.session() is None:
        preview.end()  # its object may have been given another action by hand, and what was lent to it is still there
    if AtHand.subject and subject.name != AtHand.subject:
        at_hand.keep_now()
    at_hand.take_up(context, subject)
    fit_rows()


def look_soon():
    """Look whether a result was changed by hand, once nothing more happens: that takes too long for every change."""
    if not bpy.app.background:
        preview.put_off(look_for_changes, 0.3)


def look_for_changes():
    subject = at_hand.subject_at_hand()
    if subject is not None and at_hand.changed_by_hand():
        at_hand.take_up(bpy.context, subject)
        preview.redraw()


HANDLERS = {
    "undo_pre": interrupt,
    "redo_pre": interrupt,
    "undo_post": look_again,
    "redo_post": look_again,
    "save_pre": rest,
    "save_post": go_on_after,
    "save_post_fail": go_on_after,
    "load_pre": end_before,
    "load_post": begin_anew,
    "depsgraph_update_post": follow,
}


def register():
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    for function in (go_on, look_for_changes):
        if bpy.app.timers.is_registered(function):
            bpy.app.timers.unregister(function)
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
