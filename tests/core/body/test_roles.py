# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is who: right without help under the naming schemes there are, and from shape alone where names say nothing."""

import json
from dataclasses import replace

import numpy as np
import pytest
from made_figures import BUILDS, figure, otherwise
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.roles import Roles, corrected, find_roles
from motion_signal.core.motion.skeleton import Bone, Skeleton
from other_rests import placed

# Where the parts of a human are: head and tail, of the left side where there are two.
BODY = {
    "root": ((0, 0, 0), (0, 0.2, 0)),
    "hip": ((0, 0, 0.98), (0, 0, 1.02)),
    "pelvis": ((0, 0, 0.95), (0, 0, 1.05)),
    "hip joint": ((0, 0, 0.95), (0.09, 0, 0.92)),
    "spine": ((0, 0, 1.05), (0, 0, 1.17)),
    "spine 1": ((0, 0, 1.17), (0, 0, 1.3)),
    "chest": ((0, 0, 1.3), (0, 0, 1.45)),
    "neck": ((0, 0, 1.45), (0, 0, 1.55)),
    "neck 1": ((0, 0, 1.5), (0, 0, 1.55)),
    "head": ((0, 0, 1.55), (0, 0, 1.75)),
    "jaw": ((0, -0.02, 1.6), (0, -0.1, 1.57)),
    "eye": ((0.03, -0.08, 1.66), (0.03, -0.1, 1.66)),
    "collar": ((0.02, 0, 1.4), (0.03, 0, 1.42)),
    "shoulder": ((0.03, 0, 1.42), (0.17, 0, 1.43)),
    "upper arm": ((0.17, 0, 1.43), (0.45, 0.01, 1.42)),
    "upper arm twist": ((0.31, 0, 1.425), (0.45, 0.01, 1.42)),
    "lower arm": ((0.45, 0.01, 1.42), (0.7, 0, 1.42)),
    "lower arm twist": ((0.57, 0, 1.42), (0.7, 0, 1.42)),
    "hand": ((0.7, 0, 1.42), (0.78, 0, 1.42)),
    "palm": ((0.72, 0, 1.42), (0.78, 0, 1.42)),
    "thumb": ((0.72, -0.03, 1.42), (0.76, -0.06, 1.42)),
    "finger": ((0.78, -0.01, 1.42), (0.86, -0.01, 1.42)),
    "upper leg": ((0.09, 0, 0.92), (0.1, -0.01, 0.5)),
    "upper leg twist": ((0.095, 0, 0.71), (0.1, -0.01, 0.5)),
    "lower leg": ((0.1, -0.01, 0.5), (0.1, 0.02, 0.09)),
    "lower leg twist": ((0.1, 0, 0.3), (0.1, 0.02, 0.09)),
    "foot": ((0.1, 0.02, 0.09), (0.1, -0.11, 0.02)),
    "heel": ((0.07, 0.06, 0), (0.13, 0.06, 0)),
    "instep": ((0.1, -0.04, 0.06), (0.1, -0.11, 0.02)),
    "toe": ((0.1, -0.11, 0.02), (0.1, -0.18, 0.01)),
    "toe end": ((0.1, -0.18, 0.01), (0.1, -0.2, 0.01)),
}
LIMBS = ("upper leg", "lower leg", "foot", "toe", "upper arm", "lower arm", "hand")

