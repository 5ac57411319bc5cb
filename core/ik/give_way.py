# SPDX-License-Identifier: GPL-3.0-or-later
"""Within reach: a body changed only as far as its limbs still reach where feet and hands were (Kenwright, section 3).

Feet hold back the pelvis alone, straight towards them and no more than they must. Where a limb still does not reach, the
whole way from the pelvis to its shoulder goes back towards the take, in which everything was in reach. Both come and go
smoothly, so that straight limbs do not make the body jerk. Arrays have the frames last.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..body.body import Body
from ..motion.repose import reposed
from ..motion.skeleton import sub_skeleton
from ..numeric import rotation
from ..numeric.frozen import frozen
from ..numeric.matrix import matrices, product, turns_to
from ..numeric.smoothing import above
from ..numeric.vectors import cross, dot, length, unit

TIMES = 6  # that each bone pulls the pelvis back, as one may pull it away from another
HALVINGS = 7  # with which is found how much of a change is in reach
NEAR = 2e-4  # of the leg: what a limb may miss before the body gives way
EASE = 0.2  # seconds over which the body gives way


@frozen
class Reach:
    """Where limbs of a body are to be, {end: (3, frames)}, how far each spans, a function from the body as it is, and how much
    of the way the body may give, (frames,)."""

    original: Body
    ends: tuple
    spans: Callable
    giving: np.ndarray

    @property
    def goals(self):
        return {end: self.original.tip(end)[0] for end in self.ends}


def pulled_back(body, others):
    """How the pelvis must be shifted (3, frames) for other bones than feet, by their chains, to come back by turning what
    they hang on, which then need neither stretch nor bulge."""
    shift = np.zeros_like(body.heads[body.mover])
    for _ in range(TIMES):
        for joints, goal in reversed(others):  # the first has the last word
            away = joints[0] + shift - goal
            shift = shift - unit(away) * (length(away) - length(joints[-1] - joints[0]))
    return shift


def chain_of(body, name):
    """The joints (joints, 3, frames) from what hangs on the pelvis to a bone, two at least; None where there are fewer."""
    skeleton, mover = sub_skeleton(body.whole, [name]), body.skeleton.bones[body.mover].name
    chain = skeleton.chain(skeleton.index(name))
    if skeleton.index(mover) not in chain[:-2]:
        return None
    return np.moveaxis(skeleton.posed(body.clip)[1][:, chain[chain.index(skeleton.index(mover)) + 1 :]], 0, -1)


def eased(body, values):
    """Values (frames,) that come and go smoothly, nowhere less than these."""
    if not values.any():
        return values
    return np.concatenate([above(values[rows], round(EASE * body.clip.fps)) for rows in body.stretches])


def given_way(body, reach):
    """The body with what its limbs hang on back towards the take, where they would not reach."""
    names = {body.skeleton.bones[body.bones(end)[0]].name: end for end in reach.ends}
    trunk = Trunk(reach.original.clip, body.clip, sub_skeleton(body.whole, names))
    goals, spans = reach.goals, reach.spans(body)

    def missing(rows, share):
        heads = trunk.heads(rows, share)
        return np.max([length(heads[name] - goals[end][:, rows]) - spans[end][rows] for name, end in names.items()], axis=0)

    rows = np.flatnonzero(missing(np.arange(body.clip.frames), np.ones(body.clip.frames)) > NEAR * body.leg)
    if not len(rows):
        return body
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        near = missing(rows, middle) <= NEAR * body.leg
        low, high = np.where(near, middle, low), np.where(near, high, middle)
    back = np.zeros(body.clip.frames)
    back[rows] = 1.0 - low
    return body.again(trunk.clip(body.whole, np.minimum(eased(body, back), 1.0)))


class Trunk:
    """The bones that limbs hang on, or all, in a take and in a change of it, and everything between the two."""

    def __init__(self, clip, changed, skeleton, whole=False):
        self.changed, self.skeleton = changed, skeleton
        self.before, self.after = (tuple(np.moveaxis(these, 0, -1) for these in skeleton.local(own)) for own in (clip, changed))
        self.hung = range(len(skeleton.bones)) if whole else sorted({bone.parent for bone in skeleton.bones} - {-1})
        self.turns = {index: turns_to(self.before[0][index], self.after[0][index]) for index in self.hung}

    def heads(self, rows, share):
        """Where bones are at some rows with a share (rows,) of the change, {name: (3, rows)}."""
        rotations = self.before[0][..., rows]
        for index, vector in self.turns.items():
            turn = np.moveaxis(matrices(rotation.exp(share * vector[:, rows])), 0, -1)
            rotations[index] = product(turn, rotations[index])
        between = [
            before[..., rows] + share * (after[..., rows] - before[..., rows])
            for before, after in zip(self.before[1:], self.after[1:])
        ]
        _, heads = self.skeleton.forward(*(np.moveaxis(these, -1, 0) for these in (rotations, *between)))
        return {bone.name: heads[:, index].T for index, bone in enumerate(self.skeleton.bones)}

    def clip(self, whole, back):
        """The changed clip with its trunk so much of the way, (frames,), back to the take."""
        names = [bone.name for bone in self.skeleton.bones]
        turns = {
            names[index]: rotation.exp(-back * np.einsum("ijf,if->jf", self.after[0][index], vector))
            for index, vector in self.turns.items()
        }
        moves = {
            name: back * (self.before[1][index] - self.after[1][index])
            for index, name in enumerate(names)
            if not self.skeleton.bones[index].connected
        }
        return reposed(self.changed, whole, turns, {name: move for name, move in moves.items() if move.any()})


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
            needs[end] = away, reach.giving * eased(body, missing)
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
    return [body.skeleton.bones[index].name for index in chain if index not in body.skeleton.chain(body.mover)]


def bent(body, clip, wanted):
    """Some frames of a body's clip with shoulders at a distance (frames,) from goals (3, frames), {end: (goal, distance)}."""
    chains = {end: above_pelvis(body, end) for end in wanted}
    skeleton = sub_skeleton(body.whole, {chain[-1] for chain in chains.values()})
    rotations, *rest = skeleton.local(clip)
    turns = {name: np.tile(np.eye(4)[0][:, None], clip.frames) for chain in chains.values() for name in chain[:-1]}
    for _ in range(ROUNDS):
        worst = 0.0
        for end, (goal, distance) in wanted.items():
            axes, heads = (np.moveaxis(these, 0, -1) for these in skeleton.forward(rotations, *rest))
            indices = [skeleton.index(name) for name in chains[end]]
            away = goal - heads[indices[-1]]
            levers = [cross(heads[indices[-1]] - heads[index], unit(away)) for index in indices[:-1]]
            willing = [STIFF] * (len(levers) - 1) + [1.0]
            square = sum(share * dot(lever, lever) for share, lever in zip(willing, levers))
            pull = (length(away) - distance) / (square + (DAMPING * body.leg) ** 2)
            worst = max(worst, np.abs(length(away) - distance).max())
            for index, share, lever in zip(indices[:-1], willing, levers):
                own = np.einsum("ijf,if->jf", axes[index] / length(axes[index]), share * pull * lever)
                turn = rotation.exp(own)
                name = skeleton.bones[index].name
                turns[name] = rotation.multiply(turns[name], turn)
                rotations[:, index] = np.moveaxis(
                    product(np.moveaxis(rotations[:, index], 0, -1), np.moveaxis(matrices(turn), 0, -1)), -1, 0
                )
        if worst < NEAR * body.leg:
            break
    return reposed(clip, body.whole, turns)
