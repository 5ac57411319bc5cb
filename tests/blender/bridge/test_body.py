# SPDX-License-Identifier: GPL-3.0-or-later
"""The body in Blender: who is who, contacts kept with the action, the lock that uses them, and the report."""

import json

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.operators.settings import body
from bl_ext.dev.motion_signal.operators.tools import contacts
from desk import panel

pytestmark = pytest.mark.usefixtures("settled")

POINTS = ("left_heel", "left_toe", "right_heel", "right_toe")


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


def test_a_cycle_is_the_same_once_names_that_mislead_are_put_right_in_the_table(figure):
    take, table = figure.animation_data.action, figure.data.motion_signal_body
    bpy.ops.motion_signal.cycle(find="SEARCH")
    wanted = [rigs.keys(curve) for curve in rigs.curves_of(figure).values()]
    figure.animation_data.action = take
    right = body.found_roles(figure)
    swapped = {"thigh": "upper_arm", "shin": "forearm", "foot": "hand", "upper_arm": "thigh", "forearm": "shin", "hand": "foot"}
    bones = {name: figure.data.bones[name] for name in right.values() if name[:-2] in swapped}
    for renamed in ("{} before", "{}"):  # two bones cannot have one name even for a moment
        for name, bone in bones.items():
            bone.name = renamed.format(swapped[name[:-2]] + name[-2:])
    for role, name in right.items():
        setattr(table, role, bones[name].name if name in bones else name)
    bpy.ops.motion_signal.cycle(find="SEARCH")
    found = [rigs.keys(curve) for curve in rigs.curves_of(figure).values()]
    assert len(found) == len(wanted) and all(np.allclose(one, other, atol=1e-5) for one, other in zip(found, wanted))


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
    panel().contact_index = 0
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
    bpy.ops.motion_signal.equalize(preset="exaggerate", feet="FREE")  # wider steps: the feet slide
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


@pytest.mark.parametrize(
    "planted, words",
    [
        ({"left_heel": [[10, 30], [20, 40]]}, "left_heel"),
        ({"left_heel": [[10, 3000]]}, "left_heel"),
        ({"nose": [[1, 2]]}, "nose"),
    ],
)
def test_contacts_that_overlap_or_lie_outside_are_refused(figure, planted, words):
    with rigs.nothing_made(), pytest.raises(RuntimeError, match=words):
        bpy.ops.motion_signal.lock(amount=1.0, contacts=json.dumps(planted))


def test_feet_that_constraints_move_are_found_as_blender_shows_them_and_locked(figure):
    bpy.ops.motion_signal.contacts()
    free = kept(figure.animation_data.action)
    foot = figure.pose.bones["foot.L"]
    foot.constraints.new("COPY_ROTATION")
    foot.constraints[0].target, foot.constraints[0].subtarget, foot.constraints[0].influence = figure, "foot.R", 0.001
    bpy.ops.motion_signal.contacts()
    assert kept(figure.animation_data.action) == free
    assert bpy.ops.motion_signal.lock(amount=1.0) == {"FINISHED"}


CONTROLS = {"left_foot": "foot_ik.L", "right_foot": "foot_ik.R"}


@pytest.fixture
def controlled(scene):
    """Legs that IK constraints move after loose bones, which take steps and slide while they stand; hips that walk along."""
    scene.render.fps = 30
    rig = rigs.staged(bpy.data.objects.new("Controlled", bpy.data.armatures.new("Controlled")))
    bpy.ops.object.mode_set(mode="EDIT")
    bone(rig, "hips", (0, 0, 0.9), (0, 0, 1.05))
    for side, x in ((".L", 0.1), (".R", -0.1)):
        bone(rig, "thigh" + side, (x, 0, 0.9), (x, -0.02, 0.48), "hips")
        bone(rig, "shin" + side, (x, -0.02, 0.48), (x, 0, 0.08), "thigh" + side)
        bone(rig, "foot" + side, (x, 0, 0.08), (x, -0.14, 0.02), "shin" + side)
        bone(rig, "foot_ik" + side, (x, 0, 0.08), (x, -0.14, 0.02))
    bpy.ops.object.mode_set(mode="OBJECT")
    for side in (".L", ".R"):
        for name, kind in (("shin", "IK"), ("foot", "COPY_ROTATION")):
            constraint = rig.pose.bones[name + side].constraints.new(kind)
            constraint.target, constraint.subtarget = rig, "foot_ik" + side
        rig.pose.bones["shin" + side].constraints["IK"].chain_count = 2
    rigs.animate(
        rig,
        {
            **travel(rig, "hips", 0.6 * np.arange(120) / 30, -0.08),
            **travel(rig, "foot_ik.L", *steps(0)),
            **travel(rig, "foot_ik.R", *steps(15)),
        },
    )
    for role, name in CONTROLS.items():
        setattr(rig.data.motion_signal_body, role, name)
    return rig


