# SPDX-License-Identifier: GPL-3.0-or-later
"""Control rigs built as Auto-Rig Pro and Mixamo's own control rig build them: names, mechanism and switches of theirs.

The limbs that deform follow a chain that reaches for its control (IK) or one that is turned (FK), as a property on the
control of the foot or hand says.
"""

import bpy

SIDES = {"left": 1.0, "right": -1.0}
# parts of a body of 1.75 m that looks along -Y: head, tail, on what it hangs
TRUNK = {
    "pelvis": ((0, 0.02, 0.95), (0, 0.02, 1.1), "body"),
    "spine": ((0, 0.02, 1.1), (0, 0.02, 1.3), "pelvis"),
    "chest": ((0, 0.02, 1.3), (0, 0.02, 1.48), "spine"),
    "neck": ((0, 0.02, 1.48), (0, 0, 1.58), "chest"),
    "head": ((0, 0, 1.58), (0, 0, 1.75), "neck"),
}
LIMBS = {
    "leg": {
        "upper": ((0.1, 0.02, 0.93), (0.1, -0.01, 0.5), "pelvis"),
        "lower": ((0.1, -0.01, 0.5), (0.1, 0.03, 0.09), "upper"),
        "end": ((0.1, 0.03, 0.09), (0.1, -0.1, 0.02), "lower"),
        "toe": ((0.1, -0.1, 0.02), (0.1, -0.18, 0.02), "end"),
    },
    "arm": {
        "upper": ((0.18, 0.02, 1.43), (0.4, 0.04, 1.25), "chest"),
        "lower": ((0.4, 0.04, 1.25), (0.6, 0.02, 1.1), "upper"),
        "end": ((0.6, 0.02, 1.1), (0.67, 0.01, 1.05), "lower"),
    },
}
AUTO_RIG = {
    "master": "c_traj",
    "body": "c_root_master.x",
    "trunk": {
        "pelvis": "c_root.x",
        "spine": "c_spine_01.x",
        "chest": "c_spine_02.x",
        "neck": "c_neck.x",
        "head": "c_head.x",
    },
    "deform": {"pelvis": "root.x", "spine": "spine_01.x", "chest": "spine_02.x", "neck": "neck.x", "head": "head.x"},
    "leg": {
        "deform": ("thigh_stretch.{s}", "leg_stretch.{s}", "foot.{s}", "toes_01.{s}"),
        "fk": ("c_thigh_fk.{s}", "c_leg_fk.{s}", "c_foot_fk.{s}", "c_toes_fk.{s}"),
        "ik": ("thigh_ik.{s}", "leg_ik.{s}", "foot_ik.{s}", "toes_ik.{s}"),
        "control": "c_foot_ik.{s}",
        "roll": "c_foot_roll.{s}",
        "pole": "c_leg_pole.{s}",
    },
    "arm": {
        "deform": ("arm_stretch.{s}", "forearm_stretch.{s}", "hand.{s}"),
        "fk": ("c_arm_fk.{s}", "c_forearm_fk.{s}", "c_hand_fk.{s}"),
        "ik": ("arm_ik.{s}", "forearm_ik.{s}", "hand_ik.{s}"),
        "control": "c_hand_ik.{s}",
        "roll": "",
        "pole": "c_arms_pole.{s}",
    },
    "sides": {"left": "l", "right": "r"},
}
MIXAMO = {
    "master": "Ctrl_Master",
    "body": "Ctrl_Hips",
    "trunk": {
        "pelvis": "Ctrl_Hips_Free",
        "spine": "Ctrl_Spine",
        "chest": "Ctrl_Spine1",
        "neck": "Ctrl_Neck",
        "head": "Ctrl_Head",
    },
    "deform": {
        "pelvis": "mixamorig:Hips",
        "spine": "mixamorig:Spine",
        "chest": "mixamorig:Spine1",
        "neck": "mixamorig:Neck",
        "head": "mixamorig:Head",
    },
    "leg": {
        "deform": ("mixamorig:{s}UpLeg", "mixamorig:{s}Leg", "mixamorig:{s}Foot", "mixamorig:{s}ToeBase"),
        "fk": ("Ctrl_UpLeg_FK_{s}", "Ctrl_Leg_FK_{s}", "Ctrl_Foot_FK_{s}", "Ctrl_Toe_FK_{s}"),
        "ik": ("UpLeg_IK_{s}", "Leg_IK_{s}", "Foot_IK_{s}", "Toe_IK_{s}"),
        "control": "Ctrl_Foot_IK_{s}",
        "roll": "Ctrl_FootRoll_IK_{s}",
        "pole": "Ctrl_LegPole_IK_{s}",
    },
    "arm": {
        "deform": ("mixamorig:{s}Arm", "mixamorig:{s}ForeArm", "mixamorig:{s}Hand"),
        "fk": ("Ctrl_Arm_FK_{s}", "Ctrl_ForeArm_FK_{s}", "Ctrl_Hand_FK_{s}"),
        "ik": ("Arm_IK_{s}", "ForeArm_IK_{s}", "Hand_IK_{s}"),
        "control": "Ctrl_Hand_IK_{s}",
        "roll": "",
        "pole": "Ctrl_ArmPole_IK_{s}",
    },
    "sides": {"left": "Left", "right": "Right"},
}
SWITCH = "ik_fk_switch"  # of the control of a foot or hand: 0 for IK, 1 for FK


def build(scheme, name="rig"):
    """A control rig of a scheme, active; legs are IK and arms FK."""
    rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    made = Made(rig, scheme)
    bpy.ops.object.mode_set(mode="EDIT")
    made.bones()
    bpy.ops.object.mode_set(mode="OBJECT")
    made.constraints()
    return rig


