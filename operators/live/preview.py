# SPDX-License-Identifier: GPL-3.0-or-later
"""Live preview: while parameters are touched, the figure shows the result on an action that is only lent to it.

The lent action is marked and remembers what the figure had before, so that whatever happens to it (undo, a saved file,
a crash of the session behind it) `sweep` can put that back. A session holds names and numbers, never references into
Blender.
"""

from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import bpy

from ...core.declare import params as parameters
from ...core.declare.scope import ScopeParams
from ...core.declare.technique import Surroundings
from ...core.motion.compare import differs
from ...core.numeric.refusal import Refusal
from ...core.recipes.opened import opened
from ...core.recipes.recipe import Step
from ...core.recipes.words import held_words
from ...core.techniques import technique as technique_named
from ..bridge.actions import Take, channelbag, slot_of
from ..bridge.armatures import CORRECTIONS
from ..bridge.assign import assign, note, settle
from ..bridge.kept_texts import kept
from ..bridge.scope import active_object, animated_owner, gather, lasting
from ..bridge.writer import KeysChanged, Writer
from ..run.apply import SOURCE, copy_action, surroundings_of
from ..run.recipe import apply_and_go_on, finish, follow_end, following, last_frame, release_replaced
from ..settings.properties import reset, to_params

MARK, RETURN = "motion_signal_preview", "motion_signal_return"
ASKED = tuple(parameters.declarations(ScopeParams))
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
    resting: bool = False  # whether that is so only while a file is being saved
    kept: str = ""  # what was shown when this one began, and is applied since
    params: object = None  # of the technique, as last shown
    result: object = field(default=None, repr=False)

    @property
    def owner(self):
        subject = bpy.data.objects.get(self.subject)
        if self.animated == "OBJECT":
            return subject
        try:
            return animated_owner(subject, self.animated)
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

    @property
    def changes(self):
        """Whether anything of the take is changed by what is shown."""
        return self.result is not None and differs(self.result, self.take.clip)


_session = None
_paused = []


@contextmanager
def paused(really=True):
    """While settings are changed that nobody needs to see."""
    _paused.append(really)
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
    if any(_paused) or not settings.live:
        return
    try:
        technique = technique_named(technique_name)
        show(context, technique, guarded=guarded, subject=subject)
        notify(settings, technique.wants and technique.waiting(_session.params))
    except Refusal as error:
        notify(settings, str(error))


def notify(settings, words):
    """Say what stands in the way, if that is anything else than is said already."""
    if words or settings.notice_said:
        settings.notice = words or ""


def show(context, technique, params=None, guarded=True, subject=None):
    """Show a technique on the figure (the active object unless given), with the panel's settings or the parameters given.

    What another technique shows is applied first: a step of its own, that nothing is lost. A new session is `guarded` by an
    undo step of the state before, so that Ctrl Z gives back just that.
    """
    settings = context.window_manager.motion_signal
    current = session()
    subject = bpy.data.objects[current.subject] if current else subject or active_object(context)
    applied = keep_shown(context) if current and current.technique != technique.name else ""
    current = current if not applied and current and current.technique == technique.name else session()
    if current is None or current.asked != asked(context, technique, subject):
        end()
        current = start(context, technique, to_params(ScopeParams, settings.scope), guarded, subject)
        current.kept = applied
    clip = current.take.clip
    params = params or to_params(technique.params, getattr(settings, technique.name))
    current.params = technique.fit(params, clip.frames, clip.fps)
    current.result = current.process(current.params)
    try:
        current.writer.write(current.bag, current.result)
    except KeysChanged:  # keys were set or deleted by hand in what is only lent: lend it anew
        end()
        return show(context, technique, params, guarded, subject)
    remember_held(current)
    if current.after and current.owner.animation_data.action == current.lent:
        refresh(current)
    else:
        current.after = False
        flip(after=True)
    if settings.report_said:
        settings.report = ""


def keep_shown(context):
    """Apply what is shown, if it changes anything, as an undo step of its own; what came of it, in words."""
    current, settings = session(), context.window_manager.motion_signal
    technique, subject, changes = technique_named(current.technique), bpy.data.objects[current.subject], current.changes
    end()
    if not changes:
        return ""
    step = Step(technique, current.params, to_params(ScopeParams, settings.scope))
    scope = gather(context, step.scope, subject)
    before = scope.owner.animation_data.action
    action = apply_and_go_on(context, step, scope, following(settings, technique), subject)[0]
    release_replaced(settings, scope.owner, before)
    with paused():
        reset(technique.params, getattr(settings, technique.name))
        settings.scope.action = settings.reopened = ""
    push_undo(context, technique.label)
    return f"{technique.label} is applied: this is laid over {action.name}"


