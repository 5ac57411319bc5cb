# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found in a library on the figure: seen there on an action that is lent to it, kept as an action, or joined on."""

from pathlib import Path

import bpy
import numpy as np

from ...core.body.upright import on_its_ground
from ...core.library.find import Hit
from ...core.library.placed import placed, spot_of
from ...core.numeric.refusal import Refusal
from ...core.techniques import technique as technique_named
from ..bridge.assign import assign
from ..bridge.provenance import SOURCE
from ..bridge.refuse import refusing
from ..bridge.scope import active_object
from ..library.as_action import action_from
from ..live import preview
from ..live.steps import add_step
from .library import settings_of, take_at_hand
from .versions import action_at_hand

POSE = 1.0  # seconds that are seen from a pose on
TRANSITION = 0.4  # seconds that a join takes
_stood = {}  # where the figure stood when it was last looked at
_seen = {}  # stretches that were seen from there and how they are called, by what they are and when their file was changed


class FoundOperator:
    """What operators on one of the stretches share."""

    number: bpy.props.IntProperty(name="Number", options={"SKIP_SAVE"}, description="Which one of the list, from 0")

    @classmethod
    def poll(cls, context):
        subject = active_object(context)
        return bool(subject and subject.type == "ARMATURE" and settings_of(context).found)


def found_at(context, number):
    """The hit of a row of the panel's list, and where its file is."""
    settings = settings_of(context)
    if not 0 <= number < len(settings.found):
        raise Refusal(f"number: {number} is none of the {len(settings.found)} that were found")
    row = settings.found[number]
    return Hit(row.path, row.figure, row.first, row.last, row.mirrored, row.distance, row.take), Path(
        bpy.path.abspath(settings.folder), row.path
    )


def on_figure(context, number, lead=0.0, feet=True, around=0.0):
    """The clip of a stretch on the active figure, where that is at the current frame, with some seconds `around` it; and how it
    is called."""
    from ..library.readable import changed_at, take_from  # with all that reads files, for which Blender's start need not wait

    hit, path = found_at(context, number)
    skeleton, spot = standing(context)
    frame, scene = context.scene.frame_current, context.scene
    rate = scene.render.fps / scene.render.fps_base
    key = path, hit, rate, changed_at(path)
    if not feet and key in _seen:
        return _seen[key]
    there, other = take_from(path, hit.figure)
    if hit.last == hit.first:
        hit = Hit(*hit[:3], round(min(there.last_frame, hit.first + POSE * there.fps)), *hit[4:])
    if around:
        wider = (hit.first - around * there.fps, hit.last + around * there.fps)
        hit = Hit(*hit[:2], *(int(np.clip(round(each), there.first_frame, there.last_frame)) for each in wider), *hit[4:])
    made = placed(there, other, hit, skeleton, rate, spot, frame, lead, feet), name_of(hit)
    if not feet:
        _seen[key] = made
    return made


def standing(context):
    """The active figure's skeleton and where it is at the current frame: as it was while it only shows something else."""
    subject, frame = active_object(context), context.scene.frame_current
    action = action_at_hand(subject)
    key = subject.name, action and action.session_uid, frame
    if not (seen(context) and key in _stood):
        clip, skeleton = take_at_hand(context)
        skeleton = on_its_ground(skeleton, clip)
        _stood.clear()
        _seen.clear()
        _stood[key] = skeleton, spot_of(clip, skeleton, frame)
    return _stood[key]


def name_of(hit):
    return f"{Path(hit.path).stem} {hit.first}-{hit.last}{' mirrored' if hit.mirrored else ''}"


def see(context, number):
    """Lend the figure an action with a stretch; what it had it gets back."""
    subject = active_object(context)
    clip, name = on_figure(context, number, feet=False)
    preview.end()
    before, slot = action_at_hand(subject), subject.animation_data.action_slot
    action, own = action_from(clip, f"{name} (library)", slot)
    action[preview.MARK], action[SOURCE] = slot.handle, before
    assign(subject, action, own.handle)
    settings_of(context).shown = number
    preview.redraw()


