# SPDX-License-Identifier: GPL-3.0-or-later
"""A dragged fader: how far it goes through the files, and that it is a number all the way."""

import json

import bpy
import pytest
import rigs
from bl_ext.dev.motion_signal.bench import drag
from bl_ext.dev.motion_signal.operators.live import preview
from bl_ext.dev.motion_signal.operators.live.at_hand import AtHand
from desk import panel

pytestmark = [pytest.mark.usefixtures("settled"), pytest.mark.only("5.2")]


def test_a_dragged_fader_is_no_text_and_switches_between_twenty_files_at_most(monkeypatch):
    rigs.walker(60)
    monkeypatch.setattr(preview, "keep_soon", lambda context: None)  # a window waits with that until the animator rests
    pairs, texts = drag.walk(lambda gain: drag.drag(bpy.context, gain))
    assert preview.session() is not None and AtHand.rack.step.params.gains[5] == pytest.approx(1.4)
    assert ("operators/settings/properties.py", "operators/live/preview.py") in pairs
    assert len(pairs) <= drag.MOST and texts == []


def test_a_dragged_fader_of_one_limb_is_no_text_either(monkeypatch):
    rigs.walker(60)
    monkeypatch.setattr(preview, "keep_soon", lambda context: None)
    settings = panel().equalize
    settings.gains_view[2] = 0.5
    for bone in ("Bone 2", "Bone 1"):
        settings.limbs_row = bone
        settings.limbs_view[4] = 1.25  # what this limb has not set itself is as for the whole figure
    _, texts = drag.walk(lambda gain: settings.limbs_view.__setitem__(5, gain))
    limbs = AtHand.rack.step.params.limbs
    assert limbs["Bone 1"][:6] == pytest.approx((1.0, 1.0, 0.5, 1.0, 1.25, 1.4)) and limbs["Bone 2"][5] == 1.0
    assert texts == [] and json.loads(settings.limbs) == {bone: list(row) for bone, row in limbs.items()}
    settings.limbs_row = "Bone 2"
    assert list(settings.limbs_view)[4:6] == [1.25, 1.0]
    settings.limbs = ""
    assert settings.limbs == "" and list(settings.limbs_view) == list(settings.gains_view)


def test_gains_and_phases_of_a_limb_are_those_of_the_same_bone():
    rigs.walker(60)
    settings = panel().harmonics
    with preview.paused():
        settings.limbs_row = "Bone 1"
        settings.limbs_view[0], settings.limb_phases_view[1] = 2.0, 90.0
    assert json.loads(settings.limbs)["Bone 1"][0] == 2.0 and json.loads(settings.limb_phases)["Bone 1"][:2] == [0.0, 90.0]


def test_a_text_that_is_made_or_read_meanwhile_is_told():
    rigs.walker(60)
    _, texts = drag.walk(lambda gain: setattr(panel().equalize, "gains", json.dumps([1.0, gain])))
    assert texts


def test_a_text_is_kept_to_the_letter_until_a_slider_is_dragged():
    rigs.walker(60)
    settings = panel().equalize
    for text in ("[1.0, 0.123456789012]", "[1,2,  0.5]", "[0.5" + ", 1.0" * 39 + "]", ""):
        settings.gains = text
        assert settings.gains == text
        shown = json.loads(text or "[]")[:32]
        assert list(settings.gains_view)[: len(shown)] == pytest.approx(shown)
        assert list(settings.gains_view)[len(shown) :] == [1.0] * (32 - len(shown))
    settings.gains_view[2] = 1.5
    assert json.loads(settings.gains) == [1.0, 1.0, 1.5]
    settings.gains_view[2] = 1.0
    assert settings.gains == ""
