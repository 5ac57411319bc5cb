# SPDX-License-Identifier: GPL-3.0-or-later
"""Curve objects as paths, and paths as curve objects."""

import json
from collections.abc import Mapping

import bpy
import numpy as np

from ...core.numeric.refusal import Refusal

CUBIC = 4  # the order, as Blender counts it
OWN = "motion_signal_own_path"  # on a curve that was made from a take: the path that the take has itself


class Curves(Mapping):
    """By the name of a curve object: the path that it is now, and the path of the take that it was made from, if it was."""

    def __getitem__(self, name):
        subject = curve_named(name)
        own = own_path(subject)
        return {
            "path": path_of(subject),
            "original": {key: own[key] for key in ("control", "points") if key in own},
            "progress": own.get("progress", ()),
        }

    def __iter__(self):
        return iter([subject.name for subject in bpy.data.objects if subject.type == "CURVE"])

    def __len__(self):
        return len(list(iter(self)))


def curve_named(name):
    subject = bpy.data.objects.get(name)
    if subject is None:
        raise Refusal(f"curve: there is no object {name}")
    if subject.type != "CURVE":
        raise Refusal(f"curve: {name} is no curve object")
    return subject


def own_path(subject):
    try:
        return json.loads(subject.get(OWN, "{}"))
    except ValueError:
        return {}


def path_of(subject):
    """The path of a curve object in the world: control points where it is a smooth curve of them, else points on it."""
    splines = [spline for spline in subject.data.splines if len(spline.points) or len(spline.bezier_points)]
    if not splines:
        raise Refusal(f"curve: {subject.name} is empty")
    spline = splines[0]
    if is_plain(spline) and not subject.modifiers:
        control = np.array([point.co[:3] for point in spline.points], dtype=np.float64)
        return {"control": in_world(subject, control)}
    return {"points": in_world(subject, points_on(subject))}


def is_plain(spline):
    """Whether core's own kind of curve is the same: cubic if it has the points for it, through both ends, all pulling alike."""
    return (
        spline.type == "NURBS"
        and spline.order_u == min(CUBIC, len(spline.points))
        and spline.use_endpoint_u
        and not spline.use_cyclic_u
        and not spline.use_bezier_u
        and all(point.co[3] == 1.0 for point in spline.points)
    )


def points_on(subject):
    """Points along a curve of any kind, as Blender evaluates it, in the object's own space."""
    evaluated = subject.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    try:
        points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
        mesh.edges.foreach_get("vertices", edges)
        if len(points) < 6:
            raise Refusal(f"curve: {subject.name} has no length")
        chain = in_a_row(edges.reshape(-1, 2))
        return points.reshape(-1, 3)[chain].astype(np.float64)
    finally:
        evaluated.to_mesh_clear()


def in_a_row(edges):
    """Vertices from the start of the first line to its end; round and back to the start where it is closed."""
    chain = list(edges[0])
    for first, second in edges[1:]:
        if first != chain[-1]:
            break
        chain.append(second)
    return chain + [chain[0]] * (edges[-1].tolist() == [chain[0], chain[-1]] and len(chain) > 2)


def in_world(subject, points):
    world = np.array(subject.matrix_world, dtype=np.float64)
    return points.tolist() if (world == np.eye(4)).all() else (points @ world[:3, :3].T + world[:3, 3]).tolist()


def make_curve(context, name, control, progress=()):
    """A curve object with these control points (points, 3), which remembers them as the take's own path, and how far along
    it those who go together are."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    data.resolution_u = 12
    subject = bpy.data.objects.new(name, data)
    context.collection.objects.link(subject)
    put_control(subject, control)
    subject[OWN] = json.dumps({**path_of(subject), "progress": list(progress)})
    return subject


def put_control(subject, control):
    """Give a curve object other control points, in the world."""
    splines = subject.data.splines
    inverse = np.linalg.inv(np.array(subject.matrix_world, dtype=np.float64))
    local = np.asarray(control) @ inverse[:3, :3].T + inverse[:3, 3]
    if splines and len(splines[0].points) > len(local):  # single points cannot be taken away
        splines.clear()
    spline = splines[0] if splines else splines.new("NURBS")
    spline.points.add(len(local) - len(spline.points))
    spline.order_u, spline.use_endpoint_u = CUBIC, True
    spline.points.foreach_set("co", np.column_stack([local, np.ones(len(local))]).astype(np.float32).ravel())
    subject.data.update_tag()
