# SPDX-License-Identifier: GPL-3.0-or-later
"""The timewarp's tools: anchors and moves as lists and as marks in lanes, from markers, and to beats."""

import bpy
import numpy as np

from ...core.body.contacts import events, find_contacts
from ...core.body.roles import find_roles
from ...core.numeric.refusal import Refusal
from ...core.techniques.time.timewarp import TIMEWARP, time_map
from ..bridge.refuse import refusing
from ..bridge.scope import animated_owner
from ..desk.choose import marker_pairs
from ..draw.lanes import add_lane, remove_lane
from ..draw.pair_lanes import pair_lanes
from ..live import preview
from ..settings.lists import put_records, records_of
from ..settings.properties import to_params

_maps = {}  # the last time map that was asked for


def session():
    current = preview.session()
    return current if current and current.technique == TIMEWARP.name else None


def settings_of(context):
    return context.window_manager.motion_signal.timewarp


def shown_map(context):
    """Frames of the take beside those of the reference, or where they go, (pairs, 2), of what is previewed; or None."""
    current = preview.shown(context, TIMEWARP.name)
    return map_of(context, current) if current and current.result else None


def map_of(context, current):
    settings = settings_of(context)
    asked = (
        current,
        settings.reference,
        settings.anchors,
        settings.moves,
        settings.hold,
        settings.open_ends,
        settings.fastest,
        settings.slowest,
        settings.stretch,
        settings.bend,
        settings.root,
        settings.limbs,
    )
    if asked not in _maps:
        _maps.clear()
        try:
            _maps[asked] = time_map(current.take.clip, to_params(TIMEWARP.params, settings), current.surroundings)
        except Refusal:  # the panel says why
            _maps[asked] = None
    return _maps[asked]


def field_shown(settings):
    """The list that counts now: pairs with the reference, or moves without one."""
    return "anchors" if settings.reference else "moves"


LANES = pair_lanes(TIMEWARP, field_shown, ("Take", "Goes to"))


def add_pair(context, frame, there):
    """A pair in the list that counts, in order, instead of one that has the same frame."""
    settings = settings_of(context)
    field = field_shown(settings)
    pairs = [pair for pair in records_of(settings, TIMEWARP, field) if pair["frame"] != frame]
    pairs = sorted([*pairs, {"frame": frame, "there": there}], key=lambda pair: pair["frame"])
    put_records(settings, TIMEWARP, field, pairs, [pair["frame"] for pair in pairs].index(frame))


class MOTION_SIGNAL_OT_timewarp_pair_add(bpy.types.Operator):
    """Hold the current frame: with a reference to the moment that it belongs to now, else to where it is"""

    bl_idname = "motion_signal.timewarp_pair_add"
    bl_label = "Add"
    bl_options = {"INTERNAL"}

    def execute(self, context):
        frame = context.scene.frame_current
        pairs = shown_map(context)
        there = frame if pairs is None else round(float(np.interp(frame, pairs[:, 0], pairs[:, 1])))
        add_pair(context, frame, there)
        return {"FINISHED"}


class MOTION_SIGNAL_OT_timewarp_from_markers(bpy.types.Operator):
    """Take the pose markers of the action; with a reference those that have the same name in both"""

    bl_idname = "motion_signal.timewarp_from_markers"
    bl_label = "From Markers"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        action = action_at_hand(context)
        other = bpy.data.actions.get(settings.reference) if settings.reference else action
        if other is None:
            raise Refusal(f"reference: there is no action {settings.reference}")
        pairs = marker_pairs(action, other)
        put_records(settings, TIMEWARP, field_shown(settings), [{"frame": a, "there": b} for a, b in pairs], 0)
        return {"FINISHED"}


