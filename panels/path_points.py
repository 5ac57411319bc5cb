# SPDX-License-Identifier: GPL-3.0-or-later
"""Which curve to go along: one made of the take, to be bent on the ground, or one that is picked."""


def draw_path_curve(layout, context):
    """For the path's step: a curve of its own, or another by its eyedropper."""
    layout.operator("motion_signal.path_create", text="Bend Its Own Path", icon="CURVE_NCURVE")
    layout.prop(context.window_manager, "motion_signal_curve", text="", placeholder="Use Curve")
    if context.window_manager.motion_signal.path.curve:
        column = layout.column(align=True)
        column.scale_y = 0.8
        column.label(text="Drag the points on the ground")
        column.label(text="Double-click adds one, or removes it")
