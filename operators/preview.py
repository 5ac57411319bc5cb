# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview: while parameters are touched, the figure shows the result on an action that is only lent to it.

The lent action is marked and remembers its source, so that whatever happens to it (undo, a saved file, a crash of the
session behind it) `sweep` can put the source back. A session holds names and numbers, never references into Blender.
"""

import json
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy

from ..core import params as parameters
from ..core.catalog import technique as technique_named
from ..core.scope import ScopeParams
from .actions import Meddled, Take, Writer, channelbag, slot_of
from .apply import SOURCE, assign, copy_action, open_process
from .properties import to_params
from .scope import animated_owner, gather

MARK, HELD = "motion_signal_preview", "motion_signal_held"
SHOWING = ("VIEW_3D", "GRAPH_EDITOR", "DOPESHEET_EDITOR", "NLA_EDITOR")


@dataclass
class Session:
    """One preview in progress."""

    technique: str
    subject: str  # object name
    animated: str
    action: str  # name of the lent action
    slot: int  # handle
    words: str  # its scope
    asked: tuple  # what it was opened for; anything else asks for a new session
    take: Take
    process: object
    writer: Writer
    after: bool = True  # False while the source is shown instead
    result: object = field(default=None, repr=False)

    @property
    def owner(self):
        try:
            return animated_owner(bpy.data.objects.get(self.subject), self.animated)
        except ValueError:  # the object, or what of it was animated, is gone
            return None

    @property
    def lent(self):
        action = bpy.data.actions.get(self.action)
        return action if action is not None and MARK in action and action.get(SOURCE) else None

    @property
    def bag(self):
        return channelbag(self.lent, slot_of(self.lent, self.slot))

    @property
    def alive(self):
        """Whether its object still has what was lent to it; a name may since have gone to another object."""
        lent, data = self.lent, getattr(self.owner, "animation_data", None)
        return bool(lent and data and data.action in (lent, lent[SOURCE]) and self.bag)


_session = None
_paused = []


@contextmanager
def paused():
    """While settings are changed that nobody needs to see."""
    _paused.append(True)
    try:
        yield
    finally:
        _paused.pop()


def session():
    """The preview in progress, or None. One whose object or action is gone counts as none."""
    return _session if _session and _session.alive else None


def touched(context, technique_name):
    """A parameter was touched: show what it does. What stands in the way becomes the panel's notice."""
    settings = context.window_manager.motion_signal
    if _paused or not settings.live:
        return
    try:
        show(context, technique_named(technique_name))
        settings.notice = ""
    except ValueError as error:
        settings.notice = str(error)


def show(context, technique):
    settings = context.window_manager.motion_signal
    scope_params = to_params(ScopeParams, settings.scope)
    current = session()
    subject = bpy.data.objects[current.subject] if current else context.object
    if current is None or current.asked != asked(context, technique, scope_params, subject):
        end()
        current = start(context, technique, scope_params)
    clip = current.take.clip
    params = technique.fit(to_params(technique.params, getattr(settings, technique.name)), clip.frames, clip.fps)
    current.result = current.process(params)
    remember_held(current)
    try:
        current.writer.write(current.bag, current.result)
    except Meddled:  # keys were set or deleted by hand in what is only lent: lend it anew
        end()
        return show(context, technique)
    current.after = False
    flip(after=True)
    settings.report = ""


def start(context, technique, scope_params):
    global _session
    scope = gather(context, scope_params)
    take = scope.read()
    process = open_process(technique, scope, scope_params, take)
    guard_undo(context)
    action = copy_action(scope, f"{scope.action.name} (preview)")
    action[MARK] = scope.slot.handle
    assign(scope.owner, action, scope.slot.handle)
    subject = context.object
    _session = Session(technique.name, subject.name, scope_params.animated, action.name, scope.slot.handle,
                       scope.words, asked(context, technique, scope_params, subject), take, process,
                       Writer(take, scope_params.keys, scope_params.tolerance, scope.changing))
    return _session


def guard_undo(context):
    """An undo step of the state before, so that Ctrl Z during a preview gives back just that."""
    if context.window_manager.windows and not bpy.app.background:
        bpy.ops.ed.undo_push(message="Before Preview")


def asked(context, technique, scope_params, subject):
    render, pose = context.scene.render, getattr(subject, "pose", None)
    return (technique.name, subject.name if subject else "", tuple(pose.bones.keys() if pose else ()),
            render.fps, render.fps_base,
            tuple(sorted((name, str(value)) for name, value in parameters.changed(scope_params).items())))


def remember_held(current):
    """Write down what channels hold that only the result animates: nothing else would bring that back."""
    have = set(current.take.clip.channels)
    held = [(channel.path, channel.index, vector_at(current.owner, channel.path)[channel.index])
            for channel in current.result.channels if channel not in have and vector_at(current.owner, channel.path)]
    if held and HELD not in current.lent:
        current.lent[HELD] = json.dumps(held)


def vector_at(owner, path):
    """What a path leads to, or None if that is gone, as a bone that was renamed."""
    try:
        return owner.path_resolve(path)
    except ValueError:
        return None


def end():
    """Give back exactly what was there."""
    global _session
    _session = None
    sweep()


def sweep():
    """Put sources back wherever a lent action is still in use, and remove the lent actions."""
    for action in [action for action in bpy.data.actions if MARK in action]:
        if action.get(SOURCE):
            for user in bpy.data.user_map(subset={action})[action]:
                data = getattr(user, "animation_data", None)
                if data and data.action == action and not data.use_tweak_mode:
                    give_back(user, action)
            action.user_remap(action[SOURCE])  # what was made of it meanwhile: NLA strips, constraints
        bpy.data.actions.remove(action)


def give_back(owner, lent):
    """The source instead of a lent action, and what channels held that only the lent one animates."""
    assign(owner, lent[SOURCE], lent[MARK])
    for path, index, value in json.loads(lent.get(HELD, "[]")):
        vector = vector_at(owner, path)
        if vector:
            vector[index] = value


def flip(after):
    """Show the result, or the source instead."""
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


class MOTION_SIGNAL_OT_preview_end(bpy.types.Operator):
    """Give back the motion as it was"""

    bl_idname = "motion_signal.preview_end"
    bl_label = "Cancel"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return session() is not None

    def execute(self, context):
        current = session()
        owner = current.owner
        end()
        owner.update_tag(refresh={"TIME"})
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


@bpy.app.handlers.persistent
def end_before(*_):
    end()


@bpy.app.handlers.persistent
def forget_after(*_):
    """What was loaded or undone to may hold a lent action of a session that is no more."""
    end()


HANDLERS = {"undo_pre": end_before, "redo_pre": end_before, "save_pre": end_before, "load_pre": end_before,
            "undo_post": forget_after, "redo_post": forget_after, "load_post": forget_after}
CLASSES = (MOTION_SIGNAL_OT_preview_end, MOTION_SIGNAL_OT_preview_flip)


def register():
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    end()
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
