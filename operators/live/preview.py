# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview: while the rack is touched, the figure shows what becomes of the take on an action that is only lent to it.

A touch shows the steps up to the open one at once, and those after it as soon as nothing more is touched.
"""

import time
from dataclasses import replace

import bpy

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.techniques import technique as technique_named
from ..bridge.assign import assign
from ..bridge.provenance import SOURCE, unattached
from ..bridge.scope import active_object, gather
from ..bridge.writer import KeysChanged
from . import at_hand
from .at_hand import AtHand, keep_soon, paused, push_undo, subject_at_hand, take_in, take_up
from .lend import MARK, RETURN, give_back, lend, returning, sweep
from .session import Session, asked, open_take
from .show_run import ShowRun

__all__ = ["MARK", "paused", "push_undo", "returning"]  # what belongs to a preview for those who use it
SHOWING = ("VIEW_3D", "GRAPH_EDITOR", "DOPESHEET_EDITOR", "NLA_EDITOR")
SOON = 0.03  # seconds without a touch after which the steps after the open one are done
AT_ONCE = 0.02  # seconds that they may take to be done with every touch
BY_HAND = ("displace",)  # techniques whose step is posed on, and so shown without those after it
_session = None
_took = {}  # seconds that the steps after the open one last took


def session():
    """The preview in progress, or None. One whose object or action is gone counts as none."""
    return _session if _session and _session.alive else None


def shown(context, technique_name):
    """The preview in progress if this technique's step is open in it and it is the active object's, or None: what is drawn
    belongs to them."""
    current = session()
    mine = current and current.technique == technique_name and context.object and context.object.name == current.subject
    return current if mine else None


def stays(subject):
    """Whether the rack at hand stays so with another object active: while something is previewed, one that does not move by
    itself, such as the curve that a figure goes along."""
    data = subject.animation_data
    return session() is not None and subject.name != AtHand.subject and not (data and data.action)


def touching(technique):
    """What a setting of a technique calls when it is another."""

    def update(self, context):
        touched(context, technique)

    return update


def touched(context, technique, subject=None):
    """A parameter of a technique was touched: show what it does. What stands in the way becomes the panel's notice."""
    settings = context.window_manager.motion_signal
    if at_hand.is_paused():
        return
    try:
        let_another_go(context)
        take_in(context, technique, subject)
        keep_soon(context)
        if settings.live:
            show_rack(context)
    except Refusal as error:
        notify(settings, str(error))


def let_another_go(context):
    """Leave the rack at hand to its object where another that moves is active: what is touched is that one's."""
    active = getattr(context, "object", None)
    if active is not None and AtHand.subject not in ("", active.name) and not stays(active):
        at_hand.keep_now()
        at_hand.forget()


def notify(settings, words):
    """Say what stands in the way, if that is anything else than is said already."""
    if words or settings.notice_said:
        settings.notice = words or ""


def show(context, technique, params=None):
    """Show a technique's step, with the panel's settings or with parameters that the panel does not have (yet)."""
    take_in(context, technique)
    keep_soon(context)
    show_rack(context, params)


def show_rack(context, params=None, index=None):
    """Show the rack at hand on its object, the open step with other parameters if they are given.

    What was touched is the open step unless it is another, at an index: it shows at once, and those after it soon.
    """
    settings, rack, before = context.window_manager.motion_signal, AtHand.rack, _session
    current = begun(context, subject_at_hand(), rack)
    begins = current is not before
    steps = list(rack.steps)
    if params is not None:
        steps[rack.open] = replace(rack.step, params=params)
    index = rack.open if index is None and rack.step else index
    last = next((index for index in reversed(range(len(steps))) if steps[index].on), 0)
    later = index is not None and index < last
    do(current, steps, index, later)
    if begins:
        see(context.view_layer, session().lent)
    if later and not (index == rack.open and rack.technique in BY_HAND):
        if bpy.app.background or _took.get("later", 1.0) < AT_ONCE:
            show_later_steps()
        else:
            put_off(show_later_steps, SOON)
    refused = session().refusals.get(rack.open, "")
    notify(settings, refused)
    if settings.report_said:
        settings.report = ""


def begun(context, subject, rack):
    """The session at work on a rack, begun if there is none yet or it is another's."""
    global _session
    current = session()
    wanted = asked(context, subject, AtHand.animated, rack.take)
    if current is None or current.open.asked != wanted:
        end()
        opened, scope = open_take(context, subject, AtHand.animated, rack.take)
        _session = current = lent_to(scope, subject.name, opened)
    current.open = current.open.as_kept(current.lent[SOURCE])
    return current


def see(view_layer, lent):
    """Let a lent action be evaluated for the first time, not pointing to the take; nobody is to miss what it points to."""
    global _session
    current, _session = _session, None
    try:
        with paused(), unattached(lent):
            view_layer.update()
    finally:
        _session = current


def lent_to(scope, name, opened):
    action = lend(scope)
    return Session(name, AtHand.animated, action.name, scope.slot.handle, opened, ShowRun(opened.stack.run, opened.dense))


def do(current, steps, index, later):
    """Do steps up to an index, or all, and show what becomes of the take."""
    run = current.open.stack.show(steps, up_to=index, anew=index)
    write(opened_step(current, later), run)


