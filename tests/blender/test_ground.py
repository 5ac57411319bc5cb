# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh under the figure: as modifiers and its object leave it, live while it is changed, and measured."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.body.figure import Legs
from bl_ext.dev.motion_signal.core.body.roles import find_roles
from bl_ext.dev.motion_signal.core.declare.scope import ScopeParams
from bl_ext.dev.motion_signal.core.techniques.figure.lock import LOCK
from bl_ext.dev.motion_signal.operators.bridge.armatures import skeleton_of
from bl_ext.dev.motion_signal.operators.bridge.grounds import Grounds
from bl_ext.dev.motion_signal.operators.bridge.scope import gather
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel, press_apply

pytestmark = pytest.mark.only("5.2")


@pytest.fixture
def figure(settled):
    bpy.ops.motion_signal.add_figure()
    return bpy.context.object


def hill(degrees=10.0, **options):
    """A plane that leans, moved and turned as an object, bent by a modifier."""
    active = bpy.context.view_layer.objects.active
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=40, y_subdivisions=40, size=30.0, rotation=(np.radians(degrees), 0.0, 0.0))
    ground = bpy.context.object
    ground.name = "Hill"
    bpy.context.view_layer.objects.active = active
    return ground


def above(rig, action=None):
    """How high heels and toes are above the ground, (frames, points)."""
    clip = gather(bpy.context, ScopeParams(action=action.name if action else "")).read().clip
    skeleton = skeleton_of(rig)
    body = Legs(skeleton, find_roles(skeleton))
    places = body.places(clip)[0][:, body.on_foot]
    return places[..., 2] - Grounds()["Hill"].heights(places[..., :2])[0]


def test_a_script_puts_a_figure_on_a_mesh_and_says_how_deep_it_is(figure):
    hill()
    source = figure.animation_data.action
    with rigs.untouched(source):
        assert bpy.ops.motion_signal.equalize(ground="Hill") == {"FINISHED"}
    assert figure.animation_data.action != source
    high = above(figure)
    assert high.min() > -0.005 and np.median(high) < 0.05
    bpy.ops.motion_signal.report()
    assert "Hill" in figure.animation_data.action["motion_signal_recipe"]


def test_modifiers_and_the_place_of_the_object_count(scene):
    ground = hill(0.0)
    ground.location.z, ground.scale.z = 2.0, 3.0
    bend = ground.modifiers.new("Lift", "DISPLACE")
    bend.strength, bend.mid_level, bend.direction = 0.5, 0.0, "Z"
    heights, over = Grounds()["Hill"].heights([[0.3, 0.2], [20.0, 0.0]])
    np.testing.assert_allclose(heights, 3.5, atol=1e-5)
    assert over.tolist() == [True, False]


def test_the_preview_follows_the_ground_and_apply_keeps_it(figure):
    ground = hill()
    panel().scope.ground = "Hill"
    panel().lock.amount = 0.9
    first = above(figure)
    assert panel().notice == "" and first.min() > -0.005
    ground.location.z = 0.4
    bpy.context.view_layer.update()
    assert preview.session() is not None and above(figure).min() > -0.005
    assert press_apply(LOCK) == {"FINISHED"}
    assert above(figure).min() > -0.005
    assert "deeper in the ground" not in panel().report


@pytest.mark.parametrize("wrong, words", [("Nowhere", "there is no object Nowhere"), ("Lamp", "Lamp is no mesh object")])
def test_what_is_no_mesh_is_refused(figure, wrong, words):
    bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    with pytest.raises(RuntimeError, match=f"ground: {words}"):
        bpy.ops.motion_signal.equalize(ground=wrong)
