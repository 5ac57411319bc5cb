# SPDX-License-Identifier: GPL-3.0-or-later
"""A new animator's tasks, from a fresh import: a few clicks in the viewport's sidebar to a preview that looks right."""

import pytest
from window import Window

LOAD = """
bpy.context.preferences.inputs.use_mouse_continuous = False
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
bpy.ops.import_anim.bvh(filepath=path, update_scene_fps=True, update_scene_duration=True, use_fps_scale=False)
bpy.context.object.select_set(True)
bpy.ops.ed.undo_push(message='Imported')
"""
TAB = """
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
area.spaces.active.show_region_ui = shown
region = next(region for region in area.regions if region.type == 'UI')
if shown:
    region.active_panel_category = 'Motion'
"""
CATEGORY = """
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
region = next(region for region in area.regions if region.type == 'UI')
result = [area.spaces.active.show_region_ui, region.active_panel_category if region.width > 1 else '']
"""
FEET = """
import sys
live = {name.rsplit('.', 1)[-1]: module for name, module in sys.modules.items() if '.motion_signal.operators.live.' in name}
words = next(module for name, module in sys.modules.items() if name.endswith('motion_signal.core.recipes.words'))
current = live['preview'].session()
result = {'technique': [step.technique.name for step in live['at_hand'].AtHand.rack.steps], 'changes': current.changes,
          'refused': current.refusals, 'frames': [current.run.before.clip.frames, current.run.whole.clip.frames],
          'feet': words.feet_slides(current.run), 'notice': bpy.context.window_manager.motion_signal.notice}
"""
LOOP = """
import sys
live = {name.rsplit('.', 1)[-1]: module for name, module in sys.modules.items() if '.motion_signal.operators.live.' in name}
clip = live['preview'].session().run.whole.clip
turning = [column for column, channel in enumerate(clip.channels) if channel.kind not in ('LOCATION', 'VALUE')]
rows, step = clip.values[:, turning], abs(clip.values[1:, turning] - clip.values[:-1, turning]).max()
result = [float(abs(rows[0] - rows[-1]).max()), float(step)]
"""
CURVE = "result = [each.name for each in bpy.data.objects if each.type == 'CURVE']"
GOALS = {"sadder": (92, 160), "lock_feet": (215, 236), "loop": (92, 275), "retime": (160, 312), "along_a_curve": (160, 349)}


class Animator:
    """Whoever sits there, counting what they do."""

    def __init__(self, window):
        self.window, self.actions = window, 0

    def open_tab(self):
        """The sidebar and its tab: one key, one click."""
        x, y = self.window.place("VIEW_3D", "WINDOW", 0.4, 0.5)
        self.window.move(x, y)
        self.window.key("n")
        self.window.settle()
        self.actions += 1
        left, top, width, height = self.window.region("VIEW_3D", "UI")
        for down in range(10, height, 20):  # where the tab is an animator sees; a test looks for it
            if self.window.run(CATEGORY)[1] == "Motion":
                break
            self.window.click(left + width - 10, top + down)
        self.window.settle()
        self.actions += 1

    def click_goal(self, goal):
        self.window.press_button(f'motion_signal.goal(goal="{goal}"', *GOALS[goal], area="VIEW_3D")
        self.window.settle()
        self.actions += 1


@pytest.fixture(scope="module")
def window(takes):
    with Window() as window:
        window.run(LOAD, path=str(takes / "cmu_07_01_walk_normal.bvh"))
        window.settle()
        yield window
        assert "Traceback" not in window.log.read_text(errors="replace")


@pytest.fixture
def animator(window):
    window.run(TAB, shown=False)
    window.settle()
    yield Animator(window)
    window.run("if bpy.ops.motion_signal.preview_end.poll(): bpy.ops.motion_signal.preview_end('EXEC_DEFAULT', True)")
    window.settle()


@pytest.mark.parametrize("goal", GOALS)
def test_a_new_animators_task_takes_four_actions_at_most(window, animator, goal, tmp_path):
    animator.open_tab()
    animator.click_goal(goal)
    window.until("bpy.context.object.animation_data.action.name.endswith('(preview)')", timeout=20)
    shown = window.run(FEET)
    assert shown["refused"] == {} and shown["notice"] == "" and animator.actions <= 4
    was, now = shown["feet"]
    before, after = shown["frames"]
    if goal == "sadder":
        assert shown["technique"] == ["style"] and shown["changes"] and now <= was + 1.0
    elif goal == "lock_feet":
        assert was > 10.0 and now < 1.0, shown
    elif goal == "retime":
        assert after > 1.2 * before
    elif goal == "loop":
        gap, step = window.run(LOOP)
        assert gap <= 2 * step
    else:
        assert window.run(CURVE) and shown["technique"] == ["path"]
