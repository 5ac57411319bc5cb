# SPDX-License-Identifier: GPL-3.0-or-later
"""A technique opened on a clip, as everybody runs it: parameters in, changed Clip out, feet planted and ends held."""

from dataclasses import replace

from ..body.figure import FEET
from ..body.more_feet import more_feet_words, sides_in, whole_table
from ..body.roles import find_roles
from ..declare.lists import split_names
from ..ik.hold import Ends
from ..ik.planted_feet import feet_of_take
from ..motion.compare import differs
from ..numeric.refusal import Refusal
from .grounded import Grounded

LEG = ("upper_leg", "lower_leg", "foot")


def opened(technique, clip, surroundings, scope, weights=None):
    """A process from parameters to the changed clip.

    `scope` are the ScopeParams that ask for it, `weights` (frames,) of 0 to 1 say how much where. The process may have
    `told`, what it has to say of its last result; `held`, what came of ends that were to be held; and `origins`.
    """
    surroundings = replace(surroundings, feet=scope.feet)
    process = technique.open(clip, surroundings, weights)
    if technique.plants and scope.feet != "FREE" and not holds_feet(scope, surroundings) and walks(clip, surroundings.skeleton):
        process = Planting(technique, process, clip, surroundings)
    elif technique.plants and scope.feet != "FREE" and legless(surroundings.skeleton):
        process = Footless(process)
    process = Keeping(process, clip, surroundings, scope) if scope.keep_ends else process
    return Grounded(process, clip, surroundings, scope, weights) if scope.ground else process


def leaves_feet(step, following):
    """Whether the step after one locks all feet, and plants them with that: feet that are planted once need not be before."""
    if step.planted or not (step.technique.plants and following.technique.locks(following.params)):
        return False
    scopes = step.scope, following.scope
    everything = all(
        (scope.scope, scope.frames, scope.keep_ends, scope.ground) == ("ALL", "WHOLE", False, "") for scope in scopes
    )
    return everything and step.scope.feet in ("TAKE", "LOCKED") and step.scope.animated == following.scope.animated


def one_by_one(before, after):
    """Steps and those that were applied to what came of them: what feet were left to a lock then is planted by itself."""
    last = next((index for index in reversed(range(len(before))) if before[index].on), None)
    following = next((step for step in after if step.on), None)
    if last is None or following is None or not leaves_feet(before[last], following):
        return (*before, *after)
    return (*before[:last], replace(before[last], planted=True), *before[last + 1 :], *after)


def holds_feet(scope, surroundings):
    """Whether feet are held on their paths anyway."""
    return scope.keep_ends and any(
        find_roles(surroundings.skeleton).table()[foot] in names_of(scope, surroundings) for foot in FEET
    )


def walks(clip, skeleton):
    """Whether a clip moves a leg, or what legs hang on."""
    if skeleton is None or not skeleton.bones:
        return False
    legs = above_legs(skeleton)
    return any(channel.owner in legs for channel in clip.channels)


def legless(skeleton):
    """Whether a skeleton is a body, by its arms or head, of which no foot is known."""
    roles = find_roles(skeleton) if skeleton is not None and skeleton.bones else None
    return roles is not None and any(roles.table().values()) and not any(roles.table()[foot] for foot in FEET)


def above_legs(skeleton):
    """Names of the bones of legs and of those that legs hang on."""
    legs = bones_of(skeleton, LEG)
    return {skeleton.bones[index].name for leg in legs for index in skeleton.chain(skeleton.index(leg))}


def bones_of(skeleton, segments):
    """Names of the bones that are these parts of legs."""
    table = whole_table(skeleton, find_roles(skeleton))
    return {table[f"{side}_{segment}"] for side in sides_in(table) for segment in segments} - {""}


class Footless:
    """A technique's process on a body without feet, which says so."""

    def __init__(self, process):
        self.process, self.origins = process, getattr(process, "origins", None)

    @property
    def told(self):
        """What the technique has to say of its last result, and why feet are free."""
        why = "feet are free: none are found; say in the table of body parts which bones are the feet"
        return "; ".join(filter(None, (getattr(self.process, "told", ""), why)))

    def __call__(self, params):
        return self.process(params)


class Planting:
    """A technique's process whose results have their feet planted; the take's feet are looked at when they are first needed.

    Where the result `leaves` that to the step after it, `unplanted` says whether there is anything to be planted.
    """

    def __init__(self, technique, process, clip, surroundings):
        self.technique, self.process, self.clip, self.surroundings = technique, process, clip, surroundings
        self.feet, self.unplanted, self.words, self.origins = None, False, "", getattr(process, "origins", None)
        skeleton = surroundings.skeleton
        self.more = more_feet_words(skeleton)
        self.above = above_legs(skeleton)
        self.legs = {name for thigh in bones_of(skeleton, ("upper_leg",)) for name in skeleton.below(thigh)}

    @property
    def told(self):
        """What the technique has to say of its last result, and what gave way for the feet."""
        return "; ".join(filter(None, (getattr(self.process, "told", ""), self.words)))

    def __call__(self, params, leaves=False):
        result, self.words, self.unplanted = self.process(params), "", False
        if not self.technique.planting(params):
            return result
        posed = self.technique.poses(params)
        if posed & self.legs:
            self.words = f"feet are free: {min(posed & self.legs)} is posed"
        if posed & self.legs or posed and not posed & self.above:
            return result
        if result is self.clip or not differs(result, self.clip) and self.surroundings.feet != "LOCKED":
            return result
        self.unplanted = leaves and result.frames == self.clip.frames
        if self.unplanted:
            return result
        self.feet = self.feet or feet_of_take(self.clip, self.surroundings)
        planted = self.feet(result)
        self.words = "; ".join(filter(None, (self.feet.words, self.more)))
        return planted


class Keeping:
    """A technique's process whose results have their ends held; `held` is what came of the last."""

    def __init__(self, process, clip, surroundings, scope):
        if surroundings.skeleton is None:
            raise Refusal("keep_ends: what moves is no armature, and has no ends")
        self.process, self.held, self.origins = process, None, getattr(process, "origins", None)
        self.ends = Ends(clip, surroundings, names_of(scope, surroundings), shared=scope.share)

    @property
    def told(self):
        """What the technique has to say of its last result."""
        return getattr(self.process, "told", "")

    def __call__(self, params):
        self.held = self.ends(self.process(params))
        return self.held.clip


def names_of(scope, surroundings):
    """Bones that are held, by their names or by the parts of the body that they are."""
    roles = find_roles(surroundings.skeleton).table()
    return [roles.get(word) or word for word in split_names(scope.held_bones) if word not in roles or roles[word]]
