# SPDX-License-Identifier: GPL-3.0-or-later
"""Menus by intent: every technique stands in one, and opens live on the figure."""

import bpy
import pytest
from bl_ext.dev.motion_signal.core.techniques import TECHNIQUES
from bl_ext.dev.motion_signal.operators.live import preview
from bl_ext.dev.motion_signal.operators.live.at_hand import AtHand
from bl_ext.dev.motion_signal.panels import menus

ELSEWHERE = {"automate", "retarget"}  # keys on the equalizer's faders; a panel of its own


def test_every_technique_stands_in_a_menu():
    listed = {technique for entries in menus.INTENTS.values() for technique, _ in entries}
    assert listed == {technique.name for technique in TECHNIQUES} - ELSEWHERE
    assert set(menus.ICONS) == set(menus.INTENTS)
    for name in menus.MENUS:
        assert menus.menu_entry in getattr(bpy.types, name).draw._draw_funcs
    for name in menus.LONG_MENUS:  # the Dope Sheet stands low: what comes last in its menus is below the screen
        assert getattr(bpy.types, name).draw._draw_funcs[0] is menus.first_entry


def test_an_entry_opens_its_technique_live(settled):
    bpy.ops.motion_signal.add_figure(seconds=2.0)
    assert bpy.ops.motion_signal.add_step(technique="cartoon") == {"FINISHED"}
    assert preview.session().technique == "cartoon"


def test_without_animation_an_entry_says_so(settled):
    bpy.ops.object.empty_add()
    with pytest.raises(RuntimeError, match="Empty has no action"):
        bpy.ops.motion_signal.add_step(technique="lock")


def test_a_step_moved_up_leaves_the_others_where_they_are(settled):
    bpy.ops.motion_signal.add_figure(seconds=2.0)
    for technique in ("cartoon", "lock", "equalize"):
        bpy.ops.motion_signal.add_step(technique=technique)
    bpy.ops.motion_signal.step_change(step=2, change="UP")
    assert [step.technique.name for step in AtHand.rack.steps] == ["cartoon", "equalize", "lock"]
