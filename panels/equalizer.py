# SPDX-License-Identifier: GPL-3.0-or-later
"""The equalizer's panel: a fader per octave, what moves there, mute and solo."""

import bpy

from ..operators.live.summary import summarize
from ..operators.tools.automate import band_keys
from ..operators.tools.limbs import limb_names
from .shared import PresetPopover, TechniquePanel, draw_more, icon_number


class MOTION_SIGNAL_PT_equalize_presets(PresetPopover, bpy.types.Panel):
    bl_idname = "MOTION_SIGNAL_PT_equalize_presets"
    technique_name = "equalize"


class MOTION_SIGNAL_PT_equalize(TechniquePanel, bpy.types.Panel):
    bl_label = "Equalizer"
    technique_name = "equalize"

    def draw_parameters(self, layout, context, summary):
        settings = context.window_manager.motion_signal.equalize
        if summary.bands:
            draw_faders(layout, context, settings, summary.bands)
        draw_options(layout, context, settings)


def draw_faders(layout, context, settings, bands):
    """A row a band: what moves in it and how much now, the fader, its key diamond, mute and solo."""
    faders = "limbs_view" if settings.limbs_row else "gains_view"
    if settings.limbs_row:
        row = layout.row(align=True)
        row.label(text=f"{settings.limbs_row} and below", icon="BONE_DATA", translate=False)
        row.operator("motion_signal.limb_leave", text="", icon="X", emboss=False)
    split, muting, soloing = layout.split(factor=0.26), settings.mute_view[:], settings.solo_view[:]
    names, rest = split.column(align=True), split.split(factor=0.14)
    bars, rest = rest.column(align=True), rest.row(align=True)
    sliders, diamonds, mutes, solos = (rest.column(align=True) for _ in range(4))
    some_alone, keyed, frame = any(soloing), bool(settings.automation), context.scene.frame_current
    for band in bands:
        names.operator("motion_signal.band_neutral", text=band.label, emboss=False).band = band.index
        bars.progress(text="", factor=band.energy or 0.0, type="BAR")
        muted, alone = muting[band.index], soloing[band.index]
        fader = sliders
        if muted or some_alone and not alone:
            fader = sliders.row(align=True)
            fader.active = False
        fader.prop(settings, faders, index=band.index, text="", slider=True)
        keys = band_keys(context, band.index) if keyed else ()
        here = any(at == frame for at, _ in keys)
        icon = icon_number("KEYFRAME_HLT" if here else "KEYFRAME" if keys else "DECORATE_ANIMATE")
        diamonds.operator("motion_signal.automate_key", text="", icon_value=icon).band = band.index
        icon = icon_number("MUTE_IPO_OFF" if muted else "MUTE_IPO_ON")
        mutes.prop(settings, "mute_view", index=band.index, text="", icon_value=icon)
        icon = icon_number("SOLO_ON" if alone else "SOLO_OFF")
        solos.prop(settings, "solo_view", index=band.index, text="", icon_value=icon)
    split = layout.split(factor=0.36)
    split.label(text="Posture")
    split.prop(settings, "dc_gain", text="", slider=True)


def draw_options(layout, context, settings):
    """What the faders act on, and whose they are."""
    column = draw_more(layout, "equalize_options", "Options")
    if column is None:
        return
    column.prop(settings, "target")
    column.prop(settings, "boundary")
    column.prop(settings, "bands")
    column.menu("MOTION_SIGNAL_MT_gain_curves", icon="GRAPH")
    if settings.automation:
        column.prop(settings, "crossfade")
        column.operator("motion_signal.automate_key", text="Delete All Keys", icon="X").clear = True
    if context.object and context.object.type == "ARMATURE":
        column.prop_search(settings, "limbs_row", context.object.pose, "bones", text="Faders For", icon="BONE_DATA")
        draw_limbs(column, settings)


class MOTION_SIGNAL_MT_gain_curves(bpy.types.Menu):
    """Make a fader a curve to be keyed in the Graph Editor"""

    bl_idname = "MOTION_SIGNAL_MT_gain_curves"
    bl_label = "Fader as a Curve"

    def draw(self, context):
        for band in summarize(context).bands:
            self.layout.operator("motion_signal.gain_curve", text=f"{band.label}, {band.range}").band = band.index


def draw_limbs(layout, settings):
    """The limbs that have faders of their own."""
    column = layout.column(align=True)
    for name in limb_names(settings):
        row = column.row(align=True)
        row.label(text=f"{name} and below", icon="BONE_DATA")
        row.operator("motion_signal.limb_remove", text="", icon="X", emboss=False).bone = name


CLASSES = (MOTION_SIGNAL_MT_gain_curves, MOTION_SIGNAL_PT_equalize_presets, MOTION_SIGNAL_PT_equalize)
