# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars: what is said of stretches of a take. Contacts, pins, findings and beats are all of this one kind.

A bar is of a bone, of a point of the body, or of none; it has frames, a size with its unit, and a state, all in the time of the
take. Whatever moves frames in time takes bars along (`retimed`). Contacts are kept in a form of their own, as old as they are,
{point: [[first frame, last frame], ...]}, and are bars by `contact_bars`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace

import numpy as np

from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from ..numeric.time_map import stretches

CONTACT, PIN, FINDING, BEAT = KINDS = ("contact", "pin", "finding", "beat")


@frozen
class Bar:
    """A stretch of a take, or a moment of it where first and last are the same."""

    kind: str
    first: float
    last: float
    bone: str = ""  # or a point of the body; none where it is of the whole figure
    size: float = 0.0  # of what it says, in its unit
    unit: str = ""
    state: str = ""  # such as "off", "ignored" or "fixed"; nothing where nobody has said
    label: str = ""

    def moved(self, first: float, last: float) -> "Bar":
        """The same over other frames."""
        return replace(self, first=first, last=last)

    @property
    def moment(self) -> bool:
        return self.first == self.last


def in_order(bars: Iterable[Bar]) -> tuple[Bar, ...]:
    """Bars by their frames."""
    return tuple(sorted(bars, key=lambda bar: (bar.first, bar.last)))


def retimed(bars: Iterable[Bar], clock: np.ndarray, first_frame: int) -> tuple[Bar, ...]:
    """Bars where their moments are now: `clock` (frames,) says which frame of their time each frame from `first_frame` on is.

    What is seen twice, as in a loop, has its bars twice. What was cut off ends where it was cut, and what is gone has none.
    """
    found = []
    for begin, end in stretches(clock):
        was, rows = np.unique(clock[begin:end], return_index=True)  # where time stands still nothing more is seen
        now = first_frame + begin + rows.astype(float)
        for bar in bars:
            if bar.last >= was[0] and bar.first <= was[-1]:
                found.append(bar.moved(*(float(frame) for frame in np.interp((bar.first, bar.last), was, now))))
    return in_order(found)


def contact_bars(contacts: Mapping[str, list]) -> tuple[Bar, ...]:
    """Contacts as bars, by points and then in time."""
    return tuple(Bar(CONTACT, first, last, point) for point, spans in contacts.items() for first, last in spans)


def contacts_from(bars: Iterable[Bar]) -> dict[str, list[list[int]]]:
    """Bars as contacts: frames are whole."""
    found: dict[str, list[list[int]]] = {}
    for bar in bars:
        found.setdefault(bar.bone, []).append([round(bar.first), round(bar.last)])
    return found


def bars_to_json(bars: Iterable[Bar]) -> str:
    """Bars as text; what is nothing is not written."""
    return json.dumps([{name: value for name, value in asdict(bar).items() if value != ""} for bar in bars])


def bars_from_json(text: str) -> tuple[Bar, ...]:
    """Bars from text, or a Refusal that says which is none."""
    try:
        rows = json.loads(text or "[]")
    except json.JSONDecodeError as error:
        raise Refusal(f"bars: the text cannot be read ({error.msg} at character {error.colno})") from None
    if not isinstance(rows, list):
        raise Refusal(f"bars: {rows!r} is no list")
    return tuple(map(checked, rows))


def checked(row):
    """One bar from plain data."""
    known = {field.name: str if field.type in (str, "str") else float for field in fields(Bar)}
    whole = isinstance(row, dict) and {"kind", "first", "last"} <= row.keys() <= known.keys() and row["kind"] in KINDS
    if not whole or any(not fits(value, known[name]) for name, value in row.items()) or row["first"] > row["last"]:
        raise Refusal(f"bars: {row!r} is no bar")
    return Bar(**row)


def fits(value, kind):
    if kind is str:
        return isinstance(value, str)
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < np.inf
