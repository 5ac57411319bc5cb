# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of arguments: numbers in a range, shards, and the flags of a technique from its declarations."""

import argparse
import re

from ...core.declare import params as parameters
from ...core.declare.scope import FAR


def count(text):
    """A number of jobs."""
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs from 1 to 1024")
    return int(text)


def shard(text):
    """Which part of how many: 3/16."""
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is no part of so many, such as 3/16")
    return int(found[1]), int(found[2])


def between(low, high, what):
    """A kind of argument: a number in a range."""

    def read(text):
        try:
            return parameters.check_number(what, float(text), parameters.Declaration("number", "", low=low, high=high))
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no {what} from {low:g} to {high:g}") from None

    return read


seconds, metres = between(0.1, 1e6, "number of seconds"), between(1e-6, 1e6, "number of metres")


def given(params, chosen):
    """The parameters that flags set."""
    return {
        name: parameters.read_text(name, getattr(chosen, name), declaration)
        for name, declaration in parameters.declarations(params).items()
        if getattr(chosen, name, None) is not None
    }


def add_flags(group, params):
    """A flag for every parameter."""
    defaults = params()
    for name, declaration in parameters.declarations(params).items():
        default = default_text(getattr(defaults, name))
        group.add_argument(
            "--" + name.replace("_", "-"), dest=name, metavar=KINDS[declaration.kind][0], help=flag_help(declaration) + default
        )


def default_text(value):
    """A default as help shows it; nothing of what is empty or long."""
    text = str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
    return f" [{text.replace('%', '%%')}]" if value not in ("", (), {}, None) and len(text) < 24 else ""


def flag_help(declaration):
    text = declaration.text.replace("%", "%%")
    if declaration.kind == "choice":
        return f"{text} ({', '.join(option.name for option in declaration.options)})"
    bounded = declaration.kind in ("number", "numbers", "table") and declaration.high < FAR
    limits = f" {declaration.low:g} to {declaration.high:g}" if bounded else ""
    return f"{text} ({KINDS[declaration.kind][1]}{limits}{declaration.unit and ' ' + declaration.unit})"


KINDS = {
    "number": ("X", "number"),
    "whole": ("N", "whole number"),
    "flag": ("BOOL", "true or false"),
    "choice": ("NAME", ""),
    "words": ("TEXT", "text"),
    "numbers": ("X,X,...", "numbers between commas, each"),
    "marks": ("N,N,...", "whole numbers between commas, from 0"),
    "points": ("[X,Y],...", "points [x, y] between commas"),
    "table": ("JSON", "JSON, each"),
    "tree": ("JSON", "JSON"),
    "records": ("JSON", "JSON"),
}
