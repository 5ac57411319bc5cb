# SPDX-License-Identifier: GPL-3.0-or-later
"""The rack at hand: that of the active object, with the settings of its open step in the panel.

Only one step is open at a time. The window manager's settings are that step's, and what is touched there goes into the rack;
the rack is kept with its object as soon as the animator rests, as an undo step.
"""

from contextlib import contextmanager
from dataclasses import replace

import bpy

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step
from ...core.techniques import technique as technique_named
from ..bridge.kept_texts import kept
from ..bridge.scope import active_object, gather, lasting
from ..settings.properties import from_params, reset, to_params
from .rack import CLOSED, RACK, Rack, action_of, keep_rack, rack_of

SETTLED = 0.3  # seconds without a touch after which what was touched is an undo step
_paused = []


class AtHand:
    """Whose rack it is, and what of it is not kept with the object yet. Names and data only."""

    subject, animated, action, text = "", "OBJECT", "", None
    rack = None
    touched = ""  # what has been done since it was last kept, as the name of the undo step
    filled = ""  # the technique whose settings in the panel are a step's
    brief = CLOSED  # the index of a closed step that shows its amount alone, large
    carried = CLOSED  # the index of the step whose grip is held by the mouse
    lowest = 0  # the mouse is above this step
    scopes = (None, None)  # scope settings, and what they meant when they were first looked at


@contextmanager
def paused(really=True):
    """While settings are changed that nobody needs to see."""
    _paused.append(really)
    try:
        yield
    finally:
        _paused.pop()


def is_paused():
    return any(_paused)


def settings_of(context):
    return context.window_manager.motion_signal


def subject_at_hand():
    """The object whose rack is at hand, or None."""
    return bpy.data.objects.get(AtHand.subject) if AtHand.subject else None


def forget():
    """Nothing is at hand: another file, or none yet."""
    AtHand.subject, AtHand.action, AtHand.text, AtHand.rack, AtHand.touched = "", "", None, None, ""


def known_state(subject, animated):
    """What a rack is known by: anything else was not done here, as undo, another action or another object."""
    try:
        return subject.name, animated, action_of(subject, animated)[0].name, kept(subject, RACK)
    except Refusal:
        return subject.name, animated, "", kept(subject, RACK)


def in_step():
    """Whether the rack at hand is still the one of its object."""
    subject = subject_at_hand()
    known = (AtHand.subject, AtHand.animated, AtHand.action, AtHand.text)
    return subject is not None and AtHand.rack is not None and known_state(subject, AtHand.animated) == known


def take_is_gone(subject):
    """Whether a subject's steps at hand have lost the take that they begin with, and it has no other action: they stay then."""
    if AtHand.subject != subject.name or AtHand.rack is None or not AtHand.rack.steps:
        return False
    return AtHand.rack.take not in bpy.data.actions and not known_state(subject, AtHand.animated)[2]


def changed_by_hand():
    """Whether the rack at hand is that of a result that was changed since, and so is a take of its own."""
    if AtHand.rack is None or AtHand.rack.kept or not AtHand.rack.steps or not in_step():
        return False
    return rack_of(subject_at_hand(), AtHand.animated).steps != AtHand.rack.steps


def take_up(context, subject, animated=None, settings_too=True, made=False):
    """Let a subject's rack be the one at hand; its open step's settings are in the panel then, or, where the panel was touched
    already, the rack is taken up closed. A subject without motion has an empty rack; its action may just have been `made`."""
    settings = settings_of(context)
    animated = animated or settings.scope.animated
    AtHand.subject, AtHand.animated, AtHand.action, AtHand.text = known_state(subject, animated)
    AtHand.touched, AtHand.scopes, AtHand.brief = "", (None, None), CLOSED
    try:
        AtHand.rack = rack_of(subject, animated, made)
    except Refusal:
        AtHand.rack = Rack("")
    if settings_too:
        show_settings(context)
    else:
        AtHand.rack = replace(AtHand.rack, open=CLOSED)