class Made:
    """One rig on its way."""

    def __init__(self, rig, scheme):
        self.rig, self.scheme = rig, scheme

    def bones(self):
        """All bones, in Edit Mode: controls, mechanism, and those that deform."""
        scheme = self.scheme
        self.bone(scheme["master"], (0, 0, 0), (0, 0.4, 0), "")
        self.bone(scheme["body"], (0, 0.02, 0.95), (0, 0.3, 0.95), scheme["master"])
        controls = {"body": scheme["body"], **scheme["trunk"]}
        for part, (head, tail, above) in TRUNK.items():
            self.bone(scheme["trunk"][part], head, tail, controls[above])
            self.bone(scheme["deform"][part], head, tail, scheme["deform"].get(above, ""), deform=True)
        for side, way in SIDES.items():
            for limb, parts in LIMBS.items():
                self.limb(limb, parts, scheme["sides"][side], way)

    def limb(self, limb, parts, side, way):
        names = self.scheme[limb]
        own = {kind: dict(zip(parts, (name.format(s=side) for name in names[kind]))) for kind in ("deform", "fk", "ik")}
        control, roll, pole = (names[kind].format(s=side) for kind in ("control", "roll", "pole"))
        head, tail, _ = parts["end"]
        flat = (head[0], head[1] - 0.2, head[2])
        self.bone(control, mirrored(head, way), mirrored(flat, way), self.scheme["master"])
        if roll:  # turns the foot about its ball
            self.bone(roll, mirrored(tail, way), mirrored((tail[0], tail[1], tail[2] + 0.1), way), control)
        ahead = parts["lower"][0]
        pole_head = (ahead[0], ahead[1] + (-0.5 if limb == "leg" else 0.5), ahead[2])
        self.bone(pole, mirrored(pole_head, way), mirrored((pole_head[0], pole_head[1], pole_head[2] + 0.1), way), control)
        for part, (head, tail, above) in parts.items():
            for kind, table in own.items():
                trunk = self.scheme["deform" if kind == "deform" else "trunk"]
                parent = table.get(above) or trunk[above]
                if kind == "ik" and part == "end":
                    parent = roll or control
                if kind == "ik" and part == "toe":
                    parent = control
                self.bone(table[part], mirrored(head, way), mirrored(tail, way), parent, deform=kind == "deform")

    def bone(self, name, head, tail, parent, deform=False):
        bones = self.rig.data.edit_bones
        made = bones.new(name)
        made.head, made.tail, made.parent, made.use_deform = head, tail, bones.get(parent), deform
        made.roll = 0.0

    def constraints(self):
        """What deforms follows trunk, IK or FK; all controls have a shape."""
        rig, scheme, poses = self.rig, self.scheme, self.rig.pose.bones
        shape = bpy.data.objects.get("shape") or bpy.data.objects.new("shape", ring())
        shown = {scheme["master"], scheme["body"], *scheme["trunk"].values()}
        for part in TRUNK:
            self.copy(scheme["deform"][part], scheme["trunk"][part])
        for side in scheme["sides"].values():
            for limb in LIMBS:
                names = {
                    kind: [name.format(s=side) for name in scheme[limb][kind]] if kind in ("deform", "fk", "ik") else None
                    for kind in scheme[limb]
                }
                control, roll, pole = (scheme[limb][kind].format(s=side) for kind in ("control", "roll", "pole"))
                shown |= {control, roll, pole, *names["fk"]}
                poses[control][SWITCH] = 0.0 if limb == "leg" else 1.0
                reach = poses[names["ik"][1]].constraints.new("IK")
                reach.target, reach.subtarget, reach.chain_count = rig, names["ik"][2], 2
                reach.pole_target, reach.pole_subtarget, reach.pole_angle = rig, pole, pole_angle(rig, names["ik"], pole)
                for bone, ik, fk in zip(names["deform"], names["ik"], names["fk"]):
                    self.copy(bone, ik, control, "1 - switch")
                    self.copy(bone, fk, control, "switch")
        for pose in poses:
            if pose.name in shown:
                pose.custom_shape = shape
                pose.rotation_mode = "XYZ"

    def copy(self, bone, target, control="", expression=""):
        constraint = self.rig.pose.bones[bone].constraints.new("COPY_TRANSFORMS")
        constraint.target, constraint.subtarget = self.rig, target
        if control:
            driver = constraint.driver_add("influence").driver
            driver.expression = expression
            variable = driver.variables.new()
            variable.name, variable.targets[0].id = "switch", self.rig
            variable.targets[0].data_path = f'pose.bones["{control}"]["{SWITCH}"]'


def mirrored(place, way):
    return place[0] * way, place[1], place[2]


def ring():
    mesh = bpy.data.meshes.new("shape")
    mesh.from_pydata([(0.1, 0, 0), (0, 0.1, 0), (-0.1, 0, 0), (0, -0.1, 0)], [(0, 1), (1, 2), (2, 3), (3, 0)], [])
    return mesh


def pole_angle(rig, chain, pole):
    """How far a limb's first bone is turned from the pole at rest."""
    bones = rig.data.bones
    upper, end = bones[chain[0]], bones[chain[2]]
    along = (end.head_local - upper.head_local).normalized()
    aim, own = bones[pole].head_local - upper.head_local, upper.matrix_local.to_3x3().col[0]
    aim, own = ((way - along * way.dot(along)).normalized() for way in (aim, own))
    return -own.angle(aim) if own.cross(aim).dot(along) > 0 else own.angle(aim)
