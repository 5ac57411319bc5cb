# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps applied to a take: read once, run in memory, written once as a new action. Knows no context."""

import json
from dataclasses import dataclass, field, replace
from functools import cached_property

import bpy

from ...core.declare.technique import Surroundings
from ...core.motion.bars import bars_to_json, retimed
from ...core.recipes.figure import Figure
from ...core.recipes.recipe import in_turn
from ...core.recipes.run import Run
from ...core.recipes.words import run_words
from ...core.retargeting.foreign import Brought
from ..bridge.actions import Take, channelbag, repeats
from ..bridge.as_keyed import KeyedAlike
from ..bridge.assign import assign, note
from ..bridge.curves import Curves
from ..bridge.grounds import Grounds
from ..bridge.kept_texts import BARS, CONTACTS, all_bars, contacts_of, is_own, kept
from ..bridge.provenance import PLANTED, SOURCE, judged_by, original, original_clip, planted, unattached
from ..bridge.read_whole import read_whole
from ..bridge.switches import write_switches
from ..bridge.takes import Takes
from ..bridge.writer import Writer
from .keys_seen import PATIENCE, KeysSeen
from .reduce_keys import check_body, reduce_keys
from .shown import settle
from .targets import Targets


def surroundings_of(technique, scope, params, owner):
    """What a technique may know besides its clip. `owner()` gives the scope's owner, then as now."""
    skeleton = scope.skeleton if "skeleton" in technique.needs or params.keep_ends or params.ground else None
    bodily = skeleton and ("contacts" in technique.needs or technique.plants or params.ground)
    source = original_clip(scope) if bodily else None
    return Surroundings(
        skeleton,
        params.angles_apart,
        Brought(Takes(owner, scope.fps, scope.model), scope.skeleton, scope.read().clip),
        Curves(),
        planted(scope, source) if bodily else dict,
        source,
        scope.read_beside() if bodily else None,
        repeats(scope.curves),
        grounds=Grounds(),
        targets=Targets(owner),
    )


@dataclass
class Treated:
    """What steps made of a take in memory, and the action that it was written to."""

    run: Run | None  # None where no step is on
    dense: dict  # channels of the take that have a key on every frame, and whether any of these is smooth
    joints: dict = field(default_factory=dict)  # where joints that deform are, {bone: (frames, 3)}, if a rig was looked at
    action: bpy.types.Action | None = None
    known: dict = field(default_factory=dict)  # the keys that were written, of curves that have one on every frame
    fewer: str = ""  # what came of leaving keys out, in words
    few: bool = False  # whether keys were left out, so that what is played is not quite what is in memory
    plain: str = ""  # what a recipe without steps could have changed, in words

    @cached_property
    def words(self):
        """What happened, in words: of the last step, and to the feet by all of them."""
        return run_words(self.run, self.fewer) if self.run else self.plain


def treat(scope, steps, exact=(), given=0):
    """Do steps in memory on a scope's action. The first `given` have the parameters that they are to have; those of others are
    made to fit, apart from those that are named `exact`."""
    if any((step.technique.keys or step.scope.keys) == "BODY" for step in steps):
        check_body(scope.owner, scope.skeleton)
    run, dense = open_run(scope, [step.scope for step in steps])
    for index, (step, following) in enumerate(in_turn(steps)):
        run.do(step, True if index < given else exact, following)
    return Treated(run, dense, settle(run, scope))


def open_run(scope, asked):
    """A Run on a scope's action for steps that ask for ScopeParams, and the channels that have a key on every frame."""
    whole, dense = read_whole(scope, asked)
    source = original_clip(scope)
    whole = whole.with_clock()
    figure = Figure(scope.skeleton, contacts_of(scope.action))
    stood = contacts_of(original(scope.action)) if source is not None else None
    takes = Takes(lambda: scope.owner, scope.fps, scope.model)
    judged = judged_by(scope.action, whole.clip)
    return Run(
        whole,
        figure,
        takes,
        Curves(),
        source,
        stood,
        judged,
        repeats(scope.curves),
        Grounds(),
        targets=Targets(lambda: scope.owner),
    ), dense


