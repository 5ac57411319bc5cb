# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels of all techniques share: where they sit, presets in the header, the row that applies or cancels."""

import bpy

from ..core.techniques import technique as technique_named
from ..operators.draw.held_bones import held_words
from ..operators.live import preview
from ..operators.live.presets import SHIPPED, preset_files, preset_label
from ..operators.live.summary import summarize
from ..operators.tools.reopen import made_by


class MotionPanel:
    """A panel in the Motion tab of the Graph Editor's sidebar."""

    bl_space_type = "GRAPH_EDITOR"
    bl_region_type = "UI"
    bl_category = "Motion"


class TechniquePanel(MotionPanel):
    """A technique's panel: reset and presets in the header, its parameters, what will change, apply.

    What comes and goes while one works stands below the parameters, so that none of them moves away from under the mouse.
    A subclass sets `technique_name`, lays out its parameters in `draw_parameters`, and has a PresetPopover of its own.
    """

    technique_name = ""

    def draw_header_preset(self, context):
        self.layout.emboss = "NONE"
        self.layout.operator("motion_signal.reset", text="", icon="LOOP_BACK").technique = self.technique_name
        self.layout.popover(f"MOTION_SIGNAL_PT_{self.technique_name}_presets", icon="PRESET", text="")

    def draw(self, context):
        layout = self.layout
        summary = summarize(context)
        made = made_by(context, self.technique_name)
        if made:
            row = layout.row()
            row.enabled = preview.session() is None
            row.operator("motion_signal.reopen", text=f"Edit {made}", icon="GREASEPENCIL", translate=False)
        self.draw_parameters(layout, context, summary)
        if summary.problem:
            draw_message(layout, summary.problem, "INFO")
        draw_words(layout, summary.words)
        draw_apply(layout, context, self.technique_name, bool(summary.words))


class PresetPopover:
    """A list of presets as Blender's own preset popovers draw it; `technique_name` is set by the subclass."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "HEADER"
    bl_options = {"INSTANCED"}
    bl_label = "Presets"
    bl_ui_units_x = 12
    technique_name = ""

    def draw(self, context):
        layout = self.layout
        layout.emboss = "PULLDOWN_MENU"
        technique = technique_named(self.technique_name)
        column = layout.column(align=True)
        for name, path in preset_files(technique).items():
            row = column.row(align=True)
            load = row.operator("motion_signal.preset_load", text=preset_label(technique, path))
            load.technique, load.preset = technique.name, name
            if SHIPPED not in path.parents:
                remove = row.operator("motion_signal.preset_add", text="", icon="REMOVE")
                remove.technique, remove.preset, remove.remove = technique.name, name, True
        layout.separator()
        row = layout.row()
        row.emboss = "NORMAL"
        row.prop(context.window_manager.motion_signal, "preset_name", text="")
        add = row.operator("motion_signal.preset_add", text="", icon="ADD")
        add.technique, add.preset = technique.name, context.window_manager.motion_signal.preset_name


def split_column(layout):
    """A column with labels on the left, as in Blender's own panels."""
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def draw_words(layout, words):
    """A sentence about what is previewed, if there is one."""
    if words:
        draw_message(layout, words, "NONE")


def draw_key_and_clear(row, operator, keyed):
    """A button that keys and one that takes the keys away, there but grey where there are none, so that neither moves."""
    row.operator(operator, icon="KEY_HLT").clear = False
    clearing = row.row(align=True)
    clearing.enabled = keyed
    clearing.operator(operator, text="", icon="X").clear = True


def draw_choice(column, text, technique_name, settings, field, number):
    """A button that sets a numbered choice, pressed in where that is made."""
    button = column.operator("motion_signal.number_choose", text=text, depress=getattr(settings, field) == number)
    button.technique, button.field, button.number = technique_name, field, number


def draw_apply(layout, context, technique_name, ready):
    """Before and after, while something is previewed; apply and cancel; what the last apply did."""
    settings = context.window_manager.motion_signal
    current = preview.session()
    row = layout.row(align=True)
    compare = row.row(align=True)
    compare.enabled = current is not None
    for after, name in ((False, "Before"), (True, "After")):
        shown = current is not None and current.after == after
        compare.operator("motion_signal.preview_flip", text=name, depress=shown).after = after
    row.prop(settings, "live", text="", icon="HIDE_OFF" if settings.live else "HIDE_ON")
    row = layout.row(align=True)
    row.scale_y = 1.3
    applying = row.row(align=True)
    applying.enabled = ready
    shown = technique_named(current.technique if current else technique_name)
    text = "Apply" if shown.name == technique_name else f"Apply {shown.label}"
    applying.operator(f"motion_signal.{shown.name}", text=text, icon="CHECKMARK")
    row.operator("motion_signal.preview_end", text="Cancel", icon="X")
    draw_words(layout, held_words())
    if current and current.kept and current.technique == technique_name:
        draw_message(layout, current.kept, "INFO")
    if settings.reporter == technique_name and settings.report:
        draw_message(layout, settings.report, "INFO")


def draw_message(layout, text, icon):
    """A sentence, broken where the sidebar ends."""
    text = text[:1].upper() + text[1:]
    column = layout.column(align=True)
    column.scale_y = 0.8
    width = bpy.context.region.width / bpy.context.preferences.system.ui_scale
    for index, line in enumerate(broken(text, max(20, int(width / 6.6) - (4 if icon == "NONE" else 8)))):
        column.label(text=line, icon=icon if index == 0 or icon == "NONE" else "BLANK1")


def broken(text, width):
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width and lines[-1]:
            lines.append("")
        lines[-1] = (lines[-1] + " " + word).strip()
    return lines
