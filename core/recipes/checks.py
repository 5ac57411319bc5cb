# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain data checked part by part, so that what is wrong is known by its path."""

import re

from ..declare import params as parameters
from ..declare.scope import ScopeParams
from ..numeric.refusal import Refusal

NOT_KEPT = ("action",)  # of the scope: which take it was is said by the recipe's source


class RecipeError(Refusal):
    """Something wrong at a path in a recipe."""

    def __init__(self, path, message):
        super().__init__(message)
        self.path = path


def refuse_unknown(data, names, path, what):
    for name in data:
        if name not in names:
            raise RecipeError((*path, name), f"{name}: no such part of {what}; there are {', '.join(names)}")


def of_kind(data, name, kind, default, path, expected):
    """A part of a kind, or its default; one that has none must be there."""
    if name not in data and default is not None:
        return default
    if not isinstance(data.get(name), kind):
        raise RecipeError((*path, name), f"{name}: it needs {expected}, and {data.get(name)!r} is none")
    return data[name]


def built(params, values, path):
    """Params from plain values, one after the other, so that the one that is wrong is known."""
    for name, value in values.items():
        try:
            if name in NOT_KEPT and params is ScopeParams:
                raise Refusal(f"{name}: a recipe works on the take that it is given")
            parameters.build(params, {name: value})
        except Refusal as error:
            entry = re.match(re.escape(name) + r"\[(\d+)\]", str(error))
            raise RecipeError((*path, name, *([int(entry[1])] if entry else [])), error) from None
    return parameters.build(params, values)
