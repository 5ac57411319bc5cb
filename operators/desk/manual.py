# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual that comes with the extension, opened in a browser."""

from pathlib import Path

import bpy

from ...core.numeric.refusal import Refusal
from ..bridge.refuse import refusing

PAGES = Path(__file__).resolve().parents[2] / "docs"
FIRST = ("manual.html", "tutorial.md")  # packed with the extension; in a checkout


class MOTION_SIGNAL_OT_manual(bpy.types.Operator):
    """Open the manual in a browser: it comes with the extension"""

    bl_idname = "motion_signal.manual"
    bl_label = "Manual"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        bpy.ops.wm.url_open(url=first_page().as_uri())


def first_page():
    """The page that the manual begins with."""
    for name in FIRST:
        if (PAGES / name).exists():
            return PAGES / name
    raise Refusal(f"manual: there is none in {PAGES}")


CLASSES = (MOTION_SIGNAL_OT_manual,)
