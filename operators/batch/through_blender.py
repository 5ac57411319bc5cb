# SPDX-License-Identifier: GPL-3.0-or-later
"""A take of any file, treated by Blender: opened, its recipe run on every figure in it, measured, and written."""

from pathlib import Path

import bpy

from ...core.body.unit import guessed_unit
from ...core.numeric.refusal import Refusal
from ...core.recipes.measured import Measured
from ...core.recipes.words import lost_words
from ..bridge.armatures import skeleton_of, skeleton_of_file
from ..bridge.scope import action_named
from ..files import files
from ..run import recipe as recipes
from ..run.measure import measured_run
from ..run.retarget import retarget_onto, take_of_bvh, take_of_object
from .applying import applying
from .figure_record import figure_record
from .onto import onto_of, without

METRIC = (".glb", ".fbx")  # which are in metres, whatever their takes are in


def treated(source, recipe, job):
    """What happened to each figure of a file, and a function that writes the result."""
    onto = onto_of(recipe)
    if onto:
        return treated_onto(source, recipe, onto, job)
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
    return (job["unit"], "") if job["unit"] else guessed_unit(skeleton_of_file(subjects[0].data) or skeleton_of(subjects[0]))


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


def treated_onto(source, recipe, step, job):
    """What happened to a take that a step brings onto the armature of a file, on its bones or on the controls of its rig, and a
    function that writes the result."""
    own = take_of(source, job)
    path = Path(step.params.onto)
    files.load(path)
    hero = figure_in(path, job["object"])
    scene = bpy.context.scene
    if path.suffix.lower() != ".blend":  # a project has a frame rate of its own
        scene.render.fps, scene.render.fps_base = max(1, round(own.clip.fps)), max(1, round(own.clip.fps)) / own.clip.fps
    fps = scene.render.fps / scene.render.fps_base
    take = own if abs(own.clip.fps - fps) < 1e-3 * fps else take_of(source, job, fps)
    if take is not own:
        files.load(path)
        hero = figure_in(path, job["object"])
    with applying():
        brought = retarget_onto(take, hero, step.params, name=source.stem)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = take.clip.first_frame, round(brought.action.frame_range[1])
    rest = without(recipe, step)
    if any(each.on for each in rest.steps):
        figures = {hero.name: figure(hero, rest, {**job, "action": ""}, brought.words)}
    else:
        figures = {hero.name: figure_record(brought.words, lambda: measured_onto(take, hero, fps), bool(job["record"]))}
    return figures, lambda unfinished, target: files.WRITERS[target.suffix.lower()](unfinished, [hero])


def take_of(source, job, fps=None):
    """The take of a file with its skeleton; a .bvh at a frame rate, if one is wanted."""
    if source.suffix.lower() == ".bvh":
        return take_of_bvh(source, fps)
    files.load(source, job["t_pose"] == "drop")
    subjects = [subject for subject in files.animated_objects() if subject.type == "ARMATURE"]
    if len(subjects) != 1:
        raise Refusal(f"there are {len(subjects)} armatures with a take in it; leave one, or import it and retarget from there")
    render = bpy.context.scene.render
    return take_of_object(subjects[0], render.fps / render.fps_base)


def figure_in(path, name=""):
    """The armature object of a file that takes are brought onto."""
    found = [each for each in bpy.context.scene.objects if each.type == "ARMATURE" and (not name or each.name == name)]
    if len(found) != 1:
        raise Refusal(f"onto: there are {len(found)} armatures in {path.name}; name one by --object")
    bpy.context.view_layer.objects.active = found[0]
    return found[0]


def measured_onto(take, hero, fps):
    """The take and what was made of it, each ready to be measured."""
    seen = take_of_object(hero, fps)
    return (
        Measured(take.clip, take.skeleton, take.clip.values.size, {}),
        Measured(seen.clip, seen.skeleton, seen.clip.values.size, {}),
    )
