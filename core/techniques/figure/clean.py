# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean: what is wrong with a capture as a list of findings, and those that are ticked mended in one pass."""

from functools import lru_cache

import numpy as np

from ...declare.params import build, flag, number, records
from ...declare.technique import Technique
from ...faults.findings import (
    FLIP,
    FLOOR,
    GAP,
    JITTER,
    KNEE,
    SLIDE,
    SPIKE,
    T_POSE,
    Marked,
    counted,
    with_states,
)
from ...motion.fade import Fade
from ...numeric.frozen import frozen


@frozen
class CleanParams:
    """What is mended, and how much of it."""

    amount: float = number(1.0, "How much of what is wrong is mended; 0 leaves all as it is, 1 mends it", 0.0, 1.0)
    spikes: bool = flag(True, "Mend single frames in which a bone jumps away and back")
    flips: bool = flag(True, "Mend frames in which a bone is turned over, and numbers that jump where the bone does not")
    gaps: bool = flag(True, "Fill stretches in which a bone was lost: it stands still, goes straight on, or is elsewhere")
    jitter: bool = flag(True, "Calm bones that tremble from frame to frame; fast moves keep their speed")
    t_pose: bool = flag(True, "Let a rest pose before the motion hold the first pose of the motion instead", label="Rest Pose")
    slides: bool = flag(False, "Hold feet in place that slide while they stand, where viewers would notice")
    knees: bool = flag(False, "Bend knees that are past straight")
    floor: bool = flag(False, "Level a floor that rises or sinks as time goes by")
    sensitivity: float = number(
        1.0, "How readily frames are found: 2 finds spikes half as large", 0.1, 10.0, slider_range=(0.25, 4.0)
    )
    fix: tuple = records("Findings that are mended although their kind is not, as JSON", Marked)
    ignore: tuple = records("Findings that are left as they are, as JSON", Marked)


KINDS = {
    "spikes": SPIKE,
    "flips": FLIP,
    "gaps": GAP,
    "jitter": JITTER,
    "t_pose": T_POSE,
    "slides": SLIDE,
    "knees": KNEE,
    "floor": FLOOR,
}


def clean(clip, surroundings):
    """Find what is wrong with a capture, such as spikes, flips, gaps and jitter, and mend it.

    The take is looked at once; another tick only mends anew.
    """
    looked = lru_cache(maxsize=2)(lambda sensitivity: look_at(clip, surroundings, sensitivity))

    def process(params):
        process.told, process.findings = "", ()
        if params.amount == 0.0:
            return clip
        look = looked(params.sensitivity)
        process.findings = states(look, params)
        chosen = [bar for bar in look.found if with_state(process.findings, bar) == "fixed"]
        process.told = in_words(process.findings)
        result = look.mended(chosen)
        if params.amount == 1.0 or result is clip:
            return result
        weights = np.full(clip.frames, params.amount)
        return Fade(clip, weights, surroundings.angles_apart, surroundings.skeleton)(result)

    return process


def look_at(clip, surroundings, sensitivity=1.0):
    """A Look at what a technique is given."""
    from ...faults.look import Look  # with all that looks for faults, for which Blender's start need not wait

    return Look(clip, surroundings.skeleton, surroundings.contacts() or None, surroundings.beside, sensitivity)


def states(look, params):
    """Findings, each fixed, ignored or left."""
    kinds = {label for name, label in KINDS.items() if getattr(params, name)}
    fixed, ignored = (
        [build(Marked, row, f"{name}[{index}] ") for index, row in enumerate(getattr(params, name))]
        for name in ("fix", "ignore")
    )
    return with_states(look.found, kinds, fixed, ignored)


def with_state(findings, bar):
    """The state that a bar of a look has among findings."""
    own = (bar.label, bar.bone, bar.first, bar.last)
    return next(each.state for each in findings if (each.label, each.bone, each.first, each.last) == own)


def in_words(findings):
    """What was found and what became of it, in words."""
    if not findings:
        return "nothing wrong was found"
    mended, ignored = (sum(bar.state == state for bar in findings) for state in ("fixed", "ignored"))
    rest = [f"{mended} mended", f"{ignored} ignored" if ignored else ""]
    return f"{counted(findings)}; {', '.join(filter(None, rest))}"


CLEAN = Technique(
    "clean",
    "Clean",
    CleanParams,
    clean,
    needs=frozenset({"skeleton", "contacts"}),
    waits="nothing that is ticked was found in this take",
    principal="amount",
)
