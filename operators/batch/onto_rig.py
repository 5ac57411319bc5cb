# SPDX-License-Identifier: GPL-3.0-or-later
"""A take of a batch brought onto the armature of a file by Blender: on its bones, or on the controls of its rig."""

from pathlib import Path

import bpy

from ...core.numeric.refusal import Refusal
from ...core.recipes.measured import Measured
from ..files import files
from ..run.retarget import retarget_onto, take_of_bvh, take_of_object
from .applying import applying
from .figure_record import figure_record
from .onto import without


def treated_onto(source, recipe, step, job, figure):
    """What happened to a take on the figure of a step's file, and a function that writes the result; `figure` runs what is left
    of a recipe on an object."""
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
        figures = {hero.name: figure_record(brought.words, lambda: measured(take, hero, fps), bool(job["record"]))}
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


def measured(take, hero, fps):
    """The take and what was made of it, each ready to be measured."""
    seen = take_of_object(hero, fps)
    return (
        Measured(take.clip, take.skeleton, take.clip.values.size, {}),
        Measured(seen.clip, seen.skeleton, seen.clip.values.size, {}),
    )
