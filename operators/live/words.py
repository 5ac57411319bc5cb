# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a take another one has, in words, for the panels of techniques that use several."""

from ...core.motion.match import common
from ...core.numeric.refusal import Refusal
from . import preview


def matched_words(context, name):
    """How many curves an action shares with the take that is previewed; nothing while that is not known."""
    current = preview.session()
    if current is None or not name:
        return ""
    try:
        shared = common(current.take.clip, current.surroundings.takes[name])
    except Refusal:  # there is no such action any more
        return ""
    staying = len(shared) - int(shared.sum())
    return f"{int(shared.sum())} of {len(shared)} curves matched" + (f", {staying} keep the take's motion" if staying else "")
