# SPDX-License-Identifier: GPL-3.0-or-later
"""A BVH file treated without Blender: the same motion, words and numbers as through Blender, in a file like its own."""

import json

import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.files.bvh_take import load, read_bvh
from bl_ext.dev.motion_signal.core.recipes.recipe import recipe_from_json
from bl_ext.dev.motion_signal.operators.batch import bvh_take, one_take

TAKES = ("cmu_07_01_walk_normal.bvh", "cmu_16_36_run_jog.bvh", "cmu_113_13_punch_kick.bvh")
STEPS = [{"technique": "equalize", "params": {"gains": rigs.LOUD}}, {"technique": "lock", "params": {"amount": 1.0}}]


def job(takes, output, name, steps=STEPS, **other):
    recipe = json.dumps({"format": 1, "steps": steps})
    asked = {"source": name, "target": name, "takes": str(takes), "output": str(output), "recipe": recipe, "unit": 0.056444}
    rest = {
        "digest": "",
        "object": "",
        "action": "",
        "with": [],
        "exact": [],
        "record": "",
        "t_pose": "keep",
        "not_applicable": "fail",
    }
    return {**rest, **asked, **other}


def done(asked):
    record = one_take.work(asked)
    assert record["status"] == "done", record
    return record["figures"]


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize(
    "steps", [STEPS, [{"technique": "timewarp", "params": {"moves": [[1, 1], [100, 130]]}}]], ids=("strong", "retimed")
)
def test_it_is_the_same_as_through_blender(scene, takes, tmp_path, monkeypatch, name, steps):
    figures = done(job(takes, tmp_path / "alone", name, steps))
    monkeypatch.setattr(bvh_take, "can", lambda *_: False)
    through = done(job(takes, tmp_path / "blender", name, steps))
    assert figures.keys() == through.keys()
    for own, other in zip(figures.values(), through.values()):
        assert own["words"] == other["words"]
        for when in ("before", "after"):
            for key, value in own[when].items():
                assert value == other[when][key] or value == pytest.approx(other[when][key], rel=2e-3, abs=2e-3), key
    (clip, skeleton), (same, _) = (read_bvh(tmp_path / way / name) for way in ("alone", "blender"))
    assert clip.channels == same.channels and clip.frames == same.frames
    (axes, joints), (other_axes, other_joints) = skeleton.posed(clip), skeleton.posed(same)
    assert np.degrees(np.abs(axes - other_axes).max()) < 2e-4  # of bones in the world, each with all that it hangs on
    assert np.abs(joints - other_joints).max() < 1e-6 * np.ptp(joints.reshape(-1, 3), axis=0).max()


def test_what_is_not_changed_stays_as_it_is_written(scene, takes, tmp_path):
    """Names, offsets, end sites, order of channels, frame time to the digit; and all joints that nothing was done to."""
    name = TAKES[0]
    done(
        job(
            takes,
            tmp_path,
            name,
            [{"technique": "equalize", "params": {"gains": rigs.LOUD}, "scope": {"scope": "NAMED", "bones": "Head"}}],
        )
    )
    before, after = load(takes / name), load(tmp_path / name)
    assert after.as_written == before.as_written
    columns = [
        column
        for joint in before.joints
        if joint.name != "Head"
        for column in range(joint.first, joint.first + len(joint.channels))
    ]
    turns = (after.values - before.values + 180.0) % 360.0 - 180.0
    assert np.abs(turns[:, columns]).max() < 1e-6 and np.abs(turns).max() > 1.0, np.abs(turns).max()


@pytest.mark.parametrize(
    "steps, other",
    [
        ([{"technique": "reduce", "params": {}}], {}),
        ([{"technique": "equalize", "params": {}, "scope": {"scope": "BONES"}}], {}),
        ([{"technique": "blend", "params": {"takes": [{"action": "other"}]}}], {}),
        (STEPS, {"target": "walk.glb"}),
        (STEPS, {"with": ["other.blend"]}),
    ],
)
def test_what_only_blender_has_goes_through_blender(tmp_path, steps, other):
    asked = job(tmp_path, tmp_path, TAKES[0], steps, **other)
    assert not bvh_take.can(asked, recipe_from_json(asked["recipe"]))


def test_a_bone_that_is_not_there_is_refused(takes, tmp_path):
    asked = job(
        takes, tmp_path, TAKES[0], [{"technique": "equalize", "params": {}, "scope": {"scope": "NAMED", "bones": "Wing"}}]
    )
    record = one_take.work(asked)
    assert record["reason"] == "bones: the figure has no bone Wing" and not (tmp_path / TAKES[0]).exists()


STRETCH = {"technique": "equalize", "params": {"gains": rigs.LOUD, "target": "POSITIONS"}}


@pytest.mark.parametrize("ending, through", [(".bvh", False), (".bvh", True), (".glb", True)])
def test_stretch_that_a_file_cannot_hold_is_said(takes, tmp_path, monkeypatch, ending, through):
    if through:
        monkeypatch.setattr(one_take.bvh_take, "can", lambda *_: False)
    asked = job(takes, tmp_path, TAKES[0], [STRETCH], target=TAKES[0].replace(".bvh", ending))
    (figure,) = done(asked).values()
    assert ("bones that stretch keep their length in the file" in figure["words"]) == (ending == ".bvh")
