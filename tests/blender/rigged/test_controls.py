# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator keys on a rig is found from what moves what: by IK and by FK, with the switch between them."""

import built_rigs
import control_rigs
import pytest
import rigs
from bl_ext.dev.motion_signal.operators.rigs.controls import LimbControls, Switch, animator_controls

pytestmark = pytest.mark.usefixtures("settled")


def limb(ik, pole, fk, bone, name="IK_FK", now="IK"):
    return LimbControls(ik, pole, fk, Switch(f'pose.bones["{bone}"]["{name}"]', 0.0, 1.0), now)


@pytest.mark.parametrize("kind", ["human", "basic"])
def test_controls_of_a_rigify_human(scene, kind):
    found = animator_controls(control_rigs.rigify(kind))
    assert (found.master, found.body, found.trunk["head"][0]) == ("root", "torso", "head")
    for side, letter in (("left", "L"), ("right", "R")):
        foot, hand = (tuple(f"{name}.{letter}" for name in names.split()) for names in ("foot_ik thigh_ik_target", "hand_ik"))
        fk = tuple(f"{name}_fk.{letter}" for name in ("thigh", "shin", "foot"))
        assert found.limbs[f"{side}_foot"] == limb(*foot, fk, f"thigh_parent.{letter}")
        fk = tuple(f"{name}_fk.{letter}" for name in ("upper_arm", "forearm", "hand"))
        assert found.limbs[f"{side}_hand"] == limb(*hand, f"upper_arm_ik_target.{letter}", fk, f"upper_arm_parent.{letter}")


@pytest.mark.parametrize("kind, feet", [("horse", ("forefoot", "hind_foot")), ("quadruped", ("foot", "front_foot"))])
def test_four_feet_of_a_rigify_animal(scene, kind, feet):
    found = animator_controls(control_rigs.rigify(kind))
    assert {each.ik for each in found.limbs.values()} == {f"{foot}_ik.{side}" for foot in feet for side in "LR"}
    assert found.body == "torso"


@pytest.mark.parametrize("names", [control_rigs.AUTO_RIG, control_rigs.MIXAMO])
def test_controls_of_built_rigs(scene, names):
    scheme = built_rigs.AUTO_RIG if names is control_rigs.AUTO_RIG else built_rigs.MIXAMO
    rig = built_rigs.build(scheme)
    control_rigs.walk(rig, names=names)
    with rigs.nothing_made():
        found = animator_controls(rig)
    assert (found.master, found.body) == (scheme["master"], scheme["body"])
    for side, letter in zip(("left", "right"), names.sides):
        fk, foot = tuple(name.format(s=letter) for name in names.legs[:3]), names.foot.format(s=letter)
        pole, hand = scheme["leg"]["pole"].format(s=letter), scheme["arm"]["control"].format(s=letter)
        assert found.limbs[f"{side}_foot"] == limb(foot, pole, fk, foot, built_rigs.SWITCH)
        assert (found.limbs[f"{side}_hand"].ik, found.limbs[f"{side}_hand"].now) == (hand, "FK")
