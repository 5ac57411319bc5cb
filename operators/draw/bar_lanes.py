# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars of a take in a lane: contacts, pins, findings and beats, drawn, chosen, dragged and deleted alike."""

from .lanes import Lane, LaneBar


def bar_lane(label, own, keep, choose, color, frame_range, done=lambda context: None):
    """A lane of bars (core.motion.bars).

    `own(context)` gives those that are shown, in order, and the index of the chosen one; `keep(context, bars)` takes them as
    they became; `choose(context, index)` one was clicked, -1 for none; `color(bar)` and `frame_range(context)` say so.
    """

    def bars(context):
        there, chosen = own(context)
        return [LaneBar(bar.first, bar.last, color(bar), index == chosen, bar.label) for index, bar in enumerate(there)]

    def move(context, index, first, last):
        """A bar goes no farther than its neighbours, nor beyond the take; one that has a length keeps some."""
        there = list(own(context)[0])
        start, end = frame_range(context)
        if not start <= first <= last <= end or (first == last) != there[index].moment:
            return False
        before, after = there[index - 1 : index] if index else [], there[index + 1 : index + 2]
        if any(bar.last >= first for bar in before) or any(bar.first <= last for bar in after):
            return False
        there[index] = there[index].moved(first, last)
        keep(context, there)
        return True

    def remove(context, index):
        there = list(own(context)[0])
        del there[index]
        keep(context, there)
        choose(context, -1)

    return Lane(label, bars, move, choose, remove, done)
