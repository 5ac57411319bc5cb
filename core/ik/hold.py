# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends: any technique, with feet, hands or other bones held on the paths that they have in the take (Kenwright, section 3).

The technique's change goes into what those bones leave free. Feet and hands are brought back by bending their limbs, so that
pelvis and spine keep what the technique gave them, as far as limbs reach; any other bone by bending what it hangs on, in order
of priority. Nothing is integrated over time, so that nothing drifts. What is still missing is given for every frame.
"""

import numpy as np

from ..body.body import Body, has_feet
from ..motion.clip import Clip
from ..motion.skeleton import sub_skeleton
from ..numeric.frozen import frozen
from ..numeric.matrix import turns_to
from ..numeric.refusal import Refusal
from ..numeric.rotation import ROTATION_SIZES
from .foot_goals import beside
from .freedom import GENTLE, LOATH, ROUNDS, freedom, named, refuse
from .give_way import Reach, Trunk, chain_of, eased, given_way, pulled_back, shouldered
from .held_limbs import HeldLimbs
from .null_space import Task, fulfilled
from .reach import moved
from .steady_joints import SteadyJoints

MILLIMETRES = 1000.0
LITTLE = 0.3  # of a change: who keeps less than this should hear of it
NEAR = 1e-3  # of the leg: what a bone that is no foot or hand may miss
TIMES = 3  # that a change is taken back for bones that bending does not bring back
MISS = 1.0  # millimetres: what is farther off is said
STILL = 1e-9  # metres: what moves less has not changed


@frozen
class Held:
    """A clip whose ends are held, how far each still is from its path in millimetres (frames, bones), and how much of the
    technique's change, from 0 to 1, is left in it."""

    clip: Clip
    names: tuple
    residual: np.ndarray
    left: float

    def words(self):
        """What came of it, in a sentence."""
        off = f"held bones are off their paths by {self.residual.mean():.1f} mm, {self.residual.max():.1f} at worst"
        if self.residual.max() > MISS:
            row, column = np.unravel_index(self.residual.argmax(), self.residual.shape)
            off += f" ({self.names[column]} at frame {self.clip.first_frame + row})"
        if self.left > LITTLE:
            return off
        return f"{off}; they leave room for only {100 * max(self.left, 0.0):.0f} % of the change: hold fewer bones"


def held(technique, clip, params, surroundings, names, turned=True, weights=None):
    """Run a technique with bones held on their paths."""
    return Ends(clip, surroundings, names, turned)(technique.run(clip, params, surroundings, weights))


