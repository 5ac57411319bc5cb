# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets as files: the step that each holds."""

from pathlib import Path

from ..numeric.refusal import Refusal
from .recipe import preset_from_json
from .shipped import ENDING


def named_preset(technique, name, presets):
    """The step that a preset holds: one of `presets`, which are paths by name, or a path to a JSON file."""
    path = Path(name) if name.endswith(ENDING) else presets.get(name)
    if path is None:
        raise Refusal(f"preset: there is no {name}; there are {', '.join(presets)}")
    return read_preset(technique, path)[0]


def read_preset(technique, path):
    """The step in a preset's file, its label and its tooltip."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"preset {path.stem}: {path} cannot be read ({error})") from None
    return preset_from_json(path.stem, text, technique)
