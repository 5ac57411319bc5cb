# SPDX-License-Identifier: GPL-3.0-or-later
"""A stack of steps that stays open: what became of the take after each step is kept, and so is each technique, opened.

A step that is changed is done again with what follows it, and nothing before it; one that is only given other parameters does
not look at its clip anew. A step that is refused says why, is passed over, and the others go on.
"""

from dataclasses import dataclass
from typing import Any

from ..numeric.refusal import Refusal
from .done import Opening
from .opened import leaves_feet
from .recipe import Step
from .run import Run

MOST = 32  # stages that are kept, those left out or switched off among them


@dataclass(eq=False)
class Stage:
    """A step, the run that it was given, and what came of it."""

    start: Run
    step: Step
    outside: Any  # what it was opened with from outside the take
    following: Step | None = None  # the one after it, if feet are left to that
    moved: Any = None  # what its process was given from there
    opening: Opening | None = None
    run: Run | None = None
    result: Any = None  # what became of its part
    refused: str = ""

    @property
    def after(self) -> Run:
        """The run after it; a step that was refused is passed over."""
        return self.run or self.start


class Stack:
    """Steps over a take, each kept open; `stages` are those of the steps that are on, as far as they were last asked for."""

    def __init__(self, run: Run, outside=lambda step: None, moving=lambda step: None):
        """`run` is a Run on the take, before any step; `outside(step)` says what a step uses that is no part of the take,
        so that it is opened anew when that has changed, and `moving(step)` what its process asks for each time."""
        self.run, self.outside, self.moving = run, outside, moving
        self.stages: dict[int, Stage] = {}
        self._kept: list[Stage] = []

    def show(self, steps, up_to=None, anew=None) -> Run:
        """What became of the take after these steps, or after those up to the one at an index; the one `anew` is done again
        even if it is the same, since something that nobody can compare has changed."""
        at, self.stages = self.run, {}
        shown = [(index, step) for index, step in enumerate(steps if up_to is None else steps[: up_to + 1]) if step.on]
        for (index, step), (_, following) in zip(shown, [*shown[1:], (None, None)]):
            self.stages[index] = stage = self._stage(at, step, following, index == anew)
            at = stage.after
        if up_to is None:
            self._forget()
        return at

    def refusals(self):
        """What was refused, {index: sentence}."""
        return {index: stage.refused for index, stage in self.stages.items() if stage.refused}

    def _stage(self, start, step, following, anew):
        following = following if following and leaves_feet(step, following) else None
        outside = self.outside(step) if step.technique.refers or step.scope.ground else None
        moved = self.moving(step) if step.technique.aims else None
        free = [stage for stage in self._kept if stage.start is start and stage not in self.stages.values()]
        near = [stage for stage in free if alike(stage, step, outside)]
        stage = next((stage for stage in near if (stage.following is None) == (following is None)), None)
        if stage and stage.step == step and stage.run and stage.moved == moved and not anew:
            return stage
        if stage is None:
            stage = Stage(start, step, outside, following, opening=near[0].opening if near else None)
            self._kept.append(stage)
        stage.step, stage.moved, stage.run, stage.result, stage.refused = step, moved, None, None, ""
        try:
            step.refuse_waiting()
            stage.opening = stage.opening or start.open(step)
            run = start.fork()
            stage.result = run.finish(stage.opening, step, step.fitted(stage.opening.part), following)
            stage.run = run
        except Refusal as error:
            stage.refused = str(error)
        return stage

    def _forget(self):
        """Let go of what nothing leads to any more, and of the oldest."""
        used = list(self.stages.values())
        spare = [stage for stage in self._reached([self.run]) if stage not in used]
        self._kept = [*spare[: max(0, MOST - len(used))], *used]

    def _reached(self, starts):
        """Stages that begin where the take or another of them ends."""
        while starts:
            start = starts.pop()
            for stage in self._kept:
                if stage.start is start:
                    yield stage
                    if stage.run is not None:
                        starts.append(stage.run)


def alike(stage, step, outside):
    """Whether a stage is of a step that differs in nothing but its parameters."""
    return stage.step.technique is step.technique and stage.step.scope == step.scope and stage.outside == outside
