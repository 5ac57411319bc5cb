# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of takes: entries that name actions, and one that may be the take itself."""

from .params import build
from .refusal import Refusal


def listed(entry, rows, known):
    """Entries of the params class `entry` from plain rows, the take itself first, listed or not; or a Refusal that says
    which is wrong and why. `known` are the takes that there are."""
    takes = [build(entry, row, f"takes[{place}] ") for place, row in enumerate(rows)]
    for take in takes:
        if take.action and take.action not in known:
            raise Refusal(f"takes: there is no action {take.action}")
    own, others = ([take for take in takes if bool(take.action) == named] for named in (False, True))
    if len(own) > 1:
        raise Refusal(f"takes: {len(own)} of them are the take itself, having no action")
    return (own or [entry()]) + others
