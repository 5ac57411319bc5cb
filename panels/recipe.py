# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe's panel: the steps that a result was made by, to be switched, moved, changed in place and run again."""

import bpy

from ..core.numeric.refusal import Refusal
from ..operators.bridge.provenance import recipe_of, take_of
from ..operators.live.summary import summarize
from ..operators.run.step_words import part_of
from ..operators.tools.recipe import changed_by_hand
from ..operators.tools.reopen import current_action, step_being_changed
from .scope import draw_allowed
from .shared import MotionPanel, draw_apply, draw_message, split_column


class MOTION_SIGNAL_PT_recipe(MotionPanel, bpy.types.Panel):
    bl_label = "Recipe"
    bl_order = 90
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        action, recipe, message = None, None, "Apply something: what was done to a take is listed here, and can be changed"
        try:
            action = current_action(context)
            recipe = recipe_of(action)
        except Refusal as error:
            message = str(error)
        editing = step_being_changed(context, recipe) if recipe else None
        if recipe:
            layout.label(text=f"From {recipe.source}", icon="ACTION", translate=False)
            draw_steps(layout, context, recipe.steps, editing)
            if changed_by_hand(action):
                draw_message(layout, "Changed by hand since: steps make a new action, and this one stays", "INFO")
        else:
            draw_message(layout, message, "INFO")
        column = layout.column(align=True)
        column.enabled = editing is None
        draw_button(column, recipe, "motion_signal.recipe_change", "Run Again", "FILE_REFRESH").change = "RUN"
        row = column.row(align=True)
        row.operator("motion_signal.recipe_run", text="Run File", icon="FILEBROWSER")
        draw_button(row, recipe, "motion_signal.recipe_save", "Save", "EXPORT")
        row = column.row(align=True)
        draw_button(row, action and take_of(action), "motion_signal.throw_away", "Throw Away", "TRASH").which = "THIS"
        row.operator("motion_signal.throw_away", text="Unused Ones").which = "UNUSED"
        if editing is None and context.window_manager.motion_signal.report:
            draw_message(layout, context.window_manager.motion_signal.report, "INFO")


def draw_button(layout, result, name, text, icon):
    """A button for what only a result can do."""
    row = layout.row(align=True)
    row.enabled = bool(result)
    return row.operator(name, text=text, icon=icon)


def draw_steps(layout, context, steps, editing):
    """A row a step: whether it is on, what it is, and what can be done with it; the one being changed opens."""
    column = layout.box().column(align=True)
    if not steps:
        column.label(text="No steps: it is the take")
    for index, step in enumerate(steps):
        row = column.row(align=True)
        row.enabled = editing in (None, index)
        draw_change(row, editing is None, index, "SWITCH", "CHECKBOX_HLT" if step.on else "CHECKBOX_DEHLT")
        name = row.row(align=True)
        name.alignment, name.active = "LEFT", step.on
        draw_edit(name, index, step.technique.label, "NONE")
        buttons = row.row(align=True)
        buttons.alignment = "RIGHT"
        draw_edit(buttons, index, "", "GREASEPENCIL")
        draw_change(buttons, editing is None and index > 0, index, "UP", "TRIA_UP")
        draw_change(buttons, editing is None and index < len(steps) - 1, index, "DOWN", "TRIA_DOWN")
        draw_change(buttons, editing is None, index, "REMOVE", "X")
        if part_of(step):
            row = column.row(align=True)
            row.active = False
            row.label(text=part_of(step), icon="BLANK1", translate=False)
        if index == editing:
            draw_editing(column.box(), context, step.technique)


def draw_edit(row, index, text, icon):
    row.operator("motion_signal.reopen", text=text, icon=icon, emboss=False).step = index


def draw_change(row, possible, index, kind, icon):
    """A button that changes the list."""
    button = row.row(align=True)
    button.enabled = possible
    operator = button.operator("motion_signal.recipe_change", text="", icon=icon, emboss=False)
    operator.step, operator.change = index, kind


def draw_editing(layout, context, technique):
    """What the panel of a technique has, where its step is; few keys have none."""
    summary = summarize(context)
    panel = getattr(bpy.types, f"MOTION_SIGNAL_PT_{technique.name}", None)
    if panel:
        panel.draw_parameters(panel, layout, context, summary)
    else:
        draw_allowed(split_column(layout), context.window_manager.motion_signal.scope)
    if summary.problem:
        draw_message(layout, summary.problem, "INFO")
    draw_apply(layout, context, technique.name, bool(summary.words))


CLASSES = (MOTION_SIGNAL_PT_recipe,)