def show_settings(context):
    """Put the open step's settings into the panel, and neutral ones where those of another step were."""
    settings, step = settings_of(context), AtHand.rack.step
    with paused():
        clear_settings(settings, step.technique.name if step else "")
        if step:
            group = getattr(settings, step.technique.name)
            reset(step.technique.params, group)
            from_params(step.params, group)
            from_params(replace(step.scope, action=""), settings.scope)
            AtHand.scopes = to_params(ScopeParams, settings.scope), step.scope


def clear_settings(settings, technique_name):
    """The panel is to have another technique's settings: those of the last are neutral again, and the scope if it is none."""
    if AtHand.filled and AtHand.filled != technique_name:
        with paused():
            reset(technique_named(AtHand.filled).params, getattr(settings, AtHand.filled))
            if not technique_name:
                animated = settings.scope.animated
                reset(ScopeParams, settings.scope)
                settings.scope.animated = animated
    AtHand.filled = technique_name


def take_in(context, technique, subject=None):
    """Take what the panel says of a technique into the open step, or into a new one if that is another technique's."""
    settings = settings_of(context)
    if not in_step() or changed_by_hand():
        subject = subject_at_hand() or subject or active_object(context)
        if subject is None:
            raise Refusal("there is no active object")
        take_up(context, subject, settings_too=False)
    subject = subject_at_hand()
    params = to_params(technique.params, getattr(settings, technique.name))
    try:
        scope = scope_meant(context, subject)
    except Refusal:  # nothing is selected, say: the step keeps the scope that it has, and so does the panel
        if AtHand.rack.technique == technique.name:
            with paused():
                from_params(replace(AtHand.rack.step.scope, action=""), settings.scope)
        raise
    if scope.animated != AtHand.animated:
        take_up(context, subject, scope.animated, settings_too=False)
    action_of(subject, scope.animated)
    rack = AtHand.rack
    if rack.technique == technique.name:
        put(rack.with_step(replace(rack.step, params=params, scope=scope)), technique.label)
    else:
        put(rack.with_more(Step(technique, params, scope)), technique.label)
    clear_settings(settings, technique.name)


def scope_meant(context, subject):
    """The panel's scope as it means the same later: what is selected is looked up when that is first asked for."""
    wanted = to_params(ScopeParams, settings_of(context).scope)
    if AtHand.scopes[0] != wanted:
        meant = wanted
        if wanted.scope in ("BONES", "CURVES") or wanted.frames == "PREVIEW":
            meant = lasting(wanted, gather(context, wanted, subject))
        AtHand.scopes = wanted, meant
    return AtHand.scopes[1]


def put(rack, label):
    """Let the rack at hand be another; it is kept with its object when the animator rests."""
    AtHand.rack, AtHand.touched = replace(rack, kept=True), label


def keep_now():
    """Keep the rack at hand with its object, if something was touched since; what it was that was touched."""
    touched, subject = AtHand.touched, subject_at_hand()
    AtHand.touched = ""
    if touched and subject is not None and subject.is_editable:
        try:
            AtHand.rack = keep_rack(subject, AtHand.animated, AtHand.rack)
        except Refusal:  # its action was taken away meanwhile, and so it has no rack
            return ""
        AtHand.text = kept(subject, RACK)
    return touched


def keep_soon(context):
    """Keep it as soon as nothing is touched for a moment, as an undo step; at once where there is no window."""
    if bpy.app.background:
        keep_now()
        return
    if bpy.app.timers.is_registered(keep_as_undo_step):
        bpy.app.timers.unregister(keep_as_undo_step)
    bpy.app.timers.register(keep_as_undo_step, first_interval=SETTLED)


def keep_as_undo_step():
    touched = keep_now()
    if touched:
        push_undo(bpy.context, touched)


def push_undo(context, message):
    windows = context.window_manager.windows
    if windows and not bpy.app.background:
        with context.temp_override(window=windows[0]):
            bpy.ops.ed.undo_push(message=message)


def unregister():
    forget()
    if bpy.app.timers.is_registered(keep_as_undo_step):
        bpy.app.timers.unregister(keep_as_undo_step)
