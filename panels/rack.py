# SPDX-License-Identifier: GPL-3.0-or-later
"""The rack: the take, its steps in a row each, what becomes of the feet, and Apply. The same in every editor's sidebar."""

import bpy

from ..operators.live import preview
from ..operators.live.at_hand import AtHand, subject_at_hand
from ..operators.live.rack import CLOSED
from ..operators.live.summary import at_hand, feet_shown, figure_words, frame_count, summarize
from ..operators.run.step_words import part_of
from .goals import draw_goals
from .intake import draw_intake
from .menus import step_label
from .scope import draw_scope
from .see_both import draw_see_both
from .shared import MotionPanel, characters, draw_message, draw_words, in_editors, shortened

ALLOWED = 1.0  # millimetres that feet may slide more than before without being red


class RackPanel(MotionPanel):
    """Steps over the take of the active object"""

    bl_label = "Rack"
    bl_order = 0

    def draw(self, context):
        layout, rack = self.layout, at_hand(context)
        if context.object is None:
            draw_message(layout, "Select what moves: an armature, a camera, anything with keys", "INFO")
            return
        if rack is None:  # it is taken up a moment later
            return
        if not rack.take:
            draw_message(layout, why_none(context.object), "INFO")
            return
        current = preview.session()
        draw_take(layout, context, rack, current)
        if rack.step is None:
            draw_intake(layout, context)
        if rack.steps:
            draw_steps(layout, context, rack, current)
        else:
            draw_goals(layout)
        layout.menu("MOTION_SIGNAL_MT_motion", text="Add Step", icon="ADD")
        if rack.steps:
            draw_bar(layout, context, rack, current)
        report = context.window_manager.motion_signal.report
        if report:
            draw_message(layout, report, "INFO")


def why_none(subject):
    """Why there is no take to begin with, and what one does then."""
    data = subject.animation_data
    if data and data.use_tweak_mode:
        return f"{subject.name} is being tweaked in the NLA: leave tweak mode first"
    if data and data.nla_tracks:
        return f"{subject.name} plays strips of the NLA alone: give it the action that you want to work on"
    return f"{subject.name} has no motion yet: import a take, or key it"


def draw_take(layout, context, rack, current):
    """The take that steps begin with, what it is like, and whether it or the result is shown."""
    settings, action = context.window_manager.motion_signal, bpy.data.actions.get(rack.take)
    row = layout.row(align=True)
    row.label(text=shortened(rack.take, characters() - 10), icon="ACTION", translate=False)
    row.menu("MOTION_SIGNAL_MT_rack", text="", icon="DOWNARROW_HLT")
    if action is None:
        draw_message(layout, f"{rack.take} was deleted: these steps have nothing to begin with", "ERROR", alert=True)
        return
    row = layout.row()
    row.active = False
    words = (f"{frame_count(action, current)} frames", figure_words(subject_at_hand()))
    row.label(text=", ".join(filter(None, words)), icon="BLANK1")
    row = layout.row(align=True)
    compare = row.row(align=True)
    compare.enabled = current is not None
    for after, name in ((False, "Before"), (True, "After")):
        compare.operator(
            "motion_signal.preview_flip", text=name, depress=bool(current and current.after == after)
        ).after = after
    row.prop(settings, "live", text="", icon="HIDE_OFF" if settings.live else "HIDE_ON")
    draw_see_both(row, context)


def draw_steps(layout, context, rack, current):
    """A row a step: whether it is on, what it is and how much of it; the open one with its controls."""
    rows = context.window_manager.motion_signal.rows
    refusals = current.refusals if current else {}
    column = layout.column(align=True)
    for index, (step, row) in enumerate(zip(rack.steps, rows)):
        header, body = column.panel_prop(row, "open")
        draw_header(header, row, step)
        if body is None and index == AtHand.brief:
            draw_brief(column, row, step)
        if body is None:
            part = part_of(step, characters() - 6)
            if part:
                line = column.row()
                line.active = False
                line.label(text=shortened(part, characters() - 6), icon="BLANK1", translate=False)
            if index in refusals:
                draw_message(column, waits_for(step, current) or refusals[index], "ERROR", alert=True)
        else:
            body.enabled = AtHand.carried == CLOSED  # the mouse that carries a grip sets no other toggle on its way
            draw_open(body, context, step, current)