# Sides, then "name < parent: part" for every bone; * stands for the side. ! marks bones with the central roles.
SCHEMES = {
    "Rigify": (
        (".L", ".R"),
        """spine!: pelvis; spine.001! < spine: spine; spine.002 < spine.001: spine 1;
        spine.003 < spine.002: chest; spine.004 < spine.003: neck; spine.005 < spine.004: neck 1; spine.006! < spine.005: head;
        face < spine.006: head; pelvis* < spine: hip joint; thigh* < spine: upper leg; shin* < thigh*: lower leg;
        foot* < shin*: foot; toe* < foot*: toe; heel.02* < foot*: heel; shoulder* < spine.003: shoulder;
        upper_arm* < shoulder*: upper arm; forearm* < upper_arm*: lower arm; hand* < forearm*: hand;
        palm.01* < hand*: finger; thumb.01* < hand*: thumb""",
    ),
    "Rigify, deform bones": (
        (".L", ".R"),
        """root: root; DEF-spine! < root: pelvis; DEF-spine.001! < DEF-spine: spine;
        DEF-spine.003 < DEF-spine.001: chest; DEF-spine.006! < DEF-spine.003: head; DEF-pelvis* < DEF-spine: hip joint;
        DEF-thigh* < DEF-pelvis*: upper leg; DEF-thigh*.001 < DEF-thigh*: upper leg twist;
        DEF-shin* < DEF-thigh*.001: lower leg;
        DEF-shin*.001 < DEF-shin*: lower leg twist; DEF-foot* < DEF-shin*.001: foot; DEF-toe* < DEF-foot*: toe;
        DEF-shoulder* < DEF-spine.003: shoulder; DEF-upper_arm* < DEF-shoulder*: upper arm;
        DEF-upper_arm*.001 < DEF-upper_arm*: upper arm twist; DEF-forearm* < DEF-upper_arm*.001: lower arm;
        DEF-forearm*.001 < DEF-forearm*: lower arm twist; DEF-hand* < DEF-forearm*.001: hand; head < root: head;
        DEF-f_index.01* < DEF-hand*: finger; DEF-thumb.01* < DEF-hand*: thumb;
        foot_ik* < root: foot; hand_ik* < root: hand; ORG-foot* < root: foot; ORG-thigh* < root: upper leg""",
    ),
    "Mixamo": (
        ("Left", "Right"),
        """mixamorig:Hips!: pelvis; mixamorig:Spine! < mixamorig:Hips: spine;
        mixamorig:Spine1 < mixamorig:Spine: spine 1; mixamorig:Spine2 < mixamorig:Spine1: chest;
        mixamorig:Neck < mixamorig:Spine2: neck; mixamorig:Head! < mixamorig:Neck: head;
        mixamorig:*UpLeg < mixamorig:Hips: upper leg; mixamorig:*Leg < mixamorig:*UpLeg: lower leg;
        mixamorig:*Foot < mixamorig:*Leg: foot; mixamorig:*ToeBase < mixamorig:*Foot: toe;
        mixamorig:*Toe_End < mixamorig:*ToeBase: toe end; mixamorig:*Shoulder < mixamorig:Spine2: shoulder;
        mixamorig:*Arm < mixamorig:*Shoulder: upper arm; mixamorig:*ForeArm < mixamorig:*Arm: lower arm;
        mixamorig:*Hand < mixamorig:*ForeArm: hand; mixamorig:*HandThumb1 < mixamorig:*Hand: thumb;
        mixamorig:*HandIndex1 < mixamorig:*Hand: finger""",
    ),
    "CMU": (
        ("Left", "Right"),
        """Hips!: pelvis; LowerBack! < Hips: spine; Spine < LowerBack: spine 1; Spine1 < Spine: chest;
        Neck < Spine1: neck; Head! < Neck: head; *HipJoint < Hips: hip joint; *UpLeg < *HipJoint: upper leg;
        *Leg < *UpLeg: lower leg; *Foot < *Leg: foot; *ToeBase < *Foot: toe; *Shoulder < Spine1: shoulder;
        *Arm < *Shoulder: upper arm; *ForeArm < *Arm: lower arm; *Hand < *ForeArm: hand; *FingerBase < *Hand: finger;
        *Thumb < *Hand: thumb""",
    ),
    "CMU, as captured": (
        ("l", "r"),
        """root!: pelvis; lowerback! < root: spine; upperback < lowerback: spine 1;
        thorax < upperback: chest; lowerneck < thorax: neck; head! < lowerneck: head; *hipjoint < root: hip joint;
        *femur < *hipjoint: upper leg; *tibia < *femur: lower leg; *foot < *tibia: foot; *toes < *foot: toe;
        *clavicle < thorax: shoulder; *humerus < *clavicle: upper arm; *radius < *humerus: lower arm; *hand < *radius: hand;
        *fingers < *hand: finger; *thumb < *hand: thumb""",
    ),
    "Rokoko": (
        ("Left", "Right"),
        """Hips!: pelvis; Spine! < Hips: spine; Spine2 < Spine: spine 1; Spine4 < Spine2: chest;
        Neck < Spine4: neck; Head! < Neck: head; *Thigh < Hips: upper leg; *Shin < *Thigh: lower leg; *Foot < *Shin: foot;
        *Toe < *Foot: toe; *ToeTip < *Toe: toe end; *Shoulder < Spine4: shoulder; *Arm < *Shoulder: upper arm;
        *ForeArm < *Arm: lower arm; *Hand < *ForeArm: hand; *Finger1Metacarpal < *Hand: thumb;
        *Finger2Metacarpal < *Hand: finger""",
    ),
    "Unreal": (
        ("_l", "_r"),
        """root: root; pelvis! < root: pelvis; spine_01! < pelvis: spine; spine_02 < spine_01: spine 1;
        spine_03 < spine_02: chest; neck_01 < spine_03: neck; head! < neck_01: head; thigh* < pelvis: upper leg;
        thigh_twist_01* < thigh*: upper leg twist; calf* < thigh*: lower leg; calf_twist_01* < calf*: lower leg twist;
        foot* < calf*: foot; ball* < foot*: toe; clavicle* < spine_03: shoulder; upperarm* < clavicle*: upper arm;
        upperarm_twist_01* < upperarm*: upper arm twist; lowerarm* < upperarm*: lower arm; hand* < lowerarm*: hand;
        index_01* < hand*: finger; thumb_01* < hand*: thumb; ik_foot_root < root: root; ik_foot* < ik_foot_root: foot;
        ik_hand_root < root: root; ik_hand* < ik_hand_root: hand""",
    ),
    "Daz": (
        ("l", "r"),
        """hip!: pelvis; pelvis < hip: pelvis; abdomenLower! < hip: spine; abdomenUpper < abdomenLower: spine 1;
        chestLower < abdomenUpper: chest; neckLower < chestLower: neck; head! < neckLower: head; *ThighBend < pelvis: upper leg;
        *ThighTwist < *ThighBend: upper leg twist; *Shin < *ThighTwist: lower leg; *Foot < *Shin: foot;
        *Metatarsals < *Foot: instep; *Toe < *Metatarsals: toe; *Heel < *Foot: heel; *Collar < chestLower: shoulder;
        *ShldrBend < *Collar: upper arm; *ShldrTwist < *ShldrBend: upper arm twist; *ForearmBend < *ShldrTwist: lower arm;
        *ForearmTwist < *ForearmBend: lower arm twist; *Hand < *ForearmTwist: hand; *Index1 < *Hand: finger;
        *Thumb1 < *Hand: thumb""",
    ),
    "Auto-Rig Pro": (
        (".l", ".r"),
        """root.x!: pelvis; spine_01.x! < root.x: spine; spine_02.x < spine_01.x: spine 1;
        spine_03.x < spine_02.x: chest; neck.x < spine_03.x: neck; head.x! < neck.x: head; thigh_stretch* < root.x: upper leg;
        thigh_twist* < thigh_stretch*: upper leg twist; leg_stretch* < thigh_stretch*: lower leg;
        leg_twist* < leg_stretch*: lower leg twist; foot* < leg_stretch*: foot; toes_01* < foot*: toe;
        shoulder* < spine_03.x: shoulder; arm_stretch* < shoulder*: upper arm; arm_twist* < arm_stretch*: upper arm twist;
        forearm_stretch* < arm_stretch*: lower arm; forearm_twist* < forearm_stretch*: lower arm twist;
        hand* < forearm_stretch*: hand; index1* < hand*: finger; thumb1* < hand*: thumb""",
    ),
    "Biovision": (
        ("Left", "Right"),
        """Hips!: pelvis; Chest! < Hips: spine; Chest2 < Chest: chest; Neck < Chest2: neck;
        Head! < Neck: head; *Hip < Hips: upper leg; *Knee < *Hip: lower leg; *Ankle < *Knee: foot; *Toe < *Ankle: toe;
        *Collar < Chest2: shoulder; *Shoulder < *Collar: upper arm; *Elbow < *Shoulder: lower arm; *Wrist < *Elbow: hand""",
    ),
    "SMPL": (
        ("left", "right"),
        """pelvis!: pelvis; spine1! < pelvis: spine; spine2 < spine1: spine 1; spine3 < spine2: chest;
        neck < spine3: neck; head! < neck: head; *_hip < pelvis: upper leg; *_knee < *_hip: lower leg; *_ankle < *_knee: foot;
        *_foot < *_ankle: toe; *_collar < spine3: shoulder; *_shoulder < *_collar: upper arm;
        *_elbow < *_shoulder: lower arm; *_wrist < *_elbow: hand; *_hand < *_wrist: finger""",
    ),
    "SMPL, as Maya has it": (
        ("L", "R"),
        """root: root; m_avg_Pelvis! < root: pelvis; m_avg_Spine1! < m_avg_Pelvis: spine;
        m_avg_Spine3 < m_avg_Spine1: chest; m_avg_Neck < m_avg_Spine3: neck; m_avg_Head! < m_avg_Neck: head;
        m_avg_*_Hip < m_avg_Pelvis: upper leg; m_avg_*_Knee < m_avg_*_Hip: lower leg; m_avg_*_Ankle < m_avg_*_Knee: foot;
        m_avg_*_Foot < m_avg_*_Ankle: toe; m_avg_*_Collar < m_avg_Spine3: shoulder;
        m_avg_*_Shoulder < m_avg_*_Collar: upper arm; m_avg_*_Elbow < m_avg_*_Shoulder: lower arm;
        m_avg_*_Wrist < m_avg_*_Elbow: hand; m_avg_*_Hand < m_avg_*_Wrist: finger""",
    ),
    "SMPL-X": (
        ("left", "right"),
        """pelvis!: pelvis; spine1! < pelvis: spine; spine3 < spine1: chest; neck < spine3: neck;
        head! < neck: head; *_eye_smplhf < head: eye; jaw < head: jaw; *_hip < pelvis: upper leg; *_knee < *_hip: lower leg;
        *_ankle < *_knee: foot; *_foot < *_ankle: toe; *_collar < spine3: shoulder; *_shoulder < *_collar: upper arm;
        *_elbow < *_shoulder: lower arm; *_wrist < *_elbow: hand; *_index1 < *_wrist: finger; *_thumb1 < *_wrist: thumb""",
    ),
    "Kinect": (
        ("Left", "Right"),
        """SpineBase!: pelvis; SpineMid! < SpineBase: spine; SpineShoulder < SpineMid: chest;
        Neck < SpineShoulder: neck; Head! < Neck: head; Hip* < SpineBase: upper leg; Knee* < Hip*: lower leg;
        Ankle* < Knee*: foot; Foot* < Ankle*: toe; Shoulder* < SpineShoulder: upper arm; Elbow* < Shoulder*: lower arm;
        Wrist* < Elbow*: hand; Hand* < Wrist*: palm; HandTip* < Hand*: finger; Thumb* < Hand*: thumb""",
    ),
    "MakeHuman": (
        (".L", ".R"),
        """root!: pelvis; spine05! < root: spine; spine03 < spine05: spine 1; spine01 < spine03: chest;
        neck01 < spine01: neck; neck03 < neck01: neck 1; head! < neck03: head; pelvis* < root: hip joint;
        upperleg01* < pelvis*: upper leg; upperleg02* < upperleg01*: upper leg twist; lowerleg01* < upperleg02*: lower leg;
        lowerleg02* < lowerleg01*: lower leg twist; foot* < lowerleg02*: foot; toe1-1* < foot*: toe;
        clavicle* < spine01: collar;
        shoulder01* < clavicle*: shoulder; upperarm01* < shoulder01*: upper arm; upperarm02* < upperarm01*: upper arm twist;
        lowerarm01* < upperarm02*: lower arm; lowerarm02* < lowerarm01*: lower arm twist; wrist* < lowerarm02*: hand;
        metacarpal1* < wrist*: finger; finger1-1* < wrist*: thumb""",
    ),
    "AdvancedSkeleton": (
        ("_L", "_R"),
        """Root_M!: pelvis; Spine1_M! < Root_M: spine; Chest_M < Spine1_M: chest;
        Neck_M < Chest_M: neck; Head_M! < Neck_M: head; Hip* < Root_M: upper leg; HipPart1* < Hip*: upper leg twist;
        Knee* < HipPart1*: lower leg; Ankle* < Knee*: foot; Toes* < Ankle*: toe; ToesEnd* < Toes*: toe end;
        Scapula* < Chest_M: shoulder; Shoulder* < Scapula*: upper arm; ShoulderPart1* < Shoulder*: upper arm twist;
        Elbow* < ShoulderPart1*: lower arm; Wrist* < Elbow*: hand; IndexFinger1* < Wrist*: finger;
        ThumbFinger1* < Wrist*: thumb""",
    ),
    "Mixamo without a colon": (
        ("Left", "Right"),
        """mixamorigHips!: pelvis; mixamorigSpine! < mixamorigHips: spine;
        mixamorigSpine2 < mixamorigSpine: chest; mixamorigNeck < mixamorigSpine2: neck; mixamorigHead! < mixamorigNeck: head;
        mixamorig*UpLeg < mixamorigHips: upper leg; mixamorig*Leg < mixamorig*UpLeg: lower leg;
        mixamorig*Foot < mixamorig*Leg: foot; mixamorig*ToeBase < mixamorig*Foot: toe;
        mixamorig*Shoulder < mixamorigSpine2: shoulder; mixamorig*Arm < mixamorig*Shoulder: upper arm;
        mixamorig*ForeArm < mixamorig*Arm: lower arm; mixamorig*Hand < mixamorig*ForeArm: hand;
        mixamorig*HandThumb1 < mixamorig*Hand: thumb; mixamorig*HandIndex1 < mixamorig*Hand: finger""",
    ),
    "HumanIK": (
        ("Left", "Right"),
        """Character1_Reference: root; Character1_Hips! < Character1_Reference: pelvis;
        Character1_Spine! < Character1_Hips: spine; Character1_Spine1 < Character1_Spine: chest;
        Character1_Neck < Character1_Spine1: neck; Character1_Head! < Character1_Neck: head;
        Character1_*UpLeg < Character1_Hips: upper leg; Character1_*Leg < Character1_*UpLeg: lower leg;
        Character1_*Foot < Character1_*Leg: foot; Character1_*ToeBase < Character1_*Foot: toe;
        Character1_*Shoulder < Character1_Spine1: shoulder; Character1_*Arm < Character1_*Shoulder: upper arm;
        Character1_*ForeArm < Character1_*Arm: lower arm; Character1_*Hand < Character1_*ForeArm: hand;
        Character1_*HandThumb1 < Character1_*Hand: thumb; Character1_*HandIndex1 < Character1_*Hand: finger""",
    ),
    "Biped": (
        ("L", "R"),
        """Bip01: hip; Bip01 Pelvis! < Bip01: pelvis; Bip01 Spine! < Bip01 Pelvis: spine;
        Bip01 Spine1 < Bip01 Spine: chest; Bip01 Neck < Bip01 Spine1: neck; Bip01 Head! < Bip01 Neck: head;
        Bip01 * Thigh < Bip01 Pelvis: upper leg; Bip01 * Calf < Bip01 * Thigh: lower leg; Bip01 * Foot < Bip01 * Calf: foot;
        Bip01 * Toe0 < Bip01 * Foot: toe; Bip01 * Toe0Nub < Bip01 * Toe0: toe end; Bip01 * Clavicle < Bip01 Spine1: shoulder;
        Bip01 * UpperArm < Bip01 * Clavicle: upper arm; Bip01 * Forearm < Bip01 * UpperArm: lower arm;
        Bip01 * Hand < Bip01 * Forearm: hand; Bip01 * Finger0 < Bip01 * Hand: thumb; Bip01 * Finger1 < Bip01 * Hand: finger""",
    ),
    "VRM": (
        ("L", "R"),
        """Root: root; J_Bip_C_Hips! < Root: pelvis; J_Bip_C_Spine! < J_Bip_C_Hips: spine;
        J_Bip_C_Chest < J_Bip_C_Spine: chest; J_Bip_C_Neck < J_Bip_C_Chest: neck; J_Bip_C_Head! < J_Bip_C_Neck: head;
        J_Adj_*_FaceEye < J_Bip_C_Head: eye; J_Bip_*_UpperLeg < J_Bip_C_Hips: upper leg;
        J_Bip_*_LowerLeg < J_Bip_*_UpperLeg: lower leg; J_Bip_*_Foot < J_Bip_*_LowerLeg: foot;
        J_Bip_*_ToeBase < J_Bip_*_Foot: toe; J_Bip_*_Shoulder < J_Bip_C_Chest: shoulder;
        J_Bip_*_UpperArm < J_Bip_*_Shoulder: upper arm; J_Bip_*_LowerArm < J_Bip_*_UpperArm: lower arm;
        J_Bip_*_Hand < J_Bip_*_LowerArm: hand; J_Bip_*_Index1 < J_Bip_*_Hand: finger; J_Bip_*_Thumb1 < J_Bip_*_Hand: thumb""",
    ),
    "Xsens": (
        ("Left", "Right"),
        """Pelvis!: pelvis; L5! < Pelvis: spine; L3 < L5: spine 1; T12 < L3: chest; Neck < T12: neck;
        Head! < Neck: head; *UpperLeg < Pelvis: upper leg; *LowerLeg < *UpperLeg: lower leg; *Foot < *LowerLeg: foot;
        *Toe < *Foot: toe; *Shoulder < T12: shoulder; *UpperArm < *Shoulder: upper arm; *ForeArm < *UpperArm: lower arm;
        *Hand < *ForeArm: hand""",
    ),
    "OptiTrack": (
        ("L", "R"),
        """Skeleton 001_Hip!: pelvis; Skeleton 001_Ab! < Skeleton 001_Hip: spine;
        Skeleton 001_Chest < Skeleton 001_Ab: chest; Skeleton 001_Neck < Skeleton 001_Chest: neck;
        Skeleton 001_Head! < Skeleton 001_Neck: head; Skeleton 001_*Thigh < Skeleton 001_Hip: upper leg;
        Skeleton 001_*Shin < Skeleton 001_*Thigh: lower leg; Skeleton 001_*Foot < Skeleton 001_*Shin: foot;
        Skeleton 001_*Toe < Skeleton 001_*Foot: toe; Skeleton 001_*Shoulder < Skeleton 001_Chest: shoulder;
        Skeleton 001_*UArm < Skeleton 001_*Shoulder: upper arm; Skeleton 001_*FArm < Skeleton 001_*UArm: lower arm;
        Skeleton 001_*Hand < Skeleton 001_*FArm: hand""",
    ),
    "Genesis 9": (
        ("l", "r"),
        """hip!: pelvis; spine1! < hip: spine; spine4 < spine1: chest; neck1 < spine4: neck;
        head! < neck1: head; *_thigh < hip: upper leg; *_thightwist1 < *_thigh: upper leg twist; *_shin < *_thigh: lower leg;
        *_foot < *_shin: foot; *_metatarsal < *_foot: instep; *_toes < *_metatarsal: toe; *_shoulder < spine4: shoulder;
        *_upperarm < *_shoulder: upper arm; *_upperarmtwist1 < *_upperarm: upper arm twist; *_forearm < *_upperarm: lower arm;
        *_hand < *_forearm: hand; *_index1 < *_hand: finger; *_thumb1 < *_hand: thumb""",
    ),
    "Character Creator": (
        ("L", "R"),
        """CC_Base_BoneRoot: root; CC_Base_Hip! < CC_Base_BoneRoot: pelvis;
        CC_Base_Pelvis < CC_Base_Hip: pelvis; CC_Base_Waist! < CC_Base_Hip: spine; CC_Base_Spine01 < CC_Base_Waist: chest;
        CC_Base_NeckTwist01 < CC_Base_Spine01: neck; CC_Base_Head! < CC_Base_NeckTwist01: head;
        CC_Base_*_Thigh < CC_Base_Pelvis: upper leg; CC_Base_*_ThighTwist01 < CC_Base_*_Thigh: upper leg twist;
        CC_Base_*_Calf < CC_Base_*_Thigh: lower leg; CC_Base_*_Foot < CC_Base_*_Calf: foot;
        CC_Base_*_ToeBase < CC_Base_*_Foot: toe; CC_Base_*_Clavicle < CC_Base_Spine01: shoulder;
        CC_Base_*_Upperarm < CC_Base_*_Clavicle: upper arm; CC_Base_*_Forearm < CC_Base_*_Upperarm: lower arm;
        CC_Base_*_Hand < CC_Base_*_Forearm: hand; CC_Base_*_Index1 < CC_Base_*_Hand: finger""",
    ),
    "Legs and knees": (
        ("Left", "Right"),
        """Hips!: pelvis; Spine! < Hips: spine; Chest < Spine: chest; Neck < Chest: neck;
        Head! < Neck: head; *Hip < Hips: hip joint; *Leg < *Hip: upper leg; *Knee < *Leg: lower leg; *Foot < *Knee: foot;
        *Toes < *Foot: toe; *Shoulder < Chest: shoulder; *Bicep < *Shoulder: upper arm; *Elbow < *Bicep: lower arm;
        *Hand < *Elbow: hand; *Fingers < *Hand: finger""",
    ),
    "German": (
        (".L", ".R"),
        """Wurzel: root; Becken! < Wurzel: pelvis; Wirbel! < Becken: spine; Brust < Wirbel: chest;
        Hals < Brust: neck; Kopf! < Hals: head; Oberschenkel* < Becken: upper leg; Unterschenkel* < Oberschenkel*: lower leg;
        Fuss* < Unterschenkel*: foot; Zehen* < Fuss*: toe; Schulter* < Brust: shoulder; Oberarm* < Schulter*: upper arm;
        Unterarm* < Oberarm*: lower arm; Hand* < Unterarm*: hand; Finger* < Hand*: finger; Daumen* < Hand*: thumb""",
    ),
    "French": (
        ("_G", "_D"),
        """bassin!: pelvis; colonne! < bassin: spine; torse < colonne: chest; cou < torse: neck;
        tete! < cou: head; cuisse* < bassin: upper leg; tibia* < cuisse*: lower leg; pied* < tibia*: foot;
        orteils* < pied*: toe; epaule* < torse: shoulder; bras* < epaule*: upper arm; avant_bras* < bras*: lower arm;
        main* < avant_bras*: hand; doigt* < main*: finger; pouce* < main*: thumb""",
    ),
    "Japanese": (
        ("左", "右"),
        """全ての親: root; センター! < 全ての親: pelvis; 上半身! < センター: spine; 上半身2 < 上半身: chest;
        首 < 上半身2: neck; 頭! < 首: head; *目 < 頭: eye; *足 < センター: upper leg; *ひざ < *足: lower leg;
        *足首 < *ひざ: foot; *つま先 < *足首: toe; *ik_足 < 全ての親: foot; *肩 < 上半身2: shoulder;
        *腕 < *肩: upper arm; *ひじ < *腕: lower arm; *手首 < *ひじ: hand; *人指 < *手首: finger; *親指 < *手首: thumb""",
    ),
    "MMD": (
        (".L", ".R"),
        """全ての親: root; グルーブ! < 全ての親: pelvis; 下半身 < グルーブ: pelvis; 上半身! < グルーブ: spine; 上半身2 < 上半身: chest;
        首 < 上半身2: neck; 頭! < 首: head; 足* < 下半身: upper leg; ひざ* < 足*: lower leg; 足首* < ひざ*: foot;
        つま先* < 足首*: toe; 足ＩＫ* < 全ての親: foot; 肩* < 上半身2: shoulder; 腕* < 肩*: upper arm;
        腕捩* < 腕*: upper arm twist; ひじ* < 腕捩*: lower arm; 手捩* < ひじ*: lower arm twist; 手首* < 手捩*: hand;
        人指１* < 手首*: finger; 親指０* < 手首*: thumb""",
    ),
}