class MOTION_SIGNAL_OT_timewarp_from_steps(bpy.types.Operator):
    """Let heel strikes belong together: every step of the take with the step of the reference nearest to where it is now"""

    bl_idname = "motion_signal.timewarp_from_steps"
    bl_label = "From Steps"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        if not settings.reference:
            raise Refusal("choose a reference first")
        if session() is None:
            preview.show(context, TIMEWARP)
        with preview.paused():
            settings.anchors = ""
        pairs = paired_steps(session(), settings.reference, map_of(context, session()))
        put_records(settings, TIMEWARP, "anchors", [{"frame": a, "there": b} for a, b in pairs], 0)
        return {"FINISHED"}


def paired_steps(current, reference, pairs):
    """Heel strikes of the take and of the reference that are each other's nearest of the same foot, in order."""
    takes = current.take.clip, current.surroundings.takes[reference]
    skeleton = current.surroundings.skeleton
    if skeleton is None:
        raise Refusal("there is no armature whose steps could be found")
    roles = find_roles(skeleton)
    steps = [events(find_contacts(take, skeleton, roles), take) for take in takes]
    found = []
    for foot in steps[0].keys() & steps[1].keys():
        own, other = (np.array(take[foot]["strikes"], dtype=float) for take in steps)
        if len(own) and len(other):
            gaps = np.abs(np.interp(own, pairs[:, 0], pairs[:, 1])[:, None] - other)
            found += [
                (int(own[row]), int(other[gaps[row].argmin()]))
                for row in range(len(own))
                if gaps[:, gaps[row].argmin()].argmin() == row
            ]
    kept = []
    for pair in sorted(found):
        if not kept or pair[0] > kept[-1][0] and pair[1] > kept[-1][1]:
            kept.append(pair)
    if not kept:
        raise Refusal("no steps were found in both takes")
    return kept


def action_at_hand(context):
    """The take that is being worked on: what is lent stands for its source."""
    owner = animated_owner(context.object, context.window_manager.motion_signal.scope.animated)
    action = owner.animation_data.action if owner.animation_data else None
    if action is None:
        raise Refusal(f"{owner.name} has no action")
    return action


class MOTION_SIGNAL_OT_timewarp_to_beats(bpy.types.Operator):
    """Move every mark to the nearest beat"""

    bl_idname = "motion_signal.timewarp_to_beats"
    bl_label = "To Beats"
    bl_options = {"REGISTER", "INTERNAL"}

    beats_per_minute: bpy.props.FloatProperty(
        name="Beats per Minute",
        default=120.0,
        min=1.0,
        soft_max=240.0,
        max=10000.0,
        description="How fast the beats follow each other",
    )
    first_beat: bpy.props.FloatProperty(name="First Beat", default=1.0, description="Frame of the first beat")
    beats: bpy.props.StringProperty(name="Beats", description="Frames of the beats between commas, instead of an even beat")

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self)

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        pairs = records_of(settings, TIMEWARP, "moves")
        if not pairs:
            raise Refusal("there are no marks to move: add some first")
        moved = self.nearest(context, [pair["there"] for pair in pairs])
        if len(set(moved)) < len(moved):
            raise Refusal("two marks would go to the same beat")
        put_records(settings, TIMEWARP, "moves", [{**pair, "there": frame} for pair, frame in zip(pairs, moved)])
        return {"FINISHED"}

    def nearest(self, context, frames):
        if self.beats.strip():
            try:
                beats = np.array([float(beat) for beat in self.beats.split(",")])
            except ValueError:
                raise Refusal(f"beats: '{self.beats}' is no list of frames") from None
            return [round(float(beats[np.abs(beats - frame).argmin()])) for frame in frames]
        render = context.scene.render
        step = 60.0 / self.beats_per_minute * render.fps / render.fps_base
        return [round(self.first_beat + step * round((frame - self.first_beat) / step)) for frame in frames]


CLASSES = (
    MOTION_SIGNAL_OT_timewarp_pair_add,
    MOTION_SIGNAL_OT_timewarp_from_markers,
    MOTION_SIGNAL_OT_timewarp_from_steps,
    MOTION_SIGNAL_OT_timewarp_to_beats,
)


def register():
    for lane in LANES:
        add_lane(lane)


def unregister():
    _maps.clear()
    for lane in LANES:
        remove_lane(lane)
