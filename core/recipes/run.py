# SPDX-License-Identifier: GPL-3.0-or-later
"""A recipe at work: every step in memory and in double precision, from a take that was read once to what is written once.

Panel, scripts, single files and batch all come here. What a step must know besides the clip (the figure, other takes, curves to
go along, contacts as the animator keeps them) is gathered once for all of them.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..body.body import body_of, foot_controls
from ..body.contacts import carried, fit
from ..declare.lists import split_names
from ..declare.technique import Surroundings, nothing_there
from ..ik.stance import standing
from ..keys.moved_keys import Moments
from ..motion.clip import Clip
from ..motion.compare import changed_channels, differs
from ..motion.skeleton import Skeleton
from ..motion.switches import CLOCK
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from ..retargeting.foreign import Brought
from .done import Done, Opening
from .figure import Figure
from .held_controls import held_controls
from .opened import Planting, leaves_feet, opened
from .recipe import Recipe, in_turn
from .references import ACTION, references
from .whole import Whole, hull, over, weights_of


def run(
    recipe: Recipe,
    clip: Clip,
    skeleton: Skeleton | None = None,
    *,
    takes: Mapping[str, Clip] | None = None,
    curves: Mapping | None = None,
    contacts: Mapping | None = None,
    grounds: Mapping | None = None,
    targets: Callable | None = None,
) -> Clip:
    """Do the steps of a recipe that are on, one after the other; the clip that comes of it.

    `takes` are other clips by the names that the recipe calls them, `curves` paths to go along, `contacts` what is planted when
    if that is known, `grounds` surfaces to stand on (HeightField), `targets(name, bone, first, last)` where objects are that
    bones are pinned to, matrices (frames, 4, 4) in the world. Parameters are made to fit the clip.
    """
    at_work = Run(
        Whole(clip).with_clock(),
        Figure(skeleton, contacts or {}),
        takes or {},
        curves or {},
        grounds=grounds,
        once=True,
        targets=targets,
    )
    for step, following in in_turn(recipe.steps):
        at_work.do(step, following=following)
    return at_work.whole.without_clock().clip


@frozen
class Writing:
    """How a channel is to be written: where it gets keys, within which tolerance, and which frames may change."""

    scope: object  # the ScopeParams that say so
    keys: str
    changing: tuple | None  # first and last frame, None for all
    frames: tuple  # first and last frame of what the steps were given
    retimed: bool

    def after(self, earlier):
        """The same for a channel that an earlier step has changed too; the source's keys are there no more if it got others."""
        if earlier is None:
            return self
        last = earlier if self.keys == "SOURCE" else self
        changing = None if None in (self.changing, earlier.changing) else hull([self.changing, earlier.changing])
        frames = earlier.frames if earlier.retimed else hull([self.frames, earlier.frames])
        return Writing(last.scope, last.keys, changing, frames, self.retimed or earlier.retimed)


