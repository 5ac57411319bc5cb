# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists in panels: a parameter that is a list of records or pairs, as rows that Blender's list widget shows and edits.

The text of the parameter is what counts for previews, presets and scripts. Rows and text follow each other.
"""

from contextlib import contextmanager

import bpy

from ...core.declare import params as parameters
from ...core.numeric.refusal import Refusal
from ...core.techniques import TECHNIQUES
from ...core.techniques import technique as technique_named
from .properties import annotations, from_params, readable, to_params

_filling = []


def rows_name(name):
    return f"{name}_rows"


def index_name(name):
    return f"{name}_index"


def record_fields(technique):
    """The parameters of a technique that are lists of such, with their declarations."""
    return {name: declaration for name, declaration in parameters.declarations(technique.params).items() if declaration.entry}


def row_group(technique, name, declaration):
    """The property group of one row."""

    def changed(self, context):
        if not _filling:
            settings = getattr(context.window_manager.motion_signal, technique.name)
            put_records(settings, technique, name, read_rows(settings, name, declaration))

    return type(
        f"MOTION_SIGNAL_PG_{technique.name}_{name}",
        (bpy.types.PropertyGroup,),
        {"__annotations__": annotations(declaration.entry, lambda _: changed)},
    )


ROW_GROUPS = {
    (technique.name, name): row_group(technique, name, declaration)
    for technique in TECHNIQUES
    for name, declaration in record_fields(technique).items()
}


def row_annotations(technique):
    """The properties that show a technique's lists: the rows, and which of them is active."""
    result = {}
    for name in record_fields(technique):
        result[rows_name(name)] = bpy.props.CollectionProperty(type=ROW_GROUPS[technique.name, name], options={"SKIP_SAVE"})
        result[index_name(name)] = bpy.props.IntProperty(options={"SKIP_SAVE"}, description="Row that is shown below the list")
    return result


def read_rows(settings, name, declaration):
    return [parameters.changed(to_params(declaration.entry, row)) for row in getattr(settings, rows_name(name))]


def follow(settings, technique):
    """Fill the rows from the text, where that says something else."""
    for name, declaration in record_fields(technique).items():
        rows = getattr(settings, rows_name(name))
        if not len(rows) and not getattr(settings, name):
            continue
        try:
            wanted = [
                parameters.changed(parameters.build(declaration.entry, entry))
                for entry in records_of(settings, technique, name)
            ]
        except Refusal:  # text that no row can show, such as part of a frame, is used as it is
            wanted = []
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
    """The entries that a list holds, as plain data; pairs by the names of their two fields."""
    declaration = record_fields(technique)[name]
    held = readable(settings, name, declaration)
    if declaration.kind == "points":
        return [dict(zip(parameters.declarations(declaration.entry), pair)) for pair in held]
    return held


def put_records(settings, technique, name, entries, index=None):
    declaration = record_fields(technique)[name]
    if declaration.kind == "points":
        standing = parameters.defaults(declaration.entry)
        entries = [[entry.get(field, standing[field]) for field in standing] for entry in entries]
    setattr(settings, name, parameters.write_text(entries))
    if index is not None:
        setattr(settings, index_name(name), index)


def remove_record(settings, technique, name, index):
    """Take an entry out of a list; the one that comes to stand at its index is active then."""
    records = records_of(settings, technique, name)
    del records[index]
    put_records(settings, technique, name, records, max(0, min(index, len(records) - 1)))


class MOTION_SIGNAL_OT_record_remove(bpy.types.Operator):
    """Remove the active row from the list"""

    bl_idname = "motion_signal.record_remove"
    bl_label = "Remove"
    bl_options = {"INTERNAL"}

    technique: bpy.props.StringProperty(options={"SKIP_SAVE"})
    field: bpy.props.StringProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        settings = getattr(context.window_manager.motion_signal, self.technique)
        technique = technique_named(self.technique)
        index = getattr(settings, index_name(self.field))
        if not 0 <= index < len(records_of(settings, technique, self.field)):
            return {"CANCELLED"}
        remove_record(settings, technique, self.field, index)
        return {"FINISHED"}


ROW_CLASSES = tuple(ROW_GROUPS.values())
CLASSES = (MOTION_SIGNAL_OT_record_remove,)
