# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinning in Blender: I over a pose pins the bone where it is, from now on; pins are bars in lanes, a lane for every bone."""

import bpy
import numpy as np

from ...core.motion.bars import PIN, Bar
from ...core.motion.skeleton import sub_skeleton
from ...core.numeric.refusal import Refusal
from ...core.techniques.figure.pins import PINS
from ..bridge.refuse import refusing
from ..draw.bar_lanes import bar_lane
from ..draw.lanes import add_lane, remove_lane
from ..live import preview
from ..settings.lists import index_name, put_records, records_of

FIELD = "pins"
LASTS = 1.0  # seconds that a new pin holds
POSED = 1e-3  # metres: a bone that is farther from where the motion has it was posed
LANES_SHOWN = 8  # bones that have a lane
HELD, OFF = (0.55, 0.85, 0.45, 0.9), (0.5, 0.5, 0.5, 0.8)


def session():
    """The pins being previewed, or None."""
    current = preview.session()
    return current if current and current.technique == PINS.name else None


def clock_of(current):
    """Which frame of the take each frame is, and the frames themselves; or None where they are the same."""
    clock = current.opening.around.clock if current and current.opening else None
    if clock is None or not np.isfinite(clock).all():
        return None
    return clock, current.take.clip.first_frame + np.arange(len(clock), dtype=float)


def take_frame(current, frame):
    """The frame of the take that is shown at a frame."""
    known = clock_of(current)
    return frame if known is None else round(float(np.interp(frame, known[1], known[0])))


def shown_frame(current, frame):
    """Where a frame of the take is shown."""
    known = clock_of(current)
    return frame if known is None else float(np.interp(frame, known[0], known[1]))


def records(context):
    return records_of(context.window_manager.motion_signal.pins, PINS, FIELD)


def put(context, pins, index=None):
    put_records(context.window_manager.motion_signal.pins, PINS, FIELD, pins, index)


def chosen_bones(context, owner):
    """The bones to be pinned: those that are selected, else the active one; or a Refusal."""
    if getattr(owner, "pose", None) is None:
        raise Refusal("pins: an armature has bones to pin; select one")
    selected = [pose.name for pose in owner.pose.bones if getattr(pose, "select", None) or getattr(pose.bone, "select", False)]
    active = owner.data.bones.active
    names = selected if owner.mode == "POSE" and selected else [active.name] if active else []
    if not names:
        raise Refusal("pins: select the bone to be pinned in Pose Mode, then press I")
    return names


def pin_here(context, bone, frame):
    """A pin of a bone from a frame on: where it was posed, or else where it is."""
    current = session()
    owner, clip, skeleton = current.owner, current.take.clip, current.surroundings.skeleton
    if skeleton.index(bone) < 0:
        raise Refusal(f"pins: {bone} takes no part in this motion")
    if not clip.first_frame <= frame <= clip.last_frame:
        raise Refusal(f"frame {frame} is not one of the take's, {clip.first_frame} to {clip.last_frame}")
    there = owner.matrix_world @ owner.pose.bones[bone].head
    start = take_frame(current, frame)
    end = take_frame(current, min(clip.last_frame, frame + round(LASTS * clip.fps)))
    later = [pin.get("first", 1) for pin in records(context) if pin.get("bone") == bone and pin.get("first", 1) > start]
    pin = {"bone": bone, "first": start, "last": min([end, *(first - 1 for first in later)])}
    if np.linalg.norm(np.array(there) - shown_place(current, bone, frame)) > POSED:
        pin |= {"hold": "PLACE", **{axis: round(value, 5) for axis, value in zip("xyz", there)}}
    return pin


def shown_place(current, bone, frame):
    """Where the motion that is shown has a bone at a frame, in the world."""
    run = current.run
    clip, skeleton = run.whole.clip, sub_skeleton(run.figure.skeleton, [bone])
    rows = slice(frame - clip.first_frame, frame - clip.first_frame + 1)
    head = skeleton.posed(clip.with_values(clip.values[rows], np.arange(rows.start, rows.stop)))[1][0, skeleton.index(bone)]
    return (np.array(skeleton.world) @ (*head, 1.0))[:3]


