# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe of a result as a list: steps switched, moved and removed, run again, saved, and run on another take."""

from pathlib import Path

import bpy

from ...core.numeric.refusal import Refusal
from ..bridge.provenance import as_made
from ..bridge.refuse import refusing
from ..live import preview, steps
from ..live.rack import Rack
from ..run.recipe import read_recipe_file, run, run_instead
from .reopen import current_action, current_owner, current_result

ENDING = ".json"


CHANGES = {name: steps.CHANGES[name] for name in ("SWITCH", "UP", "DOWN", "REMOVE")} | {
    "RUN": ("Run Again", "Do all steps again, from the take on as it is now", lambda rack, index: rack)
}


class MOTION_SIGNAL_OT_recipe_change(steps.ChangeOperator, bpy.types.Operator):
    """Change the steps of a result, and make it anew from its take"""

    bl_idname = "motion_signal.recipe_change"
    bl_label = "Change Recipe"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = steps.ChangeOperator.asked(CHANGES)
    changes = CHANGES

    @refusing
    def execute(self, context):
        preview.stop(context)
        action, recipe = current_result(context)
        rack = Rack(recipe.source, recipe.steps)
        rack = CHANGES[self.change][2](rack, steps.index_of(rack, self.step)) if rack.steps else rack
        action, words = run_instead(context, recipe.with_steps(*rack.steps), action)
        context.window_manager.motion_signal.report = words
        self.report({"INFO"}, f"{action.name}: {words}")


class MOTION_SIGNAL_OT_recipe_save(bpy.types.Operator):
    """Save the steps of this result as a file, to be run on other takes"""

    bl_idname = "motion_signal.recipe_save"
    bl_label = "Save Recipe"
    bl_options = {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default="*" + ENDING, options={"HIDDEN"})
    check_existing: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context, event):
        self.filepath = self.filepath or f"{current_action(context).name}{ENDING}"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @refusing
    def execute(self, context):
        recipe = current_result(context)[1]
        path = Path(bpy.path.ensure_ext(bpy.path.abspath(self.filepath), ENDING))
        path.write_text(recipe.to_json(), encoding="utf-8")
        self.report({"INFO"}, f"Saved {path.name}")


class MOTION_SIGNAL_OT_recipe_run(bpy.types.Operator):
    """Do the steps in a recipe file on this take. Makes a new action and leaves the take as it is"""

    bl_idname = "motion_signal.recipe_run"
    bl_label = "Run Recipe"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default="*" + ENDING, options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return bool(context.object and context.object.animation_data and context.object.animation_data.action)

    def invoke(self, context, event):
        if self.filepath:  # dropped
            return self.execute(context)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @refusing
    def execute(self, context):
        preview.stop(context)
        action, words = run(context, read_recipe_file(bpy.path.abspath(self.filepath)), current_action(context))
        context.window_manager.motion_signal.report = words
        self.report({"INFO"}, f"{action.name}: {words}")


class MOTION_SIGNAL_FH_recipe(bpy.types.FileHandler):
    """A recipe dropped on an editor is run on the active object's take"""

    bl_idname = "MOTION_SIGNAL_FH_recipe"
    bl_label = "Motion Signal Recipe"
    bl_import_operator = "motion_signal.recipe_run"
    bl_file_extensions = ENDING

    @classmethod
    def poll_drop(cls, context):
        return bool(context.area and context.area.type in preview.SHOWING)


_by_hand = set()  # the name of the result that was changed by hand, as last looked


def changed_by_hand(action):
    """Whether a result was changed since it was made; for panels, which are told a moment later."""
    playing = getattr(getattr(bpy.context, "screen", None), "is_animation_playing", False)
    if not bpy.app.background and not playing and not bpy.app.timers.is_registered(look_for_changes):
        bpy.app.timers.register(look_for_changes, first_interval=0.3)
    return action.name_full in _by_hand


def look_for_changes():
    """Compare the active object's result with what it was, which takes too long for a redraw."""
    try:
        action = current_result(bpy.context)[0]
        now = set() if as_made(action, current_owner(bpy.context).animation_data.action_slot) else {action.name_full}
    except Refusal:  # there is none any more
        now = set()
    if now != _by_hand:
        _by_hand.clear()
        _by_hand.update(now)
        preview.redraw()


def unregister():
    if bpy.app.timers.is_registered(look_for_changes):
        bpy.app.timers.unregister(look_for_changes)


CLASSES = (MOTION_SIGNAL_OT_recipe_change, MOTION_SIGNAL_OT_recipe_save, MOTION_SIGNAL_OT_recipe_run, MOTION_SIGNAL_FH_recipe)
