# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets: shipped ones beside this package, the user's own in Blender's preset folder, all JSON."""

import re
from functools import lru_cache
from pathlib import Path

import bpy

from ...core.numeric.refusal import Refusal
from ...core.recipes.presets import named_preset, read_preset
from ...core.recipes.recipe import Step, preset_to_json
from ...core.recipes.shipped import ENDING, SHIPPED, presets_in
from ...core.techniques import technique as technique_named
from ..bridge.refuse import refusing
from ..settings.properties import from_params, reset, to_params
from . import preview
from .at_hand import AtHand


def preset_files(technique):
    """The presets of a technique by name, shipped ones first; a user's preset stands for a shipped one of its name."""
    return presets_in(SHIPPED / technique.name, user_folder(technique))


def user_folder(technique):
    return Path(bpy.utils.user_resource("SCRIPTS", path=str(Path("presets", "motion_signal", technique.name))))


def load_preset(technique, name):
    """The step that a preset holds, by its name or by a path to a JSON file."""
    return named_preset(technique, name, preset_files(technique))


def preset_label(technique, path):
    """A preset's name as menus show it."""
    return label_in(technique, path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def label_in(technique, path, changed):
    """The label in a preset's file, read again when the file has changed; one that cannot be read shows its file name."""
    try:
        return read_preset(technique, path)[1]
    except Refusal:
        return path.stem


def settings_of(context, technique):
    return getattr(context.window_manager.motion_signal, technique.name)


class MOTION_SIGNAL_OT_preset_load(bpy.types.Operator):
    """Set the sliders to this preset"""

    bl_idname = "motion_signal.preset_load"
    bl_label = "Load Preset"
    bl_options = {"INTERNAL"}

    technique: bpy.props.StringProperty(options={"SKIP_SAVE"})
    preset: bpy.props.StringProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        path = preset_files(technique_named(properties.technique)).get(properties.preset)
        try:
            return read_preset(technique_named(properties.technique), path)[2] if path else cls.__doc__
        except Refusal:  # its button says what is wrong with it
            return cls.__doc__

    @refusing
    def execute(self, context):
        technique = technique_named(self.technique)
        from_params(load_preset(technique, self.preset).params, settings_of(context, technique))
        return {"FINISHED"}


class MOTION_SIGNAL_OT_preset_add(bpy.types.Operator):
    """Save the sliders as a preset of your own"""

    bl_idname = "motion_signal.preset_add"
    bl_label = "Add Preset"
    bl_options = {"INTERNAL"}

    technique: bpy.props.StringProperty(options={"SKIP_SAVE"})
    preset: bpy.props.StringProperty(name="Name", options={"SKIP_SAVE"})
    remove: bpy.props.BoolProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return "Remove this preset" if properties.remove else cls.__doc__

    @refusing
    def execute(self, context):
        technique = technique_named(self.technique)
        path = user_folder(technique) / (file_name(self.preset) + ENDING)
        if self.remove:
            remove_preset(path)
        else:
            params = to_params(technique.params, settings_of(context, technique))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(preset_to_json(Step(technique, params), self.preset.strip()), encoding="utf-8")
        return {"FINISHED"}


class MOTION_SIGNAL_OT_reset(bpy.types.Operator):
    """Set everything back to neutral"""

    bl_idname = "motion_signal.reset"
    bl_label = "Reset"
    bl_options = {"INTERNAL"}

    technique: bpy.props.StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        technique = technique_named(self.technique)
        elsewhere = AtHand.rack is None or AtHand.rack.technique != technique.name  # another step is open, and stays so
        with preview.paused(elsewhere):
            reset(technique.params, settings_of(context, technique))
        return {"FINISHED"}


def remove_preset(path):
    if not path.exists():
        raise Refusal(f"preset: {path.stem} is not one of your own, so it stays")
    path.unlink()


def file_name(label):
    name = re.sub(r"[^\w-]+", "_", label.strip().lower()).strip("_")
    if not name:
        raise Refusal("preset: it needs a name")
    return name


CLASSES = (MOTION_SIGNAL_OT_preset_load, MOTION_SIGNAL_OT_preset_add, MOTION_SIGNAL_OT_reset)