def add_pins(context):
    """Pin the chosen bones where they are, from this frame on."""
    if session() is None:
        preview.show(context, PINS)
    current, frame = session(), context.scene.frame_current
    if current is None:
        raise Refusal("pins: they are not shown; open their step in the rack")
    pins = records(context)
    for bone in chosen_bones(context, current.owner):
        start = take_frame(current, frame)
        pins = [pin for pin in pins if (pin.get("bone"), pin.get("first", 1)) != (bone, start)]
        pins.append(pin_here(context, bone, frame))
    put(context, pins, len(pins) - 1)


class MOTION_SIGNAL_OT_pin_add(bpy.types.Operator):
    """Pin the selected bones where they are, from this frame on; one that was posed, where it was posed"""

    bl_idname = "motion_signal.pin_add"
    bl_label = "Pin Here"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        add_pins(context)


class MOTION_SIGNAL_OT_pin_press(bpy.types.Operator):
    """Pin this here from now: what I does while pins are shown, as what would be keyed is only lent"""

    bl_idname = "motion_signal.pin_press"
    bl_label = "Pin Here"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return session() is not None

    @refusing
    def execute(self, context):
        add_pins(context)


class MOTION_SIGNAL_OT_pin_go(bpy.types.Operator):
    """Go to the first frame of this pin"""

    bl_idname = "motion_signal.pin_go"
    bl_label = "Go to Pin"
    bl_options = {"INTERNAL"}

    index: bpy.props.IntProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        settings = context.window_manager.motion_signal.pins
        setattr(settings, index_name(FIELD), self.index)
        context.scene.frame_set(round(shown_frame(session(), settings.pins_rows[self.index].first)))
        return {"FINISHED"}


def pinned_bones(context):
    return list(dict.fromkeys(row.bone for row in context.window_manager.motion_signal.pins.pins_rows if row.bone))


def lane_of(number):
    """The lane of the pinned bone of this number."""

    def rows_of(context):
        bones, rows = pinned_bones(context), context.window_manager.motion_signal.pins.pins_rows
        if preview.shown(context, PINS.name) is None or number >= len(bones):
            return []
        own = [index for index, row in enumerate(rows) if row.bone == bones[number]]
        return sorted(own, key=lambda index: rows[index].first)

    def label(context):
        return pinned_bones(context)[number]

    def own(context):
        settings, indices, current = context.window_manager.motion_signal.pins, rows_of(context), session()
        bars = tuple(bar_of(current, settings.pins_rows[index]) for index in indices)
        chosen = getattr(settings, index_name(FIELD))
        return bars, indices.index(chosen) if chosen in indices else -1

    def keep(context, bars):
        indices, pins, current = rows_of(context), records(context), session()
        if len(bars) < len(indices):
            left = {round(shown_frame(current, pins[index].get("first", 1))): index for index in indices}
            gone = set(indices) - {left[round(bar.first)] for bar in bars}
            put(context, [pin for index, pin in enumerate(pins) if index not in gone], 0)
            return
        for index, bar in zip(indices, bars):
            first, last = (take_frame(current, round(frame)) for frame in (bar.first, bar.last))
            pins[index] = {**pins[index], "first": first, "last": last}
        put(context, pins)

    def choose(context, index):
        indices = rows_of(context)
        if 0 <= index < len(indices):
            setattr(context.window_manager.motion_signal.pins, index_name(FIELD), indices[index])

    def color(bar):
        return OFF if bar.state == "off" else HELD

    def frame_range(context):
        clip = session().take.clip
        return clip.first_frame, clip.last_frame

    return bar_lane(label, own, keep, choose, color, frame_range)


def bar_of(current, row):
    first, last = (shown_frame(current, frame) for frame in (row.first, row.last))
    words = " ".join(filter(None, (row.target_bone, row.target))) or ("place" if row.hold == "PLACE" else "here")
    return Bar(PIN, first, max(last, first), row.bone, state="" if row.on else "off", label=words)


LANES = tuple(map(lane_of, range(LANES_SHOWN)))
CLASSES = (MOTION_SIGNAL_OT_pin_add, MOTION_SIGNAL_OT_pin_press, MOTION_SIGNAL_OT_pin_go)


def register():
    for lane in LANES:
        add_lane(lane)


def unregister():
    for lane in LANES:
        remove_lane(lane)
