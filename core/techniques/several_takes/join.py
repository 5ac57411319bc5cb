# SPDX-License-Identifier: GPL-3.0-or-later
"""Join: one take and then another, with a transition between them (Bruderlin and Williams 1995, section 6).

The transition is a mix whose weights go from the one take to the other. As takes are mixed by the steps that they make on
the ground, the second goes on from where the first has come, the way it then faces. Band by band, every band changes over
within about one of its own waves, so that slow motion flows over the whole transition and fast motion is not smeared.
"""

from functools import lru_cache

import numpy as np

from ...body.contacts import Origin, carried, find_footing
from ...body.roles import find_roles
from ...declare.params import choice, flag, number, whole, words
from ...declare.scope import FAR
from ...declare.technique import Technique
from ...ik.planted_feet import lock_feet
from ...mixing.mixer import Mixer
from ...mixing.transitions import compared
from ...motion.match import common, matched
from ...numeric.bands import HZ_BANDS, band_edges
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...numeric.smoothing import smooth

WINDOW = (0.0, 10.0)  # seconds that a slider spans
SHORTEST_LOOP = 0.5  # seconds: moments closer than that are alike because nothing has happened in between


@frozen
class JoinParams:
    """What follows, where it is joined and how."""

    take: str = words("", "Action that follows; empty for none", label="Then", names="action")
    loop: bool = flag(False, "Join the take onto itself, so that its end leads into its start")
    transition: float = number(0.4, "How long the one goes over into the other", 0.0, 60.0, "s", slider_range=(0.0, 2.0))
    curve: str = choice(
        "SMOOTH",
        "How the one gives way to the other",
        (
            ("SMOOTH", "Smooth", "Slowly, quickly, slowly"),
            ("SMOOTHER", "Smoother", "As smooth, and without a jerk at either end"),
            ("LINEAR", "Linear", "At an even rate"),
            ("EARLY", "Early", "Quickly at first, then slowly"),
            ("LATE", "Late", "Slowly at first, then quickly"),
        ),
    )
    cut: str = choice(
        "SEARCH",
        "Where the takes are joined",
        (("SEARCH", "Search", "Where pose and speed of the two are most alike"), ("FRAMES", "Frames", "At the frames given")),
    )
    search_end: float = number(
        1.0, "How far before the end of the take to look for the cut", 0.0, 3600.0, "s", slider_range=WINDOW
    )
    search_start: float = number(
        1.0, "How far after the start of what follows to look for it", 0.0, 3600.0, "s", slider_range=WINDOW
    )
    cut_number: int = whole(1, "Which of the cuts found is made: 1 the best, 2 the next best", 1, 1000)
    cut_frame: int = whole(1, "Frame at which the take is left", -FAR, FAR, label="Leave At")
    enter_frame: int = whole(1, "Frame at which what follows is entered", -FAR, FAR, label="Enter At")
    by_bands: bool = flag(
        False,
        "Let slow motion flow over the whole transition and fast motion change at once, so that it is not smeared",
        label="Band by Band",
    )


def join(clip, surroundings):
    """Put another take behind this one, or its own start behind its end, without a seam.

    Charts and distances are kept, so that the transition can be dragged.
    """
    opened = lru_cache(maxsize=2)(lambda name: Seam(clip, name, surroundings))

    def process(params):
        if not (params.take or params.loop):
            return clip
        seam = opened(following(params, surroundings))
        result = seam.joined(params)
        held = not params.loop and surroundings.skeleton is not None and surroundings.skeleton.handled
        return standing(result, seam.origins(params), surroundings.skeleton) if held else result

    process.origins = lambda params: (
        opened(following(params, surroundings)).origins(params) if params.take or params.loop else ()
    )
    return process


def standing(result, origins, skeleton):
    """A result on a control rig whose feet stand where they stood in the takes: IK feet do not slide."""
    roles = find_roles(skeleton)
    try:
        contacts = carried(origins, lambda take: find_footing(take, skeleton, roles)[0], result.first_frame)
        return lock_feet(result, skeleton, contacts)
    except Refusal:  # without feet that can be held it is what it is
        return result


def found_cuts(clip, surroundings, params):
    """The moments that a join looks at, how alike they are, and the best of them: to be drawn and chosen from."""
    seam = Seam(clip, following(params, surroundings), surroundings)
    return seam.cuts(params.transition, params.search_end, params.search_start)


def following(params, surroundings):
    """The name of the take that follows, empty for the take itself."""
    if params.loop:
        return ""
    if params.take not in surroundings.takes:
        raise Refusal(f"take: there is no action {params.take}")
    return params.take


