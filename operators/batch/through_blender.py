# SPDX-License-Identifier: GPL-3.0-or-later
"""A take of any file, treated by Blender: opened, its recipe run on every figure in it, measured, and written."""

import bpy

from ...core.numeric.refusal import Refusal
from ..bridge.scope import action_named
from ..files import files
from ..run import recipe as recipes
from ..run.measure import measured_run
from .figure_record import figure_record


def treated(source, recipe, job):
    """What happened to each figure of a file, and a function that writes the result."""
    files.load(source)
    subjects = files.animated_objects(job["object"])
    files.bring(job["with"])
    with files.sized(subjects, job["unit"] if source.suffix.lower() == ".bvh" else 1.0):
        figures = {subject.name: figure(subject, recipe, job) for subject in subjects}
    return figures, lambda unfinished, target: files.WRITERS[target.suffix.lower()](unfinished, subjects)


def figure(subject, recipe, job):
    """Run a recipe on an object's take: what happened in words, numbers and poses before and after."""
    bpy.context.view_layer.objects.active = subject
    take = action_named(job["action"], subject)[0] if job["action"] else None
    take = take or (subject.animation_data.action if subject.animation_data else None)
    if take is None:
        raise Refusal(f"{subject.name} has no action")
    scope = recipes.scope_of(bpy.context, recipe, take, subject)
    done = recipes.run_recipe(bpy.context, recipe, scope, subject, job["exact"])
    return figure_record(done.words, lambda: measured_run(bpy.context, done, scope))
