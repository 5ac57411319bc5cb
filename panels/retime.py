# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections of the take that are slower or faster: a button to drag one, and speeds for the chosen one."""

from ..operators.desk.retime import chosen_section, held

SPEEDS = (25, 50, 75, 100, 150, 200)  # percent


def draw_retime(layout, context):
    """For the timewarp's step while it has no reference."""
    _, sections = held(context)
    layout.operator("motion_signal.retime_section", icon="ARROW_LEFTRIGHT")
    if not sections:
        return
    section = sections[chosen_section(context, sections)]
    layout.label(text=f"Frames {section.start} to {section.end} at {section.percent:.0f} %")
    row = layout.row(align=True)
    for percent in SPEEDS:
        pressed = round(section.percent) == percent
        row.operator("motion_signal.retime_speed", text=f"{percent}", depress=pressed).percent = percent
