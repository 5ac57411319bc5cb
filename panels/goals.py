# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals: what one wants of a take, a click each, where the rack is still empty."""

from ..operators.live.goals import goal_pictures, goals

LONG = 12  # characters of a label that needs a row of its own
TALL, WIDE = 1.8, 0.31  # rows that a picture takes, and how much of half the sidebar


def draw_goals(layout):
    """A button a goal, with its picture."""
    pictures = goal_pictures()
    layout.label(text="What do you want?")
    column = layout.column(align=True)
    grid = column.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    for goal in goals():
        alone = len(goal.label) > LONG
        row = column.split(factor=0.5 * WIDE, align=True) if alone else grid.split(factor=WIDE, align=True)
        row.template_icon(pictures[goal.name].icon_id, scale=TALL)
        button = row.row(align=True)
        button.scale_y = TALL
        button.operator("motion_signal.goal", text=goal.label).goal = goal.name


CLASSES = ()
