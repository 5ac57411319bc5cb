# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals: what one wants of a take, in a word; each is a step with a good amount of it, kept as data in presets/goals.json."""

import json
from functools import cache

import bpy

from ...core.declare import params as parameters
from ...core.declare.version import ROOT
from ...core.numeric.frozen import frozen
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step, step_from_data
from ..bridge.refuse import refusing
from .at_hand import AtHand
from .presets import load_preset
from .steps import add_step

FILE = ROOT / "presets" / "goals.json"
PICTURES = ROOT / "presets" / "goals"  # docs/goal_pictures.py draws them
_pictures = {}  # Blender's collection of them, once they are shown


@frozen
class Goal:
    """What is wanted, and the step that gives it; `tool` prepares what the step needs."""

    name: str
    label: str
    text: str
    step: Step
    preset: str = ""
    tool: str = ""

    def params(self):
        """The step's parameters, over those of the preset if it names one."""
        if not self.preset:
            return self.step.params
        given = parameters.changed(self.step.params)
        loaded = load_preset(self.step.technique, self.preset).params
        return parameters.build(self.step.technique.params, {**parameters.changed(loaded), **given})


@cache
def goals():
    """All goals, in their order."""
    return tuple(map(read_goal, json.loads(FILE.read_text("utf-8"))))


def read_goal(data):
    step = step_from_data({"technique": data["technique"], "params": data["params"]})
    more = {name: data.get(name, "") for name in ("preset", "tool")}
    return Goal(data["name"], data["label"], data["text"], step, **more)


def goal_pictures():
    """Pictures by the names of goals, loaded when they are first asked for."""
    import bpy.utils.previews

    if not _pictures:
        shown = _pictures["goals"] = bpy.utils.previews.new()
        for goal in goals():
            shown.load(goal.name, str(PICTURES / f"{goal.name}.png"), "IMAGE")
    return _pictures["goals"]


def goal_named(name):
    for goal in goals():
        if goal.name == name:
            return goal
    raise Refusal(f"goal: there is no {name}; there are {', '.join(goal.name for goal in goals())}")


class MOTION_SIGNAL_OT_goal(bpy.types.Operator):
    """Add the step that gives this"""

    bl_idname = "motion_signal.goal"
    bl_label = "Goal"
    bl_options = {"UNDO", "INTERNAL"}

    goal: bpy.props.StringProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        try:
            return goal_named(properties.goal).text
        except Refusal:
            return cls.__doc__

    @refusing
    def execute(self, context):
        goal = goal_named(self.goal)
        brief = bool(goal.step.technique.principal) and not goal.tool
        add_step(context, goal.step.technique, goal.params(), whole=True, brief=brief)
        if goal.tool:
            TOOLS[goal.tool](context)


def make_path(context):
    bpy.ops.motion_signal.path_create("EXEC_DEFAULT", False)


def slow_section(context):
    """Slow the preview range, or the middle third of the take."""
    scene = context.scene
    first, last = (round(frame) for frame in bpy.data.actions[AtHand.rack.take].frame_range)
    start, end = first + (last - first) // 3, last - (last - first) // 3
    if scene.use_preview_range and max(first, scene.frame_preview_start) < min(last, scene.frame_preview_end):
        start, end = max(first, scene.frame_preview_start), min(last, scene.frame_preview_end)
    bpy.ops.motion_signal.retime_section("EXEC_DEFAULT", False, frame_start=start, frame_end=end)


TOOLS = {"path_create": make_path, "retime_section": slow_section}
CLASSES = (MOTION_SIGNAL_OT_goal,)


def unregister():
    if _pictures:
        import bpy.utils.previews

        bpy.utils.previews.remove(_pictures.pop("goals"))
