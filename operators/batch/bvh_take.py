# SPDX-License-Identifier: GPL-3.0-or-later
"""A BVH file that becomes another, without Blender: read, treated in memory and written, the same as through Blender,
with skeleton, channels and frame time of its file to the letter."""

from dataclasses import replace

from ...core.body.t_pose import leading_t_pose
from ...core.body.unit import guessed_unit
from ...core.files.bvh_take import load, sized, take_of, write_bvh, write_like
from ...core.motion.posing import KEPT
from ...core.recipes.figure import Figure
from ...core.recipes.measured import Measured, check_skeleton, measured_run
from ...core.recipes.recipe import in_turn
from ...core.recipes.references import references
from ...core.recipes.run import Run
from ...core.recipes.whole import Whole
from ...core.recipes.words import lost_words, run_words
from .applying import applying
from .figure_record import figure_record
from .onto import NAME, carried_over, onto_of, without

ENDING = ".bvh"
ANYWHERE = ("ALL", "NAMED", "LISTED")  # what a step asks for that nobody has to select


def can(job, recipe):
    """Whether a job needs no Blender: one BVH file becomes another, and no step asks for what only Blender has."""
    plain = all(name.lower().endswith(ENDING) for name in (job["source"], job["target"]))
    steps = [step for step in recipe.steps if step.on]
    return bool(plain and steps and not (job["with"] or job["object"] or job["action"]) and all(map(alone, steps)))


def alone(step):
    """Whether a step changes all frames of bones alone, with a key on each, and names nothing that is not in the take."""
    scope, keys = step.scope, step.technique.keys or step.scope.keys
    named = any(references(step).values())
    if step.technique.name == NAME and not step.params.onto.lower().endswith(ENDING):
        return False
    usual = scope.animated == "OBJECT" and scope.frames in ("WHOLE", "RANGE") and scope.scope in ANYWHERE
    return usual and keys in ("AUTO", "EVERY_FRAME") and not named


def treated(source, recipe, job):
    """What happened to the figure of a file, and a function that writes the result."""
    motion = load(source)
    clip, skeleton = take_of(motion)
    motion, clip, dropped = without_t_pose(motion, clip, skeleton) if job["t_pose"] == "drop" else (motion, clip, "")
    unit, guessed = (job["unit"], "") if job["unit"] else guessed_unit(skeleton)
    skeleton = sized(skeleton, unit)
    onto = onto_of(recipe)
    with applying():
        carried = carried_over(clip.check(), skeleton, onto.params) if onto else None
        figure = carried.skeleton if carried else skeleton
        run = Run(Whole(carried.clip if carried else clip.check()).with_clock(), Figure(figure), once=True)
        pose(run.figure.skeleton, run.before.clip)
        for step, following in in_turn(without(recipe, onto).steps):
            run.do(step, job["exact"], following)
    result = run.whole.clip
    pose(run.figure.skeleton, result)

    def measured():
        check_skeleton(skeleton, source.stem)
        before, after = measured_run(run, clip.values.size, result.values.size)
        return (Measured(clip, skeleton, clip.values.size, {}) if carried else before), after

    def write(unfinished, target):
        if carried:
            write_bvh(unfinished, result, figure)
            return
        with open(unfinished, "wb") as file:
            write_like(file, motion, clip, result, skeleton)

    told = run_words(run) if run.done else ""
    lost = lost_words(run, ENDING) if run.done else ""
    words = "; ".join(filter(None, (carried.words if carried else "", told, lost, guessed, dropped)))
    return {source.stem: figure_record(words, measured, bool(job["record"]))}, write


def pose(skeleton, clip):
    """Have all bones posed at once of a clip that many ask for some of them, unless that is too much to be kept."""
    if clip.frames * len(skeleton.bones) <= KEPT:
        skeleton.posed(clip)


def without_t_pose(motion, clip, skeleton):
    """A motion and its clip without frames in a T-pose at their start, and that in words."""
    count = leading_t_pose(clip, skeleton)
    if not count:
        return motion, clip, ""
    motion = replace(motion, values=motion.values[count:])
    return motion, clip.with_values(clip.values[count:]), f"{count} frame(s) of T-pose dropped"
