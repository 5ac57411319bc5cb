# SPDX-License-Identifier: GPL-3.0-or-later
"""A section at half its speed: the take is that much longer, the scene ends with it, and feet stand as they stood."""

import bpy
import pytest
from bl_ext.dev.motion_signal.core.techniques.time.timewarp import TIMEWARP
from bl_ext.dev.motion_signal.operators.desk import retime
from bl_ext.dev.motion_signal.operators.live import preview
from desk import panel, press_apply


@pytest.fixture
def figure(settled):
    bpy.ops.motion_signal.add_figure(seconds=6.0)
    return bpy.context.object


def test_half_speed_is_twice_as_long_and_the_scene_follows(figure):
    assert bpy.ops.motion_signal.retime_section(frame_start=40, frame_end=80) == {"FINISHED"}
    assert preview.session().result.frames == 144 + 40
    (bar,) = retime.bars(bpy.context)
    assert (bar.first, bar.last, bar.words) == (40, 120, "50 %")
    press_apply(TIMEWARP)
    assert figure.animation_data.action.frame_range[1] == 184 == bpy.context.scene.frame_end
    assert "planted feet slide 2 mm, they slid 2 mm before" in panel().report


def test_its_end_is_dragged_and_the_next_section_goes_along(figure):
    bpy.ops.motion_signal.retime_section(frame_start=40, frame_end=80)
    bpy.ops.motion_signal.retime_section(frame_start=100, frame_end=120, percent=200.0)
    assert retime.move(bpy.context, 0, 40, 100)
    first, second = retime.bars(bpy.context)
    assert (first.last, first.words) == (100, "67 %") and (second.first, second.last, second.words) == (120, 130, "200 %")
    assert not retime.move(bpy.context, 0, 40, 41) and retime.bars(bpy.context)[0] == first


def test_the_chosen_section_gets_a_speed_and_at_100_percent_is_gone(figure):
    bpy.ops.motion_signal.retime_section(frame_start=40, frame_end=80)
    bpy.ops.motion_signal.retime_section(frame_start=100, frame_end=120, percent=200.0)
    retime.choose(bpy.context, 0)
    bpy.ops.motion_signal.retime_speed(percent=80.0)
    assert [bar.words for bar in retime.bars(bpy.context)] == ["80 %", "200 %"]
    bpy.ops.motion_signal.retime_speed(percent=100.0)
    assert [bar.words for bar in retime.bars(bpy.context)] == ["200 %"]


def test_with_a_reference_it_says_who_decides(figure):
    with preview.paused():
        panel().timewarp.reference = "Other"
    with pytest.raises(RuntimeError, match="frames go where Other says"):
        bpy.ops.motion_signal.retime_section(frame_start=40, frame_end=80)
