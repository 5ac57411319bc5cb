# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing over a take: while the displacement is previewed, a pose set by hand shows at once, and Add Key keeps it.

A pose is told from the take by comparing what the bones hold with what the lent action's curves say at this frame.
"""

import bpy
import numpy as np

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.techniques.character.displace import DISPLACE, difference, merged
from ..bridge.actions import channelbag
from ..bridge.refuse import refusing
from ..bridge.scope import gather
from ..bridge.unanimated import value_at
from ..draw.lanes import Lane, LaneBar, add_lane, remove_lane
from ..live import preview
from ..settings.lists import index_name, put_records, records_of, remove_record
from ..settings.properties import to_params

FIELD = "displacement_keys"
TOUCHED = 1e-6  # of a channel's size: more than single precision loses between a curve and what it animates


class Posing:
    """What is posed but not kept yet, and the channels that something else than the action moves."""

    session = None
    deaf = frozenset()
    frame, change = None, None
    busy = False


def pose_shown(context):
    """The pose set by hand that is shown at this frame and not kept as a key yet, or None."""
    shown = Posing.change is not None and Posing.session is session() and Posing.frame == context.scene.frame_current
    return Posing.change if shown else None


def session():
    """The displacement being previewed and shown, or None."""
    current = preview.session()
    return current if current and current.technique == DISPLACE.name else None


def attend(context):
    """Start listening to a session: channels that differ from their curves already are driven by something else."""
    current = session()
    Posing.session, Posing.frame, Posing.change, Posing.deaf = current, None, None, frozenset()
    if current:
        context.view_layer.update()
        Posing.deaf = frozenset(touched_columns(context, current.owner, current.bag, current.take.clip)[1]) | driven(current)
    return current


def driven(current):
    """The columns that drivers animate."""
    drivers = {(curve.data_path, curve.array_index) for curve in current.owner.animation_data.drivers}
    return {column for column, channel in enumerate(current.take.clip.channels) if (channel.path, channel.index) in drivers}


def touched_columns(context, owner, bag, clip):
    """What the owner holds (channels,), and the columns in which that is not what the curves say at this frame."""
    time = context.scene.frame_current_final
    posed, touched = np.zeros(len(clip.channels)), set()
    vectors = {path: value_at(owner, path) for path in {channel.path for channel in clip.channels}}
    for column, channel in enumerate(clip.channels):
        curve, value = bag.fcurves.find(channel.path, index=channel.index), vectors[channel.path]
        if value is None or curve is None:
            continue
        posed[column] = value[channel.index] if hasattr(value, "__len__") else value
        if abs(posed[column] - curve.evaluate(time)) > TOUCHED * max(1.0, abs(posed[column])):
            touched.add(column)
    return posed, touched


def change_posed(context, owner, bag, clip, angles_apart, deaf=frozenset()):
    """What the pose at hand changes of the take, or None if nothing."""
    frame = context.scene.frame_current
    posed, touched = touched_columns(context, owner, bag, clip)
    if touched <= deaf or not clip.first_frame <= frame <= clip.last_frame:
        return None
    hung = {bone.name for bone in owner.pose.bones if bone.parent} if getattr(owner, "pose", None) else set()
    return difference(clip, frame, posed, touched - deaf, angles_apart, hung)


def keys_with(context, frame, change):
    """The keys of the panel with a change taken into the one at a frame, in order of time, and its index."""
    settings = context.window_manager.motion_signal.displace
    keys = records_of(settings, DISPLACE, FIELD)
    standing = next((key for key in keys if key.get("frame", 1) == frame), {"frame": frame})
    keys = [key for key in keys if key is not standing] + [merged(standing, change)]
    keys.sort(key=lambda key: key.get("frame", 1))
    return keys, next(index for index, key in enumerate(keys) if key.get("frame", 1) == frame)


def keep(context, frame, change):
    """Make a change a key of the list."""
    keys, index = keys_with(context, frame, change)
    put_records(context.window_manager.motion_signal.displace, DISPLACE, FIELD, keys, index)
    Posing.change = None


@bpy.app.handlers.persistent
def follow_pose(scene, *_):
    """Show what is being posed; drop it when the frame is left without keeping it."""
    current = session()
    if Posing.busy or current is None or not current.after or bpy.app.is_job_running("RENDER"):
        return
    Posing.busy = True
    try:
        if Posing.session is not current:
            attend(bpy.context)
        else:
            listen(bpy.context, current)
    finally:
        Posing.busy = False


def listen(context, current):
    settings = context.window_manager.motion_signal
    frame = context.scene.frame_current
    if Posing.change is not None and Posing.frame != frame:
        Posing.change = None
        preview.touched(context, DISPLACE)
        return
    change = change_posed(context, current.owner, current.bag, current.take.clip, settings.scope.angles_apart, Posing.deaf)
    if change is None or not settings.live:
        return
    if Posing.change is not None:
        change = merged(Posing.change, change)
    Posing.frame, Posing.change = frame, change
    if context.scene.tool_settings.use_keyframe_insert_auto:
        keep(context, frame, change)
        return
    keys, _ = keys_with(context, frame, change)
    params = to_params(DISPLACE.params, settings.displace)
    preview.show(context, DISPLACE, type(params)(tuple(keys), params.adjust))


class MOTION_SIGNAL_OT_displace_start(bpy.types.Operator):
    """Pose over the take: it goes on playing, and what you pose is shown at once"""

    bl_idname = "motion_signal.displace_start"
    bl_label = "Start"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        preview.show(context, DISPLACE)
        attend(context)
        return {"FINISHED"}


class MOTION_SIGNAL_OT_displace_key_add(bpy.types.Operator):
    """Keep the pose at this frame: its difference to the take becomes a key"""

    bl_idname = "motion_signal.displace_key_add"
    bl_label = "Add Key"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        add_key(self, context)


class MOTION_SIGNAL_OT_displace_key_press(bpy.types.Operator):
    """Keep the pose at this frame while posing over a take: what the animator's I does there, as what is keyed is only lent"""

    bl_idname = "motion_signal.displace_key_press"
    bl_label = "Add Displacement Key"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return session() is not None

    @refusing
    def execute(self, context):
        add_key(self, context)


