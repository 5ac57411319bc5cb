# SPDX-License-Identifier: GPL-3.0-or-later
"""What a record says of a figure: what happened in words, numbers before and after, what to look at, and how it looks."""

from ...core.numeric.refusal import Refusal
from ...core.recipes.measured import compared
from .findings import findings
from .motion import played
from .thumbnail import instants, joints_of, thumbnail


def figure_record(words, measured, shown=True):
    """What a record says of a figure; `measured()` gives it before and after, or refuses. What is not `shown` is not drawn."""
    try:
        before, after = measured()
        numbers, numbers_before = compared(before, after)
        record = {"words": words, "before": numbers_before, "after": numbers}
        return {**record, **drawn(before, after)} if shown else record
    except Refusal as error:  # nothing that could be measured
        words = f"{words}; not measured: {' '.join(str(error).split())}"
        return {"words": words, "before": None, "after": None, "findings": [], "thumbnail": ""}


def drawn(before, after):
    """What to look at, a thumbnail, and the motion that the page plays."""
    found = findings(before, after)
    poses = [
        joints_of(each.clip, each.skeleton, instants(each.clip.frames), each.roles) if each else None
        for each in (before, after)
    ]
    motion = played(before, after, [each["frame"] for each in found])
    return {"findings": found, "thumbnail": thumbnail(*poses), "motion": motion}
