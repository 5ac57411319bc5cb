# SPDX-License-Identifier: GPL-3.0-or-later
"""The library in a window: a folder is indexed, asked and clicked through with the mouse."""

import shutil
import time

import pytest
from window import HEADER, Window

LOAD = """
bpy.context.preferences.inputs.use_mouse_continuous = False
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
bpy.ops.import_anim.bvh(filepath=path, update_scene_fps=True, update_scene_duration=True, global_scale=0.0564444)
bpy.context.object.select_set(True)
bpy.context.scene.frame_set(120)
bpy.context.window_manager.motion_signal_library.folder = folder
bpy.ops.ed.undo_push(message='Imported')
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
area.spaces.active.show_region_ui = True
"""
TAB = """
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
next(region for region in area.regions if region.type == 'UI').active_panel_category = 'Motion'
"""
STATE = """
library, figure = bpy.context.window_manager.motion_signal_library, bpy.context.object
marked = [action.name for action in bpy.data.actions if 'motion_signal_preview' in action]
result = {'found': [row.path for row in library.found], 'shown': library.shown, 'said': library.said,
          'action': figure.animation_data.action.name, 'lent': marked}
"""
TAKES = ("cmu_07_01_walk_normal", "cmu_07_05_walk_slow", "cmu_16_36_run_jog", "cmu_16_18_walk_turn_left90")


@pytest.fixture(scope="module")
def window(takes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    for name in TAKES:
        shutil.copy(takes / f"{name}.bvh", folder)
    with Window() as window:
        window.run(LOAD, path=str(takes / f"{TAKES[0]}.bvh"), folder=str(folder))
        window.settle()
        window.arrange(TAB)
        open_panel(window)
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


def open_panel(window):
    """Close the rack, which is first, and open the library, which is third."""
    left, top, _, _ = window.region("VIEW_3D", "UI")
    for row in (0, 2):
        window.click(left + 120, top + 16 + HEADER * row)
        window.settle()


def test_a_folder_is_indexed_asked_and_clicked_through(window):
    window.press_button("motion_signal.library_index", 243, 104, area="VIEW_3D")
    window.until("bpy.context.window_manager.motion_signal_library.said.startswith('4 takes')", timeout=60)
    window.press_button("motion_signal.library_find(what='LIKE'", 84, 130, area="VIEW_3D")
    found = window.run(STATE)
    assert found["found"][0] == f"{TAKES[0]}.bvh" and len(found["found"]) > 3
    take = found["action"]
    first = window.press_button("motion_signal.library_show(number=1", 150, 300, area="VIEW_3D")
    seen = window.run(STATE)
    assert seen["shown"] == 1 and seen["action"] != take and len(seen["lent"]) == 1
    second = window.press_button("motion_signal.library_show(number=2", 150, first + 40, area="VIEW_3D")
    assert window.run(STATE)["shown"] == 2 and len(window.run(STATE)["lent"]) == 1
    left, top, _, _ = window.region("VIEW_3D", "UI")
    window.click(left + 150, top + second)  # again: the take
    window.settle()
    back = window.run(STATE)
    assert back["action"] == take and back["lent"] == [] and back["shown"] == -1


def test_stretches_are_clicked_through_fast_and_undo_leaves_the_take(window):
    window.run("bpy.ops.motion_signal.library_find(what='WORDS', words='speed > 0.5')")
    window.settle()
    count = len(window.run(STATE)["found"])
    began = time.perf_counter()
    clicks = window.run(
        "for round in range(5):\n"
        "    for number in range(count):\n"
        "        bpy.ops.motion_signal.library_show(number=number)\n"
        "        bpy.ops.wm.redraw_timer(type='DRAW_WIN_SWAP', iterations=1)\n"
        "result = 5 * count",
        count=count,
    )
    print(f"{clicks / (time.perf_counter() - began):.1f} stretches a second")
    assert len(window.run(STATE)["lent"]) == 1
    window.run("bpy.ops.ed.undo_push(message='Something else')")
    window.run("bpy.ops.ed.undo()")
    window.settle()
    after = window.run(STATE)
    assert after["lent"] == [] and "library" not in after["action"]
