# SPDX-License-Identifier: GPL-3.0-or-later
"""The only folder that reads and writes Blender data. Nothing is imported at the top: what spreads takes over processes
and machines needs no Blender itself."""

from importlib import import_module

NAMES = ("settings", "body", "held", "preview", "records", "presets", "techniques", "choosing", "reopen", "recipe_list",
         "throwing", "summary", "shape_curve", "lanes", "displacement", "warping", "warp_picture", "blending", "cut_map",
         "contacts", "report", "paths", "cycles", "pad", "speeds", "automation", "live_gains", "moods", "residual",
         "limbs", "figure", "ghost", "portrait", "keymap", "commandline")


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
