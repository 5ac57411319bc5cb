# SPDX-License-Identifier: GPL-3.0-or-later
"""A take of any file, treated by Blender: opened, its recipe run on every figure in it, measured, and written."""

from pathlib import Path

import bpy

from ...core.body.unit import guessed_unit
from ...core.numeric.refusal import Refusal
from ...core.recipes.words import lost_words
from ..bridge.armatures import skeleton_of
from ..bridge.scope import action_named
from ..files import files
from ..run import recipe as recipes
from ..run.measure import measured_run
from .applying import applying
from .figure_record import figure_record
from .onto import onto_of
from .onto_rig import treated_onto

METRIC = (".glb", ".fbx")  # which are in metres, whatever their takes are in


def treated(source, recipe, job):
    """What happened to each figure of a file, and a function that writes the result."""
    onto = onto_of(recipe)
    if onto:
        return treated_onto(source, recipe, onto, job, figure)
    files.load(source, job["t_pose"] == "drop")
    subjects = files.animated_objects(job["object"])
    files.bring(job["with"])
    unit, guessed = unit_of(source, subjects, job)
    with files.sized(subjects, unit):
        figures = {subject.name: figure(subject, recipe, job, guessed) for subject in subjects}

    def write(unfinished, target):
        metric = target.suffix.lower() in METRIC
        with files.sized(subjects, unit if metric else 1.0):
            files.WRITERS[target.suffix.lower()](unfinished, subjects)

    return figures, write


def unit_of(source, subjects, job):
    """How many metres a unit of a file is, and in words where that is a guess: only .bvh files do not say it."""
    if source.suffix.lower() != ".bvh":
        return 1.0, ""
    return (job["unit"], "") if job["unit"] else guessed_unit(skeleton_of(subjects[0]))


def figure(subject, recipe, job, guessed=""):
    """Run a recipe on an object's take: what happened in words, numbers and poses before and after."""
    bpy.context.view_layer.objects.active = subject
    take = action_named(job["action"], subject)[0] if job["action"] else None
    take = take or (subject.animation_data.action if subject.animation_data else None)
    if take is None:
        raise Refusal(f"{subject.name} has no action")
    scope = recipes.scope_of(bpy.context, recipe, take, subject)
    with applying():
        done = recipes.run_recipe(bpy.context, recipe, scope, subject, job["exact"])
    lost = lost_words(done.run, Path(job["target"]).suffix) if done.run else ""
    words = "; ".join(filter(None, (done.words, lost, guessed)))
    return figure_record(words, lambda: measured_run(bpy.context, done, scope), bool(job["record"]))
