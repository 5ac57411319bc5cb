# SPDX-License-Identifier: GPL-3.0-or-later
"""What a record says of a figure: what happened in words, numbers before and after, and a thumbnail."""

from ...core.numeric.refusal import Refusal
from ...core.recipes.measured import compared
from .thumbnail import instants, joints_of, thumbnail


def figure_record(words, measured):
    """What a record says of a figure; `measured()` gives it before and after, or refuses."""
    try:
        before, after = measured()
        numbers, numbers_before = compared(before, after)
        poses = [
            joints_of(each.clip, each.skeleton, instants(each.clip.frames), each.roles) if each else None
            for each in (before, after)
        ]
    except Refusal as error:  # nothing that could be measured
        return {
            "words": f"{words}; not measured: {' '.join(str(error).split())}",
            "before": None,
            "after": None,
            "thumbnail": "",
        }
    return {"words": words, "before": numbers_before, "after": numbers, "thumbnail": thumbnail(*poses)}
