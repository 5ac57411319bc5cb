# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground speed: how far a figure really gets, in metres.

Steps are as seen by who takes them, whose hips turn to and fro: they do not simply add up. So they are walked, straight on,
without what the figure turns on the whole, and what counts is where that leads.
"""

import numpy as np

from .lap import lap_of
from .travel import Ground, walked


def ground_speed(clip, skeleton):
    """Metres a second that a clip goes along its way."""
    ground = Ground([clip], skeleton)
    lap = lap_of(clip, ground)[0]
    return metre(ground, skeleton) * distance(lap.steps, lap.turns, ground.up) * clip.fps / lap.length


def distance(steps, turns, up):
    """How far steps (steps, 3) and turns (steps,) lead, in units of what travels."""
    places = walked(np.zeros(3), 0.0, steps, turns - turns.mean(), up).places
    return float(np.linalg.norm(places[-1] - places[0]))


def metre(ground, skeleton):
    """How many metres one unit of what travels is."""
    bone = skeleton is not None and ground.roots and ground.roots[0].owner
    return float(np.linalg.norm(np.array(skeleton.world)[2, :3])) if bone else 1.0
