# SPDX-License-Identifier: GPL-3.0-or-later
"""The Clean panel: what was found in the take, what of it is mended, and a button to go there."""

import bpy

from ..core.faults.findings import LABELS
from ..core.techniques.figure.clean import KINDS
from ..operators.desk.findings import found, rows_shown
from .shared import PresetPopover, TechniquePanel, split_column

STATES = {"fixed": "CHECKMARK", "ignored": "HIDE_ON", "": "ERROR"}
ROWS = 8


class MOTION_SIGNAL_UL_findings(bpy.types.UIList):
    """A row a finding: what it is, where, and what becomes of it."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.row(align=True)
        name = row.row()
        name.active = item.state != "ignored"
        name.label(text=item.name, icon=STATES[item.state], translate=False)
        for how, sign, state in (("FIX", "MODIFIER", "fixed"), ("IGNORE", "HIDE_ON", "ignored")):
            button = row.operator("motion_signal.finding_mark", text="", icon=sign, depress=item.state == state)
            button.index, button.how = index, how


class MOTION_SIGNAL_PT_clean_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_clean_presets"
    technique_name = "clean"


class MOTION_SIGNAL_PT_clean(TechniquePanel, bpy.types.Panel):
    bl_label = "Clean"
    technique_name = "clean"

    def draw_parameters(self, layout, context, summary):
        settings, findings = context.window_manager.motion_signal.clean, found(context)
        column = split_column(layout)
        column.prop(settings, "amount", slider=True)
        column.prop(settings, "sensitivity", slider=True)
        draw_kinds(layout, settings, findings)
        if not rows_shown(context):
            return
        listed = context.window_manager.motion_signal_findings
        layout.template_list("MOTION_SIGNAL_UL_findings", "", listed, "rows", listed, "finding_index", rows=ROWS)
        row = layout.row(align=True)
        row.operator("motion_signal.finding_go", icon="VIEWZOOM").index = listed.finding_index
        for how, label in (("FIX", "Fix"), ("IGNORE", "Ignore")):
            button = row.operator("motion_signal.finding_mark", text=label)
            button.index, button.how = listed.finding_index, how


def draw_kinds(layout, settings, findings):
    """A tick a kind, with how many there are of it."""
    counts = {label: sum(bar.label == label for bar in findings) for label in LABELS}
    grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    for name, label in KINDS.items():
        tick = grid.row()
        tick.active = bool(counts[label])
        tick.prop(settings, name, text=f"{settings.bl_rna.properties[name].name} ({counts[label]})")


CLASSES = (MOTION_SIGNAL_UL_findings, MOTION_SIGNAL_PT_clean_presets, MOTION_SIGNAL_PT_clean)
