# SPDX-License-Identifier: GPL-3.0-or-later
"""Where animators look: Motion in the menus Pose and Key and in their context menus, by what one wants to do.

F3 finds what stands in a menu, by these words.
"""

import bpy

INTENTS = {  # techniques by intent: what an animator calls it
    "Style": (("style", "Mood"), ("cartoon", "Cartoon"), ("equalize", "Equalizer")),
    "Feet": (("lock", "Lock Feet"), ("weight", "Weight, Jumps and Balance")),
    "Timing": (
        ("timewarp", "Retime"),
        ("fit_length", "Fit to a Length"),
        ("music", "Onto the Beat"),
        ("speed", "Walking Speed"),
    ),
    "Loop": (("cycle", "Loop"), ("harmonics", "Harmonics of a Loop")),
    "Path": (("path", "Walk Along a Curve"), ("locomotion", "Walk a Curve from Cycles")),
    "Combine": (
        ("blend", "Blend Takes"),
        ("between", "As High, Fast or Far as Asked"),
        ("join", "Join Takes"),
        ("network", "Blend Space"),
        ("wavelet_blend", "Blend by Detail"),
    ),
    "Pose": (
        ("displace", "Pose Over the Take"),
        ("life", "Bring Poses to Life"),
        ("pins", "Pin Hands and Feet"),
        ("avatar", "Another Size"),
    ),
    "Clean": (
        ("clean", "Clean a Capture"),
        ("equalize", "Calm Jitter with the Equalizer"),
        ("waveshape", "Soft Limits and Calm with the Shaper"),
    ),
    "Finish": (("reduce", "Few Keys"),),
}
ALSO = {
    "Timing": ("motion_signal.retime_section",),
    "Combine": ("motion_signal.retarget",),
}  # other operators, by their own names
ICONS = {
    "Style": "SHADERFX",
    "Feet": "CON_FLOOR",
    "Timing": "TIME",
    "Loop": "FILE_REFRESH",
    "Path": "CURVE_PATH",
    "Combine": "OVERLAY",
    "Pose": "ARMATURE_DATA",
    "Clean": "BRUSH_DATA",
    "Finish": "CHECKMARK",
}


def step_label(technique):
    """What a step is called: as in the menu where its row has room for that."""
    room = 15 if technique.principal else 24
    called = next((label for steps in INTENTS.values() for name, label in steps if name == technique.name), technique.label)
    return called if len(called) <= room else technique.label


def menu_name(intent):
    return f"MOTION_SIGNAL_MT_{intent.lower()}"


def intent_menu(intent):
    """The menu of one intent."""

    def draw(self, context):
        self.layout.operator_context = "INVOKE_REGION_WIN"
        for technique, label in INTENTS[intent]:
            self.layout.operator("motion_signal.add_step", text=label).technique = technique
        for operator in ALSO.get(intent, ()):
            self.layout.operator(operator)

    body = {"bl_idname": menu_name(intent), "bl_label": intent, "draw": draw}
    return type(body["bl_idname"], (bpy.types.Menu,), body)


class MOTION_SIGNAL_MT_motion(bpy.types.Menu):
    """Treat the motion as a sound engineer treats a track; the take stays as it is"""

    bl_idname = "MOTION_SIGNAL_MT_motion"
    bl_label = "Motion"

    def draw(self, context):
        for intent, icon in ICONS.items():
            self.layout.menu(menu_name(intent), icon=icon)


def menu_entry(self, context):
    """The line in Blender's own menus."""
    self.layout.separator()
    self.layout.menu(MOTION_SIGNAL_MT_motion.bl_idname, icon="FCURVE")


def first_entry(self, context):
    """The same where a menu is so long that its end is below the screen."""
    self.layout.menu(MOTION_SIGNAL_MT_motion.bl_idname, icon="FCURVE")
    self.layout.separator()


MENUS = ("VIEW3D_MT_pose", "VIEW3D_MT_pose_context_menu", "GRAPH_MT_context_menu", "DOPESHEET_MT_context_menu")
LONG_MENUS = ("GRAPH_MT_key", "DOPESHEET_MT_key")
CLASSES = (*map(intent_menu, INTENTS), MOTION_SIGNAL_MT_motion)


def register():
    for name in MENUS:
        getattr(bpy.types, name).append(menu_entry)
    for name in LONG_MENUS:
        getattr(bpy.types, name).prepend(first_entry)


def unregister():
    for name in MENUS:
        getattr(bpy.types, name).remove(menu_entry)
    for name in LONG_MENUS:
        getattr(bpy.types, name).remove(first_entry)
