# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual that comes with the extension, opened in a browser."""

import bpy

from ...core.declare.version import ROOT
from ...core.numeric.refusal import Refusal
from ..bridge.refuse import refusing

FIRST = ("manual/tutorial.html", "docs/tutorial.md")  # as it is packed with the extension, or in a checkout


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
        if (ROOT / name).exists():
            return ROOT / name
    raise Refusal(f"manual: there is none in {ROOT}")


CLASSES = (MOTION_SIGNAL_OT_manual,)
