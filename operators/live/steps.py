# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of the rack added, opened, switched, moved, copied and removed; the whole of it applied, or cancelled."""

from dataclasses import replace

import bpy

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step
from ..bridge.refuse import refusing
from ..bridge.scope import active_object, gather, lasting
from . import at_hand, preview
from .apply_rack import apply_rack, cancel_rack
from .at_hand import AtHand, keep_now, put, show_settings, subject_at_hand, take_up
from .rack import CLOSED, action_of

FAR = 12  # pixels at which a drag has surely begun, before the interface is scaled
SELECTED = ("equalize", "waveshape", "cartoon")  # techniques whose step begins with the bones that are selected


def rack_at_hand(context):
    """The rack of the active object, taken up if another is at hand; or a Refusal."""
    subject = active_object(context)
    if subject is None:
        raise Refusal("there is no active object")
    if AtHand.subject != subject.name and not preview.stays(subject) or not at_hand.in_step():
        keep_now()
        take_up(context, subject)
    action_of(subject_at_hand(), AtHand.animated)
    return AtHand.rack


def change(context, rack, label):
    """Let the active object's rack be another, kept at once, and show it."""
    AtHand.brief = CLOSED
    put(rack, label)
    keep_now()
    show_settings(context)
    settings = context.window_manager.motion_signal
    if not AtHand.rack.kept and AtHand.rack.step is None:
        preview.end()
        preview.notify(settings, "")
    elif settings.live:
        preview.show_rack(context)
    preview.redraw()


def add_step(context, technique, params=None, whole=False, brief=False):
    """Add a step for a technique, open: with these parameters or its defaults, on what is selected unless on the `whole`.
    One that is `brief` stays closed and shows its amount alone."""
    rack = rack_at_hand(context)
    scope = ScopeParams(animated=AtHand.animated) if whole else scope_selected(context, technique)
    rack = rack.with_more(Step(technique, params or technique.params(), scope))
    index = rack.open
    change(context, rack.with_open(CLOSED) if brief else rack, f"Add {technique.label}")
    AtHand.brief = index if brief else CLOSED


def scope_selected(context, technique):
    """The scope that a new step begins with: bones that are selected in Pose Mode, and the preview range if there is one."""
    subject, scope = active_object(context), ScopeParams(animated=AtHand.animated)
    if technique.retimes or technique.name not in SELECTED:
        return scope
    posing = subject.mode == "POSE" and AtHand.animated == "OBJECT"
    chosen = [bone for bone in context.selected_pose_bones or ()] if posing else []
    wanted = replace(
        scope,
        scope="BONES" if 0 < len(chosen) < len(subject.pose.bones) else "ALL",
        frames="PREVIEW" if context.scene.use_preview_range else "WHOLE",
    )
    try:
        return lasting(wanted, gather(context, wanted, subject)) if wanted != scope else scope
    except Refusal:  # nothing that is selected moves
        return scope


def switched(rack, index):
    return rack.with_step(replace(rack.steps[index], on=not rack.steps[index].on), index)


def moved(rack, index, by):
    """The rack with a step so many places later; the open one stays open."""
    target = min(max(index + by, 0), len(rack.steps) - 1)
    order = [other for other in range(len(rack.steps)) if other != index]
    order.insert(target, index)
    steps = tuple(rack.steps[other] for other in order)
    return replace(rack, steps=steps, open=order.index(rack.open) if rack.step else CLOSED)


def removed(rack, index):
    steps = (*rack.steps[:index], *rack.steps[index + 1 :])
    return replace(rack, steps=steps, open=CLOSED if index == rack.open else rack.open - (rack.open > index))


def copied(rack, index):
    steps = (*rack.steps[: index + 1], rack.steps[index], *rack.steps[index + 1 :])
    return replace(rack, steps=steps, open=index + 1)


def opened(rack, index):
    """The rack with a step open and all others closed, or all if it was open."""
    return replace(rack, open=CLOSED if index == rack.open else index)


CHANGES = {
    "SWITCH": ("Switch", "Switch this step on or off", switched),
    "OPEN": ("Open", "Show the controls of this step", opened),
    "UP": ("Move Up", "Do this step earlier", lambda rack, index: moved(rack, index, -1)),
    "DOWN": ("Move Down", "Do this step later", lambda rack, index: moved(rack, index, 1)),
    "COPY": ("Duplicate", "Add the same step once more after this one", copied),
    "REMOVE": ("Remove", "Leave this step out", removed),
}


def index_of(rack, step):
    """Which step a number means, counted from the end if it is negative, or a Refusal."""
    if not -len(rack.steps) <= step < len(rack.steps):
        raise Refusal(f"step: there is no {step}; there are {len(rack.steps)}, counted from 0")
    return step % len(rack.steps)


