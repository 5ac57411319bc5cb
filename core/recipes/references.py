# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step names besides its take: other actions, curves to go along, and meshes to stand on."""

import dataclasses

from ..declare import params as parameters

ACTION, CURVE, MESH, OBJECT = "action", "curve", "mesh", "object"


def references(step):
    """Names of actions, curves, meshes and objects in a step, {"action": names, "curve": ..., "mesh": ..., "object": ...}."""
    found = {ACTION: set(), CURVE: set(), MESH: set(), OBJECT: set()}
    for params in (step.params, step.scope):
        for declaration, name in named_in(type(params), dataclasses.asdict(params)):
            if isinstance(name, str) and name:
                found[declaration.names].add(name)
    return found


def named_in(params, values):
    """Declarations of what names something, each with a name, down into lists of records and nested parameters."""
    for name, declaration in parameters.declarations(params).items():
        value = values.get(name)
        if declaration.kind == "records":
            for entry in entries(value):
                yield from named_in(declaration.entry, entry)
        elif declaration.names and isinstance(value, dict):  # lists of names, or of parameters of the same kind
            for inner in value.values():
                for entry in entries(inner):
                    yield from named_in(params, entry)
                yield from ((declaration, word) for word in (inner if isinstance(inner, list | tuple) else ()))
        elif declaration.names:
            yield declaration, value


def entries(rows):
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list | tuple) else []
