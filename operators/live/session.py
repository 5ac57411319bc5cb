# SPDX-License-Identifier: GPL-3.0-or-later
"""One preview in progress: a take with a stack of steps over it, and the lent action that shows what became of it.

A session holds names and numbers, never references into Blender.
"""

from dataclasses import dataclass, field, replace

import bpy

from ...core.declare.scope import ScopeParams
from ...core.declare.technique import Surroundings
from ...core.motion.compare import differs
from ...core.numeric.refusal import Refusal
from ...core.recipes.figure import Figure
from ...core.recipes.references import references
from ...core.recipes.run import Run
from ...core.recipes.stack import Stack, Stage
from ...core.recipes.words import step_words
from ..bridge.actions import Take, channelbag, slot_of
from ..bridge.armatures import CORRECTIONS
from ..bridge.assign import note, settle
from ..bridge.curves import curve_named, path_of
from ..bridge.kept_texts import CONTACTS, contacts_of, kept
from ..bridge.provenance import SOURCE
from ..bridge.scope import animated_owner, gather
from ..run.apply import open_run
from .lend import MARK, returning
from .show_run import ShowRun


@dataclass
class OpenTake:
    """A take read once, with the stack of steps over it."""

    asked: tuple  # what it was read for; anything else asks for another
    contacts: str  # as they are kept with the take
    stack: Stack
    dense: dict

    def as_kept(self, action):
        """The same, or another where the animator has changed since what is planted when in the take."""
        contacts, run = kept(action, CONTACTS), self.stack.run
        if contacts == self.contacts:
            return self
        figure = Figure(run.figure.skeleton, contacts_of(action))
        again = Run(run.whole, figure, run.takes.takes, run.curves, run.original, run.stood, run.judged, run.loop)
        again.grounds, again.targets = run.grounds, run.targets
        return replace(self, contacts=contacts, stack=Stack(again, self.stack.outside, self.stack.moving))


def open_take(context, subject, animated, name):
    """Read an action of an object for any steps; also the scope that was gathered, or a Refusal."""
    scope = gather(context, ScopeParams(action=name, animated=animated), subject)
    run, dense = open_run(scope, [ScopeParams(animated=animated)])
    who = subject.name
    run.takes.takes.owner = run.targets.owner = lambda: animated_owner(bpy.data.objects.get(who), animated)
    contacts = kept(scope.action, CONTACTS)
    outside = Outside(run)
    stack = Stack(run, outside, outside.aimed_at)
    return OpenTake(asked(context, subject, animated, name), contacts, stack, dense), scope


def asked(context, subject, animated, name):
    """What a take is read for, as it stands."""
    render, pose = context.scene.render, getattr(subject, "pose", None)
    bones = tuple(pose.bones.keys() if pose else ())
    return subject.name, animated, name, bones, kept(subject.data, CORRECTIONS) if pose else "", render.fps, render.fps_base


class Outside:
    """What a step uses besides its take, as it is now: other actions, which are read anew where they are others, and curves."""

    def __init__(self, run):
        self.run, self.known, self.surfaces = run, {}, {}

    def __call__(self, step):
        named = references(step)
        actions = {name: getattr(bpy.data.actions.get(name), "session_uid", None) for name in named["action"]}
        for name, uid in actions.items():
            if self.known.setdefault(name, uid) != uid:
                self.known[name] = uid
                self.run.takes.takes.clips.pop(name, None)
        curves = {name: shape(name) for name in (*named["curve"], *filter(is_curve, named["object"]))}
        return actions, curves, {} if step.technique.aims else self.objects(named), self.ground(step.scope.ground)

    def aimed_at(self, step):
        """Where objects are at which a technique that is open aims anew."""
        return self.objects(references(step)) if step.technique.aims else {}

    def objects(self, named):
        return {name: (self.run.targets.number(name), name in bpy.data.objects) for name in named["object"]}

    def ground(self, name):
        """The surface that a step puts the figure on, read anew once somebody has forgotten it."""
        try:
            surface = self.run.grounds[name] if name else None
        except Refusal as error:
            return str(error)
        before, number = self.surfaces.get(name, (None, 0))
        self.surfaces[name] = surface, number + (surface is not before)
        return self.surfaces[name][1]