def write(treated, scope, name):
    """Write what steps made as a new action, a copy of the scope's; the slot that it is in.

    With few keys on a control rig what shows is looked at, and where any joint is too far off there are more.
    """
    fits, look = {}, KeysSeen(scope, treated)
    for last in (*(False,) * PATIENCE, True):
        slot, few = written(treated, scope, name, look, fits)
        if not few.used or few.in_steps or not scope.model or not scope.model.measured:
            break
        note(treated.action, slot, scope.owner, scope.action)  # it is played to be looked at
        if look.near_enough(slot, few) or last and look.last:
            break
        bpy.data.actions.remove(treated.action)
        if last:
            slot, _ = written(treated, scope, name, look, look.back())
    treated.fewer = "; ".join(filter(None, (treated.fewer, look.words)))
    return slot


def written(treated, scope, name, look, fits):
    """The same as `write`, once, with the KeyedAlike that few keys were written by; `look` says how near they must
    be, `fits` is what was found before."""
    run = treated.run
    action = treated.action = copy_action(scope, name)
    slot = action.slots[scope.slot.identifier]
    bag = channelbag(action, slot)
    write_switches(bag, run.whole.clip, run.before.clip, set(), run.moments)
    few = KeyedAlike(bag, scope.owner, run, treated.dense, look.closer, fits)
    for (keys, tolerance, millimetres, changing, frames, span), channels in groups(run, few).items():
        known = [channel for channel in channels if channel in run.before.columns]
        before, result = (
            replace(part, switches=None) for part in (run.before.part(known, frames), run.whole.part(channels, span))
        )
        if keys == "AUTO":
            few.write(before, result, millimetres, changing)
            continue
        whole = frames == (run.before.clip.first_frame, run.before.clip.last_frame)
        dense = {channel: treated.dense[channel] for channel in known if whole and channel in treated.dense}
        writer = Writer(Take(before, dense), keys, tolerance, changing)
        writer.write(bag, result)
        if keys == "EVERY_FRAME":
            treated.known |= writer.every_frame(result)
    treated.few = few.used or any(how.keys not in ("AUTO", "EVERY_FRAME") for how in run.writing.values())
    treated.fewer = few.words(scope)
    if run.moves:
        for held in (CONTACTS, PLANTED):
            if held in action:
                del action[held]  # they are of another time
        if run.standing:
            action[PLANTED] = json.dumps(run.standing)
    if run.moments and all_bars(action):
        action[BARS] = bars_to_json(retimed(all_bars(action), run.moments.frames, run.moments.first))
    body = {channel: how for channel, how in run.writing.items() if how.keys == "BODY"}
    if body:
        how = next(reversed(body.values()))
        treated.fewer = reduce_keys(action, slot, scope, run.figure, set(body), how)
    return slot, few


def groups(run, few):
    """Channels that are written alike, by keys, tolerance, millimetres, frames that may change, frames before and after."""
    found = {}
    for channel in run.whole.clip.channels:
        how = run.writing.get(channel)
        if how and not channel.measured:
            span = run.whole.span([channel]) if how.retimed else how.frames
            keys = "EVERY_FRAME" if how.keys == "AUTO" and few.dense(channel) else how.keys
            found.setdefault((keys, how.scope.tolerance, how.scope.millimetres, how.changing, how.frames, span), []).append(
                channel
            )
    return found


def copy_action(scope, name):
    """A copy of the source that remembers it, and by that keeps it from being lost when nobody else uses it."""
    action = scope.action.copy()
    action.name = name
    action[SOURCE] = scope.action
    if not is_own(scope.action) and contacts_of(scope.action):
        action[CONTACTS] = kept(scope.action, CONTACTS)
    if not is_own(scope.action) and all_bars(scope.action):
        action[BARS] = kept(scope.action, BARS)
    return action


def keep(action, slot, scope, view_layer=None):
    """Give a result to the scope's owner; it stays in the file, whatever the owner is given after it.

    Where there is a view layer it is seen there first, and then points to what it was made from.
    """
    note(action, slot, scope.owner, scope.action)
    if view_layer is None:
        assign(scope.owner, action, slot.handle)
    else:
        with unattached(action):
            assign(scope.owner, action, slot.handle)
            view_layer.update()
    action.use_fake_user = True
