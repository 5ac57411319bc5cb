# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the pictures of the window again that the pages in docs/ show.

    make build PLATFORM=linux-x64
    python3 docs/pictures.py [folder]

Needs what the window tests need: a screen of 1600 x 1000, `blender`, xdotool and ImageMagick.
"""

import subprocess
import sys
import time
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests" / "gui"))

from window import Window  # noqa: E402

SCENE = """
preferences = bpy.context.preferences
preferences.inputs.use_mouse_continuous = False
preferences.view.show_statusbar_stats = False
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
bpy.context.scene.render.fps = 30
bpy.ops.motion_signal.add_figure()
figure = bpy.context.object
figure.data.display_type = 'OCTAHEDRAL'
figure.show_in_front = True
bpy.context.scene.frame_set(84)
area = max(window.screen.areas, key=lambda area: area.width * area.height)
with bpy.context.temp_override(area=area, region=area.regions[-1]):
    bpy.ops.screen.area_split(direction='VERTICAL', factor=0.3)
"""
result = "x"
with Window() as w:
    w.run(SCENE)
    time.sleep(1)
    w.picture(sys.argv[1] + "/explore0.png")
    print(w.run("result=[(a.type,a.x,a.y,a.width,a.height) for a in window.screen.areas]"))