def armature(scheme):
    """A skeleton of a scheme, and the roles that its author would give."""
    sides, text = SCHEMES[scheme]
    wanted, rows = {}, []
    for entry in text.split(";"):
        names, owner = entry.strip().rsplit(": ", 1)
        name, _, parent = names.partition(" < ")
        if name.endswith("!"):
            name = name[:-1]
            wanted[owner] = name
        for side, sign in zip(sides, (1, -1)) if "*" in name else (("", 1),):
            ends = [np.multiply(point, (sign, 1, 1)) for point in BODY[owner]]
            rows.append((name.replace("*", side), parent.replace("*", side), *ends))
            if owner in LIMBS and "ik_" not in name and "_ik" not in name and "ＩＫ" not in name and "ORG" not in name:
                wanted[f"{'left' if sign > 0 else 'right'}_{owner.replace(' ', '_')}"] = rows[-1][0]
    return skeleton_of(rows), Roles(**wanted)


def skeleton_of(rows):
    """Bones with parents first, whatever order they are written in."""
    done, bones = [], []
    while len(done) < len(rows):
        name, parent, head, tail = next(row for row in rows if row[0] not in done and (not row[1] or row[1] in done))
        along = np.subtract(tail, head)
        length = np.linalg.norm(along)
        side = np.cross(along / length, (0.3, 0.8, 0.52))
        side /= np.linalg.norm(side)
        rest = np.eye(4)
        rest[:3] = np.stack([side, along / length, np.cross(side, along / length), head], axis=1)
        bones.append(Bone(name, done.index(parent) if parent else -1, rest, length, False, "XYZ", f'pose.bones["{name}"]'))
        done.append(name)
    return Skeleton(tuple(bones))


