# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep: chosen bones stay on the path that they had, whatever an edit did to the rest (Kenwright, section 3).

Feet and hands go back by two-bone IK and are turned as they were. Any other bone goes back by bending what it hangs on, and
by the pelvis if need be, as far as the feet allow: they come first. Where an arm is too short its shoulder helps.
"""

import numpy as np

from ..motion.skeleton import sub_skeleton
from ..numeric.matrix import turns_to
from ..numeric.refusal import Refusal
from ..numeric.smoothing import above
from ..numeric.vectors import unit
from .held_limbs import HeldLimbs
from .hinge import hinges_of, within_stretches
from .null_space import Task, fulfilled
from .reach import moved, reached

LOATH = 0.03  # how willing the pelvis, or a root without feet, is to be shifted for another bone; a bone that turns is 1
STILL = 1e-3  # of the leg: keys for the place of a bone that move it less are only there
NEAR = 1e-4  # of the leg: what a hand may miss
ROUNDS, GENTLE = 12, 100.0  # how bones are bent: a straight spine pulled harder would pop


def listed(names):
    """The names between the commas of a text, each once."""
    return list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))


class Kept:
    """Bones and where they are in the original take, {name: (places (3, frames), axes (3, 3, frames))}.

    `ease` are the seconds over which help comes and goes.
    """

    def __init__(self, names, original, body, ease):
        self.paths, self.reach = paths(names, original, body), round(0.5 * ease * body.clip.fps)
        source = body.again(original)
        self.hinges = hinges_of(source, within_stretches(source))

    def below(self, body):
        """The body with legs back on their paths, before feet are planted."""
        body = self._back(body, "foot")
        goals = {name: self.paths[name][0] for name in self._others(body, bool)}
        return bent(body, goals, freedom(body, goals)) if goals else body

    def above(self, body):
        """The body with everything else back, its feet staying where they are."""
        names = self._others(body, lambda legs: not legs)
        goals = {name: self.paths[name][0] for name in names}
        if names:
            mover, (turning, _) = body.skeleton.bones[body.mover].name, freedom(body, names)
            body = self._standing(body, bent(body, goals, freedom(body, names, {mover: LOATH})))
            body = bent(body, goals, (turning, {})) if turning else body  # without the pelvis, where legs have held it back
        shoulders = self._shoulders(body)
        if shoulders:
            skeleton = sub_skeleton(body.whole, names)
            heads = np.moveaxis(skeleton.posed(body.clip)[1], 0, -1)
            still = {name: heads[skeleton.index(name)] for name in names}
            body = bent(body, still, freedom(body, shoulders), shoulders)
        return self._back(body, "hand")

    def _back(self, body, tip):
        """The body with those of its feet or hands back that are kept."""
        holds = {end: self._hold(body, end) for end, name in named(body).items() if name in self.paths and end.endswith(tip)}
        return body.again(moved(body, holds, hinges=self.hinges)) if holds else body

    def _hold(self, body, end):
        (joint, axes), (goal, turned) = body.tip(end), self.paths[named(body)[end]]
        return goal - joint, turns_to(axes, turned)

    def _others(self, body, wanted):
        """Kept bones that are neither feet nor hands, by whether they belong to legs."""
        legs = {body.skeleton.bones[limb[0]].name for end, limb in body.limbs.items() if end.endswith("foot")}
        chains = {
            name: {body.whole.bones[index].name for index in body.whole.chain(body.whole.index(name))[:-1]}
            for name in self.paths
            if name not in named(body).values()
        }
        return [name for name, chain in chains.items() if wanted(legs & chain)]

    def _shoulders(self, body):
        """Where shoulders must be for arms that are too short to reach, by name."""
        goals = {}
        for end, (upper, _, tip) in body.limbs.items():
            if body.skeleton.bones[tip].name in self.paths and end.endswith("hand"):
                (move, turn), root = self._hold(body, end), body.root(end)
                missing = reached(body, end, self.hinges[end], move, turn, np.zeros_like(root))[1]
                if missing.max() > NEAR * body.leg:
                    way = unit(body.tip(end)[0] + move - root)
                    goals[body.skeleton.bones[upper].name] = root + way * self._eased(body, missing)
        return goals

    def _standing(self, before, after):
        """The body after it was bent, its feet where they were, its pelvis moved only as far as the legs allow."""
        feet = [end for end in before.limbs if end.endswith("foot")]
        limbs = HeldLimbs(before, feet)
        after = after.again(after.clip_of({}, limbs.shift(after), {}))
        return after.again(limbs.reached(after))

    def _eased(self, body, values):
        """Values (frames,) that come and go smoothly, nowhere less than these."""
        return np.concatenate([above(values[rows], self.reach) for rows in body.stretches])


def paths(names, original, body):
    """Where bones are in the original take of a body's clip, or a Refusal if that is not known."""
    refuse(names, body.whole)
    if original is None or (original.first_frame, original.frames) != (body.clip.first_frame, body.clip.frames):
        raise Refusal(
            f"keep: {names[0]} has no other path than its own, as this motion was not made from a take of the "
            "same frames; edit a take and keep bones in what the edit gives"
        )
    skeleton = sub_skeleton(body.whole, names)
    axes, heads = (np.moveaxis(these, 0, -1) for these in skeleton.posed(original))
    return {name: (heads[skeleton.index(name)], axes[skeleton.index(name)]) for name in names}


def refuse(names, skeleton):
    """Say which bone cannot be held."""
    if names and skeleton is None:
        raise Refusal(f"keep: there is no armature, and so no bone {names[0]!r}")
    for name in names:
        if skeleton.index(name) < 0:
            raise Refusal(f"keep: the armature has no bone {name!r}")
    led = sub_skeleton(skeleton, names).led if names else ()
    if led:
        raise Refusal(
            f"keep: bone {led[0]} is moved by constraints or drivers, so that its path is not known; keep the "
            "bone that controls it"
        )


def named(body):
    """The bones that are feet and hands."""
    return {end: body.skeleton.bones[index].name for end, index in body.ends.items()}


def bent(body, goals, free, lesser=()):
    """The body with bones turned and shifted as they are `free` to, so that some are where they are to be, {name: places},
    and others as far as these leave room."""
    tasks = [Task(name, goal.T, level) for level, these in enumerate((goals, dict(lesser))) for name, goal in these.items()]
    return body.again(fulfilled(body.clip, body.whole, tasks, *free, ROUNDS, GENTLE))


def freedom(body, names, helping=()):
    """Which bones turn, and which shift, for bones to come back: those that move by themselves are shifted, others carried
    by what they hang on from the pelvis, and by those that are `helping`, {name: how willing}."""
    skeleton, mover = body.whole, body.whole.index(body.skeleton.bones[body.mover].name)
    moving = {
        channel.owner
        for channel, values in zip(body.clip.channels, body.clip.values.T)
        if channel.kind == "LOCATION" and np.ptp(values) > STILL * body.leg
    }
    turning, shifting = {}, {}
    for name in names:
        chain = skeleton.chain(skeleton.index(name))
        between = [index for index in chain[:-1] if index not in skeleton.chain(mover)]
        if not skeleton.bones[chain[-1]].connected and (name in moving or not between and mover not in chain[:-1]):
            shifting[name] = 1.0
        else:
            turning |= {skeleton.bones[index].name: 1.0 for index in between}
            shifting = dict(helping) | shifting
    return turning, shifting
