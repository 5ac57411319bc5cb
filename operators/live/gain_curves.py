# SPDX-License-Identifier: GPL-3.0-or-later
"""Gains as curves that the animator keys in the Graph Editor: they are on the result, and the result follows them at once.

Such a result is a copy of the take with a curve for every gain. Whenever one of these changes, the copy's motion is worked out
anew from the take by the stack of the preview, as an equalizer step whose faders move, feet planted and all.
"""

import bpy

from ...core.declare.faders import EqualizeParams
from ...core.declare.scope import ScopeParams
from ...core.motion.clip import Channel
from ...core.numeric.bands import band_edges
from ...core.numeric.refusal import Refusal
from ...core.recipes.recipe import Step
from ...core.techniques.character.automate import curve_name
from ...core.techniques.character.equalize import EQUALIZE
from ..bridge.actions import channelbag
from ..bridge.keyframes import new_curve
from ..bridge.provenance import SOURCE, forget
from ..bridge.refuse import refusing
from ..bridge.scope import active_object, gather
from ..bridge.writer import KeysChanged
from ..run.apply import copy_action, keep
from . import preview
from .session import open_take
from .show_run import ShowRun

LIVE = "motion_signal_live_gains"


class Following:
    """The result that is being followed, what its gains were, and the stack and writer of the preview that work it out."""

    action = ""
    open = shows = gains = None
    busy = False


def band_of(path, fps, frames):
    """The band whose gain a curve of this path is, or None."""
    names = [curve_name(*edges) for edges in band_edges("HZ", fps, frames)]
    return names.index(path) if path in names else None


@bpy.app.handlers.persistent
def follow_gains(scene, *_):
    """Work out a result anew whose gains have changed."""
    subject = active_object(bpy.context)
    data = subject.animation_data if subject else None
    if Following.busy or not data or not data.action or LIVE not in data.action or not data.action.get(SOURCE):
        return
    Following.busy = True
    try:
        follow(bpy.context, subject, data.action)
    except KeysChanged:  # other keys among its own, set by hand or brought back by undo: next time it writes all of them
        Following.action = ""
    except Refusal as error:
        bpy.context.window_manager.motion_signal.notice = str(error)
    finally:
        Following.busy = False


def follow(context, subject, action):
    if Following.action != action.name or Following.open is None:
        attend(context, subject, action)
    clip = Following.open.stack.run.whole.clip
    bag = channelbag(action, subject.animation_data.action_slot)
    gains = {band: curve for curve in bag.fcurves if (band := band_of(curve.data_path, clip.fps, clip.frames)) is not None}
    frames = range(clip.first_frame, clip.last_frame + 1)
    gains = {band: [[frame, curve.evaluate(frame)] for frame in frames] for band, curve in gains.items()}
    if gains == Following.gains:
        return
    Following.gains = gains
    moving = tuple({"band": band, "keys": keys} for band, keys in gains.items())
    stack = Following.open.stack
    run = stack.show((Step(EQUALIZE, EqualizeParams(automation=moving), ScopeParams()),))
    if stack.refusals():
        raise Refusal(stack.refusals()[0])
    Following.shows(bag, run)
    subject.update_tag(refresh={"TIME"})
    preview.redraw()


def attend(context, subject, action):
    """Begin to follow a result: the take that it was made from is read as for any preview."""
    Following.open, _ = open_take(context, subject, "OBJECT", action[SOURCE].name)
    Following.shows = ShowRun(Following.open.stack.run, Following.open.dense)
    Following.action, Following.gains = action.name, None


class MOTION_SIGNAL_OT_gain_curve(bpy.types.Operator):
    """Make the gain of this band a curve to be keyed in the Graph Editor: a new action that follows it as you key"""

    bl_idname = "motion_signal.gain_curve"
    bl_label = "Gain Curve"
    bl_options = {"REGISTER", "UNDO"}

    band: bpy.props.IntProperty(name="Band", min=0, max=31, description="Band, counted from the finest")

    @refusing
    def execute(self, context):
        preview.stop(context)
        scope = gather(context, ScopeParams())
        path = curve_name(*band_edges("HZ", scope.fps, scope.last - scope.first + 1)[self.band])
        action = scope.action
        if LIVE not in action:
            action = copy_action(scope, f"{scope.action.name} automation")
            action[LIVE] = True
            forget(action)  # it is not made of its take alone: its gains are curves of its own
            keep(action, action.slots[scope.slot.identifier], scope)
        bag = channelbag(action, scope.owner.animation_data.action_slot)
        scope.owner[path[2:-2]] = 1.0
        if bag.fcurves.find(path) is None:
            curve = new_curve(bag, Channel(path, 0))
            curve.keyframe_points.insert(context.scene.frame_current, 1.0)
        Following.action = ""
        self.report({"INFO"}, f"{action.name}: key {path[2:-2]} in the Graph Editor")


CLASSES = (MOTION_SIGNAL_OT_gain_curve,)
HANDLERS = ("depsgraph_update_post", "frame_change_post")


def register():
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(follow_gains)


def unregister():
    Following.action, Following.gains = "", None
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(follow_gains)
