# SPDX-License-Identifier: GPL-3.0-or-later
"""One pipeline: a take is read once, its body looked at once, and what the preview shows is what Apply keeps."""

import functools
import json
import sys

import bpy
import pytest
import rigs
from bl_ext.dev.motion_signal.core.body import contacts, roles
from bl_ext.dev.motion_signal.core.recipes.recipe import recipe_from_json
from bl_ext.dev.motion_signal.core.recipes.run import Run
from bl_ext.dev.motion_signal.core.techniques.character.equalize import EQUALIZE
from bl_ext.dev.motion_signal.operators.batch import bvh_take, one_take
from bl_ext.dev.motion_signal.operators.batch.jobs import jobs_for
from bl_ext.dev.motion_signal.operators.batch.order import Order
from bl_ext.dev.motion_signal.operators.bridge import actions, armatures, provenance
from bl_ext.dev.motion_signal.operators.live import preview
from bl_ext.dev.motion_signal.operators.live.lend import MARK
from desk import press_apply

LOUD = json.dumps(rigs.LOUD)


@pytest.fixture
def counted(monkeypatch):
    """What functions are called with first, whoever imported them: {name: [names]}."""
    counts = {}

    def count(module, name):
        plain = getattr(module, name)

        @functools.wraps(plain)
        def counting(*args, **kwargs):
            counts.setdefault(name, []).append(getattr(args[0], "name", ""))
            return plain(*args, **kwargs)

        package = module.__name__.split(".core.")[0].split(".operators.")[0]
        for loaded in [each for key, each in list(sys.modules.items()) if key.startswith(package)]:
            if getattr(loaded, name, None) is plain:
                monkeypatch.setattr(loaded, name, counting)

    for module, name in (
        (actions, "read_take"),
        (armatures, "skeleton_of"),
        (roles, "looked_up"),
        (contacts, "stand"),
    ):
        count(module, name)
    return counts


def test_a_take_of_a_batch_is_read_once_and_its_body_is_looked_at_once(scene, takes, tmp_path, counted, monkeypatch):
    monkeypatch.setattr(bvh_take, "can", lambda *_: False)
    recipe = {
        "format": 1,
        "steps": [
            {"technique": "equalize", "params": {"gains": rigs.LOUD}},
            {"technique": "lock", "params": {"amount": 1.0}},
        ],
    }
    order = Order(recipe_from_json(json.dumps(recipe)), (), "", unit=0.056444)
    (job,) = jobs_for(order, tmp_path, [(takes, "cmu_07_01_walk_normal.bvh", "walk.bvh")], (), alone=True)
    record = one_take.work(job)
    assert record["status"] == "done", record
    assert [name for name in counted["read_take"]] == ["cmu_07_01_walk_normal", "cmu_07_01_walk_normal foot lock"], counted
    assert len(counted["skeleton_of"]) == 2, "once for all steps, and once to write the file, which has another size"
    assert len(counted["looked_up"]) == 1 and len(counted["stand"]) <= 2, counted


def test_apply_keeps_what_is_shown_to_the_bit_and_works_nothing_out_again(settled, counted, monkeypatch):
    bpy.ops.motion_signal.add_figure()
    figure, settings = bpy.context.object, bpy.context.window_manager.motion_signal
    take = figure.animation_data.action
    bpy.ops.motion_signal.equalize(gains=LOUD)
    worked_out, words = rigs.record(figure.animation_data.action)["curves"], settings.report
    figure.animation_data.action, figure.animation_data.action_slot = take, take.slots[0]
    settings.equalize.gains = LOUD
    calls, finish = [], Run.finish
    monkeypatch.setattr(Run, "finish", lambda *arguments: calls.append(arguments) or finish(*arguments))
    with rigs.untouched(take):
        press_apply(EQUALIZE)
    result = figure.animation_data.action
    assert not calls and preview.session() is None and MARK not in result
    assert rigs.record(result)["curves"] == worked_out and settings.report == words
    assert provenance.as_made(result, result.slots[0]) and provenance.recipe_of(result).steps[0].technique is EQUALIZE
    assert [action.name for action in bpy.data.actions if "preview" in action.name] == []
