# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion in Blender: the speed keyed where the figure is on its curve."""

import bpy
import numpy as np

from ...core.body.roles import find_roles
from ...core.numeric.refusal import Refusal
from ...core.paths.curve import read_curve
from ...core.techniques.several_takes.locomotion import LOCOMOTION
from ..bridge.curves import curve_named, path_of
from ..bridge.refuse import refusing
from ..live import preview
from ..settings.lists import put_records, records_of
from ..settings.properties import readable

PLACES = 4000  # of a curve, among which the one next to the figure is looked for
SAME = 0.05  # metres: keys that are closer are one


def settings_of(context):
    return context.window_manager.motion_signal.locomotion


class MOTION_SIGNAL_OT_locomotion_key(bpy.types.Operator):
    """Key the speed at the place of the curve where the figure is at the current frame"""

    bl_idname = "motion_signal.locomotion_key"
    bl_label = "Key Speed Here"
    bl_options = {"INTERNAL"}

    stop: bpy.props.BoolProperty(options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return "Let the figure stop where it is at the current frame" if properties.stop else cls.__doc__

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        along = round(float(place_on_curve(context)), 2)
        keys = [key for key in records_of(settings, LOCOMOTION, "speed_keys") if abs(key.get("along", 0.0) - along) > SAME]
        keys.append({"along": along, "speed": 0.0 if self.stop else round(settings.speed, 3)})
        keys.sort(key=lambda key: key.get("along", 0.0))
        put_records(settings, LOCOMOTION, "speed_keys", keys, [key.get("along", 0.0) for key in keys].index(along))


def place_on_curve(context):
    """How many metres along its curve the figure is at the current frame."""
    shown, settings = preview.shown(context, LOCOMOTION.name), settings_of(context)
    path = path_of(curve_named(settings.curve)) if settings.curve else readable(settings, "path", LOCOMOTION.parameters["path"])
    if shown is None or not path:
        raise Refusal("curve: choose one for the figure to walk along before its speed is keyed")
    figure = bpy.data.objects[shown.subject]
    pelvis = find_roles(shown.surroundings.skeleton).table()["pelvis"] or shown.surroundings.skeleton.bones[0].name
    place = figure.matrix_world @ figure.pose.bones[pelvis].head
    curve = read_curve("path", path)
    along = np.linspace(0.0, curve.length, PLACES)
    return along[np.linalg.norm(curve.at(along)[0][:, :2] - place[:2], axis=1).argmin()]


CLASSES = (MOTION_SIGNAL_OT_locomotion_key,)