def add_key(operator, context):
    """Make what is posed at this frame a key of the list."""
    frame, change = context.scene.frame_current, pose_at_hand(context)
    current = session()
    if current is None:
        preview.show(context, DISPLACE)
        current = attend(context)
    clip = current.take.clip
    if not clip.first_frame <= frame <= clip.last_frame:
        raise Refusal(f"frame {frame} is not one of the take's, {clip.first_frame} to {clip.last_frame}")
    keep(context, frame, change or {"bones": {}, "curves": {}})
    if change is None:
        operator.report({"INFO"}, "Nothing is posed here, so the key holds the take as it is")


def pose_at_hand(context):
    """What is posed at this frame, shown already or not, previewing or not."""
    current, angles_apart = session(), context.window_manager.motion_signal.scope.angles_apart
    if current is None:
        preview.stop(context)
        scope = gather(context, to_params(ScopeParams, context.window_manager.motion_signal.scope))
        return change_posed(context, scope.owner, channelbag(scope.action, scope.slot), scope.read().clip, angles_apart)
    change = change_posed(context, current.owner, current.bag, current.take.clip, angles_apart, Posing.deaf)
    shown = pose_shown(context)
    return merged(shown, change) if shown and change else shown or change


class MOTION_SIGNAL_OT_displace_key_copy(bpy.types.Operator):
    """Copy the active key to the current frame"""

    bl_idname = "motion_signal.displace_key_copy"
    bl_label = "Copy Key"
    bl_options = {"INTERNAL"}

    def execute(self, context):
        settings = context.window_manager.motion_signal.displace
        keys, index = records_of(settings, DISPLACE, FIELD), getattr(settings, index_name(FIELD))
        frame = context.scene.frame_current
        if not 0 <= index < len(keys) or any(key.get("frame", 1) == frame for key in keys):
            self.report({"ERROR"}, f"frame {frame} has a key already" if keys else "there is no key to copy")
            return {"CANCELLED"}
        keys = sorted([*keys, {**keys[index], "frame": frame}], key=lambda key: key.get("frame", 1))
        put_records(settings, DISPLACE, FIELD, keys, [key.get("frame", 1) for key in keys].index(frame))
        return {"FINISHED"}


class MOTION_SIGNAL_OT_displace_key_go(bpy.types.Operator):
    """Go to this key's frame"""

    bl_idname = "motion_signal.displace_key_go"
    bl_label = "Go to Key"
    bl_options = {"INTERNAL"}

    index: bpy.props.IntProperty(options={"SKIP_SAVE"})

    def execute(self, context):
        settings = context.window_manager.motion_signal.displace
        setattr(settings, index_name(FIELD), self.index)
        context.scene.frame_set(settings.displacement_keys_rows[self.index].frame)
        return {"FINISHED"}


def key_bars(context):
    """The keys as marks along the time line."""
    if preview.shown(context, DISPLACE.name) is None:
        return []
    settings = context.window_manager.motion_signal.displace
    chosen = getattr(settings, index_name(FIELD))
    return [
        LaneBar(row.frame, row.frame, KEY if row.on else OFF, index == chosen)
        for index, row in enumerate(settings.displacement_keys_rows)
    ]


def key_moved(context, moved, frame, _):
    """A key was dragged: it goes there unless another stands there, or the take does not reach so far."""
    clip, rows = session().take.clip, context.window_manager.motion_signal.displace.displacement_keys_rows
    taken = {row.frame for index, row in enumerate(rows) if index != moved}
    if frame in taken or not clip.first_frame <= frame <= clip.last_frame:
        return False
    rows[moved].frame = frame
    return True


def key_chosen(context, index):
    setattr(context.window_manager.motion_signal.displace, index_name(FIELD), index)


def key_removed(context, index):
    remove_record(context.window_manager.motion_signal.displace, DISPLACE, FIELD, index)


KEY, OFF = (1.0, 0.62, 0.2, 1.0), (0.5, 0.5, 0.5, 1.0)
LANE = Lane("Keys", key_bars, key_moved, key_chosen, key_removed)
HANDLERS = ("depsgraph_update_post", "frame_change_post")
CLASSES = (
    MOTION_SIGNAL_OT_displace_start,
    MOTION_SIGNAL_OT_displace_key_add,
    MOTION_SIGNAL_OT_displace_key_press,
    MOTION_SIGNAL_OT_displace_key_copy,
    MOTION_SIGNAL_OT_displace_key_go,
)


def register():
    add_lane(LANE)
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(follow_pose)


def unregister():
    remove_lane(LANE)
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(follow_pose)
    Posing.session = Posing.change = None
