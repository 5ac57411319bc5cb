# SPDX-License-Identifier: GPL-3.0-or-later
"""The only folder that reads and writes Blender data. Nothing is imported at the top: what spreads takes over processes
and machines needs no Blender itself."""

from importlib import import_module

NAMES = (
    "live.settings",
    "settings.body",
    "settings.rig_controls",
    "bridge.assign",
    "live.at_hand",
    "live.preview",
    "live.steps",
    "live.survive",
    "live.goals",
    "live.step_tools",
    "settings.lists",
    "live.presets",
    "tools.technique_operators",
    "desk.choose",
    "tools.reopen",
    "tools.recipe",
    "tools.throw_away",
    "live.summary",
    "live.curve_widget",
    "draw.lanes",
    "desk.add_step",
    "desk.manual",
    "tools.displace",
    "tools.timewarp",
    "desk.retime",
    "desk.path_points",
    "desk.pins",
    "tools.timewarp_picture",
    "tools.blend",
    "desk.between",
    "draw.cut_map",
    "tools.contacts",
    "tools.report",
    "tools.path",
    "live.ground",
    "tools.cycle",
    "tools.network",
    "tools.speed",
    "tools.automate",
    "live.gain_curves",
    "tools.mood",
    "draw.held_bones",
    "tools.limbs",
    "tools.walking_figure",
    "draw.ghost",
    "draw.shape_portrait",
    "draw.poses",
    "draw.see_both",
    "draw.compared",
    "draw.before_key",
    "desk.version_pictures",
    "desk.versions",
    "desk.intake",
    "desk.library",
    "desk.library_show",
    "desk.library_assets",
    "desk.findings",
    "desk.retarget",
    "desk.music",
    "desk.locomotion",
    "tools.keymap",
    "command",
)


def modules():
    return [import_module("." + name, __package__) for name in NAMES]


def register():
    import bpy

    for module in modules():
        for kind in getattr(module, "CLASSES", ()):
            bpy.utils.register_class(kind)
        getattr(module, "register", lambda: None)()


def unregister():
    import bpy

    for module in reversed(modules()):
        getattr(module, "unregister", lambda: None)()
        for kind in reversed(getattr(module, "CLASSES", ())):
            bpy.utils.unregister_class(kind)