def is_curve(name):
    return getattr(bpy.data.objects.get(name), "type", "") == "CURVE"


def shape(name):
    try:
        return path_of(curve_named(name))
    except Refusal as error:
        return str(error)


@dataclass(eq=False)  # known by what it is, so that what was worked out for one is never taken for another's
class Session:
    """One preview in progress, as it is for the step that is open; another opening of a step makes it another."""

    subject: str  # object name
    animated: str
    action: str  # name of the lent action
    slot: int  # handle
    open: OpenTake
    shows: ShowRun
    after: bool = True  # False while what was there before is shown instead
    resting: bool = False  # whether that is so only while a file is being saved
    technique: str = ""  # of the open step
    stage: Stage | None = None  # of the open step, if it is on
    behind: bool = False  # whether steps after the open one are still to be done
    refusals: dict = field(default_factory=dict)  # what stands in the way of steps, by their places
    run: Run | None = field(default=None, repr=False)  # what is shown
    said: str = ""  # what the open step changes, in words

    @property
    def owner(self):
        subject = bpy.data.objects.get(self.subject)
        if self.animated == "OBJECT":
            return subject
        try:
            return animated_owner(subject, self.animated)
        except Refusal:  # the object, or what of it was animated, is gone
            return None

    @property
    def lent(self):
        action = bpy.data.actions.get(self.action)
        return action if action is not None and MARK in action and action.get(SOURCE) else None

    @property
    def bag(self):
        return channelbag(self.lent, slot_of(self.lent, self.slot))

    @property
    def alive(self):
        """Whether its object still has what was lent to it; a name may since have gone to another object."""
        lent, data = self.lent, getattr(self.owner, "animation_data", None)
        if not lent or not data or (data.action != lent and data.action != returning(lent)):  # looked up where it must be
            return False
        return bool(channelbag(lent, slot_of(lent, self.slot)))

    @property
    def opening(self):
        return self.stage.opening if self.stage else None

    @property
    def take(self):
        """What the open step is given, or the take itself."""
        begun = self.open.stack.run.before
        return Take(self.opening.part if self.opening else begun.clip, self.open.dense, begun.held)

    @property
    def surroundings(self):
        run = self.open.stack.run
        if self.opening:
            return self.opening.around
        return Surroundings(run.figure.skeleton, takes=run.takes, curves=run.curves, grounds=run.grounds, targets=run.targets)

    @property
    def process(self):
        return self.opening.process if self.opening else None

    @property
    def result(self):
        """What became of what the open step is given, or None."""
        return self.stage.result if self.stage else None

    @property
    def params(self):
        """The parameters of the open step as they were used, or None."""
        return self.stage.run.done[-1].step.params if self.stage and self.stage.run else None

    @property
    def words(self):
        """What the open step changes, in words."""
        return step_words(self.stage.run.done[-1], self.stage.run.before) if self.stage and self.stage.run else ""

    @property
    def changes(self):
        """Whether anything of the take is changed by what is shown."""
        return self.run is not None and differs(self.run.whole.clip, self.run.before.clip)

    def write(self, run):
        """Let the lent action show what became of the take."""
        self.run = run
        self.shows(self.bag, held(run))
        if self.shows.adds(run):  # nothing else would bring back what these channels hold
            note(self.lent, slot_of(self.lent, self.slot), self.owner, self.lent[SOURCE])
            settle(self.owner)


def held(run):
    """What Apply looks at and writes on a control rig: controls of feet held where the take holds them."""
    if not any(each.changed for each in run.done) or not any(channel.measured for channel in run.whole.clip.channels):
        return run
    run = run.fork()
    run.hold()
    return run
