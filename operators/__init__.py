# SPDX-License-Identifier: GPL-3.0-or-later
"""The only folder that reads and writes Blender data."""

import bpy

from . import (
    automation,
    blending,
    body,
    choosing,
    commandline,
    contacts,
    cut_map,
    cycles,
    displacement,
    figure,
    ghost,
    keymap,
    lanes,
    limbs,
    live_gains,
    moods,
    pad,
    paths,
    portrait,
    presets,
    preview,
    records,
    reduction,
    reopen,
    report,
    residual,
    settings,
    shape_curve,
    speeds,
    summary,
    techniques,
    warp_picture,
    warping,
)

MODULES = (settings, body, preview, records, presets, techniques, choosing, reopen, summary, shape_curve, lanes, displacement,
           warping, warp_picture, blending, cut_map, contacts, report, reduction, paths, cycles, pad, speeds, automation,
           live_gains, moods, residual, limbs, figure, ghost, portrait, keymap, commandline)


def register():
    for module in MODULES:
        for kind in getattr(module, "CLASSES", ()):
            bpy.utils.register_class(kind)
        getattr(module, "register", lambda: None)()


def unregister():
    for module in reversed(MODULES):
        getattr(module, "unregister", lambda: None)()
        for kind in reversed(getattr(module, "CLASSES", ())):
            bpy.utils.unregister_class(kind)