def nameless(skeleton, roles):
    """The same bones called Bone, Bone.001 and so on, and the roles under these names."""
    names = {bone.name: f"Bone.{index:03d}" if index else "Bone" for index, bone in enumerate(skeleton.bones)}
    bones = tuple(replace(bone, name=names[bone.name]) for bone in skeleton.bones)
    return Skeleton(bones), Roles(**{role: names[name] for role, name in roles.table().items() if name})


def moved(skeleton, matrix):
    return Skeleton(tuple(replace(bone, rest=matrix @ bone.rest) for bone in skeleton.bones))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_table_is_right_without_help_under_every_naming_scheme(scheme):
    skeleton, wanted = armature(scheme)
    assert find_roles(skeleton) == wanted


@pytest.mark.parametrize("scheme", SCHEMES)
def test_where_names_say_nothing_shape_does(scheme):
    skeleton, wanted = nameless(*armature(scheme))
    assert find_roles(skeleton) == wanted


@pytest.mark.parametrize("scheme", SCHEMES)
def test_names_and_tree_suffice_where_a_figure_rests_with_arms_hanging_and_feet_pointing_down(scheme):
    """As many a captured skeleton rests: every bone straight down or up."""
    skeleton, wanted = armature(scheme)
    places, bones = [], []
    for bone in skeleton.bones:
        head, along = bone.rest[:3, 3], bone.rest[:3, 1] * bone.length
        if bone.parent >= 0:
            parent = skeleton.bones[bone.parent]
            apart = head - parent.rest[:3, 3]
            arm = abs(parent.rest[0, 3]) > 0.15
            head = places[bone.parent] + (np.array([0.0, 0.0, -np.linalg.norm(apart)]) if arm else apart)
            along = np.array([0.0, 0.0, -bone.length]) if abs(bone.rest[0, 3]) > 0.15 else along
        places.append(head)
        bones.append((bone.name, skeleton.bones[bone.parent].name if bone.parent >= 0 else "", head, head + along))
    assert find_roles(skeleton_of(bones)) == wanted


