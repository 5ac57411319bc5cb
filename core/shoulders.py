# SPDX-License-Identifier: GPL-3.0-or-later
"""Shoulders that help: what arms hang on bends so that hands come within reach (Kenwright, section 3, the damped form).

All that matters is how far a shoulder is from where its hand shall be: one number, and so one row of a Jacobian. That leaves
the rest of the spine's freedom alone, and does not jerk where the spine is straight. Arrays have the frames last.
"""

from dataclasses import replace

import numpy as np

from . import rotation
from .figure import part
from .ik import cross, dot, length, unit
from .matrix import matrices, product
from .reposed import reposed
from .within_reach import NEAR, eased

ROUNDS = 8
STIFF = 0.2  # how willing the spine is; the bone that an arm hangs on is 1
DAMPING = 0.03  # of the leg: shoulders that would come no closer by more than this, however they turn, hardly turn


def shouldered(body, reach):
    """The body with its spine and shoulders bent so that arms that are too short reach their goals, as far as that helps."""
    goals, spans = reach.goals, reach.spans(body)
    needs = {}
    for end in reach.ends:
        away = length(goals[end] - body.root(end))
        missing = np.maximum(away - spans[end], 0.0)
        if end.endswith("hand") and missing.max() > NEAR * body.leg and len(above_pelvis(body, end)) > 1:
            needs[end] = away, eased(body, missing)
    if not needs:
        return body
    rows = np.flatnonzero(np.any([way > 0.0 for _, way in needs.values()], axis=0))
    wanted = {end: (goals[end][:, rows], (away - way)[rows]) for end, (away, way) in needs.items()}
    some = bent(body, replace(body.clip, values=body.clip.values[rows]), wanted)
    held = [body.whole.held(channel) if channel not in body.clip.channels else 0.0 for channel in some.channels]
    clip = body.clip.with_channels(some.channels, held)
    values = np.array(clip.values, order="F")
    values[rows] = some.values
    return body.again(clip.with_values(values))


def above_pelvis(body, end):
    """The names of what a limb hangs on, from the pelvis, which is left out, to its own first bone."""
    chain = body.skeleton.chain(body.bones(end)[0])
    return [body.skeleton.bones[place].name for place in chain if place not in body.skeleton.chain(body.mover)]


def bent(body, clip, wanted):
    """Some frames of a body's clip with shoulders at a distance (frames,) from goals (3, frames), {end: (goal, distance)}."""
    chains = {end: above_pelvis(body, end) for end in wanted}
    skeleton = part(body.whole, {chain[-1] for chain in chains.values()})
    rotations, *rest = skeleton.local(clip)
    turns = {name: np.tile(np.eye(4)[0][:, None], clip.frames) for chain in chains.values() for name in chain[:-1]}
    for _ in range(ROUNDS):
        worst = 0.0
        for end, (goal, distance) in wanted.items():
            axes, heads = (np.moveaxis(these, 0, -1) for these in skeleton.forward(rotations, *rest))
            places = [skeleton.index(name) for name in chains[end]]
            away = goal - heads[places[-1]]
            levers = [cross(heads[places[-1]] - heads[place], unit(away)) for place in places[:-1]]
            willing = [STIFF] * (len(levers) - 1) + [1.0]
            square = sum(share * dot(lever, lever) for share, lever in zip(willing, levers))
            pull = (length(away) - distance) / (square + (DAMPING * body.leg) ** 2)
            worst = max(worst, np.abs(length(away) - distance).max())
            for place, share, lever in zip(places[:-1], willing, levers):
                own = np.einsum("ijf,if->jf", axes[place] / length(axes[place]), share * pull * lever)
                turn = rotation.exp(own)
                name = skeleton.bones[place].name
                turns[name] = rotation.multiply(turns[name], turn)
                rotations[:, place] = np.moveaxis(product(np.moveaxis(rotations[:, place], 0, -1),
                                                          np.moveaxis(matrices(turn), 0, -1)), -1, 0)
        if worst < NEAR * body.leg:
            break
    return reposed(clip, body.whole, turns)
