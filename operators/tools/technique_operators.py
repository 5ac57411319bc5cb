# SPDX-License-Identifier: GPL-3.0-or-later
"""One operator a technique, made from the catalog: bpy.ops.motion_signal.<technique>(...)."""

from functools import partial

import bpy

from ...core.declare import params as parameters
from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step, steps_from_json, steps_to_json
from ...core.techniques import TECHNIQUES
from ..bridge.scope import gather
from ..live import preview
from ..live.presets import load_preset
from ..run.apply import SOURCE, feet_of
from ..run.recipe import apply_and_go_on, following, release_replaced
from ..settings.properties import annotations, from_params, reset, to_params, to_values, view_name

BODY = ("millimetres", "degrees", "together", "effectors")  # what few keys for the body are asked


class TechniqueOperator:
    """What all technique operators share; `technique` is set by the factory below."""

    bl_options = {"REGISTER", "UNDO"}
    technique = None
    must_change = False  # whether it is refused if it changes nothing: Apply before anything was set

    def invoke(self, context, event):
        """From a button or a menu: with the panel's settings, which then are neutral again, on what is being previewed.

        What another technique shows is applied first, as a step of its own.
        """
        settings = context.window_manager.motion_signal
        own = getattr(settings, self.technique.name)
        current = preview.session()
        try:
            if current:
                self.object = current.subject
                if current.technique != self.technique.name:
                    preview.keep_shown(context)
            from_params(to_params(ScopeParams, settings.scope), self)
            from_params(self.fitted(to_params(self.technique.params, own), self.scope_of(context)), self)
            self.then = steps_to_json(following(settings, self.technique))
            adopted = preview.adopt(context, self.chosen_params(None)) if preview.session() else None
            preview.end()
            owner = adopted[0] if adopted else self.scope_of(context).owner
        except Refusal as error:
            preview.end()
            return self.refuse(error)
        before = adopted[1] if adopted else owner.animation_data.action
        self.must_change = not settings.reopened and to_params(self.technique.params, own) == self.technique.params()
        done = self.adopted(context, *adopted[2:]) if adopted else self.execute(context)
        if done == {"FINISHED"}:
            release_replaced(settings, owner, before)
            with preview.paused():
                reset(self.technique.params, own)
                settings.scope.action = settings.reopened = ""
        return done

    def adopted(self, context, action, words):
        """Say what became of what was shown; what it did to the feet is looked at a moment later, where somebody watches."""
        subject, animated = subject_of(self, context), self.animated
        if bpy.app.background:
            words = "; ".join(filter(None, (words, feet_of(context, action, subject, animated))))
        elif subject == context.object:
            bpy.app.timers.register(partial(feet_later, action.name, subject.name, animated, words), first_interval=0.0)
        show_words(context, self.technique.name, words if subject == context.object else "")
        self.report({"INFO"}, f"{action.name}: {words}")
        return {"FINISHED"}

    def execute(self, context):
        preview.end()
        try:
            scope, params, subject = self.scope_of(context), to_params(ScopeParams, self), subject_of(self, context)
            action, words = apply_and_go_on(
                context,
                Step(self.technique, self.chosen_params(scope), params),
                scope,
                steps_from_json(self.then),
                subject,
                self.must_change,
            )
        except Refusal as error:
            return self.refuse(error)
        show_words(context, self.technique.name, words if subject == context.object else "")
        self.report({"INFO"}, f"{action.name}: {words}")
        return {"FINISHED"}

    def scope_of(self, context):
        return gather(context, to_params(ScopeParams, self), subject_of(self, context))

    def chosen_params(self, scope):
        """The operator's own properties, over those of the preset if one is named."""
        values = to_values(self.technique.params, self)
        if self.preset:
            given = {name: value for name, value in values.items() if self.properties.is_property_set(name)}
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
                column.prop(self, view_name(name), index=index, slider=True, text=label)


def show_words(context, technique, words):
    """Show in the panel what a technique did."""
    settings = context.window_manager.motion_signal
    settings.report, settings.reporter = words, technique


def feet_later(action, subject, animated, words):
    """Add to what the panel shows of a result what it did to the feet, if both are still there."""
    action, subject = bpy.data.actions.get(action), bpy.data.objects.get(subject)
    settings = bpy.context.window_manager.motion_signal
    if action and action.get(SOURCE) and subject and settings.report == words:
        try:
            settings.report = "; ".join(filter(None, (words, feet_of(bpy.context, action, subject, animated))))
        except Refusal:  # it has been changed since so that nothing can be said
            return
        preview.redraw()


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
    text = f"{technique.text}. Makes a new action and leaves the take as it is"
    body = {
        "bl_idname": f"motion_signal.{technique.name}",
        "bl_label": technique.label,
        "bl_description": text,
        "technique": technique,
        "__annotations__": {**own, **common},
    }
    return type(f"MOTION_SIGNAL_OT_{technique.name}", (TechniqueOperator, bpy.types.Operator), body)


CLASSES = tuple(operator_for(technique) for technique in TECHNIQUES)
