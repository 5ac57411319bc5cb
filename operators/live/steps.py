# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of the rack added, opened, switched, moved, copied and removed; the whole of it applied, or cancelled."""

from dataclasses import replace

import bpy

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step
from ..bridge.refuse import refusing
from ..bridge.scope import active_object, gather, lasting
from ..run.step_words import part_of
from . import at_hand, preview
from .apply_rack import apply_rack, cancel_rack
from .at_hand import AtHand, keep_now, put, show_settings, subject_at_hand, take_up
from .rack import CLOSED, action_of

ROW, LINE = 22, 20  # pixels of a closed step, and of the line below it that says its scope, before the interface is scaled
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


def rows_passed(heights, index, way):
    """How many rows down (or up, if it is negative) a row goes that is dragged so far down: those whose middle it passes."""
    others = heights[index + 1 :] if way > 0 else heights[:index][::-1]
    middles = [sum(others[:count]) + 0.5 * height for count, height in enumerate(others)]
    return (1 if way > 0 else -1) * sum(abs(way) > middle for middle in middles)


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


class MOTION_SIGNAL_OT_step_drag(bpy.types.Operator):
    """Move this step: move the mouse up or down, click where it should be"""

    bl_idname = "motion_signal.step_drag"
    bl_label = "Move Step"
    bl_options = {"UNDO", "INTERNAL", "BLOCKING"}

    step: bpy.props.IntProperty(options={"SKIP_SAVE"})

    def invoke(self, context, event):
        self.begun, self.height = rack_at_hand(context), event.mouse_y
        context.window_manager.modal_handler_add(self)
        context.window.cursor_modal_set("MOVE_Y")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        rack = moved(self.begun, self.step, self.rows_to(event.mouse_y))
        if event.type == "MOUSEMOVE":
            put(rack.with_open(CLOSED), self.bl_label)  # closed, rows are where they are counted
            preview.redraw()
        elif event.type in ("LEFTMOUSE", "RET", "NUMPAD_ENTER") and event.value == "PRESS":
            return self.finish(context, rack, {"FINISHED"})
        elif event.type in ("ESC", "RIGHTMOUSE"):
            return self.finish(context, self.begun, {"CANCELLED"})
        return {"RUNNING_MODAL"}

    def rows_to(self, height):
        """How many rows farther down the mouse is."""
        way = (self.height - height) / bpy.context.preferences.system.ui_scale
        return rows_passed([ROW + LINE * bool(part_of(step)) for step in self.begun.steps], self.step, way)

    def finish(self, context, rack, done):
        context.window.cursor_modal_restore()
        change(context, rack, self.bl_label)
        return done


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
        return preview.session() is not None or bool(AtHand.rack and AtHand.rack.kept and at_hand.in_step())

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
    MOTION_SIGNAL_OT_step_drag,
    MOTION_SIGNAL_OT_rack_apply,
    MOTION_SIGNAL_OT_preview_end,
)
