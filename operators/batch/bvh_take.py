# SPDX-License-Identifier: GPL-3.0-or-later
"""A BVH file that becomes another, without Blender: read, treated in memory and written, the same as through Blender,
with skeleton, channels and frame time of its file to the letter."""

from ...core.files.bvh_take import load, sized, take_of, write_like
from ...core.recipes.measured import check_skeleton, measured_run
from ...core.recipes.references import references
from ...core.recipes.run import Figure, Run
from ...core.recipes.whole import Whole
from ...core.recipes.words import run_words
from .figure_record import figure_record

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
    usual = scope.animated == "OBJECT" and scope.frames in ("WHOLE", "RANGE") and scope.scope in ANYWHERE
    return usual and keys in ("AUTO", "EVERY_FRAME") and not named


def treated(source, recipe, job):
    """What happened to the figure of a file, and a function that writes the result."""
    motion = load(source)
    clip, skeleton = take_of(motion)
    skeleton = sized(skeleton, job["unit"])
    run = Run(Whole(clip.check()), Figure(skeleton))
    for step in recipe.steps:
        if step.on:
            run.do(step, job["exact"])
    result = run.whole.clip

    def measured():
        check_skeleton(skeleton, source.stem)
        return measured_run(run, clip.values.size, result.values.size)

    def write(unfinished, target):
        with open(unfinished, "wb") as file:
            write_like(file, motion, clip, result, skeleton)

    return {source.stem: figure_record(run_words(run), measured)}, write
