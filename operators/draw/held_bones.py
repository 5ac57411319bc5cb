# SPDX-License-Identifier: GPL-3.0-or-later
"""How far held bones still are from their paths: a sentence for the panel, a line a bone in the corner of the Graph Editor."""

import bpy
import numpy as np

from ..live import preview
from .handlers import Drawing
from .inset import draw_inset

COLORS = ((0.35, 0.65, 1.0, 1.0), (1.0, 0.45, 0.4, 1.0), (0.45, 0.9, 0.5, 1.0), (1.0, 0.8, 0.3, 1.0))
ALONE = ("equalize", "cartoon", "style", "automate", "displace")  # techniques that draw nothing else in the corner


def held_words():
    """What is to be said of what is previewed: what it leaves out, and how well the ends are kept where any are."""
    current = preview.session()
    told, held = (getattr(current.process, name, None) if current else None for name in ("told", "held"))
    return "; ".join(filter(None, (told, held.words() if held and held.names else "")))


def draw_residual():
    """How far held bones are from their paths over the take, a line a bone."""
    current = next(filter(None, (preview.shown(bpy.context, name) for name in ALONE)), None)
    held = getattr(current.process, "held", None) if current else None
    if held is None or not held.names:
        return
    frames = np.arange(current.take.clip.first_frame, current.take.clip.last_frame + 1)
    high = max(1.0, float(held.residual.max()))
    lines = [(COLORS[index % len(COLORS)], np.column_stack([frames, row])) for index, row in enumerate(held.residual.T)]
    draw_inset(f"Held bones off their paths, up to {high:.1f} mm", (frames[0], 0.0), (frames[-1], high), lines=lines)


DRAWING = Drawing((draw_residual, "POST_PIXEL"))
register, unregister = DRAWING.register, DRAWING.unregister
