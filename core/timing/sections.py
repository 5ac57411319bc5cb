# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections of a take that are slowed or hurried, and the moves of frames that do it: what comes after a section goes along."""

from dataclasses import replace

from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

SHORTEST = 2  # frames


@frozen
class Section:
    """Frames of the take, and how many frames they last."""

    start: int
    end: int
    lasts: int

    @property
    def percent(self):
        """How fast it is beside the take."""
        return 100.0 * (self.end - self.start) / self.lasts


def sections_of(moves):
    """How far the first of the moves goes, (frame, frame it goes to) in order, and the sections between them that last longer
    or shorter than in the take."""
    moves = sorted((round(frame), round(there)) for frame, there in moves)
    found = [
        Section(frame, after, there_after - there)
        for (frame, there), (after, there_after) in zip(moves, moves[1:])
        if there_after - there != after - frame
    ]
    return (moves[0][1] - moves[0][0] if moves else 0), found


def moves_of(shift, sections):
    """The moves that make sections last so long, each pushing what comes after it."""
    moves = {}
    for section in sections:
        moves[section.start] = section.start + shift
        shift += section.lasts - (section.end - section.start)
        moves[section.end] = section.end + shift
    return sorted(moves.items())


def starts_of(shift, sections):
    """Where each section begins once all have been moved."""
    moves = dict(moves_of(shift, sections))
    return [moves[section.start] for section in sections]


def with_section(sections, start, end, percent):
    """One more section, in the place of those that it overlaps."""
    start, end = sorted((start, end))
    if end - start < SHORTEST:
        raise Refusal(f"section: {start} to {end} is too short to last longer or shorter")
    if not percent > 0.0:
        raise Refusal(f"percent: {percent:g} is no speed")
    others = [other for other in sections if other.end <= start or other.start >= end]
    return sorted([*others, Section(start, end, lasting(end - start, percent))], key=lambda section: section.start)


def at_percent(sections, index, percent):
    """The section at an index made so fast; at 100 it is none any more."""
    if not percent > 0.0:
        raise Refusal(f"percent: {percent:g} is no speed")
    section = sections[index]
    changed = replace(section, lasts=lasting(section.end - section.start, percent))
    kept = [changed] if changed.lasts != section.end - section.start else []
    return [*sections[:index], *kept, *sections[index + 1 :]]


def dragged(sections, index, begins, first, last):
    """The section at an index, which begins at the frame `begins`, with its ends at other frames: its end makes it longer or
    shorter, its start lets it begin elsewhere at the speed that it has, and both move it."""
    section = sections[index]
    moved_by, lasts = first - begins, last - first
    if moved_by == 0:
        changed = replace(section, lasts=lasts)
    elif lasts == section.lasts:
        changed = replace(section, start=section.start + moved_by, end=section.end + moved_by)
    else:
        start = section.start + moved_by
        changed = Section(start, section.end, lasting(section.end - start, section.percent))
    return [*sections[:index], changed, *sections[index + 1 :]]


def fits(sections, first, last):
    """Whether sections lie in the take, in order, and each lasts at all."""
    ends = [first, *(frame for section in sections for frame in (section.start, section.end)), last]
    return ends == sorted(ends) and all(
        section.end - section.start >= SHORTEST and section.lasts >= SHORTEST for section in sections
    )


def lasting(frames, percent):
    return max(SHORTEST, round(100.0 * frames / percent))
