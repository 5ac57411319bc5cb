# SPDX-License-Identifier: GPL-3.0-or-later
"""Retarget as it is asked for, seen at once: the figure plays it on an action that is only lent to it, until it is made.

What the figure had, and how bones stood that nothing else animates, is written into the lent action, so that whoever sweeps it
away can put it back.
"""

import json

import bpy

from ...core.numeric.refusal import Refusal
from ...core.techniques.several_takes.retarget import RetargetParams
from ..bridge.assign import animated_by
from ..bridge.provenance import SOURCE
from ..bridge.unanimated import value_at
from ..live import preview
from ..live.at_hand import is_paused
from ..live.lend import MARK, STOOD

SOON = 0.15  # seconds without a touch after which it is shown
_waiting = [""]  # the name of the object that is to show something


def touched(settings, context):
    """Something is asked otherwise: show that, if it is to be seen."""
    if is_paused():
        return
    if not settings.live:
        if showing(settings.id_data):
            preview.end()
            preview.redraw()
        return
    _waiting[0] = settings.id_data.name
    show_waiting() if bpy.app.background else preview.put_off(show_waiting, SOON)


def show_waiting():
    """Show what the object asks for that was touched last; what stands in the way is said."""
    subject, manager = bpy.data.objects.get(_waiting[0]), bpy.context.window_manager.motion_signal
    if subject is None or not subject.motion_signal_retarget.live:
        return
    try:
        show(subject)
        preview.notify(manager, "")
    except Refusal as error:
        preview.end()
        preview.notify(manager, str(error))
    preview.redraw()


def show(subject):
    """Lend an armature object an action with what it asks for; what it had it gets back."""
    from ..run import retarget  # with all that brings takes over, for which Blender's start need not wait

    settings, render = subject.motion_signal_retarget, bpy.context.scene.render
    if settings.source is None:
        raise Refusal("choose under From which armature has the take")
    preview.stop(bpy.context)
    take = retarget.take_of_object(settings.source, render.fps / render.fps_base)
    params = RetargetParams(map=settings.map_text(), plant=settings.plant, hands=settings.hands, travel=settings.travel)
    made = retarget.carried_onto(take, subject, params, settings.arms)
    data = subject.animation_data
    before, slot = (data.action, data.action_slot) if data else (None, None)
    action = bpy.data.actions.new(f"{take.figure} on {subject.name} (preview)")
    action[MARK] = slot.handle if slot else 0
    if before:
        action[SOURCE] = before
    paths = dict.fromkeys([*(channel.path for channel in made.clip.channels), *made.switches])
    animated = {path for path, _ in animated_by(before, slot)}
    held = {path: value_at(subject, path) for path in paths if path not in animated}
    action[STOOD] = json.dumps({path: list(value) if hasattr(value, "__len__") else value for path, value in held.items()})
    retarget.written(action, subject, made, take, settings.few, settings.millimetres)
    action.use_fake_user = False
    subject.update_tag(refresh={"TIME"})


def showing(subject):
    """Whether an object only shows what it asks for."""
    action = subject.animation_data.action if subject.animation_data else None
    return bool(action and STOOD in action)
