# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig's panel: which controls move the body, the feet and the hands, each with an eyedropper for the active bone."""

from ..operators.bridge.measured import CONTROLS
from ..operators.settings.rig_controls import controls_table
from .body import BodyPart
from .shared import in_editors, split_column


def draw_rig(layout, context):
    """The controls that were found, to be corrected."""
    table = controls_table(context)
    column = split_column(layout)
    for role in CONTROLS:
        row = column.row(align=True)
        row.prop_search(table, role, context.object.data, "bones", icon="BONE_DATA")
        row.operator("motion_signal.rig_pick", text="", icon="EYEDROPPER").role = role
    layout.operator("motion_signal.rig_reset", icon="FILE_REFRESH")


class RigPanel(BodyPart):
    bl_label = "Rig"

    def draw(self, context):
        draw_rig(self.layout, context)


CLASSES = in_editors("MOTION_SIGNAL_PT_rig", RigPanel)