def draw_header(header, row, step):
    switch = header.row()
    switch.enabled = AtHand.carried == CLOSED
    switch.prop(row, "on", text="")
    name = header if step.on else header.row()
    name.active = step.on
    name.label(text=step_label(step.technique))
    if said_by_amount(step):
        amount = header.row()
        amount.active, amount.ui_units_x = step.on, 3.2
        amount.prop(row, amount_of(step), text="")
    buttons = header.row(align=True)
    buttons.emboss = "NONE"
    buttons.prop(row, "grip", text="", icon="GRIP", toggle=True)
    buttons.context_pointer_set("motion_signal_row", row)
    buttons.menu("MOTION_SIGNAL_MT_step", text="", icon="DOWNARROW_HLT")


def said_by_amount(step):
    """Whether one number says how much of a step there is."""
    return bool(step.technique.principal) and step.technique.by_amount(step.params)


def amount_of(step):
    """The property of a row that holds how much of its step there is, or how many."""
    return "count" if step.technique.parameters[step.technique.principal].kind == "whole" else "amount"


def draw_brief(column, row, step):
    """How much of a step there is, on one wide slider, and the way to the rest of it."""
    line = column.row(align=True)
    line.scale_y = 1.2
    label = step.technique.parameters[step.technique.principal].label
    line.prop(row, amount_of(step), text=label, slider=True)
    more = line.row(align=True)
    more.ui_units_x = 3
    more.prop(row, "open", text="More", toggle=True)
    column.separator()


def draw_open(layout, context, step, current):
    """The controls of a technique at its step, what it changes, and its scope."""
    summary = summarize(context)
    panel = getattr(bpy.types, f"MOTION_SIGNAL_PT_{step.technique.name}", None)
    if panel:
        if preset_popover(step):
            row = layout.row(align=True)
            row.popover(preset_popover(step), text="Presets", icon="PRESET")
            row.operator("motion_signal.reset", text="", icon="LOOP_BACK").technique = step.technique.name
        panel.draw_parameters(panel, layout, context, summary)
    draw_scope(layout, context, step)
    waits = waits_for(step, current)
    if summary.problem and not waits:
        draw_message(layout, summary.problem, "INFO")
    else:
        draw_words(layout, waits or "; ".join(filter(None, (summary.words, told_of_shown(current)))))


def preset_popover(step):
    name = f"MOTION_SIGNAL_PT_{step.technique.name}_presets"
    return name if hasattr(bpy.types, name) else ""


def waits_for(step, current):
    """What the open step waits for, as long as it changes nothing."""
    shown = current.stage if current and current.stage and current.stage.step == step else None
    done = shown.run.done[-1] if shown and shown.run else None
    keys_alone = (step.technique.keys or step.scope.keys) == "BODY"
    if keys_alone:
        return "Keys are left out when this is applied"
    idle = step.technique.waiting(step.params) or done and not done.changed and step.technique.waits
    return f"Nothing changes yet: {step.technique.waits}" if idle else ""


def told_of_shown(current):
    """What the open step has to say of its last result: what it leaves out, and how well held bones are kept."""
    told, held = (getattr(current.process, name, None) if current else None for name in ("told", "held"))
    return "; ".join(filter(None, (told, held.words() if held and held.names else "")))


def draw_bar(layout, context, rack, current):
    """What becomes of the feet and how far they slide; Apply and Cancel; or that the preview is paused."""
    settings = context.window_manager.motion_signal
    if any(step.technique.plants or "contacts" in step.technique.needs for step in rack.steps):
        draw_feet(layout, settings)
    if rack.kept and current is None:
        row = layout.row(align=True)
        row.alert = True
        row.label(text="Paused", icon="PAUSE")
        row.operator("motion_signal.preview_resume", icon="PLAY")
    row = layout.row(align=True)
    row.scale_y = 1.3
    row.enabled = rack.kept
    row.operator("motion_signal.rack_apply", icon="CHECKMARK")
    row.operator("motion_signal.preview_end", text="Cancel", icon="X")


def draw_feet(layout, settings):
    row = layout.row(align=True)
    row.label(text="Feet")
    row.prop(settings, "feet", text="")
    found = feet_shown()
    if found:
        was, now = found
        sliding = now > was + ALLOWED
        row = layout.row(align=True)
        row.alert = sliding
        row.label(text=f"Feet {was:.0f} > {now:.0f} mm", icon="ERROR" if sliding else "CHECKMARK")
        if sliding:
            fix = row.row(align=True)
            fix.ui_units_x = 3
            fix.operator("motion_signal.feet_fix", text="Fix")


PANELS = in_editors("MOTION_SIGNAL_PT_rack", RackPanel)
CLASSES = PANELS