class Seam:
    """Two takes, and how they are joined."""

    def __init__(self, clip, name, surroundings):
        other = surroundings.takes[name] if name else clip
        self.first, self.second = clip, matched(clip, other)[0] if name else clip
        self.rate, self.skeleton, self.loops = clip.fps / other.fps, surroundings.skeleton, not name
        missing = [np.zeros(len(clip.channels), dtype=bool), ~common(clip, other)]
        self.mixer = Mixer([self.first, self.second], missing, surroundings)
        self.cuts = lru_cache(maxsize=4)(self._cuts)

    def joined(self, params):
        """The one take, the transition, and the other."""
        leave, enter, before, after, rows = self._laid_out(params)
        zones = dict.fromkeys(range(HZ_BANDS), 1.0) if not params.by_bands else band_zones((before + after) / self.first.fps)
        shares = {
            size: self._shares(rows - leave, size * before, size * after, CURVES[params.curve])
            for size in {1.0, *zones.values()}
        }
        bands = [(tuple(zones[band] == size for band in range(HZ_BANDS)), shares[size]) for size in shares if size < 1.0]
        times = np.stack([np.minimum(rows, self.first.frames - 1), np.maximum(rows - leave + enter, 0)])
        return self.mixer.mixed(times.astype(np.float64), shares[1.0], bands)

    def origins(self, params):
        """Where each frame is from: the one take up to the cut, the other after it."""
        leave, enter, _, _, rows = self._laid_out(params)
        return (
            Origin(self.first, np.where(rows < leave, rows, -1)),
            Origin(self.second, np.where(rows >= leave, rows - leave + enter, -1)),
        )

    def _laid_out(self, params):
        """The rows of the cut in both takes, how far the transition goes before and after it, and the rows of the result."""
        leave, enter = FOUND_BY[params.cut](self, params)
        span = self._span(params.transition)
        before = min(span, leave, enter)
        after = min(span, self.first.frames - 1 - leave, self.second.frames - 1 - enter)
        rows = np.arange(leave - enter + self.second.frames)
        if params.loop:
            if enter + after > leave - before:
                raise Refusal(f"transition: {params.transition:g} s leaves nothing of a loop of {leave - enter} frames")
            rows = rows[enter + after : leave + after + 1]
        return leave, enter, before, after, rows

    def searched(self, params):
        """The rows of a cut among the best."""
        cuts = self.cuts(params.transition, params.search_end, params.search_start).best(params.cut_number)
        return cuts[-1][:2]

    def given(self, params):
        """The rows of a cut at given frames."""
        leave = params.cut_frame - self.first.first_frame
        enter = round((params.enter_frame - self.second.first_frame) * self.rate)
        for name, frame, row, clip in (
            ("cut_frame", params.cut_frame, leave, self.first),
            ("enter_frame", params.enter_frame, enter, self.second),
        ):
            if not 0 <= row < clip.frames:
                raise Refusal(f"{name}: {frame} is outside the take")
        return leave, enter

    def _cuts(self, transition, search_end, search_start):
        span = self._span(transition)
        for name, seconds, clip in (("search_end", search_end, self.first), ("search_start", search_start, self.second)):
            if seconds * clip.fps > clip.frames - 1:
                raise Refusal(f"{name}: {seconds:g} s is more than the take has, {(clip.frames - 1) / clip.fps:.2f} s")
        last = self.first.frames - 1 - span  # a transition should have room on both sides
        leaving = np.arange(min(last, self.first.frames - 1 - round(search_end * self.first.fps)), last + 1)
        entering = np.arange(span, max(span, round(search_start * self.first.fps)) + 1)
        shortest = max(2 * span, round(SHORTEST_LOOP * self.first.fps)) if self.loops else -np.inf
        cuts = compared(self.first, self.second, self.mixer.ground, self.skeleton, leaving, entering, shortest)
        if not np.isfinite(cuts.distances).any():
            raise Refusal(f"loop: the take has no two moments that are {shortest / self.first.fps:.2f} s apart to join")
        return cuts

    def _span(self, transition):
        """How many rows a transition goes to either side, at most."""
        shorter = min(self.first.frames, self.second.frames)
        return min(round(0.5 * transition * self.first.fps), (shorter - 1) // 2)

    def _shares(self, rows, before, after, curve):
        """Weights of the two takes, (2, rows, signals), over a transition about row 0."""
        fraction = (rows + before) / (before + after) if before + after > 0 else (rows >= 0).astype(np.float64)
        second = curve(np.clip(fraction, 0.0, 1.0))
        return np.repeat(np.stack([1.0 - second, second])[:, :, None], len(self.mixer.owners), axis=2)


FOUND_BY = {"SEARCH": Seam.searched, "FRAMES": Seam.given}

CURVES = {
    "SMOOTH": smooth,
    "SMOOTHER": lambda fraction: fraction**3 * (10.0 - 15.0 * fraction + 6.0 * fraction**2),
    "LINEAR": lambda fraction: fraction,
    "EARLY": lambda fraction: fraction * (2.0 - fraction),
    "LATE": lambda fraction: fraction**2,
}


def band_zones(seconds):
    """How much of a transition each band takes to change over: about one of its waves, all of it if that is longer."""
    waves = [1.0 / np.sqrt(low * high) for low, high in band_edges("HZ", 1.0, 1)]
    return {band: min(1.0, wave / max(seconds, 1e-9)) for band, wave in enumerate(waves)}


JOIN = Technique(
    "join",
    "Join",
    JoinParams,
    join,
    needs=frozenset({"skeleton"}),
    retimes=True,
    waits="choose the action that follows as Then, or tick Loop",
    wants=("take", "loop"),
    principal="transition",
)
