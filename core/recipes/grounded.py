# SPDX-License-Identifier: GPL-3.0-or-later
"""A technique's process whose results stand on a mesh: whatever it makes of a take, the figure is put on that."""

from ..motion.fade import Fade
from ..numeric.refusal import Refusal
from ..paths.on_ground import put_on


class Grounded:
    """A process put on the ground that its scope names; `held`, `origins` and `told` are those of the process.

    Where a part of the frames changes, the ground comes and goes with it.
    """

    def __init__(self, process, clip, surroundings, scope, weights):
        if surroundings.skeleton is None:
            raise Refusal(f"ground: what moves is no armature, and cannot stand on {scope.ground}")
        self.process, self.clip, self.surroundings, self.name, self.words = process, clip, surroundings, scope.ground, ""
        self.origins = getattr(process, "origins", None)
        self.fade = None
        if weights is not None:
            self.fade = Fade(clip, weights, surroundings.angles_apart, surroundings.skeleton)
        self.surface()

    @property
    def held(self):
        """What came of ends that were to be held."""
        return getattr(self.process, "held", None)

    @property
    def told(self):
        """What the technique has to say of its last result, and where the figure does not stand on the ground."""
        return "; ".join(filter(None, (getattr(self.process, "told", ""), self.words)))

    def surface(self):
        """The ground as it is now."""
        if self.name not in self.surroundings.grounds:
            raise Refusal(f"ground: there is no mesh {self.name}")
        return self.surroundings.grounds[self.name]

    def __call__(self, params):
        result = self.process(params)
        same = (result.frames, result.first_frame) == (self.clip.frames, self.clip.first_frame)
        contacts = self.surroundings.planted() if same else None
        beside = self.surroundings.beside if same else None
        result, self.words = put_on(result, self.surroundings.skeleton, self.surface(), self.name, contacts or None, beside)
        return self.fade(result) if self.fade else result
