# SPDX-License-Identifier: GPL-3.0-or-later
"""One operator a technique, made from the catalog: bpy.ops.motion_signal.<technique>(...)."""

import bpy

from ...core.declare import params as parameters
from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import RENAMED, Step, steps_from_json
from ...core.techniques import TECHNIQUES
from ..bridge.scope import gather
from ..live import preview
from ..live.apply_rack import apply_rack
from ..live.at_hand import AtHand, in_step, take_up
from ..live.band_names import range_name
from ..live.presets import load_preset
from ..live.steps import add_step, tell
from ..run.recipe import apply_and_go_on
from ..settings.properties import annotations, to_values, view_name

BODY = ("millimetres", "degrees", "together", "effectors")  # what few keys for the body are asked


class TechniqueOperator:
    """What all technique operators share; `technique` is set by the factory below."""

    bl_options = {"REGISTER", "UNDO"}
    technique = None
    older = {}  # parameters by the names that older calls give them

    def invoke(self, context, event):
        """From a button or a menu: what is open in the rack is applied, with all of it; else a step is added to the rack."""
        try:
            if AtHand.rack and AtHand.rack.technique == self.technique.name and in_step():
                tell(self, context, *apply_rack(context))
            else:
                add_step(context, self.technique)
        except Refusal as error:
            preview.end()
            return self.refuse(error)
        return {"FINISHED"}

    def execute(self, context):
        preview.end()
        try:
            params, subject = self.scope_params(), subject_of(self, context)
            scope = gather(context, params, subject)
            step = Step(self.technique, self.chosen_params(scope), params)
            with preview.paused():  # the rack is taken up once, below
                action, words = apply_and_go_on(context, step, scope, steps_from_json(self.then), subject)
        except Refusal as error:
            return self.refuse(error)
        if subject == context.object:
            take_up(context, subject, params.animated, made=True)
        context.window_manager.motion_signal.report = words if subject == context.object else ""
        self.report({"INFO"}, f"{action.name}: {words}")
        return {"FINISHED"}

    def scope_params(self):
        """The scope's own properties; one that an older parameter is named like has its default."""
        values = to_values(ScopeParams, self)
        return parameters.build(ScopeParams, {name: value for name, value in values.items() if name not in self.older})

    def chosen_params(self, scope):
        """The operator's own properties, over those of the preset if one is named."""
        values = to_values(self.technique.params, self)
        renamed = {new: getattr(self, old) for old, new in self.older.items() if self.properties.is_property_set(old)}
        values |= renamed
        if self.preset:
            given = {name: value for name, value in values.items() if self.properties.is_property_set(name)} | renamed
            values = {**self.fitted(load_preset(self.technique, self.preset).params, scope).__dict__, **given}
        return parameters.build(self.technique.params, values)

    def fitted(self, params, scope):
        return self.technique.fit(params, scope.last - scope.first + 1, scope.fps)

    def refuse(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}

    def draw(self, context):
        """The redo panel."""
        layout = self.layout
        layout.use_property_split = True
        fps = context.scene.render.fps / context.scene.render.fps_base
        for name, declaration in parameters.declarations(self.technique.params).items():
            if declaration.kind == "numbers":
                self.draw_list(layout.column(align=True), name, declaration, fps)
            elif declaration.kind not in parameters.STRUCTURED:
                layout.prop(self, name, slider=bool(declaration.slider_range))
        by_body = (self.technique.keys or self.keys) == "BODY"
        for name in ("frames", *(() if self.technique.keys else ("keys",)), *(BODY if by_body else ()), "result"):
            layout.prop(self, name)

    def draw_list(self, column, name, declaration, fps):
        for index in range(len(parameters.read_text(name, getattr(self, name), declaration))):
            label = self.technique.item_label(name, index, self, fps)
            if label:
                column.prop(self, view_name(name), index=index, slider=True, text=range_name(label))


def subject_of(operator, context):
    if not operator.object:
        return context.object
    subject = bpy.data.objects.get(operator.object)
    if subject is None:
        raise Refusal(f"object: there is no {operator.object}")
    return subject


def operator_for(technique):
    own = annotations(technique.params)
    common = {
        **annotations(ScopeParams),
        "object": bpy.props.StringProperty(
            name="Object", options={"SKIP_SAVE"}, description="Object to work on; empty for the active one"
        ),
        "preset": bpy.props.StringProperty(
            name="Preset", options={"SKIP_SAVE"}, description="Name of a preset, or a path to one"
        ),
        "then": bpy.props.StringProperty(
            name="Then", options={"SKIP_SAVE"}, description="Steps that follow at once, as JSON like the steps of a recipe"
        ),
    }
    shared = set(own) & set(common)
    if shared:
        raise Refusal(f"{technique.name}: parameters {', '.join(shared)} are named like the scope's own")
    older = {old: new for (name, old), new in RENAMED.items() if name == technique.name}
    text = f"{technique.text}. Makes a new action and leaves the take as it is"
    body = {
        "bl_idname": f"motion_signal.{technique.name}",
        "bl_label": technique.label,
        "bl_description": text,
        "technique": technique,
        "older": older,
        "__annotations__": {**own, **common, **{old: own[new] for old, new in older.items()}},
    }
    return type(f"MOTION_SIGNAL_OT_{technique.name}", (TechniqueOperator, bpy.types.Operator), body)


OWN = ("retarget",)  # techniques with an operator of their own, as they are done on another object than the take's
CLASSES = tuple(operator_for(technique) for technique in TECHNIQUES if technique.name not in OWN)