class Run:
    """Steps at work on a take, one after the other; `whole` is what has become of it."""

    def __init__(
        self,
        whole,
        figure,
        takes=None,
        curves=None,
        original=None,
        stood=None,
        judged=None,
        loop=False,
        grounds=None,
        once=False,
        targets=None,
    ):
        """`original` is the clip that the take was made from, if it has the same frames, `stood` what is kept of that, and
        `judged` what should stand in the take since its frames were moved in time. Steps that are done `once` keep nothing
        for another time."""
        self.before = self.whole = whole
        self.figure, self.loop, self.once = figure.on_its_ground(whole.clip), loop, once
        self.takes = Brought({} if takes is None else takes, self.figure.skeleton, whole.clip)
        self.curves = {} if curves is None else curves  # those of a file may be none
        self.original, self.stood, self.judged = original, stood, judged
        self.grounds = {} if grounds is None else grounds  # a file may have none yet
        self.targets = targets or nothing_there
        self.writing, self.done, self.moves, self.ground, self.slope, self.left = {}, [], [], None, None, {}
        self.start = self

    def fork(self):
        """The same run to go on with another step; what is found out about the take is found out once for both."""
        other = copy(self)
        other.writing, other.done, other.moves = dict(self.writing), list(self.done), list(self.moves)
        return other

    def do(self, step, exact=(), following=None):
        """Do a step, knowing the one `following` it; its parameters are made to fit, apart from those named `exact` (True for
        all)."""
        step.refuse_waiting()
        opening = self.open(step)
        self.finish(opening, step, step.fitted(opening.part, exact), following)

    def open(self, step):
        """A step's technique opened on what it is given here."""
        technique, scope = step.technique, step.scope
        check_names(scope, self.figure.skeleton)
        channels, switches = self._chosen(technique, scope), self.whole.chosen_switches(scope)
        frames = self.whole.span(channels)
        part = self.whole.part(channels, frames, switches)
        around = self.surroundings(technique, scope, channels, frames)
        around = replace(around, **self.left) if technique.locks(step.params) else around
        process = opened(technique, part, around, scope, weights_of(scope, frames, part.fps))
        return Opening(tuple(channels), tuple(switches), frames, part, around, process)

    def finish(self, opening, step, params, following=None):
        """Do a step that was opened, with parameters that fit; what became of its part. Feet may be left to the `following`."""
        process, part = opening.process, opening.part
        planted = self._left_to(following, opening, step)
        result = process(params) if planted is None else process(params, leaves=True)
        origins = process.origins(params) if getattr(process, "origins", None) else ()
        changed = changed_channels(result, part)
        self._note(step, changed, opening.frames, origins, result, part)
        self.done.append(
            Done(
                replace(step, params=params),
                opening.channels,
                tuple(channel for channel in opening.switches if channel.kind != CLOCK),
                opening.frames,
                "; ".join(filter(None, (getattr(process, "told", ""), self._carried_over(step)))),
                getattr(process, "held", None),
                bool(changed),
            )
        )
        self.whole = self.whole.with_result(part, result)
        left = {"unplanted": part, "contacts": lambda: planted, "stands": dict, "original": opening.around.original}
        self.left = left if getattr(process, "unplanted", False) else {}
        self.ground = self.grounds[step.scope.ground] if step.scope.ground else self.ground
        self.slope = None if step.scope.ground else getattr(process, "surface", None) or self.slope
        return result

    def _left_to(self, following, opening, step):
        """What is planted when, for the step after one to plant feet as this one would; None if they are not left to it."""
        if following is None or not (isinstance(opening.process, Planting) and leaves_feet(step, following)):
            return None
        same = tuple(self._chosen(following.technique, following.scope)) == opening.channels
        return opening.around.planted() if same else None

    def _carried_over(self, step):
        """Which of the takes that a step names are of other figures, in words."""
        return self.takes.words(references(step)[ACTION]) if self.takes.kept else ""

    def _chosen(self, technique, scope):
        """The channels that a step may change; where feet are kept planted, a rig rolls them on the ground as in the take."""
        channels, skeleton = self.whole.chosen(scope), self.figure.skeleton
        if not technique.plants or scope.feet == "FREE" or skeleton is None or not any(bone.handle for bone in skeleton.bones):
            return channels
        rolling = foot_controls(skeleton)
        return [channel for channel in channels if not channel.measured and channel.owner not in rolling] or channels

    def amend(self, clip):
        """Put another clip of the same frames in the place of what came of the steps, written as the last of them is."""
        added = changed_channels(clip, self.whole.clip) - self.writing.keys()
        self.writing |= dict.fromkeys(added, next(reversed(self.writing.values())))
        self.whole = self.whole.with_result(self.whole.clip, clip)

    def hold(self):
        """Have controls of feet held where the take holds them, as long as feet are planted and all frames may change."""
        skeleton, contacts, clip = self.figure.skeleton, self.stood_before, self.whole.clip
        free = any(done.step.scope.feet == "FREE" for done in self.done)
        parts = any(how.changing for how in self.writing.values())
        if not contacts or free or parts or not any(bone.handle for bone in skeleton.bones):
            return
        clock = np.arange(clip.frames) if self.moments is None else self.moments.frames - self.before.clip.first_frame
        may = {channel.owner for done in self.done for channel in done.channels if not channel.measured}
        result = held_controls(clip, self.before.clip, skeleton, may, clock, contacts, self.loop)
        if result is not clip:
            self.amend(result)

    def see(self, measured):
        """Let what is measured be as it was seen."""
        self.whole = self.whole.with_result(self.whole.clip, self.whole.clip.without(measured).with_clip(measured))

    @property
    def surface(self):
        """What the figure stands on, if that is not level: the mesh that it was put on last, or a path that rises."""
        return self.ground if self.slope is None else self.slope.raised(self.footing[1] or 0.0)

    def surroundings(self, technique, scope, channels, frames):
        """What a technique may know besides its clip."""
        bodily = ("contacts" in technique.needs or technique.plants or scope.ground) and self.figure.skeleton is not None
        return Surroundings(
            self.figure.skeleton if "skeleton" in technique.needs or scope.keep_ends or scope.ground else None,
            scope.angles_apart,
            self.takes,
            self.curves,
            (lambda: self.planted(frames)) if bodily else dict,
            self._earlier(frames) if bodily else None,
            self.whole.beside(channels, frames) if bodily else None,
            self.loop,
            grounds=self.grounds,
            targets=self.targets,
            clock=self._clock(frames),
            stands=(lambda: self.standing_still(frames)) if bodily else dict,
            once=self.once,
        )

    def _clock(self, frames):
        """Which frame of the take each of these is, None where they are what they were."""
        moments = self.moments
        return None if moments is None else over(moments.frames, moments.first, frames)

    def planted(self, frames):
        """What is planted when, for a step on these frames: as kept, or as found before the first step, which looks itself."""
        if self.moves:
            return {}
        return self.figure.contacts or (self.found if self._earlier(frames) is not None else {})

    def standing_still(self, frames):
        """What is found to stand in the take, where that is another: the animator's own contacts come before it."""
        found = not self.moves and not self.figure.contacts and not self.stood and self._earlier(frames) is not None
        return self.start._standing if found else {}

    @cached_property
    def _standing(self):
        try:
            return standing(body_of(self.original or self.before.clip, self.figure.skeleton), self.found)
        except Refusal:  # whoever needs feet says so
            return {}

    def _earlier(self, frames):
        """The take behind what a step is given, all of it, if it has the same frames and is another."""
        take = self.original or (self.before.clip if self.done else None)
        same = take is not None and not self.moves and frames == (take.first_frame, take.last_frame)
        return take if same and differs(self.whole.clip, take) else None

    @property
    def footing(self):
        """What is found to be planted in the take from the start, and how high its ground is."""
        return self.start._footing

    @cached_property
    def _footing(self):
        return self.figure.footing(self.original or self.before.clip)

    @property
    def found(self):
        return self.stood or self.footing[0]

    @property
    def stood_before(self):
        """What stands when before the first step: as kept, if that is of these frames, or as found."""
        kept = self.figure.contacts if fit(self.figure.contacts, self.before.clip) else self.judged
        return kept or self.found

    @property
    def moments(self):
        """Where the frames of what came of the steps were in the take; None where they are where they were."""
        clock, first = self.whole.clock, self.whole.clip.first_frame
        if clock is None or not any(done.step.technique.retimes for done in self.done):
            return None
        same = np.array_equal(clock, first + np.arange(len(clock))) and len(clock) == self.before.clip.frames
        return None if same and first == self.before.clip.first_frame else Moments(clock, first)

    @property
    def standing(self):
        """What should stand when in what came of the steps; None where that is not known, as in another length."""
        planted = self.stood_before
        for origins, first_frame in self.moves:
            planted = self._carried(origins, planted, first_frame) if origins and planted is not None else None
        return planted

    def _carried(self, origins, planted, first_frame):
        take = origins[0].clip
        return carried(origins, lambda clip: planted if clip is take else self.figure.footing(clip)[0], first_frame)

    def _note(self, step, changed, frames, origins, result, part):
        """Remember how changed channels are to be written, and what was moved in time."""
        scope, retimed = step.scope, (result.first_frame, result.frames) != (part.first_frame, part.frames)
        changing = None if scope.frames == "WHOLE" else (scope.frame_start, scope.frame_end)
        keys = step.technique.keys or scope.keys
        how = Writing(scope, keys, changing, frames, retimed)
        for channel in result.channels if keys == "BODY" else changed:
            self.writing[channel] = how.after(self.writing.get(channel))
        if origins or retimed:
            self.moves.append((origins, result.first_frame))


def check_names(scope, skeleton):
    """Refuse names of bones that a skeleton does not have."""
    known = {bone.name for bone in skeleton.bones} if skeleton is not None else set()
    for name in sorted(split_names(scope.bones)) if scope.scope == "NAMED" else ():
        if name not in known:
            raise Refusal(f"bones: the figure has no bone {name}")
