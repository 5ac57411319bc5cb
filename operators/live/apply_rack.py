# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply: what the whole rack makes of the take becomes a new action, written from what is shown."""

from dataclasses import replace
from functools import partial

import bpy

from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from ...core.recipes.references import references
from ...core.recipes.words import body_words, feet_words, held_words, idle, step_words
from ..bridge.provenance import as_made
from ..bridge.scope import gather
from ..run.along import take_along
from ..run.apply import Treated, copy_action, keep, write
from ..run.recipe import follow_end, last_frame, name_of, remember_steps, used
from ..run.reduce_keys import check_body
from ..run.shown import settle
from . import preview
from .at_hand import AtHand, keep_now, subject_at_hand, take_in, take_up
from .rack import action_of, write_entry
from .session import asked, open_take


def apply_rack(context):
    """Make a new action of what the rack at hand makes of its take; the action and what happened, in words, or a Refusal.

    A result whose steps were changed is replaced by the new one if it is as it was made and nobody else uses it, nor a step.
    """
    if AtHand.rack.step:
        take_in(context, AtHand.rack.step.technique)  # a text that cannot be read is refused, and not left out
    keep_now()
    subject, animated, rack = subject_at_hand(), AtHand.animated, AtHand.rack
    result, slot = action_of(subject, animated)
    opened = opened_for(context, subject, animated, rack)
    run = opened.stack.show(rack.steps)
    refused = opened.stack.refusals()
    refuse_idle(rack, run, refused, result)
    shown = preview.session() if is_applied(preview.session(), run) else None
    if shown is None:
        preview.end()
    scope = gather(context, ScopeParams(action=rack.take, animated=animated), subject)
    if any(how.keys == "BODY" for how in run.writing.values()):
        check_body(scope.owner, scope.skeleton)
    named = any(result.name in references(step)["action"] for step in rack.steps)
    replaced = result if result.name != rack.take and not named and as_made(result, slot) else None
    ended, name = last_frame(result), result.name
    treated = adopted(shown, run, scope, rack, refused) if shown else written(run, opened.dense, scope, rack, refused)
    take_along(context.scene, treated, scope, result)
    follow_end(context.scene, ended, treated.action)
    if replaced:
        replace_result(replaced, treated.action)
    write_entry(subject, name, None)
    take_up(context, subject, animated, made=True)
    return treated, "; ".join(filter(None, (words_of(treated), left_out(rack, refused))))


def is_applied(current, run):
    """Whether what is shown is just what is to be written; a control rig is looked at once more before that."""
    measured = any(channel.measured for channel in run.whole.clip.channels)
    ready = current and current.run is run and current.after and not current.behind and run.done
    return bool(ready and not measured and current.shows.is_applied(current.bag, run))


def opened_for(context, subject, animated, rack):
    """The take with its stack: as the preview has it, or read now."""
    current = preview.session()
    if current and current.open.asked == asked(context, subject, animated, rack.take):
        return current.open
    return open_take(context, subject, animated, rack.take)[0]


def refuse_idle(rack, run, refused, result):
    """Refuse to make an action that would be what the object has already, because nothing was set yet."""
    if not rack.steps:
        raise Refusal("there are no steps to apply: add one first")
    index = rack.open if rack.step else len(rack.steps) - 1
    step = rack.steps[index]
    nothing_set = index in refused or step.params == step.technique.params()
    if result.name == rack.take and nothing_set and all(map(idle, run.done)):
        waits = step.technique.waits if step.on else "switch it on"
        raise Refusal(refused.get(index) or f"{step.technique.label}: nothing would change; {waits}")


def adopted(current, run, scope, rack, refused):
    """A run that is shown as it is to be: the lent action becomes the result, which remembers the steps."""
    treated = Treated(run, current.open.dense, action=current.lent, known=current.shows.known(run))
    treated.action.name = name_of(run.done[-1].step, scope)
    remember(treated, treated.action.slots[scope.slot.identifier], scope, rack, refused)
    preview.leave_shown(treated.action)
    return treated


def written(run, dense, scope, rack, refused):
    """A run written as a new action for its owner, which remembers the steps."""
    run = run.fork()  # a control rig may ask for more
    joints = settle(run, scope)
    treated = Treated(run if run.done else None, dense, joints, plain=scope.words)
    try:
        if run.done:
            slot = write(treated, scope, name_of(run.done[-1].step, scope))
        else:
            treated.action = copy_action(scope, f"{scope.action.name} copy")
            slot = treated.action.slots[scope.slot.identifier]
        remember(treated, slot, scope, rack, refused)
    except BaseException:
        if treated.action is not None:
            bpy.data.actions.remove(treated.action)
        raise
    return treated


def remember(treated, slot, scope, rack, refused):
    """Let a result remember the steps, those that were refused as if they were off, and its owner have it."""
    done = iter(each.step for each in treated.run.done) if treated.run else iter(())
    steps = [
        next(done) if step.on and index not in refused else replace(step, on=False) for index, step in enumerate(rack.steps)
    ]
    remember_steps(treated.action, slot, scope.action, None, steps, treated.known)
    keep(treated.action, slot, scope)


def replace_result(result, action):
    """Put an action in the place of a result that can be made again; one that somebody else uses is only kept no more."""
    result.use_fake_user = False
    if not used(result):
        name = result.name
        bpy.data.actions.remove(result)
        action.name = name


def left_out(rack, refused):
    """What stood in the way of steps, in words."""
    return "; ".join(f"{rack.steps[index].technique.label} is left out: {words}" for index, words in refused.items())


def words_of(treated):
    """What the last step did; what all of them did to the feet is looked at a moment later, where somebody watches."""
    run = treated.run
    if run is None:
        return treated.plain
    if bpy.app.background:
        return treated.words
    done = run.done[-1]
    bpy.app.timers.register(partial(feet_later, run, treated.action.name), first_interval=0.0)
    return "; ".join(filter(None, (step_words(done, run.before), done.told, treated.fewer, held_words(done.held))))


def feet_later(run, name):
    """Add to what the panel shows of a result what it did to the feet, if it is still there."""
    settings = bpy.context.window_manager.motion_signal
    if settings.report and name in bpy.data.actions:
        settings.report = "; ".join(filter(None, (settings.report, feet_words(run), body_words(run))))
        preview.redraw()


def cancel_rack(context):
    """Let the object have the rack again that its action was made by, and show nothing."""
    preview.end()
    subject = subject_at_hand()
    AtHand.touched = ""
    write_entry(subject, AtHand.action, None)  # by name: the action itself may have been deleted
    take_up(context, subject, AtHand.animated)