def keep(context, number, lead=0.0, around=0.0):
    """An action with a stretch for the figure, kept in the file; the one that is there already if it is the same."""
    subject = active_object(context)
    clip, name = on_figure(context, number, lead, around=around)
    preview.end()
    action, _ = action_from(clip, name, subject.animation_data.action_slot)
    action.use_fake_user = True
    return action, clip


class MOTION_SIGNAL_OT_library_show(FoundOperator, bpy.types.Operator):
    """See this on the figure, from its place and heading at the current frame on. Click again for the take"""

    bl_idname = "motion_signal.library_show"
    bl_label = "See on the Figure"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        if settings.shown == self.number and seen(context):
            preview.end()
            settings.shown = -1
            preview.redraw()
        else:
            see(context, self.number)


def seen(context):
    """Whether the active figure shows a stretch of the library."""
    subject = active_object(context)
    action = subject.animation_data.action if subject and subject.animation_data else None
    return bool(action and preview.MARK in action and preview.session() is None)


class MOTION_SIGNAL_OT_library_keep(FoundOperator, bpy.types.Operator):
    """Keep this as an action for the figure, to blend and join with"""

    bl_idname = "motion_signal.library_keep"
    bl_label = "Keep as Action"
    bl_options = {"REGISTER", "UNDO"}

    @refusing
    def execute(self, context):
        action, _ = keep(context, self.number)
        settings_of(context).shown = -1
        self.report({"INFO"}, f"{action.name} is an action of this file now")


class MOTION_SIGNAL_OT_library_continue(FoundOperator, bpy.types.Operator):
    """Go over into this from the current frame on: a Join step, live, with its feet planted"""

    bl_idname = "motion_signal.library_continue"
    bl_label = "Continue with This"
    bl_options = {"REGISTER", "UNDO"}

    transition: bpy.props.FloatProperty(
        name="Transition", default=TRANSITION, min=0.0, max=60.0, soft_max=2.0, description="Seconds that it takes"
    )

    @refusing
    def execute(self, context):
        frame = context.scene.frame_current
        action, _ = keep(context, self.number, lead=self.transition / 2.0)
        settings_of(context).shown = -1
        join = technique_named("join")
        add_step(
            context,
            join,
            join.params(take=action.name, cut="FRAMES", cut_frame=frame, enter_frame=frame, transition=self.transition),
            whole=True,
        )
        preview.redraw()


class MOTION_SIGNAL_OT_library_between(FoundOperator, bpy.types.Operator):
    """Keep the first of the list as actions, and ask for what lies between them, so high or so far: a step, live"""

    bl_idname = "motion_signal.library_between"
    bl_label = "Between These"
    bl_options = {"REGISTER", "UNDO"}

    count: bpy.props.IntProperty(name="Count", default=6, min=2, max=32, description="How many of the list, from the first on")
    around: bpy.props.FloatProperty(
        name="Around",
        default=0.5,
        min=0.0,
        max=60.0,
        soft_max=2.0,
        description="Seconds before and after each that are kept too",
    )

    @refusing
    def execute(self, context):
        count = min(self.count, len(settings_of(context).found))
        if count < 2:
            raise Refusal(f"between takes: {count} is found, and two are the fewest between which something lies")
        names = [keep(context, number, around=self.around)[0].name for number in range(count)]
        settings_of(context).shown = -1
        between = technique_named("between")
        add_step(context, between, between.params(takes=tuple({"action": name} for name in names), itself=False), whole=True)
        preview.redraw()


CLASSES = (
    MOTION_SIGNAL_OT_library_show,
    MOTION_SIGNAL_OT_library_keep,
    MOTION_SIGNAL_OT_library_continue,
    MOTION_SIGNAL_OT_library_between,
)