def test_what_is_named_for_a_limb_but_cannot_be_one_is_found_by_shape():
    skeleton, wanted = armature("Rokoko")
    swapped = {"LeftThigh": "LeftFoot", "LeftFoot": "LeftThigh", "RightThigh": "RightFoot", "RightFoot": "RightThigh"}
    bones = tuple(replace(bone, name=swapped.get(bone.name, bone.name)) for bone in skeleton.bones)
    assert find_roles(Skeleton(bones)) == Roles(**{role: swapped.get(name, name) for role, name in wanted.table().items()})


def test_the_side_is_the_one_that_names_tell_even_where_their_language_is_not_known():
    skeleton, wanted = armature("German")
    mirrored = np.diag([-1.0, -1.0, 1.0, 1.0])  # turned about, toes and all
    backward = Skeleton(tuple(replace(bone, rest=mirrored @ bone.rest) for bone in skeleton.bones))
    assert find_roles(backward) == wanted
    rows = [
        (
            bone.name,
            backward.bones[bone.parent].name if bone.parent >= 0 else "",
            bone.rest[:3, 3],
            bone.rest[:3, 3] + (np.array([0, 0, -0.08]) if "Fuss" in bone.name else bone.rest[:3, 1] * bone.length),
        )
        for bone in backward.bones
        if "Zehen" not in bone.name
    ]
    assert find_roles(skeleton_of(rows)) == replace(wanted, left_toe="", right_toe="")


