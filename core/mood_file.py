# SPDX-License-Identifier: GPL-3.0-or-later
"""A mood as plain data: what a style file holds, read and written."""

import json
from dataclasses import dataclass, field

import numpy as np

from .bands import HZ_BANDS
from .refusal import Refusal

FORMAT = 1
SMALL = {"turn": np.radians(0.3), "move": 1e-3}  # what a bone does less is left out
DIGITS = 4


@dataclass(frozen=True)
class Mood:
    """A style: for each bone waves of "turn" (count, 3), of "move" (count, 3), and "gains" of bands where there are no waves.

    `cycle` are the seconds of a stride, `stride` how many times as far it goes; `roles` tell which bones are what, so that
    other rigs find theirs.
    """

    bones: dict
    cycle: float = 0.0
    stride: float = 1.0
    roles: dict = field(default_factory=dict)


def to_data(mood):
    """A mood as plain data: waves as rows of six numbers, real parts before imaginary ones."""
    def plain(kind, values):
        return values.tolist() if kind == "gains" else np.hstack([values.real, values.imag]).round(DIGITS).tolist()

    bones = {owner: {kind: plain(kind, values) for kind, values in parts.items()} for owner, parts in mood.bones.items()}
    return {"format": FORMAT, "cycle": round(mood.cycle, DIGITS), "stride": round(mood.stride, DIGITS), "roles": mood.roles,
            "bones": bones}


def from_data(data):
    """A mood from plain data, or a Refusal that says what is wrong with it."""
    version = data.get("format")
    if isinstance(version, (int, float)) and version > FORMAT:
        raise Refusal(f"style: it was saved as format {version} by a newer version, and this one reads {FORMAT}; update the "
                      "extension")
    bones, roles, paces = data.get("bones"), data.get("roles", {}), (data.get("cycle", 0.0), data.get("stride", 1.0))
    tables = [bones, roles, *bones.values()] if isinstance(bones, dict) else [bones]
    if version != FORMAT or not all(isinstance(table, dict) for table in tables) or not all(map(is_pace, paces)):
        raise Refusal(f"style: {json.dumps(data)[:60]} is no style; it needs format {FORMAT}, cycle, roles and bones")
    return Mood({owner: {kind: read(owner, kind, rows) for kind, rows in parts.items()} for owner, parts in bones.items()},
                *map(float, paces), roles)


def is_pace(value):
    return isinstance(value, (int, float)) and 0.0 <= value < 1000.0


def read(owner, kind, rows):
    """The waves or gains of one bone."""
    try:
        values = np.array(rows, dtype=np.float64)
        shaped = values.shape == (HZ_BANDS,) if kind == "gains" else kind in SMALL and values.ndim == 2 and values.shape[1] == 6
    except (TypeError, ValueError):
        values, shaped = None, False
    if not shaped or not np.isfinite(values).all():
        raise Refusal(f"style {owner}: its {kind} is not what a style holds, rows of six numbers, or {HZ_BANDS} gains")
    return values if kind == "gains" else values[:, :3] + 1j * values[:, 3:]
