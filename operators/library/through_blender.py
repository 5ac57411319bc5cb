# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes of any file for the index, opened by Blender in a process of its own: it empties the Blender that it is done in."""

from contextlib import contextmanager

import bpy

from ...core.declare.scope import ScopeParams
from ...core.recipes.measured import check_skeleton
from ..bridge.scope import gather
from ..files import files


@contextmanager
def opened_takes(path):
    """The clip and the skeleton of every armature in a file that has a motion, {name: (clip, skeleton)}."""
    files.load(path)
    yield {subject.name: take_of(subject) for subject in files.animated_objects()}


def take_of(subject):
    """What an object's action moves, and the skeleton that it moves."""
    bpy.context.view_layer.objects.active = subject
    scope = gather(bpy.context, ScopeParams(action=subject.animation_data.action.name))
    return scope.read().clip, check_skeleton(scope.skeleton, subject.name)
