# SPDX-License-Identifier: GPL-3.0-or-later
"""A technique opened on a clip, as everybody runs it: parameters in, changed Clip out, ends held if that is asked for."""

from ..body.roles import find_roles
from ..ik.hold import Ends
from ..numeric.refusal import Refusal


def opened(technique, clip, surroundings, scope, weights=None):
    """A process from parameters to the changed clip.

    `scope` are the ScopeParams that ask for it, `weights` (frames,) of 0 to 1 say how much where. The process may have
    `told`, what it has to say of its last result; `held`, what came of ends that were to be held; and `origins`.
    """
    process = technique.open(clip, surroundings, weights)
    return Keeping(process, clip, surroundings, scope.held_bones) if scope.keep_ends else process


class Keeping:
    """A technique's process whose results have their ends held; `held` is what came of the last."""

    def __init__(self, process, clip, surroundings, words):
        if surroundings.skeleton is None:
            raise Refusal("keep_ends: what moves is no armature, and has no ends")
        self.process, self.held, self.origins = process, None, getattr(process, "origins", None)
        self.ends = Ends(clip, surroundings, names_of(words, surroundings))

    @property
    def told(self):
        """What the technique has to say of its last result."""
        return getattr(self.process, "told", "")

    def __call__(self, params):
        self.held = self.ends(self.process(params))
        return self.held.clip


def names_of(words, surroundings):
    """Bones by their names or by the parts of the body that they are."""
    roles = find_roles(surroundings.skeleton).table()
    wanted = [word.strip() for word in words.split(",") if word.strip()]
    return [roles.get(word) or word for word in wanted if word not in roles or roles[word]]
