# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe's panel: the steps that a result was made by, to be switched, moved, changed and run again."""

import bpy

from ..operators.reopen import current_action
from ..operators.remembered import recipe_of
from .shared import MotionPanel, draw_message


class MOTION_SIGNAL_PT_recipe(MotionPanel, bpy.types.Panel):
    bl_label = "Recipe"
    bl_order = 90
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        try:
            action = current_action(context)
            recipe = recipe_of(action)
        except ValueError as error:
            draw_message(layout, str(error), "ERROR")
            recipe = None
        if recipe:
            layout.label(text=f"From {recipe.source}", icon="ACTION", translate=False)
            draw_steps(layout.box().column(align=True), recipe.steps)
            layout.operator("motion_signal.recipe_change", text="Run Again", icon="FILE_REFRESH").change = "RUN"
        else:
            draw_message(layout, "A result shows here how it was made", "INFO")
        row = layout.row(align=True)
        row.operator("motion_signal.recipe_run", text="Run File", icon="FILEBROWSER")
        saving = row.row(align=True)
        saving.enabled = bool(recipe)
        saving.operator("motion_signal.recipe_save", text="Save", icon="EXPORT")


def draw_steps(column, steps):
    """A row a step: whether it is on, what it is, and what can be done with it."""
    for place, step in enumerate(steps):
        row = column.row(align=True)
        change(row, place, "SWITCH", "CHECKBOX_HLT" if step.on else "CHECKBOX_DEHLT")
        name = row.row(align=True)
        name.active = step.on
        name.label(text=step.technique.label)
        row.operator("motion_signal.reopen", text="", icon="GREASEPENCIL", emboss=False).step = place
        for kind, icon, possible in (("UP", "TRIA_UP", place > 0), ("DOWN", "TRIA_DOWN", place < len(steps) - 1),
                                     ("REMOVE", "X", True)):
            button = row.row(align=True)
            button.enabled = possible
            change(button, place, kind, icon)


def change(row, place, kind, icon):
    operator = row.operator("motion_signal.recipe_change", text="", icon=icon, emboss=False)
    operator.step, operator.change = place, kind


CLASSES = (MOTION_SIGNAL_PT_recipe,)
