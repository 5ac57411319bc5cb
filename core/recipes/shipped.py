# SPDX-License-Identifier: GPL-3.0-or-later
"""The presets that are shipped beside this package, as files by technique and name."""

import json

from ..declare.version import ROOT
from ..numeric.refusal import Refusal

SHIPPED = ROOT / "presets"
ENDING = ".json"


def presets_in(*folders):
    """Presets by name in folders; one of a later folder stands for one of its name in an earlier."""
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*" + ENDING))}


def shipped_presets(technique):
    """The presets of a technique that are shipped, by name."""
    return presets_in(SHIPPED / technique.name)


def shipped_params(technique, name):
    """What a shipped preset sets of the parameters of a technique, as plain data."""
    there = presets_in(SHIPPED / technique)
    if name not in there:
        raise Refusal(f"preset: {technique} has no {name[:64]!r}; there are {', '.join(there) or 'none'}")
    return json.loads(there[name].read_text("utf-8"))["params"]