def test_the_walking_figure_of_the_demo_is_known_by_name_and_by_shape():
    roles = find_roles(gait.FIGURE)
    assert roles.left_foot == "foot.L" and roles.right_upper_arm == "upper_arm.R" and roles.pelvis == "hips"
    assert nameless(gait.FIGURE, roles)[1] == find_roles(nameless(gait.FIGURE, roles)[0])


@pytest.mark.parametrize("facing", [0, 90, 180, 270])
def test_left_is_left_whichever_way_the_figure_faces(facing):
    skeleton, wanted = nameless(*armature("Mixamo"))
    angle = np.radians(facing)
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    turn[:3, 3] = 3.0, -2.0, 0.5
    assert find_roles(moved(skeleton, turn)) == wanted


def test_size_does_not_matter_nor_which_axis_of_the_armature_is_up():
    skeleton, wanted = nameless(*armature("CMU"))
    lying = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1]])  # Y is up in the armature
    for size in (0.01, 100.0):
        tiny = np.diag([size, size, size, 1.0])
        small = Skeleton(
            tuple(
                replace(
                    bone,
                    rest=np.block([[bone.rest[:3, :3], size * bone.rest[:3, 3:]], [0, 0, 0, 1]]),
                    length=size * bone.length,
                )
                for bone in skeleton.bones
            )
        )
        assert find_roles(small) == wanted
        upright = replace(moved(small, lying), world=tuple(map(tuple, np.linalg.inv(lying) @ tiny)))
        assert find_roles(upright) == wanted


