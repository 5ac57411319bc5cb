# SPDX-License-Identifier: GPL-3.0-or-later
"""Every technique at work: parameters by how much they do, and takes of the walking figure to do it to."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.contacts import find_contacts
from motion_signal.core.declare.params import build
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.paths.fit import fit
from motion_signal.core.techniques import technique
from motion_signal.core.techniques.figure.lock import LOCK, LockParams
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams

FIGURE, FPS, FIRST = gait.FIGURE, 30.0, 11
HIPS = FIGURE.bones[0]


def walking(speed=1.3, seed=1):
    """Two strides and a half of a walk."""
    frames = round(2.45 * FPS * 2 * np.sqrt(speed * 60 * gait.STEP_LAW) / speed)
    motion = gait.walk(frames, FPS, speed, seed)
    channels = [Channel(HIPS.path + ".location", index, "LOCATION", HIPS.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    return Clip(np.hstack([motion.location, motion.rotations.reshape(frames, -1)]), tuple(channels), FPS, FIRST)


def sliding(*arguments):
    """A walk whose hips sway more than its feet allow."""
    clip = walking(*arguments)
    values = clip.values.copy()
    values[:, :3] += 0.03 * np.sin(np.arange(clip.frames)[:, None] / [7.0, 9.0, 11.0])
    return clip.with_values(values)


def spoiled(*arguments):
    """A walk of which the head is elsewhere in two frames."""
    clip = walking(*arguments)
    values, head = clip.values.copy(), [at for at, channel in enumerate(clip.channels) if channel.owner == "head"]
    values[np.ix_([25, 50], head)] = (0.8, 0.6, 0.0, 0.0)
    return clip.with_values(values)


def leaning(*arguments):
    """A walk whose hips lean ahead of its feet."""
    clip = walking(*arguments)
    values = clip.values.copy()
    values[:, :3] += np.outer(np.sin(np.arange(clip.frames) / 15.0), (0.0, 0.0, 0.06))
    return clip.with_values(values)


def going_round(*arguments):
    """A cycle of a walk."""
    return CYCLE.run(walking(*arguments), CycleParams(find="SEARCH", path="STRAIGHT"), Surroundings(FIGURE))


def with_feet_held(clip):
    """With contacts by whole frames, as a path has them."""
    return LOCK.run(clip, LockParams(amount=1.0), Surroundings(FIGURE, contacts=lambda: find_contacts(clip, FIGURE)))


def loud(amount):
    gains = (1.0, 1.0, 1.5, 2.0, 0.5, 2.0, 1.5, 2.0, 1.0, 1.0, 1.0, 1.0)
    return [1.0 + amount * (gain - 1.0) for gain in gains]


def pushed(amount):
    return {
        "displacement_keys": [
            {"frame": 40, "bones": {"head": {"rotation": [20.0 * amount, 0.0, 9.0 * amount]}}},
            {"frame": 60, "curves": {f"{HIPS.path}.location[0]": 0.3 * amount}},
        ]
    }


def bent(amount, **more):
    """The path of the walk with its middle pulled aside."""
    own = fit(kept(walking), FIGURE, 6)
    path = own + amount * np.outer([0, 0, 1, 1, 0, 0], [1, 0, 0])
    return {"path": {"control": path.tolist()}, "original": {"control": own.tolist()}, "timing": "KEEP", **more}


def pinned(amount):
    """A hand at frame 50 pulled up from where it is."""
    hand = FIGURE.posed(kept(walking))[1][50 - FIRST, FIGURE.index("hand.L")] + (0.0, 0.0, 0.1 * amount)
    place = np.array(FIGURE.world) @ (*hand, 1.0)
    return {"pins": [{"bone": "hand.L", "first": 50, "last": 50, "hold": "PLACE", **dict(zip("xyz", place[:3].tolist()))}]}


def between_cycles(amount):
    return {"points": [{}, {"action": "fast", "x": 1.0}, {"action": "slow", "y": 1.0}], "puck_x": 0.5 * amount, "path": "STEPS"}


def moody(amount, **more):
    return {"amount": amount, "neutral": "slow", "styled": "fast", "strides": True, **more}


@dataclass(frozen=True)
class Case:
    """A technique at work: parameters by how much they do, 1 something and 0 nothing, and a take to do it to.

    `limit` makes of the take what next to nothing must be close to, None where there is no such thing: a cycle is cut out
    whatever comes then. `off` is how far from it the technique may be at all.
    """

    name: str
    what: str
    params: Callable
    take: Callable = walking
    limit: Callable | None = lambda clip: clip
    off: float = 0.0

    def __str__(self):
        return f"{self.name} {self.what}"

    @property
    def entry(self):
        return technique(self.name)

    @property
    def clip(self):
        return kept(self.take)

    @property
    def around(self):
        return Surroundings(FIGURE, takes={"fast": kept(self.take, 1.6, 2), "slow": kept(self.take, 1.0, 3)})

    def of(self, amount):
        return build(self.entry.params, self.params(amount))

    def run(self, amount=1.0, weights=None):
        return self.entry.run(self.clip, self.of(amount), self.around, weights)


kept = cache(lambda take, *arguments: take(*arguments))

CASES = (
    Case("equalize", "gains", lambda amount: {"gains": loud(amount)}),
    Case("equalize", "positions", lambda amount: {"limbs": {"thigh.L": loud(amount)}, "target": "POSITIONS"}),
    Case("waveshape", "compressor", lambda amount: {"shape": "COMPRESS", "threshold": 2.0, "ratio": 1.0 + amount}),
    Case("waveshape", "curve", lambda amount: {"measure": "X", "points": [[0, 0], [0.4, 0.4 + 0.2 * amount], [1, 1]]}),
    Case("displace", "keys", pushed),
    Case("life", "amount", lambda amount: {"take": "fast", "amount": amount}),
    Case("clean", "spikes", lambda amount: {"amount": amount}, spoiled),
    Case("music", "tempo", lambda amount: {"tempo": 100.0, "strength": amount}),
    Case("fit_length", "longer", lambda amount: {"seconds": 3.2, "amount": amount}),
    Case("timewarp", "moves", lambda amount: {"moves": [[11, 11], [50, 50 + 20 * amount], [86, 86]]}),
    Case("timewarp", "timing", lambda amount: {"reference": "fast", "timing": amount}),
    Case("timewarp", "pose", lambda amount: {"reference": "fast", "pose": amount}),
    Case("blend", "warped", lambda amount: {"takes": [{"action": "fast", "weight": amount}]}),
    Case(
        "blend",
        "bands",
        lambda amount: {
            "takes": [{"action": "fast", "weight": amount, "bands": loud(1.0)}, {"action": "slow", "weight": amount}],
            "alignment": "STRETCH",
        },
    ),
    Case(
        "between",
        "speed",
        lambda amount: {"takes": [{"action": "fast"}], "by_speed": True, "speed": 1.31 + 0.1 * amount},
        limit=None,
    ),
    Case("join", "another", lambda amount: {"take": "fast", "transition": 0.2 + 0.4 * amount}, limit=None),
    Case("lock", "feet", lambda amount: {"amount": amount}, sliding),
    Case("path", "feet held", bent, limit=with_feet_held),
    Case("path", "feet carried", lambda amount: bent(amount, plant=False)),
    Case(
        "locomotion",
        "straight",
        lambda amount: {"takes": [{"action": "fast"}], "path": {"points": [[0, 0, 0], [3.0 + amount, 0, 0]]}, "speed": 1.4},
        limit=None,
    ),
    Case("pins", "hand", pinned),
    Case("cycle", "phase", lambda amount: {"phase": 0.4 * amount}, going_round),
    Case("cycle", "found", lambda amount: {"find": "SEARCH", "repeats": 1 + round(2 * amount)}, limit=None),
    Case("harmonics", "gains", lambda amount: {"gains": loud(amount)}, going_round),
    Case("network", "puck", between_cycles, going_round, off=0.005),  # of metres or turns: what waves leave out
    Case("speed", "between", lambda amount: {"takes": [{"action": "fast"}], "speed": 1.35 + 0.1 * amount}, limit=None),
    Case("wavelet_blend", "amount", lambda amount: {"take": "fast", "amount": amount}),
    Case("avatar", "scale", lambda amount: {"scale": 1.0 + amount}),
    Case("avatar", "lock", lambda amount: {"scale": 1.0 + 0.2 * amount, "lock": amount}),
    Case("cartoon", "feet held", lambda amount: {"strength": amount}),
    Case("cartoon", "feet free", lambda amount: {"strength": amount, "contacts": False}),
    Case("cartoon", "positions", lambda amount: {"strength": amount, "target": "POSITIONS", "delay": 0.1}),
    Case("automate", "keys", lambda amount: {"automation": [{"band": 4, "keys": [[11, 1.0], [50, 1.0 + amount], [86, 1.0]]}]}),
    Case("weight", "balance", lambda amount: {"amount": amount}, leaning),
    Case("style", "feet held", moody),
    Case("style", "feet free", lambda amount: moody(amount, contacts=False)),
)
