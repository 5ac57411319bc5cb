# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON with its lines: where in a text each value stands, so that what is wrong can be pointed at."""

import json
import re
from itertools import accumulate

from ..numeric.refusal import Refusal

DEEPEST = 64
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def read_json(what, text):
    """The JSON object in a text, or a Refusal that names `what` and the line that cannot be read."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers too long and lists too deep for Python
        line, reason = getattr(error, "lineno", 1), getattr(error, "msg", error)
        raise Refusal(f"{what}: line {line} cannot be read ({reason})") from None
    if not isinstance(data, dict):
        raise Refusal(f"{what}: it holds no JSON object")
    if deepest(text) > DEEPEST:
        raise Refusal(f"{what}: lists stand in lists more than {DEEPEST} deep")
    return data


def deepest(text):
    """How many lists and objects stand in one another."""
    marks = [{"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0) for token in TOKEN.finditer(text)]
    return max(accumulate(marks), default=0)


def lines_of(text):
    """The line of every value in a JSON text that can be read, by its path: ("steps", 0, "params", "gains", 3)."""
    lines, line, end = {}, 1, 0
    path = []  # its last entry is what comes next: a count, a key, or None before one
    for token in TOKEN.finditer(text):
        line, end = line + text.count("\n", end, token.start()), token.start()
        mark = token[0]
        if mark in "}]":
            path.pop()
        elif mark == ",":
            path[-1] = path[-1] + 1 if isinstance(path[-1], int) else None
        elif mark != ":":
            if path and path[-1] is None:
                path[-1] = json.loads(mark)
            else:
                lines[tuple(path)] = line
                path += {"{": [None], "[": [0]}.get(mark, [])
    return lines
