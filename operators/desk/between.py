# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools of Between Takes: takes in the list, numbers that are asked for as faders over what the takes span, and a handle in
the viewport at which a hand or foot is to get."""

import bpy
import numpy as np

from ...core.library.numbers import UNITS
from ...core.numeric.refusal import Refusal
from ...core.techniques.several_takes.between import ASKED, BETWEEN, opener
from ..bridge.refuse import refusing
from ..live import preview
from ..settings.lists import put_records, records_of
from ..settings.properties import to_params
from .choose import ChoosesAction

DIFFERS = {"speed": 0.02, "turn": 5.0}  # takes that differ less in a number, or by this many metres, are not told apart by it
METRES = 0.02
HANDLE = 0.08  # metres
_alike = {}  # of the last session and list


def settings_of(context):
    return context.window_manager.motion_signal.between


def alike_shown(context):
    """The takes of what is previewed, as Alike; None where there are none."""
    current = preview.session()
    if current is None or current.technique != BETWEEN.name:
        return None
    settings = settings_of(context)
    key = (current, settings.takes, settings.limb, settings.itself)
    try:
        if key not in _alike:
            params = to_params(BETWEEN.params, settings)
            _alike.clear()
            _alike[key] = opener(current.take.clip, current.surroundings)(params) if params.takes else None
        return _alike[key]
    except Refusal:  # the panel says why
        return None


def spans(context):
    """What the takes span in every number in which they differ, {name: (low, high)}."""
    alike = alike_shown(context)
    try:
        found = {name: alike.span(name) for name in UNITS} if alike else {}
    except Refusal:
        return {}
    return {name: (low, high) for name, (low, high) in found.items() if high - low > DIFFERS.get(name, METRES)}


def fader(name):
    """A number as a percentage of what the takes span in it."""

    def get(self):
        low, high = spans(bpy.context).get(name, (0.0, 1.0))
        return float(np.clip(100.0 * (getattr(settings_of(bpy.context), name) - low) / (high - low), 0.0, 100.0))

    def put(self, share):
        low, high = spans(bpy.context).get(name, (0.0, 1.0))
        setattr(settings_of(bpy.context), name, low + share / 100.0 * (high - low))

    return bpy.props.FloatProperty(
        name=BETWEEN.parameters[name].label,
        description=f"{BETWEEN.parameters[name].text}: from the least to the most of the takes",
        subtype="PERCENTAGE",
        min=0.0,
        max=100.0,
        precision=0,
        options={"SKIP_SAVE"},
        get=get,
        set=put,
    )


class MOTION_SIGNAL_PG_between_faders(bpy.types.PropertyGroup):
    """A fader for each number; what they are is in the settings of the technique."""

    __annotations__ = {name: fader(name) for name in UNITS}


class MOTION_SIGNAL_OT_between_take_add(ChoosesAction, bpy.types.Operator):
    """Add a take to the list that does the same otherwise"""

    bl_idname = "motion_signal.between_take_add"
    bl_label = "Add Take"

    def execute(self, context):
        settings = settings_of(context)
        takes = records_of(settings, BETWEEN, "takes")
        put_records(settings, BETWEEN, "takes", [*takes, {"action": self.action}], len(takes))
        return {"FINISHED"}


class MOTION_SIGNAL_OT_between_ask(bpy.types.Operator):
    """Ask for this number, at first for what it is in the take; or do not ask for it any more"""

    bl_idname = "motion_signal.between_ask"
    bl_label = "Ask"
    bl_options = {"INTERNAL"}

    field: bpy.props.StringProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return BETWEEN.parameters[properties.field].text if properties.field in ASKED else cls.__doc__

    @refusing
    def execute(self, context):
        if self.field not in ASKED:
            raise Refusal(f"field: there is no {self.field!r}; there are {', '.join(ASKED)}")
        settings, alike = settings_of(context), alike_shown(context)
        asked = not getattr(settings, self.field)
        if asked and alike:
            with preview.paused():
                for name in ASKED[self.field]:
                    setattr(settings, name, alike.own(name))
        setattr(settings, self.field, asked)


class MOTION_SIGNAL_OT_between_handle(bpy.types.Operator):
    """Put an empty where the hand or foot gets in the take, and lead it there: move the empty, and it follows"""

    bl_idname = "motion_signal.between_handle"
    bl_label = "Add Handle"
    bl_options = {"REGISTER", "UNDO"}

    @refusing
    def execute(self, context):
        alike = alike_shown(context)
        if alike is None:
            raise Refusal("between takes: add the takes to its list first, which a place is to lie between")
        handle = bpy.data.objects.new(f"{alike.limb.replace('_', ' ').title()} Goes Here", None)
        handle.empty_display_type, handle.empty_display_size = "SPHERE", HANDLE
        handle.location = alike.start.hit(alike.limb).place
        context.scene.collection.objects.link(handle)
        context.view_layer.update()
        settings = settings_of(context)
        with preview.paused():
            settings.target = handle.name
        settings.by_place = True


CLASSES = (
    MOTION_SIGNAL_PG_between_faders,
    MOTION_SIGNAL_OT_between_take_add,
    MOTION_SIGNAL_OT_between_ask,
    MOTION_SIGNAL_OT_between_handle,
)


def register():
    bpy.types.WindowManager.motion_signal_between = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_between_faders)


def unregister():
    _alike.clear()
    del bpy.types.WindowManager.motion_signal_between