class ChangeOperator:
    """What operators share that do one of some changes (see CHANGES) to a step."""

    changes = CHANGES

    @staticmethod
    def asked(changes):
        """The properties of such an operator."""
        return {
            "step": bpy.props.IntProperty(name="Step", default=-1, description="Which step, counted from 0; -1 is the last"),
            "change": bpy.props.EnumProperty(
                name="Change",
                items=[(name, *row[:2]) for name, row in changes.items()],
                description="What happens to the step",
            ),
        }

    @classmethod
    def description(cls, context, properties):
        return cls.changes[properties.change][1]


class MOTION_SIGNAL_OT_step_change(ChangeOperator, bpy.types.Operator):
    """Change the steps of the rack"""

    bl_idname = "motion_signal.step_change"
    bl_label = "Change Step"
    bl_options = {"UNDO", "INTERNAL"}
    __annotations__ = ChangeOperator.asked(CHANGES)

    @refusing
    def execute(self, context):
        rack = rack_at_hand(context)
        label, _, work = CHANGES[self.change]
        change(context, work(rack, index_of(rack, self.step)), f"{label} Step")


def carry(context, index):
    """The grip of a step was pressed, or the mouse came over it with the grip of another: that one has its place now."""
    if AtHand.carried == CLOSED:
        AtHand.carried, AtHand.lowest = index, len(AtHand.rack.steps)
        bpy.app.timers.register(wait_for_release, first_interval=0.0)
    elif AtHand.carried != index and index < AtHand.lowest:
        up = index < AtHand.carried
        put(moved(AtHand.rack, AtHand.carried, index - AtHand.carried), MOTION_SIGNAL_OT_step_carry.bl_label)
        AtHand.carried, AtHand.brief = index, CLOSED
        if up:  # of all that the mouse has passed at once, the uppermost comes first: those below it are not where it is now
            AtHand.lowest = index
            bpy.app.timers.register(forget_lowest, first_interval=0.0)
    preview.redraw()


def forget_lowest():
    AtHand.lowest = len(AtHand.rack.steps)


def wait_for_release():
    bpy.ops.motion_signal.step_carry("INVOKE_DEFAULT")


class MOTION_SIGNAL_OT_step_carry(bpy.types.Operator):
    """Put a step down where its grip is let go"""

    bl_idname = "motion_signal.step_carry"
    bl_label = "Move Step"
    bl_options = {"UNDO", "INTERNAL"}

    def invoke(self, context, event):
        self.begun, self.start, self.over = rack_at_hand(context), (event.mouse_x, event.mouse_y), False
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        """Blender drags grips as it drags any row of toggles, and keeps the mouse to itself meanwhile. That it is heard of
        again says that the grip was let go; but it is heard of too until it has gone a little way, and at the release."""
        gone = AtHand.rack != self.begun
        pressed = event.type == "LEFTMOUSE" and event.value != "RELEASE"
        if not (pressed or self.over or gone and event.type == "MOUSEMOVE"):
            way = abs(event.mouse_x - self.start[0]) + abs(event.mouse_y - self.start[1])
            far = way > FAR * context.preferences.system.ui_scale
            self.over = event.type == "LEFTMOUSE" or event.type == "MOUSEMOVE" and far
            return {"PASS_THROUGH"}
        AtHand.carried = CLOSED
        if gone:
            change(context, AtHand.rack, self.bl_label)
        preview.redraw()
        return {"FINISHED" if gone else "CANCELLED", "PASS_THROUGH"}


class MOTION_SIGNAL_OT_rack_apply(bpy.types.Operator):
    """Make a new action of what is shown. The take stays as it is"""

    bl_idname = "motion_signal.rack_apply"
    bl_label = "Apply"
    bl_options = {"REGISTER", "UNDO"}

    @refusing
    def execute(self, context):
        rack_at_hand(context)
        tell(self, context, *apply_rack(context))


class MOTION_SIGNAL_OT_preview_end(bpy.types.Operator):
    """Take back all changes of the rack that are not applied"""

    bl_idname = "motion_signal.preview_end"
    bl_label = "Cancel"
    bl_options = {"UNDO", "INTERNAL"}

    @classmethod
    def poll(cls, context):
        if preview.session() is not None:
            return True
        kept, subject = bool(AtHand.rack and AtHand.rack.kept), subject_at_hand()
        return kept and (at_hand.in_step() or subject is not None and at_hand.take_is_gone(subject))

    @refusing
    def execute(self, context):
        cancel_rack(context)
        preview.notify(context.window_manager.motion_signal, "")
        preview.redraw()


def tell(operator, context, treated, words):
    """Say what was done, in the panel and below."""
    settings = context.window_manager.motion_signal
    settings.report = words
    operator.report({"INFO"}, f"{treated.action.name}: {words}")


CLASSES = (
    MOTION_SIGNAL_OT_step_change,
    MOTION_SIGNAL_OT_step_carry,
    MOTION_SIGNAL_OT_rack_apply,
    MOTION_SIGNAL_OT_preview_end,
)
