# SPDX-License-Identifier: GPL-3.0-or-later
"""The path's points in Pose Mode: one is dragged over the ground with the mouse, a double click adds one."""

from window import Window, xdotool

SCENE = """
import mathutils
bpy.context.preferences.inputs.use_mouse_continuous = False
bpy.data.objects.remove(bpy.data.objects['Cube'])
bpy.ops.motion_signal.add_figure()
view = next(area for area in window.screen.areas if area.type == 'VIEW_3D').spaces.active
view.region_3d.view_rotation = mathutils.Euler((0.9, 0.0, 0.85)).to_quaternion()
view.region_3d.view_location, view.region_3d.view_distance = (0, -4.0, 0), 12
bpy.ops.motion_signal.path_create()
"""
HANDLES = """
import sys
from bpy_extras import view3d_utils
points = next(module for name, module in sys.modules.items() if name.endswith('motion_signal.operators.desk.path_points'))
area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
region = next(region for region in area.regions if region.type == 'WINDOW')
seen = [view3d_utils.location_3d_to_region_2d(region, area.spaces.active.region_3d, handle)
        for handle in points.handles(points.control_shown(bpy.context)[1])]
result = [[region.x + x, region.y + y] for x, y in seen]
"""


def test_a_point_goes_where_it_is_dragged_and_the_path_gets_another():
    with Window() as window:
        window.run(SCENE)
        window.settle()
        handles = [window.screen(*handle) for handle in window.run(HANDLES)]
        assert window.run("result = bpy.context.mode") == "POSE" and 5 <= len(handles) <= 7
        x, y = handles[2]
        window.drag(x, y, x + 150, y - 30)
        window.settle()
        moved = [window.screen(*handle) for handle in window.run(HANDLES)]
        assert abs(moved[2][0] - x - 150) < 4 and abs(moved[2][1] - y + 30) < 4
        x, y = (round((a + b) / 2) for a, b in zip(moved[-1], moved[-2]))
        window.move(x - 3, y)
        window.move(x, y)
        xdotool("click", "--repeat", 2, "--delay", 60, 1)
        window.settle()
        assert len(window.run(HANDLES)) == len(handles) + 1
        assert "Traceback" not in window.log.read_text(errors="replace")
