# SPDX-License-Identifier: GPL-3.0-or-later
"""Any technique with its ends kept: one tick for all of them."""

from ..core.ends import Ends
from ..core.refusal import Refusal
from ..core.roles import find_roles


class Keeping:
    """A technique's process whose results have their ends held; `held` is what came of the last."""

    def __init__(self, process, clip, surroundings, words):
        self.process, self.held, self.origins = process, None, getattr(process, "origins", None)
        self.ends = Ends(clip, surroundings, names_of(words, surroundings))

    @property
    def told(self):
        """What the technique has to say of its last result."""
        return getattr(self.process, "told", "")

    def __call__(self, params):
        self.held = self.ends(self.process(params))
        return self.held.clip


def opened(technique, clip, surroundings, scope, params):
    """A technique opened on a clip: parameters in, changed Clip out, with the ends kept if that is asked for."""
    process = technique.open(clip, surroundings, scope.weights)
    if not params.keep_ends:
        return process
    if surroundings.skeleton is None:
        raise Refusal(f"keep_ends: {scope.owner.name} is no armature, and has no ends")
    return Keeping(process, clip, surroundings, params.held_bones)


def names_of(words, surroundings):
    """Bones by their names or by the parts of the body that they are."""
    roles = find_roles(surroundings.skeleton).table()
    wanted = [word.strip() for word in words.split(",") if word.strip()]
    return [roles.get(word) or word for word in wanted if word not in roles or roles[word]]