def bone(rig, name, head, tail, parent=""):
    made = rig.data.edit_bones.new(name)
    made.head, made.tail, made.parent = head, tail, rig.data.edit_bones.get(parent)


def steps(delay):
    """How far a foot is to the front, and how high: it stands 20 of 30 frames, and slides 20 mm meanwhile."""
    time = (np.arange(120) + 30 - delay) / 30
    fraction = np.clip((time % 1.0 - 2 / 3) * 3, 0.0, 1.0)
    slide = 0.02 * np.clip(time % 1.0 * 1.5, 0.0, 1.0)
    front = 0.6 * (np.floor(time) + fraction * fraction * (3 - 2 * fraction) - 0.7 + delay / 30) + slide * (1 - fraction)
    return front, 0.1 * np.sin(np.pi * fraction) ** 2


def travel(rig, name, front, high):
    """Curves of a bone that is moved along -Y and Z of the armature."""
    along = np.stack(np.broadcast_arrays(0.0, -front, high), axis=-1) @ np.array(rig.data.bones[name].matrix_local)[:3, :3]
    path = f'pose.bones["{name}"].'
    turned = {(path + "rotation_quaternion", index): rigs.dense(np.full(len(along), float(index == 0))) for index in range(4)}
    return {(path + "location", axis): rigs.dense(along[:, axis]) for axis in range(3)} | turned


def feet_of(rig):
    """Where Blender puts the feet that the constraints move, (frames, feet, 3)."""
    return rigs.poses(rig, range(1, 121))[..., :3, 3][:, [rig.pose.bones.find(name) for name in ("foot.L", "foot.R")]]


def stands():
    """(foot, rows) of all stands that are whole."""
    return [(foot, slice(start + 1, start + 20)) for foot, delay in enumerate((0, 15)) for start in range(delay, 95, 30)]


def test_feet_that_controls_lead_stand_still_as_blender_evaluates_them(controlled):
    before, legs = feet_of(controlled), {"thigh.L", "shin.L", "foot.L", "hips"}
    planted = {
        f"{side}_{point}": [[1 + rows.start, rows.stop] for foot, rows in stands() if foot == index]
        for index, side in enumerate(("left", "right"))
        for point in ("heel", "toe")
    }
    bpy.ops.motion_signal.lock(amount=1.0, contacts=json.dumps(planted))
    after = feet_of(controlled)
    slid, stood = ([np.ptp(places[rows, foot], axis=0).max() for foot, rows in stands()] for places in (before, after))
    assert min(slid) > 0.012 and max(stood) < 0.001
    owners = {path.split('"')[1] for path, _ in rigs.curves_of(controlled)}
    assert owners & legs == {"hips"}
    air = np.ones(before.shape[:2], dtype=bool)
    for foot, rows in stands():
        air[max(0, rows.start - 8) : rows.stop + 8, foot] = False
    assert np.abs(after - before)[air].max() < 0.03


def test_controls_tell_when_they_are_planted(controlled):
    before = feet_of(controlled)
    bpy.ops.motion_signal.lock(amount=1.0)
    after = feet_of(controlled)
    middle = [(foot, slice(rows.start + 3, rows.stop - 3)) for foot, rows in stands()]
    slid, stood = ([np.ptp(places[rows, foot], axis=0).max() for foot, rows in middle] for places in (before, after))
    assert max(stood) < 0.001 < 0.01 < min(slid)


def test_a_foot_that_constraints_lead_is_locked_by_the_control_that_it_follows(controlled):
    bpy.ops.motion_signal.body_reset()
    before = rigs.evaluated(controlled, range(1, 121))
    bpy.ops.motion_signal.lock(amount=1.0)
    after = rigs.evaluated(controlled, range(1, 121))
    assert {path.split('"')[1] for path, _ in after} == {"hips", "foot_ik.L", "foot_ik.R"}
    assert not np.allclose(after['pose.bones["foot_ik.L"].location', 1], before['pose.bones["foot_ik.L"].location', 1])


def test_a_kept_hand_is_on_the_path_of_the_original_take(figure):
    hand = figure.pose.bones.find("hand.L")
    frames = range(10, 100, 5)
    original = rigs.poses(figure, frames)[:, hand]
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="keep: hand.L has no other path than its own"):
        bpy.ops.motion_signal.lock(keep="hand.L")
    bpy.ops.motion_signal.equalize(preset="exaggerate")
    bpy.ops.motion_signal.equalize(preset="nervous_twitch")
    edited = rigs.poses(figure, frames)[:, hand]
    bpy.ops.motion_signal.lock(keep="hand.L", amount=1.0)
    kept = rigs.poses(figure, frames)[:, hand]
    assert np.linalg.norm((edited - original)[:, :3, 3], axis=1).max() > 0.05
    assert np.linalg.norm((kept - original)[:, :3, 3], axis=1).max() < 0.001
    assert rigs.angles_between(kept, original).max() < 0.01