def test_bones_that_are_no_figure_have_no_roles():
    lone = Skeleton(armature("CMU")[0].bones[:1])
    assert find_roles(lone) == find_roles(Skeleton(())) == Roles()
    tail = skeleton_of([("a", "", (0, 0, 0), (0, 1, 0)), ("b", "a", (0, 1, 0), (0, 2, 0)), ("c", "b", (0, 2, 0), (0, 3, 0))])
    assert find_roles(tail) == Roles()
    flat = Skeleton(tuple(replace(bone, length=0.0, rest=np.eye(4)) for bone in nameless(*armature("CMU"))[0].bones))
    assert not find_roles(flat).left_foot


def test_corrections_replace_what_was_found_and_the_table_is_plain_data():
    skeleton, roles = armature("Unreal")
    fixed = corrected(roles, {"left_foot": "ik_foot_l", "head": ""}, skeleton)
    assert fixed.left_foot == "ik_foot_l" and fixed.head == "" and fixed.right_foot == "foot_r"
    assert Roles(**json.loads(json.dumps(fixed.table()))) == fixed


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"tail": "pelvis"}, "no 'tail'"),
        ({"head": "Kopf"}, "no bone 'Kopf'"),
        ({"head": 3}, "no bone 3"),
        ({"head": "foot_l"}, "left_foot|head"),
    ],
)
def test_corrections_that_make_no_sense_are_refused(wrong, words):
    skeleton, roles = armature("Unreal")
    with pytest.raises(ValueError, match=words):
        corrected(roles, wrong, skeleton)


LAIN = {
    "on its back": (-90.0, 0.0, 0.0),
    "on its face": (90.0, 0.0, 0.0),
    "on its side": (0.0, 90.0, 0.0),
    "upside down": (180.0, 0.0, 0.0),
}


@pytest.mark.parametrize("turn", LAIN.values(), ids=LAIN)
@pytest.mark.parametrize("build", BUILDS)
def test_a_body_that_lies_at_rest_and_whose_names_say_nothing_is_told_as_it_stands(build, turn):
    standing = figure(BUILDS[build])
    lain = otherwise(standing, 1, lying=placed(turn))
    bones = [replace(bone, name=f"Bone.{index:03d}") for index, bone in enumerate(lain.bones)]
    found = find_roles(replace(lain, bones=tuple(bones))).table()
    wanted = {role: f"Bone.{standing.index(name):03d}" for role, name in find_roles(standing).table().items() if name}
    assert {role: name for role, name in found.items() if role in wanted} == wanted
