# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools of speed and wavelet blend: takes in the list, the curve of speeds, and events as marks that can be moved."""

import bpy
import numpy as np

from ...core.body.gait_events import KEYS, gait_events, twins
from ...core.numeric.refusal import Refusal
from ...core.techniques import technique
from ...core.techniques.several_takes.speed import SPEED, answer, in_words, opener
from ...core.techniques.several_takes.wavelet_blend import WAVELET_BLEND
from ..bridge.provenance import SOURCE
from ..bridge.refuse import refusing
from ..desk.choose import ChoosesAction, marker_pairs
from ..draw.handlers import Drawing
from ..draw.inset import draw_inset
from ..draw.lanes import add_lane, remove_lane
from ..draw.pair_lanes import pair_lanes
from ..live import preview
from ..settings.lists import put_records, records_of
from ..settings.properties import to_params

MEASURED, FITTED, LINEAR, TAKES, WISH = (
    (1.0, 0.62, 0.2, 1.0),
    (0.35, 0.75, 0.95, 0.9),
    (1.0, 1.0, 1.0, 0.35),
    (1.0, 1.0, 1.0, 1.0),
    (1.0, 0.3, 0.3, 1.0),
)
LANES = pair_lanes(WAVELET_BLEND, lambda settings: "anchors", ("Take", "Other"))
_gaits = {}  # of the last session and list


def gaits_shown(context):
    """The gaits of what is previewed, and the parameters; None where there are none."""
    current = preview.shown(context, SPEED.name)
    if current is None:
        return None
    settings = context.window_manager.motion_signal.speed
    key = (current, settings.takes, settings.goal)
    try:
        params = to_params(SPEED.params, settings)
        if key not in _gaits:
            _gaits.clear()
            _gaits[key] = opener(current.take.clip, current.surroundings)(params) if params.takes else None
        return (_gaits[key], params) if _gaits[key] else None
    except Refusal:  # the panel says why
        return None


def answer_words(context):
    """What the speed that is asked for comes to, in a sentence."""
    shown = gaits_shown(context)
    try:
        return in_words(answer(*shown)) if shown else ""
    except Refusal:
        return ""


def draw_speeds():
    shown = gaits_shown(bpy.context)
    if shown is None:
        return
    gaits, params = shown
    curve = gaits.curve()
    lines = [
        (LINEAR, np.column_stack([curve.factors, curve.linear])),
        (FITTED, np.column_stack([curve.factors, curve.fitted])),
        (MEASURED, np.column_stack([curve.factors, curve.measured])),
    ]
    dots = [(TAKES, [(factor, value) for _, factor, value in curve.takes])]
    try:
        found = answer(gaits, params)
        dots.append((WISH, [(np.clip(found.factor, 0, curve.factors[-1]), getattr(found.pace, curve.name))], 7))
    except Refusal:
        pass
    values = np.concatenate([curve.measured, curve.linear])
    margin = 0.05 * np.ptp(values)
    draw_inset(
        "Mix across, measured up",
        (0.0, values.min() - margin),
        (curve.factors[-1], values.max() + margin),
        lines=lines,
        dots=dots,
    )


class MOTION_SIGNAL_OT_speed_take_add(ChoosesAction, bpy.types.Operator):
    """Add a take to the list"""

    bl_idname = "motion_signal.speed_take_add"
    bl_label = "Add Take"

    technique: bpy.props.StringProperty(default=SPEED.name, options={"SKIP_SAVE"}, description="Whose list it is")

    def execute(self, context):
        entry, settings = technique(self.technique), getattr(context.window_manager.motion_signal, self.technique)
        takes = records_of(settings, entry, "takes")
        put_records(settings, entry, "takes", [*takes, {"action": self.action}], len(takes))
        return {"FINISHED"}


class MOTION_SIGNAL_OT_wavelet_events(bpy.types.Operator):
    """List the events of both takes as marks that can be moved: strikes and mid swings, or pose markers of the same name"""

    bl_idname = "motion_signal.wavelet_events"
    bl_label = "Find Events"
    bl_options = {"INTERNAL"}

    markers: bpy.props.BoolProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return (
            "Take pose markers that have the same name in both actions"
            if properties.markers
            else "List strikes and mid swings of both takes as marks that can be moved"
        )

    @refusing
    def execute(self, context):
        settings = context.window_manager.motion_signal.wavelet_blend
        if not settings.take:
            raise Refusal("choose another take first")
        if preview.session() is None or preview.session().technique != WAVELET_BLEND.name:
            preview.show(context, WAVELET_BLEND)
        pairs = (marked if self.markers else stepped)(preview.session(), settings.take)
        with preview.paused():
            settings.events = "ANCHORS"
        put_records(settings, WAVELET_BLEND, "anchors", [{"frame": a, "there": b} for a, b in pairs], 0)


def stepped(current, name):
    """Frames of strikes and mid swings that belong together; those that only one of the takes has are not among them."""
    around = current.surroundings
    takes = ((current.take.clip, "the take", around.contacts() or None), (around.takes[name], name, None))
    found = [gait_events(clip, around.skeleton, contacts, KEYS, label) for clip, label, contacts in takes]
    return twins(*found, "the take", name).pairs


def marked(current, name):
    """Frames of pose markers that have the same name in both actions."""
    return marker_pairs(current.lent[SOURCE], bpy.data.actions[name])


CLASSES = (MOTION_SIGNAL_OT_speed_take_add, MOTION_SIGNAL_OT_wavelet_events)
DRAWING = Drawing((draw_speeds, "POST_PIXEL"))


def register():
    DRAWING.register()
    for entry in LANES:
        add_lane(entry)


def unregister():
    _gaits.clear()
    DRAWING.unregister()
    for entry in LANES:
        remove_lane(entry)