def adopt(context, params):
    """Make what is shown with these parameters a result of its own, just as it is, or None if it has to be worked out anew.

    That is so where steps follow, keys are left out or moved, or frames are moved in time.
    """
    current, settings = session(), context.window_manager.motion_signal
    technique, scope_params = technique_named(current.technique), to_params(ScopeParams, settings.scope)
    subject = bpy.data.objects[current.subject]
    if not (
        current.changes
        and current.after
        and current.params == params
        and current.asked == asked(context, technique, subject)
        and not technique.keys
        and current.writer.finished
        and not technique.retimes
        and not getattr(current.process, "origins", None)
        and not following(settings, technique)
        and current.writer.undisturbed(current.bag)
    ):
        return None
    owner, action, before = current.owner, current.lent, returning(current.lent)
    global _session
    _session = None
    for name in (MARK, RETURN):
        if name in action:
            del action[name]
    scope = gather(context, replace(scope_params, action=action[SOURCE].name), subject)
    step = Step(technique, params, lasting(scope_params, scope))
    words = (current.words, getattr(current.process, "told", ""), held_words(getattr(current.process, "held", None)))
    finish(action, scope, step, current.writer.every_frame(current.result))
    follow_end(context.scene, last_frame(before), action)
    return owner, before, action, "; ".join(filter(None, words))


def stop(context, but=None):
    """End a preview that changes nothing, or that of one technique; any other is a Refusal: what is shown shall not be lost."""
    current = session()
    if current and current.technique != getattr(but, "name", "") and current.changes:
        raise Refusal(f"{technique_named(current.technique).label} is being previewed: apply or cancel that first")
    end()


def push_undo(context, message):
    if context.window_manager.windows and not bpy.app.background:
        bpy.ops.ed.undo_push(message=message)


def start(context, technique, scope_params, guarded, subject):
    global _session
    scope = gather(context, scope_params, subject)
    take = scope.read()
    name, animated = subject.name, scope_params.animated
    around = surroundings_of(technique, scope, scope_params, lambda: animated_owner(bpy.data.objects.get(name), animated))
    process = opened(technique, take.clip, around, scope_params, scope.weights)
    if guarded:
        push_undo(context, "Before Preview")
    action = copy_action(scope, f"{scope.action.name} (preview)")
    action[MARK] = scope.owner.animation_data.action_slot.handle
    if scope.owner.animation_data.action != scope.action:
        action[RETURN] = scope.owner.animation_data.action
    assign(scope.owner, action, scope.slot.handle)
    _session = Session(
        technique.name,
        subject.name,
        scope_params.animated,
        action.name,
        scope.slot.handle,
        scope.words_of(technique),
        asked(context, technique, subject),
        take,
        around,
        process,
        Writer(take, scope_params.keys, scope_params.tolerance, scope.changing),
    )
    return _session


def asked(context, technique, subject):
    """What a session is opened for, as it stands: anything else asks for a new one."""
    render, pose, scope = context.scene.render, getattr(subject, "pose", None), context.window_manager.motion_signal.scope
    return (
        technique.name,
        subject.name if subject else "",
        tuple(pose.bones.keys() if pose else ()),
        kept(subject.data, CORRECTIONS) if pose else "",
        render.fps,
        render.fps_base,
        tuple(getattr(scope, name) for name in ASKED),
    )


def remember_held(current):
    """Write down what channels hold that only the result animates: nothing else would bring that back."""
    if not set(current.result.channels) <= set(current.take.clip.channels) - current.take.held:
        note(current.lent, slot_of(current.lent, current.slot), current.owner, current.lent[SOURCE])
        settle(current.owner)


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
    """What was there instead of a lent action."""
    assign(owner, returning(lent), lent[MARK])


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

    def invoke(self, context, event):
        """Esc while the animation plays is Blender's, to stop that; and so it is in editors that show nothing of a preview."""
        playing = any(window.screen.is_animation_playing for window in context.window_manager.windows)
        if event.type == "ESC" and (playing or context.area.type not in SHOWING):
            return {"PASS_THROUGH"}
        return self.execute(context)

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
def rest(*_):
    """Give back what was there while a file is saved: nobody has the lent action then, and so it is not in the file."""
    current = session()
    if current and current.after:
        flip(after=False)
        current.resting = True
    if current is None or current.lent.users:  # it may have been made a strip of the NLA
        end()


@bpy.app.handlers.persistent
def go_on_after(*_):
    current = session()
    if current and current.resting:
        current.resting = False
        flip(after=True)


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


HANDLERS = {
    "undo_pre": interrupt,
    "redo_pre": interrupt,
    "save_pre": rest,
    "save_post": go_on_after,
    "save_post_fail": go_on_after,
    "load_pre": end_before,
    "undo_post": resume,
    "redo_post": resume,
    "load_post": forget_after,
}
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
