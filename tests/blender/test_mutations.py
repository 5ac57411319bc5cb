# SPDX-License-Identifier: GPL-3.0-or-later
"""Random faults in recipes, presets and BVH files: each runs or is refused with a sentence, and nothing else happens."""

import bpy
import mutations
import pytest

pytestmark = pytest.mark.only("5.2")  # what it tries is not Blender's


@pytest.mark.parametrize("seed", range(3))
def test_a_mutant_runs_or_is_refused_in_a_sentence_and_nothing_else_happens(scene, takes, tmp_path, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    seed += 100 * bpy.app.version[0] + bpy.app.version[1]  # others on each Blender
    bvh = mutations.short_bvh(takes / "cmu_16_36_run_jog.bvh")
    trials = mutations.run(tmp_path, bvh, 60, seed)
    assert sum(trials.count.values()) == 60 and min(trials.count.get(f"{kind} refused", 0) for kind in ("recipe", "preset")) > 1