class Ends:
    """Bones of a take that shall stay on their paths, the most important first, to be applied to any change of it.

    Feet and hands keep their direction too if they are `turned`. The trunk keeps what was done to it and limbs bend, or, with
    `shared`, all that ends hang on gives a little, so that limbs keep more of the change (Kenwright, equation 7 as it stands).
    """

    def __init__(self, clip, surroundings, names, turned=True, shared=False):
        self.clip, self.skeleton, self.turned, self.shared = clip, surroundings.skeleton, turned, shared
        self.names = tuple(dict.fromkeys(names))
        refuse(self.names, self.skeleton)
        self.own = sub_skeleton(self.skeleton, self.names) if self.names else None
        self.places = self._places(clip) if self.names else None
        self.body = Body(clip, self.skeleton) if self.names and has_feet(surroundings) else None
        original = surroundings.original
        self.limbs = HeldLimbs(self.body, self._limbs(), turned, original) if self.body else None
        bones = turning(clip, self.skeleton)
        self.steady = SteadyJoints(clip, self.skeleton, bones, self.limbs.rows, original) if self.body else None
        self.free = sub_skeleton(self.skeleton, self._free()) if self.names else None
        self.joints = self.free.posed(clip)[1] if self.names else None

    def __call__(self, changed):
        """A change of the take with the ends where they were."""
        if not self.names:
            return Held(changed, (), np.zeros((changed.frames, 0)), 1.0)
        if (changed.frames, changed.first_frame) != (self.clip.frames, self.clip.first_frame):
            raise Refusal(
                f"keep: the result has {changed.frames} frames and the take {self.clip.frames}, so that bones "
                "cannot be where they were; keep ends only where time stays as it is"
            )
        if np.abs(self._places(changed) - self.places).max() < STILL:
            result = changed
        else:
            result = self._standing(changed) if self.body else self._bent(changed, self.names, self._loose(), 3 * ROUNDS)
        return Held(result, self.names, self._residual(result), self._left(changed, result))

    def _standing(self, changed):
        """Other bones first, then the pelvis within reach of the feet, what arms hang on within reach of the hands, limbs."""
        body = self.body.again(self.steady(changed)[0])
        unchanged = self.limbs.unchanged(body)
        ends = {end: name for end, name in named(body).items() if name in self.names}
        limbs = self.limbs
        reach = Reach(self.body, tuple(limbs.hinges), limbs.spans, beside(unchanged, body.clip.fps))
        others = [name for name in self.names if name not in ends.values()]
        chains = {name: chain_of(body, name) for name in others}
        rigid = [name for name in others if chains[name] is None]
        if rigid:
            free = freedom(body, rigid, {body.skeleton.bones[body.mover].name: LOATH})
            body = body.again(self._bent(body.clip, rigid, free))
            chains = {name: chain_of(body, name) for name in others}
        hung = [name for name in others if name not in rigid]
        body = self._shared(body, ends) if self.shared and reach.ends else body
        shift = pulled_back(body, [(chains[name], self.places[:, self.names.index(name)].T) for name in hung])
        body = body.again(body.clip_of({}, shift, {})) if shift.any() else body
        shift = limbs.shift(body, unchanged)
        body = body.again(body.clip_of({}, shift, {})) if shift.any() else body
        body = self._hung_back(body, hung) if hung else body
        if reach.ends:
            body = given_way(shouldered(body, reach), reach)
        controls = {end: self._hold(body, end) for end in ends if end in body.controls}
        body = body.again(moved(body, controls)) if controls else body
        if not reach.ends:
            return body.clip
        return limbs.reached(body, unchanged, lambda body: self._hung_back(body, hung) if hung else body)

    def _shared(self, body, ends):
        """The body with all that its feet and hands hang on turned, as little as it goes, towards bringing them back."""
        bones = body.skeleton.bones
        chains = [body.skeleton.chain(body.bones(end)[1]) for end in ends if end in body.limbs]
        turning = {bones[index].name: 1.0 for chain in chains for index in chain}
        tasks = [Task(name, self.places[:, self.names.index(name)]) for end, name in ends.items() if end in body.limbs]
        return body.again(fulfilled(body.clip, self.skeleton, tasks, turning, {bones[body.mover].name: LOATH}, ROUNDS, GENTLE))

    def _hung_back(self, body, others):
        """Bones that are no feet or hands back on their paths without the pelvis, which the feet hold.

        Where bending does not bring them all the way back, so much of the change is taken back first that it does.
        """
        turning, columns = freedom(body, others)[0], [self.names.index(name) for name in others]
        for _ in range(TIMES):
            tried = self._bent(body.clip, others, (turning, {}))
            before, after = (
                np.linalg.norm((self._places(clip) - self.places)[:, columns], axis=2) for clip in (body.clip, tried)
            )
            missing = np.maximum(after - NEAR * body.leg, 0.0)
            if not missing.any():
                break
            back = np.minimum(eased(body, (missing / np.maximum(before, missing + STILL)).max(axis=1)), 1.0)
            body = body.again(Trunk(self.clip, body.clip, sub_skeleton(self.skeleton, others)).clip(self.skeleton, back))
        return body.again(self._bent(body.clip, others, (turning, {})))

    def _hold(self, body, end):
        (joint, axes), (goal, before) = body.tip(end), self.body.tip(end)
        turns = turns_to(axes, before) if self.turned else np.zeros_like(joint)
        return goal - joint, turns

    def _bent(self, changed, others, free, rounds=ROUNDS):
        """Bones that are no feet or hands back on their paths, each as far as those before it allow.

        Where there are as many of them as bones to bend no freedom is left, and all that they hang on is as in the take.
        """
        if len(others) >= len({*free[0], *free[1]}):
            return Trunk(self.clip, changed, sub_skeleton(self.skeleton, others)).clip(self.skeleton, np.ones(changed.frames))
        tasks = [Task(name, self.places[:, self.names.index(name)], level) for level, name in enumerate(others)]
        return fulfilled(changed, self.skeleton, tasks, *free, rounds, GENTLE)

    def _loose(self):
        """What may move of a figure without feet: all that held bones hang on, roots and held bones that move by shifting."""
        chains = [self.skeleton.chain(self.skeleton.index(name)) for name in self.names]
        bones = self.skeleton.bones
        turning = {bones[index].name: 1.0 for chain in chains for index in chain[:-1]}
        shifting = {bones[chain[0]].name: LOATH for chain in chains if len(chain) > 1 and not bones[chain[0]].connected}
        return turning, shifting | {bones[chain[0]].name: 1.0 for chain in chains if len(chain) == 1}

    def _limbs(self):
        """The feet and hands that are held and end a limb."""
        return [end for end, name in named(self.body).items() if name in self.names and end in self.body.limbs]

    def _free(self):
        """The names of bones that are not there to follow: lower limbs of held feet and hands, and what hangs on those, are."""
        following = (
            {
                self.body.skeleton.bones[self.body.bones(end)[1]].name
                for end, name in named(self.body).items()
                if end in self.body.limbs and name in self.names
            }
            if self.body
            else set()
        )
        below = set().union(*map(self.skeleton.below, following)) if following else set()
        return [bone.name for bone in self.skeleton.bones if bone.name not in below]

    def _places(self, clip):
        """Where held bones are, (frames, bones, 3), in the armature."""
        return self.own.posed(clip)[1][:, [self.own.index(name) for name in self.names]]

    def _residual(self, result):
        away = (self._places(result) - self.places) @ np.array(self.skeleton.world)[:3, :3].T
        return MILLIMETRES * np.linalg.norm(away, axis=2)

    def _left(self, changed, result):
        """How much of what a change does to free joints there still is, along the way that it moved them."""
        wanted, found = (self.free.posed(clip)[1] - self.joints for clip in (changed, result))
        size = np.vdot(wanted, wanted)
        return float(np.vdot(wanted, found) / size) if size > STILL**2 * wanted.size else 1.0


def turning(clip, skeleton):
    """The names of bones that a clip turns, and that nothing else leads."""
    owners = {channel.owner for channel in clip.channels if channel.kind in ROTATION_SIZES}
    return [bone.name for bone in skeleton.bones if bone.name in owners and not bone.led]
