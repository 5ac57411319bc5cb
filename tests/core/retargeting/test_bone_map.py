# SPDX-License-Identifier: GPL-3.0-or-later
"""Bone maps: found by roles, rows and names, corrected, saved and loaded."""

import made_takes
import pytest
from made_figures import BUILDS, MIXAMO, UNREAL, figure
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.core.retargeting.bone_map import BoneMap, read_map
from motion_signal.core.retargeting.retarget import Retarget


def test_bones_are_found_by_role_row_and_name():
    names = Retarget(figure(MIXAMO), figure(UNREAL)).names
    assert names["pelvis"] == "mixamorig:Hips" and names["upperarm_l"] == "mixamorig:LeftArm"
    assert names["clavicle_r"] == "mixamorig:RightShoulder" and names["ball_r"] == "mixamorig:RightToeBase"
    assert names["spine_05"] == "mixamorig:Spine2" and names["neck_01"] == "mixamorig:Neck"
    assert "root" not in names and "lowerarm_twist_01_l" not in names


def test_fingers_are_paired_where_both_have_them():
    skeleton = figure(MIXAMO)
    names = Retarget(skeleton, skeleton).names
    assert all(name == other for name, other in names.items()) and len(names) == len(skeleton.bones)
    cmu = made_takes.take("walk").skeleton
    assert Retarget(cmu, skeleton).names["mixamorig:LeftHandIndex1"] == "LeftHandIndex1"


@pytest.mark.parametrize("build", BUILDS)
def test_every_role_of_a_build_follows_its_counterpart(build):
    carried = Retarget(made_takes.take("walk").skeleton, figure(BUILDS[build]))
    source, target = carried.alignment.source.roles, carried.alignment.target.roles
    assert set(target) <= set(source)
    ends = ("spine", "hand")
    assert all(carried.pairs[index] == source[role] for role, index in target.items() if not role.endswith(ends))
    assert carried.names[carried.target.bones[target["left_hand"]].name] == "LeftFingerBase"  # that is all of CMU's hand


def test_a_map_is_written_read_and_followed():
    given = BoneMap({"head": "mixamorig:Neck", "neck_02": ""}, "mixamo to unreal")
    again = read_map(given.text())
    assert again == given
    names = Retarget(figure(MIXAMO), figure(UNREAL), again).names
    assert names["head"] == "mixamorig:Neck" and "neck_02" not in names
    assert read_map('{"head": "mixamorig:Neck"}').bones == {"head": "mixamorig:Neck"}
    assert read_map(" ") == BoneMap()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "it is no JSON"),
        ("[1]", "a map is"),
        ('{"bones": {"head": 3}}', "a map is"),
        ('{"tail": "mixamorig:Hips"}', "the figure has no bone 'tail'"),
        ('{"head": "Kopf"}', "take's figure has no bone 'Kopf'"),
    ],
)
def test_a_map_that_cannot_be_is_refused_in_a_sentence(text, words):
    with pytest.raises(Refusal, match=words):
        Retarget(figure(MIXAMO), figure(UNREAL), read_map(text))
