# SPDX-License-Identifier: GPL-3.0-or-later
"""One operator a technique, made from the catalog: bpy.ops.motion_signal.<technique>(...)."""

import bpy

from ..core import params as parameters
from ..core.catalog import TECHNIQUES
from ..core.scope import ScopeParams
from . import preview
from .apply import apply
from .presets import load_preset
from .properties import annotations, from_params, to_params, to_values, view_name
from .scope import gather


class TechniqueOperator:
    """What all technique operators share; `technique` is set by the factory below."""

    bl_options = {"REGISTER", "UNDO"}
    technique = None

    def invoke(self, context, event):
        """From a button or a menu: with the panel's settings, on the object that is being previewed."""
        settings = context.window_manager.motion_signal
        current = preview.session()
        if current:
            self.object = current.subject
            preview.end()
        try:
            scope_params = to_params(ScopeParams, settings.scope)
            scope = gather(context, scope_params, subject_of(self, context))
            params = to_params(self.technique.params, getattr(settings, self.technique.name))
            from_params(self.technique.fit(params, scope.last - scope.first + 1, scope.fps), self)
            from_params(scope_params, self)
        except ValueError as error:
            return self.refuse(error)
        return self.execute(context)

    def execute(self, context):
        preview.end()
        try:
            scope_params = to_params(ScopeParams, self)
            scope = gather(context, scope_params, subject_of(self, context))
            action, words = apply(self.technique, self.chosen_params(), scope, scope_params)
        except ValueError as error:
            return self.refuse(error)
        self.report({"INFO"}, f"{action.name}: {words}")
        return {"FINISHED"}

    def chosen_params(self):
        """The operator's own properties, over those of the preset if one is named."""
        values = to_values(self.technique.params, self)
        if self.preset:
            given = {name: value for name, value in values.items() if self.properties.is_property_set(name)}
            values = {**load_preset(self.technique, self.preset).params.__dict__, **given}
        return parameters.build(self.technique.params, values)

    def refuse(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}

    def draw(self, context):
        """The redo panel."""
        layout = self.layout
        layout.use_property_split = True
        for name, declaration in parameters.declarations(self.technique.params).items():
            if declaration.kind == "numbers":
                column = layout.column(align=True)
                for place in range(len(parameters.read_text(name, getattr(self, name), declaration))):
                    column.prop(self, view_name(name), index=place, slider=True,
                                text=self.technique.item_label(name, place, self))
            elif declaration.kind in ("number", "whole", "flag", "choice"):
                layout.prop(self, name, slider=declaration.kind == "number")


def subject_of(operator, context):
    if not operator.object:
        return context.object
    subject = bpy.data.objects.get(operator.object)
    if subject is None:
        raise ValueError(f"object: there is no {operator.object}")
    return subject


def operator_for(technique):
    own = annotations(technique.params)
    common = {**annotations(ScopeParams),
              "object": bpy.props.StringProperty(name="Object", description="Object to work on; empty for the active one"),
              "preset": bpy.props.StringProperty(name="Preset", options={"SKIP_SAVE"},
                                                 description="Name of a preset, or a path to one")}
    shared = set(own) & set(common)
    if shared:
        raise ValueError(f"{technique.name}: parameters {', '.join(shared)} are named like the scope's own")
    body = {"bl_idname": f"motion_signal.{technique.name}", "bl_label": technique.label, "__doc__": technique.text,
            "technique": technique, "__annotations__": {**own, **common}}
    return type(f"MOTION_SIGNAL_OT_{technique.name}", (TechniqueOperator, bpy.types.Operator), body)


CLASSES = tuple(operator_for(technique) for technique in TECHNIQUES)
