# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals: what one wants of a take, a click each, where the rack is still empty."""

from ..operators.live.goals import goals

LONG = 14  # characters of a label that needs a row of its own


def draw_goals(layout):
    """A button a goal, with its picture."""
    layout.label(text="What do you want?")
    column = layout.column(align=True)
    grid = column.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    for goal in goals():
        block = column if len(goal.label) > LONG else grid
        block.operator("motion_signal.goal", text=goal.label, icon=goal.icon).goal = goal.name


CLASSES = ()
