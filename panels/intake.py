# SPDX-License-Identifier: GPL-3.0-or-later
"""What one would want to set right of a take before working on it: a strip, a click each."""

from ..operators.desk.intake import found, remarks


def draw_intake(layout, context):
    """The strip, for as long as there is something to say."""
    intake = found(context)
    said = list(remarks(context, intake)) if intake else []
    if not said:
        return
    row = layout.box().row()
    column = row.column(align=True)
    for what, words, icon in said:
        if what == "PARTS":
            column.label(text=words, icon=icon)
        else:
            column.operator("motion_signal.intake", text=words, icon=icon).what = what
    if intake.feet:
        column.label(text=f"{intake.parts} body parts found", icon="CHECKMARK")
    row.operator("motion_signal.intake", text="", icon="X", emboss=False).what = "SEEN"
