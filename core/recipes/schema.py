# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recipe may hold, as JSON Schema, made from the declarations: for editors that check while one types."""

import math

from ..declare import params as parameters
from ..declare.scope import ScopeParams
from ..techniques import TECHNIQUES
from .checks import NOT_KEPT
from .library import NOT_APPLICABLE, T_POSE
from .recipe import FORMAT, MOST
from .shipped import shipped_presets


def schema():
    """The schema of recipes, as plain data."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Motion Signal recipe",
        "type": "object",
        "additionalProperties": False,
        "required": ["format", "steps"],
        "properties": {
            "$schema": {"type": "string"},
            "format": {"const": FORMAT, "description": "Version of this form"},
            "made_with": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Versions that the result was made with",
            },
            "source": {"type": "string", "description": "Name of the take that the result was made from"},
            "steps": {"type": "array", "maxItems": MOST, "items": {"oneOf": [step(technique) for technique in TECHNIQUES]}},
            "t_pose": {
                "enum": list(T_POSE),
                "description": "Whether frames in a T-pose before the motion are dropped, of .bvh",
            },
            "not_applicable": {
                "enum": list(NOT_APPLICABLE),
                "description": "What becomes of a take of a batch on which a step cannot be done",
            },
            "takes": {
                "type": "array",
                "description": "What is other for some takes of a batch, by pattern; the first that fits says it",
                "items": rule(),
            },
        },
        "$defs": {"scope": table(ScopeParams, NOT_KEPT)},
    }


def step(technique):
    return {
        "type": "object",
        "title": technique.label,
        "description": technique.text,
        "additionalProperties": False,
        "required": ["technique"],
        "properties": {
            "technique": {"const": technique.name},
            "preset": {"enum": list(shipped_presets(technique)), "description": "Shipped preset that params go over"},
            "params": table(technique.params),
            "scope": {"$ref": "#/$defs/scope"},
            "on": {"type": "boolean", "description": "Whether the step is done"},
            "planted": {"type": "boolean", "description": "Whether its feet are planted before those of a lock that follows"},
        },
    }


def rule():
    """What a recipe says of some takes."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["match"],
        "properties": {
            "match": {"type": "string", "description": "Folder or pattern of takes, such as kids or */walk*.bvh"},
            "unit": {"type": "number", "exclusiveMinimum": 0, "description": "Metres in a unit of .bvh files"},
            "params": {
                "type": "object",
                "additionalProperties": False,
                "properties": {technique.name: table(technique.params) for technique in TECHNIQUES},
                "description": "Parameters by technique, which go over those of the steps",
            },
        },
    }


def table(params, without=()):
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: {"title": declaration.label, "description": described(declaration), **KINDS[declaration.kind](declaration)}
            for name, declaration in parameters.declarations(params).items()
            if name not in without
        },
    }


def described(declaration):
    return declaration.text + (f" ({declaration.unit})" if declaration.unit else "")


def number(declaration, kind="number"):
    limits = {"minimum": declaration.low, "maximum": declaration.high}
    return {"type": kind, **{name: limit for name, limit in limits.items() if math.isfinite(limit)}}


def array_of(items):
    return {"type": "array", "items": items}


KINDS = {
    "number": number,
    "whole": lambda declaration: number(declaration, "integer"),
    "flag": lambda declaration: {"type": "boolean"},
    "choice": lambda declaration: {"enum": [option.name for option in declaration.options]},
    "words": lambda declaration: {"type": "string"},
    "numbers": lambda declaration: array_of(number(declaration)),
    "marks": lambda declaration: array_of(number(declaration, "integer")),
    "points": lambda declaration: array_of({**array_of(number(declaration)), "minItems": 2, "maxItems": 2}),
    "table": lambda declaration: {"type": "object", "additionalProperties": array_of(number(declaration))},
    "tree": lambda declaration: {"type": "object"},
    "records": lambda declaration: array_of(table(declaration.entry)),
}
