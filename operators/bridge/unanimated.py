# SPDX-License-Identifier: GPL-3.0-or-later
"""What channels hold apart from any action: what a bone's scale is where nothing animates it."""

import json

HELD = "motion_signal_held"  # of a result and of who plays it: path, index and value of channels that only the result animates


def noted(holder):
    """What channels held that only a result animates, as it or who plays it remembers: {(path, index): value}."""
    return {(path, index): value for path, index, value in json.loads(holder.get(HELD, "[]"))}


def value_at(owner, path):
    """What a path leads to, or None if that is gone, as a bone that was renamed."""
    try:
        return owner.path_resolve(path)
    except ValueError:
        return None


def standing(owner, path, index, among=None):
    """What a component of a vector holds where no action animates it, or None; `among` is what the owner has noted."""
    among = noted(owner) if among is None else among
    value = value_at(owner, path)
    return among.get((path, index), value[index] if hasattr(value, "__len__") else None)
