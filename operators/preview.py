# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview: while parameters are touched, the figure shows the result on an action that is only lent to it.

The lent action is marked and remembers what the figure had before, so that whatever happens to it (undo, a saved file,
a crash of the session behind it) `sweep` can put that back. A session holds names and numbers, never references into
Blender.
"""

import json
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy

from ..core import params as parameters
from ..core.catalog import technique as technique_named
from ..core.refusal import Refusal
from ..core.scope import ScopeParams
from ..core.technique import Surroundings
from .actions import Take, channelbag, slot_of
from .apply import SOURCE, assign, copy_action, surroundings_of
from .keeping import opened
from .properties import to_params
from .scope import animated_owner, gather
from .writer import Meddled, Writer

MARK, HELD, RETURN = "motion_signal_preview", "motion_signal_held", "motion_signal_return"
SHOWING = ("VIEW_3D", "GRAPH_EDITOR", "DOPESHEET_EDITOR", "NLA_EDITOR")


@dataclass(eq=False)  # known by what it is, so that what was worked out for one is never taken for another's
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
    surroundings: Surroundings
    process: object
    writer: Writer
    resumes: bool = False  # whether it goes on after undo and redo, because posing has undo steps of its own
    after: bool = True  # False while what was there before is shown instead
    result: object = field(default=None, repr=False)

    @property
    def owner(self):
        try:
            return animated_owner(bpy.data.objects.get(self.subject), self.animated)
        except Refusal:  # the object, or what of it was animated, is gone
            return None

    @property
    def lent(self):
        action = bpy.data.actions.get(self.action)
        return action if action is not None and MARK in action and returning(action) else None

    @property
    def bag(self):
        return channelbag(self.lent, slot_of(self.lent, self.slot))

    @property
    def alive(self):
        """Whether its object still has what was lent to it; a name may since have gone to another object."""
        lent, data = self.lent, getattr(self.owner, "animation_data", None)
        return bool(lent and data and data.action in (lent, returning(lent)) and self.bag)


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


def shown(context, technique_name):
    """The preview in progress if it is this technique's and the active object's, or None: what is drawn belongs to them."""
    current = session()
    mine = current and current.technique == technique_name and context.object and context.object.name == current.subject
    return current if mine else None


def touched(context, technique_name, guarded=True, subject=None):
    """A parameter was touched: show what it does. What stands in the way becomes the panel's notice."""
    settings = context.window_manager.motion_signal
    if _paused or not settings.live:
        return
    try:
        show(context, technique_named(technique_name), guarded=guarded, subject=subject)
        settings.notice = ""
    except Refusal as error:
        settings.notice = str(error)


def show(context, technique, params=None, guarded=True, subject=None):
    """Show a technique on the figure (the active object unless given), with the panel's settings or the parameters given.

    A new session is `guarded` by an undo step of the state before, so that Ctrl Z gives back just that.
    """
    settings = context.window_manager.motion_signal
    scope_params = to_params(ScopeParams, settings.scope)
    current = session()
    subject = bpy.data.objects[current.subject] if current else subject or context.object
    if current is None or current.asked != asked(context, technique, scope_params, subject):
        end()
        current = start(context, technique, scope_params, guarded, subject)
    clip = current.take.clip
    params = params or to_params(technique.params, getattr(settings, technique.name))
    current.result = current.process(technique.fit(params, clip.frames, clip.fps))
    remember_held(current)
    try:
        current.writer.write(current.bag, current.result)
    except Meddled:  # keys were set or deleted by hand in what is only lent: lend it anew
        end()
        return show(context, technique, params, guarded, subject)
    current.after = False
    flip(after=True)
    settings.report = ""


def start(context, technique, scope_params, guarded, subject):
    global _session
    scope = gather(context, scope_params, subject)
    take = scope.read()
    name, animated = subject.name, scope_params.animated
    around = surroundings_of(technique, scope, scope_params, lambda: animated_owner(bpy.data.objects.get(name), animated))
    process = opened(technique, take.clip, around, scope, scope_params)
    if guarded and context.window_manager.windows and not bpy.app.background:
        bpy.ops.ed.undo_push(message="Before Preview")
    action = copy_action(scope, f"{scope.action.name} (preview)")
    action[MARK] = scope.owner.animation_data.action_slot.handle
    if scope.owner.animation_data.action != scope.action:
        action[RETURN] = scope.owner.animation_data.action
    assign(scope.owner, action, scope.slot.handle)
    _session = Session(technique.name, subject.name, scope_params.animated, action.name, scope.slot.handle,
                       scope.words, asked(context, technique, scope_params, subject), take, around, process,
                       Writer(take, scope_params.keys, scope_params.tolerance, scope.changing))
    return _session


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
    """Put back what was there wherever a lent action is still in use, and remove the lent actions."""
    for action in [action for action in bpy.data.actions if MARK in action]:
        if returning(action):
            for user in bpy.data.user_map(subset={action})[action]:
                data = getattr(user, "animation_data", None)
                if data and data.action == action and not data.use_tweak_mode:
                    give_back(user, action)
            action.user_remap(returning(action))  # what was made of it meanwhile: NLA strips, constraints
        bpy.data.actions.remove(action)


def returning(lent):
    """What the owner of a lent action had before: its source, unless another take was worked on."""
    return lent.get(RETURN) or lent.get(SOURCE)


def give_back(owner, lent):
    """What was there instead of a lent action, and what channels held that only the lent one animates."""
    assign(owner, returning(lent), lent[MARK])
    for path, index, value in json.loads(lent.get(HELD, "[]")):
        vector = vector_at(owner, path)
        if vector:
            vector[index] = value


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
        settings = context.window_manager.motion_signal
        settings.scope.action = settings.reopened = ""
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


_undone = []  # technique and object of a session that undo or redo ended and that goes on after it


@bpy.app.handlers.persistent
def end_before(*_):
    end()


@bpy.app.handlers.persistent
def forget_after(*_):
    """What was loaded or undone to may hold a lent action of a session that is no more."""
    end()


@bpy.app.handlers.persistent
def interrupt(*_):
    current = session()
    _undone[:] = [(current.technique, current.subject)] if current and current.resumes else []
    end()


@bpy.app.handlers.persistent
def resume(*_):
    end()
    if _undone:
        bpy.app.timers.register(go_on, first_interval=0.0)


def go_on():
    """Preview again what undo interrupted, from the state that it went back to."""
    while _undone:
        technique, name = _undone.pop()
        touched(bpy.context, technique, guarded=False, subject=bpy.data.objects.get(name))
    current = session()
    if current:
        current.resumes = True


HANDLERS = {"undo_pre": interrupt, "redo_pre": interrupt, "save_pre": end_before, "load_pre": end_before,
            "undo_post": resume, "redo_post": resume, "load_post": forget_after}
CLASSES = (MOTION_SIGNAL_OT_preview_end, MOTION_SIGNAL_OT_preview_flip)


def register():
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    end()
    if bpy.app.timers.is_registered(go_on):
        bpy.app.timers.unregister(go_on)
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
