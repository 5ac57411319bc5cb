# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh objects as grounds to stand on: surfaces in the world, as their modifiers leave them."""

from collections.abc import Mapping

import bpy
import numpy as np

from ...core.numeric.height_field import HeightField
from ...core.numeric.refusal import Refusal
from .keyframes import attribute
from .provenance import recipe_of


class Grounds(Mapping):
    """By the name of a mesh object: the surface that it was when it was first asked for, until it is told to forget it."""

    def __init__(self):
        self.found = {}

    def __getitem__(self, name):
        if name not in self.found:
            self.found[name] = surface_of(mesh_named(name))
        return self.found[name]

    def __iter__(self):
        return iter([subject.name for subject in bpy.data.objects if subject.type == "MESH"])

    def __len__(self):
        return len(list(iter(self)))

    def forget(self, name):
        """Look at a surface anew when it is asked for again."""
        self.found.pop(name, None)


def mesh_named(name):
    subject = bpy.data.objects.get(name)
    if subject is None:
        raise Refusal(f"ground: there is no object {name}")
    if subject.type != "MESH":
        raise Refusal(f"ground: {name} is no mesh object")
    return subject


def surface_of(subject):
    """The surface of a mesh object in the world; one that is in no scene is taken into this one to be looked at."""
    scene = bpy.context.scene.collection
    visiting = subject.name not in bpy.context.view_layer.objects
    if visiting:
        scene.objects.link(subject)
    try:
        shown = subject.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = shown.to_mesh()
        mesh.calc_loop_triangles()
        corners = attribute(mesh.vertices, "co", np.float32, 3).reshape(-1, 3).astype(np.float64)
        triangles = attribute(mesh.loop_triangles, "vertices", np.int32, 3).reshape(-1, 3)
        world = np.array(shown.matrix_world)
        shown.to_mesh_clear()
    finally:
        if visiting:
            scene.objects.unlink(subject)
    return HeightField(corners @ world[:3, :3].T + world[:3, 3], triangles, f"ground: {subject.name}")


def surface_under(action):
    """The surface that the steps which made an action put its figure on last, as it is now; None without one."""
    recipe = recipe_of(action)
    names = [step.scope.ground for step in recipe.steps if step.on and step.scope.ground] if recipe else []
    there = bool(names) and getattr(bpy.data.objects.get(names[-1]), "type", "") == "MESH"
    return surface_of(bpy.data.objects[names[-1]]) if there else None
