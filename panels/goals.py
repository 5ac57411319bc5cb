# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals: what one wants of a take, a click each, where the rack is still empty."""

from ..operators.live.goals import goals

COLUMNS = 2


def draw_goals(layout):
    """A button a goal, with its picture."""
    layout.label(text="What do you want?")
    grid = layout.grid_flow(row_major=True, columns=COLUMNS, even_columns=True, align=True)
    for goal in goals():
        grid.operator("motion_signal.goal", text=goal.label, icon=goal.icon).goal = goal.name


CLASSES = ()
