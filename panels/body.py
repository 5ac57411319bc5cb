# SPDX-License-Identifier: GPL-3.0-or-later
"""The body's panels: foot lock, contacts, who is who, and the report."""

import json

import bpy

from ..operators.settings.body import MORE, ROLES, table_of
from .shared import MotionPanel, PresetPopover, TechniquePanel, in_editors, split_column


class MOTION_SIGNAL_PT_lock_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_lock_presets"
    technique_name = "lock"


class MOTION_SIGNAL_PT_lock(TechniquePanel, bpy.types.Panel):
    bl_label = "Foot Lock"
    technique_name = "lock"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.lock
        column = split_column(layout)
        column.prop(settings, "amount", slider=True)
        column.prop(settings, "instant")
        column.prop(settings, "ease")
        column.prop(settings, "lowering")
        column.prop(settings, "stretch", slider=True)
        flags = column.column(heading="Feet")
        flags.prop(settings, "flat")
        flags.prop(settings, "level")
        column.prop(settings, "hands")
        column.prop(settings, "keep")


class BodyPart(MotionPanel):
    """What is known of the figure."""

    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 100

    @classmethod
    def poll(cls, context):
        return bool(context.object and context.object.type == "ARMATURE")


class ContactsPanel(BodyPart):
    bl_label = "Contacts"

    def draw(self, context):
        layout = self.layout
        common = context.window_manager.motion_signal
        row = layout.row(align=True)
        row.operator("motion_signal.contacts", icon="VIEWZOOM")
        row.prop(common, "show_contacts", text="", icon="HIDE_OFF" if common.show_contacts else "HIDE_ON")
        row = layout.row(align=True)
        row.prop(common, "contact_point", text="")
        row.operator("motion_signal.contact_add", text="", icon="ADD")
        row.operator("motion_signal.contact_remove", text="", icon="REMOVE")
        column = split_column(layout)
        for name in ("height", "speed", "shortest", "ground"):
            column.prop(common.contacts, name)
        if common.contacts.ground == "TYPED":
            column.prop(common.contacts, "ground_height")


class BodyPanel(BodyPart):
    bl_label = "Body Parts"

    def draw(self, context):
        table = table_of(context)
        column = split_column(self.layout)
        for role in ROLES:
            if role == MORE:
                column.prop(table, role)
            else:
                row = column.row(align=True)
                row.prop_search(table, role, context.object.data, "bones", icon="BONE_DATA")
                row.operator("motion_signal.rig_pick", text="", icon="EYEDROPPER").role = role
        self.layout.operator("motion_signal.body_reset", icon="FILE_REFRESH")


class ReportPanel(MotionPanel):
    bl_label = "Report"
    bl_order = 101
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        layout.operator("motion_signal.report", icon="DRIVER_DISTANCE")
        numbers, before = json.loads(context.window_manager.motion_signal.measured or "[{}, null]")
        column = layout.column(align=True)
        for name, label, form, most in ROWS:
            if numbers.get(name) is not None:
                draw_number(column, label, form, most, numbers[name], (before or {}).get(name))


def draw_number(column, label, form, most, now, was):
    """A name, a small bar and the number; with what it was before the edit."""
    split = column.split(factor=0.4)
    split.label(text=label)
    text = form.format(now) if was is None else f"{form.format(was)} > {form.format(now)}"
    split.progress(text=text, factor=max(0.0, min(1.0, now / most)), type="BAR")


ROWS = (
    ("slide_worst_mm", "Worst slide", "{:.1f} mm", 50),
    ("slide_mean_mm", "Mean slide", "{:.1f} mm", 50),
    ("penetration_worst_mm", "Below ground", "{:.0f} mm", 50),
    ("jerk_rms_m_s3", "Jerk", "{:.0f} m/s³", 1000),
    ("acceleration_peak_m_s2", "Acceleration", "{:.0f} m/s²", 500),
    ("flips", "Flips", "{:.0f}", 10),
    ("limits_frames", "Beyond limits", "{:.0f} frames", 100),
    ("loop_pose_gap_deg", "Loop gap", "{:.1f}°", 90),
    ("loop_velocity_gap_deg_s", "Loop speed gap", "{:.0f}°/s", 360),
    ("gravity_worst_m_s2", "Gravity, worst", "{:.2f} m/s²", 20),
    ("out_of_balance_percent", "Out of balance", "{:.0f} %", 100),
    ("speed_m_s", "Speed", "{:.2f} m/s", 4),
    ("cadence_steps_min", "Cadence", "{:.0f} /min", 240),
    ("cycle_s", "Cycle", "{:.2f} s", 3),
    ("keys", "Keys", "{:.0f}", 200000),
)
CLASSES = (
    MOTION_SIGNAL_PT_lock_presets,
    MOTION_SIGNAL_PT_lock,
    *in_editors("MOTION_SIGNAL_PT_contacts", ContactsPanel),
    *in_editors("MOTION_SIGNAL_PT_body", BodyPanel),
    *in_editors("MOTION_SIGNAL_PT_report", ReportPanel),
)
