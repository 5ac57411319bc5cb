# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of frames as marks in two lanes, one for each side: what belongs together, or what goes where."""

from ..live import preview
from ..settings.lists import index_name, remove_record, rows_name
from .lanes import Lane, LaneBar

TAKE, OTHER = (1.0, 0.62, 0.2, 1.0), (0.35, 0.75, 0.95, 1.0)


def pair_lanes(technique, field_of, labels):
    """The two lanes of a technique's list of pairs, shown while it is previewed; `field_of(settings)` is the list's name."""
    return tuple(
        lane(technique, field_of, side, color, label) for side, color, label in zip(("frame", "there"), (TAKE, OTHER), labels)
    )


def lane(technique, field_of, side, color, label):
    def listed(context):
        settings = getattr(context.window_manager.motion_signal, technique.name)
        return settings, field_of(settings)

    def bars(context):
        if preview.shown(context, technique.name) is None:
            return []
        settings, field = listed(context)
        chosen = getattr(settings, index_name(field))
        return [
            LaneBar(getattr(row, side), getattr(row, side), color, index == chosen)
            for index, row in enumerate(getattr(settings, rows_name(field)))
        ]

    def move(context, index, frame, _):
        """A mark goes no farther than its neighbours: what is out of order would be refused."""
        settings, field = listed(context)
        rows = getattr(settings, rows_name(field))
        others = [getattr(row, side) for row in rows]
        if any(frame <= other for other in others[:index]) or any(frame >= other for other in others[index + 1 :]):
            return False
        setattr(rows[index], side, frame)
        return True

    def choose(context, index):
        settings, field = listed(context)
        setattr(settings, index_name(field), index)

    def remove(context, index):
        settings, field = listed(context)
        remove_record(settings, technique, field, index)

    return Lane(label, bars, move, choose, remove)