def opened_step(current, later):
    """The session with the open step as it now is: another where that was opened anew."""
    global _session
    stage = current.open.stack.stages.get(AtHand.rack.open)
    technique = AtHand.rack.technique
    opening = stage.opening if stage else None
    if current.opening is not opening or current.technique != technique:
        current = _session = replace(current, stage=stage, technique=technique, said="")
    current.stage, current.behind, current.refusals = stage, later, current.open.stack.refusals()
    current.said = current.said or current.words
    return current


def write(current, run):
    """Let the figure show what became of the take; lent anew where keys were set or deleted by hand in what is only lent, or
    are to be others."""
    global _session
    try:
        current.write(run)
    except KeysChanged:
        subject, take = bpy.data.objects[current.subject], current.lent[SOURCE].name
        sweep()
        scope = gather(bpy.context, ScopeParams(action=take, animated=current.animated), subject)
        again = lent_to(scope, current.subject, current.open)
        current = _session = replace(current, action=again.action, shows=again.shows, after=True)
        current.write(run)
    if current.after and current.owner.animation_data.action == current.lent:
        refresh(current)
    else:
        current.after = False
        flip(after=True)


def show_later_steps():
    """Do the steps after the open one too, now that nothing is touched."""
    current, rack = session(), AtHand.rack
    if current is None or not current.behind or rack is None or current.subject != AtHand.subject:
        return
    begins = time.perf_counter()
    run = current.open.stack.show(rack.steps)
    write(opened_step(current, False), run)
    _took["later"] = time.perf_counter() - begins


def put_off(function, seconds):
    """Call a function after so many seconds, counted anew with every call of this."""
    if bpy.app.timers.is_registered(function):
        bpy.app.timers.unregister(function)
    bpy.app.timers.register(function, first_interval=seconds)


def resume(context):
    """Show the rack of the active object again."""
    subject = active_object(context)
    if not at_hand.in_step() or AtHand.subject != getattr(subject, "name", ""):
        if subject is None:
            raise Refusal("there is no active object")
        take_up(context, subject)
    show_rack(context)


def leave_shown(action):
    """End the preview and leave the lent action, which is a result of its own from now on."""
    global _session
    _session = None
    for name in (MARK, RETURN):
        if name in action:
            del action[name]


def stop(context, but=None):
    """End a preview that changes nothing, or that of one technique; any other is a Refusal: what is shown shall not be lost."""
    current = session()
    if current and current.technique != getattr(but, "name", "") and current.changes:
        label = technique_named(current.technique).label if current.technique else "the rack"
        raise Refusal(f"{label} is being previewed: apply or cancel that first")
    end()


def end():
    """Give back exactly what was there; the rack stays with its object."""
    global _session
    _session = None
    if bpy.app.timers.is_registered(show_later_steps):
        bpy.app.timers.unregister(show_later_steps)
    sweep()


def flip(after):
    """Show the result, or what was there before."""
    current = session()
    if current.after != after:
        current.after = after
        if after:
            assign(current.owner, current.lent, current.slot)
        else:
            give_back(current.owner, current.lent)
    refresh(current)


def refresh(current):
    current.owner.update_tag(refresh={"TIME"})
    redraw()


def redraw():
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in SHOWING:
                area.tag_redraw()


class MOTION_SIGNAL_OT_preview_pause(bpy.types.Operator):
    """Show the motion as it was; the steps stay, and Resume shows them again"""

    bl_idname = "motion_signal.preview_pause"
    bl_label = "Pause"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return session() is not None

    def invoke(self, context, event):
        """Esc while the animation plays is Blender's, to stop that; and so it is in editors that show nothing of a preview."""
        playing = any(window.screen.is_animation_playing for window in context.window_manager.windows)
        if event.type == "ESC" and (playing or context.area.type not in SHOWING):
            return {"PASS_THROUGH"}
        return self.execute(context)

    def execute(self, context):
        owner = session().owner
        end()
        owner.update_tag(refresh={"TIME"})
        redraw()
        return {"FINISHED"}


class MOTION_SIGNAL_OT_preview_resume(bpy.types.Operator):
    """Show the steps on the figure again"""

    bl_idname = "motion_signal.preview_resume"
    bl_label = "Resume"
    bl_options = {"INTERNAL"}

    def execute(self, context):
        settings = context.window_manager.motion_signal
        with paused():
            settings.live = True
        try:
            resume(context)
        except Refusal as error:
            notify(settings, str(error))
        return {"FINISHED"}


class MOTION_SIGNAL_OT_preview_flip(bpy.types.Operator):
    """Show the motion as it was, or as it will be"""

    bl_idname = "motion_signal.preview_flip"
    bl_label = "Before / After"
    bl_options = {"INTERNAL"}

    after: bpy.props.BoolProperty(options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return session() is not None

    @classmethod
    def description(cls, context, properties):
        return "Show the motion as it will be" if properties.after else "Show the motion as it was"

    def execute(self, context):
        flip(self.after)
        return {"FINISHED"}


CLASSES = (MOTION_SIGNAL_OT_preview_pause, MOTION_SIGNAL_OT_preview_resume, MOTION_SIGNAL_OT_preview_flip)


def unregister():
    end()
