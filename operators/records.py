# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists in panels: a parameter that is a list of records, as rows that Blender's list widget shows and edits.

The text of the parameter is what counts for previews, presets and scripts. Rows and text follow each other.
"""

from contextlib import contextmanager

import bpy

from ..core import params as parameters
from ..core.catalog import TECHNIQUES
from .properties import annotations, from_params, readable, to_params

_filling = []


def rows_name(name):
    return f"{name}_rows"


def place_name(name):
    return f"{name}_place"


def record_fields(technique):
    """The parameters of a technique that are lists of records, with their declarations."""
    return {name: declaration for name, declaration in parameters.declarations(technique.params).items()
            if declaration.kind == "records"}


def row_group(technique, name, declaration):
    """The property group of one row."""

    def changed(self, context):
        if not _filling:
            settings = getattr(context.window_manager.motion_signal, technique.name)
            setattr(settings, name, parameters.write_text(read_rows(settings, name, declaration)))

    return type(f"MOTION_SIGNAL_PG_{technique.name}_{name}", (bpy.types.PropertyGroup,),
                {"__annotations__": annotations(declaration.entry, changed)})


ROW_GROUPS = {(technique.name, name): row_group(technique, name, declaration)
              for technique in TECHNIQUES for name, declaration in record_fields(technique).items()}


def row_annotations(technique):
    """The properties that show a technique's lists: the rows, and which of them is active."""
    result = {}
    for name in record_fields(technique):
        result[rows_name(name)] = bpy.props.CollectionProperty(type=ROW_GROUPS[technique.name, name], options={"SKIP_SAVE"})
        result[place_name(name)] = bpy.props.IntProperty(options={"SKIP_SAVE"}, description="Row that is shown below the list")
    return result


def read_rows(settings, name, declaration):
    return [parameters.changed(to_params(declaration.entry, row)) for row in getattr(settings, rows_name(name))]


def follow(settings, technique):
    """Fill the rows from the text, where that says something else."""
    for name, declaration in record_fields(technique).items():
        wanted = [parameters.changed(parameters.build(declaration.entry, entry))
                  for entry in readable(settings, name, declaration)]
        rows = getattr(settings, rows_name(name))
        if read_rows(settings, name, declaration) == wanted:
            continue
        with filling():
            while len(rows) > len(wanted):
                rows.remove(len(rows) - 1)
            while len(rows) < len(wanted):
                rows.add()
            for row, entry in zip(rows, wanted):
                from_params(parameters.build(declaration.entry, entry), row)


@contextmanager
def filling():
    _filling.append(True)
    try:
        yield
    finally:
        _filling.pop()


def records_of(settings, technique, name):
    """The records that a list holds, as plain data."""
    return readable(settings, name, record_fields(technique)[name])


def put_records(settings, name, records, place=None):
    setattr(settings, name, parameters.write_text(records))
    if place is not None:
        setattr(settings, place_name(name), place)


class MOTION_SIGNAL_OT_record_remove(bpy.types.Operator):
    """Remove the active row from the list"""

    bl_idname = "motion_signal.record_remove"
    bl_label = "Remove"
    bl_options = {"INTERNAL"}

    technique: bpy.props.StringProperty(options={"SKIP_SAVE"})
    field: bpy.props.StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        settings = getattr(context.window_manager.motion_signal, self.technique)
        technique = next(entry for entry in TECHNIQUES if entry.name == self.technique)
        records, place = records_of(settings, technique, self.field), getattr(settings, place_name(self.field))
        if not 0 <= place < len(records):
            return {"CANCELLED"}
        del records[place]
        put_records(settings, self.field, records, max(0, min(place, len(records) - 1)))
        return {"FINISHED"}


ROW_CLASSES = tuple(ROW_GROUPS.values())
CLASSES = (MOTION_SIGNAL_OT_record_remove,)
