# SPDX-License-Identifier: GPL-3.0-or-later
"""The body in Blender: who is who, contacts kept with the action, the lock that uses them, and the report."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.operators import body, contacts, preview
from desk import panel, reset

POINTS = ("left_heel", "left_toe", "right_heel", "right_toe")


@pytest.fixture(autouse=True)
def settled(scene, capfd):
    reset()
    yield
    preview.end()
    reset()
    panel().show_contacts = False
    assert "Traceback" not in capfd.readouterr().err


@pytest.fixture
def figure():
    """The walking figure, its feet made to slide by a wider stride."""
    bpy.context.scene.render.fps = 60
    bpy.ops.motion_signal.add_figure()
    return bpy.context.object


def kept(action):
    return json.loads(action.get("motion_signal_contacts", "{}"))


def test_body_parts_are_found_shown_corrected_and_forgotten(figure):
    table = figure.data.motion_signal_body
    assert (table.left_foot, table.right_hand, table.pelvis) == ("foot.L", "hand.R", "hips")
    table.left_hand = ""
    assert table.left_hand == "" and body.corrections_of(figure.data) == {"left_hand": ""}
    table.left_hand = "hand.L"
    assert body.corrections_of(figure.data) == {}
    table.head = "neck" if "neck" in figure.data.bones else "chest"
    bpy.ops.motion_signal.body_reset()
    assert table.head == body.found_roles(figure)["head"] and body.corrections_of(figure.data) == {}


def test_contacts_are_found_and_kept_with_the_action_alone(figure):
    action = figure.animation_data.action
    before = {name: rigs.keys(curve).tolist() for name, curve in rigs.curves_of(figure).items()}
    assert bpy.ops.motion_signal.contacts() == {"FINISHED"}
    assert set(kept(action)) >= set(POINTS) and min(len(kept(action)[point]) for point in POINTS) >= 3
    assert before == {name: rigs.keys(curve).tolist() for name, curve in rigs.curves_of(figure).items()}
    assert action.copy().get("motion_signal_contacts") == action["motion_signal_contacts"]


def test_contacts_are_added_and_deleted(figure):
    action = figure.animation_data.action
    panel().contact_point = "right_toe"
    bpy.context.scene.frame_set(30)
    bpy.ops.motion_signal.contact_add()
    assert kept(action) == {"right_toe": [[30, 42]]}
    bpy.context.scene.frame_set(38)
    bpy.ops.motion_signal.contact_add()
    assert kept(action) == {"right_toe": [[30, 50]]}
    panel().contact_place = 0
    bpy.ops.motion_signal.contact_remove()
    assert kept(action) == {}
    with pytest.raises(RuntimeError, match="no contact is chosen"):
        bpy.ops.motion_signal.contact_remove()


def test_a_dragged_bar_changes_the_contact_but_not_into_its_neighbour(figure):
    action = figure.animation_data.action
    panel().show_contacts = True
    action["motion_signal_contacts"] = json.dumps({"left_toe": [[10, 30], [50, 70]]})
    lane = next(lane for lane in contacts.LANES if lane.label == "Left Toe")
    assert [(bar.first, bar.last) for bar in lane.bars(bpy.context)] == [(10, 30), (50, 70)]
    assert lane.move(bpy.context, 0, 10, 40) is True and kept(action)["left_toe"][0] == [10, 40]
    assert lane.move(bpy.context, 0, 10, 55) is False and kept(action)["left_toe"][0] == [10, 40]
    assert lane.move(bpy.context, 0, -5, 40) is False


def test_the_lock_holds_the_contacts_that_the_animator_has_now(figure):
    bpy.ops.motion_signal.contacts()
    bpy.ops.motion_signal.equalize(preset="exaggerate")  # wider steps: the feet slide
    slid = figure.animation_data.action
    first, last = kept(slid)["left_heel"][1]
    foot = figure.pose.bones.find("foot.L")

    def places():
        return rigs.poses(figure, range(first, last + 1))[:, foot, :3, 3]

    before = places()
    panel().lock.amount = 1.0
    held = places()
    assert panel().notice == "" and np.ptp(held[:, :2], axis=0).max() < 0.2 * np.ptp(before[:, :2], axis=0).max()
    lanes = [next(lane for lane in contacts.LANES if lane.label == label) for label in ("Left Heel", "Left Toe")]
    for lane in lanes:
        spans = kept(slid)[lane.label.lower().replace(" ", "_")]
        assert lane.move(bpy.context, 1, spans[1][0], spans[1][0] + 8)
    assert panel().notice == "" and np.abs(places() - held).max() > 0.01


def test_a_lock_leaves_the_take_as_it_is_and_takes_the_slide_away(figure):
    bpy.ops.motion_signal.equalize(preset="exaggerate")
    slid = figure.animation_data.action
    with rigs.untouched(slid):
        bpy.ops.motion_signal.lock(amount=1.0)
    bpy.ops.motion_signal.report()
    after, before = json.loads(panel().measured)
    assert after["slide_mean_mm"] < 2.0 and before is not None


def test_a_report_is_written_as_json(figure, tmp_path):
    bpy.ops.motion_signal.report(path=str(tmp_path / "report.json"))
    numbers = json.loads((tmp_path / "report.json").read_text())
    assert numbers["frames"] > 100 and numbers["speed_m_s"] == pytest.approx(1.3, abs=0.3) and numbers["flips"] == 0


def test_a_figure_without_feet_is_told_what_to_do(scene):
    rig, _ = rigs.walker(97)
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="feet|leg"):
        bpy.ops.motion_signal.contacts()
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="feet|leg"):
        bpy.ops.motion_signal.lock(amount=1.0)


@pytest.mark.parametrize("planted, words", [
    ({"left_heel": [[10, 30], [20, 40]]}, "left_heel"), ({"left_heel": [[10, 3000]]}, "left_heel"),
    ({"nose": [[1, 2]]}, "nose")])
def test_contacts_that_overlap_or_lie_outside_are_refused(figure, planted, words):
    with rigs.nothing_made(), pytest.raises(RuntimeError, match=words):
        bpy.ops.motion_signal.lock(amount=1.0, contacts=json.dumps(planted))


def test_a_rig_with_constraints_is_told_to_be_baked(figure):
    figure.pose.bones["foot.L"].constraints.new("COPY_ROTATION")
    figure.pose.bones["foot.L"].constraints[0].target = figure
    figure.pose.bones["foot.L"].constraints[0].subtarget = "foot.R"
    with pytest.raises(RuntimeError, match="foot.L is moved by constraints or drivers"):
        bpy.ops.motion_signal.contacts()
