# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels of all techniques share: how they are found, presets, and small parts of a layout."""

from functools import cache, lru_cache

import bpy

from ..core.techniques import technique as technique_named
from ..operators.live.presets import SHIPPED, preset_files, preset_label
from ..operators.live.summary import summarize

EDITORS = ("VIEW_3D", "GRAPH_EDITOR", "DOPESHEET_EDITOR")
CHARACTER = 6.6  # pixels of one, on average
LIST = 0.55  # of the sidebar's characters, which a row of a list has for a name


class MotionPanel:
    """A panel in the Motion tab of the sidebar; `in_editors` makes one for every editor that has it."""

    bl_space_type = "GRAPH_EDITOR"
    bl_region_type = "UI"
    bl_category = "Motion"


def in_editors(name, part):
    """Panels of the same parts in the sidebar of every editor that shows motion: `name`, and `name` with the editor's name."""
    panels = []
    for space in EDITORS:
        ending = "" if space == MotionPanel.bl_space_type else f"_{space.lower()}"
        parent = getattr(part, "parent", "")
        own = {"bl_space_type": space, "bl_idname": name + ending, **({"bl_parent_id": parent + ending} if parent else {})}
        panels.append(type(name + ending, (part, bpy.types.Panel), own))
    return tuple(panels)


class TechniquePanel(MotionPanel):
    """A technique's panel: its parameters, which the rack shows where its step is open.

    A subclass sets `technique_name`, lays out its parameters in `draw_parameters`, and has a PresetPopover of its own.
    """

    bl_options = {"INSTANCED"}  # it stands at its step, and not in the tab by itself
    technique_name = ""

    def draw(self, context):
        self.draw_parameters(self.layout, context, summarize(context))


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
        column.operator("motion_signal.reset", text="Neutral", icon="LOOP_BACK").technique = technique.name
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


def draw_more(layout, name, text):
    """A part of a technique's controls that is closed at first; its column with labels on the left, or None while closed."""
    header, body = layout.panel(f"motion_signal_{name}", default_closed=True)
    header.label(text=text)
    return split_column(body) if body else None


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


def draw_message(layout, text, icon, alert=False):
    """A sentence, broken where the sidebar ends."""
    column = layout.column(align=True)
    column.scale_y, column.alert = 0.8, alert
    for index, line in enumerate(broken(text, characters() - (4 if icon == "NONE" else 8))):
        column.label(text=line, icon=icon if index == 0 or icon == "NONE" else "BLANK1", translate=False)


def characters():
    """How many characters a line of the sidebar has."""
    width = bpy.context.region.width / bpy.context.preferences.system.ui_scale
    return max(24, int(width / CHARACTER))


def shortened(name, most):
    """A name that is too long, shortened from the left: what tells results apart stands at their end."""
    return name if len(name) <= most else "..." + name[len(name) - most + 3 :]


def listed(name, share=1.0):
    """A take's name in a list, or in a share of its width."""
    return shortened(name, round(share * LIST * characters()))


@cache
def icon_number(name):
    """An icon by its number, for what is drawn often: Blender looks through all icons for a name each time."""
    return bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items[name].value


@lru_cache(maxsize=64)
def broken(text, width):
    """A text in lines that are no longer than that, where words allow it."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width and lines[-1]:
            lines.append("")
        lines[-1] = (lines[-1] + " " + word).strip()
    return lines
