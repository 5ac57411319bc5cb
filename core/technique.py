# SPDX-License-Identifier: GPL-3.0-or-later
"""Technique: the record that joins the catalog, and from which operator, panel, presets and batch step are made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .clip import Clip
from .fade import Fade
from .refusal import Refusal
from .skeleton import Skeleton


@dataclass(frozen=True)
class Surroundings:
    """What a technique may know besides the clip."""

    skeleton: Skeleton | None = None
    angles_apart: bool = False
    takes: Mapping = field(default_factory=dict)  # other takes, Clips of any length and frame rate, by the name of their action
    curves: Mapping = field(default_factory=dict)  # curves to go along by name: {"path": ..., "original": ...}, as they are now
    roles: Mapping = field(default_factory=dict)  # what the animator says of the body, role to bone; the rest is found
    contacts: Callable = dict  # gives what is planted when, as the animator has it now; nothing where it is to be found
    original: Clip | None = None  # the take that the clip was made from, all of it, if it has the same frames
    loop: bool = False  # the animator lets the take repeat for ever


@dataclass(frozen=True)
class Technique:
    """A way of changing motion.

    `function(clip, surroundings)` looks at the clip once and gives back a process: parameters in, changed Clip out.
    What does not depend on parameters is done before the process is returned, so that dragging a parameter is cheap.
    """

    name: str
    label: str
    params: type
    function: Callable
    fit: Callable = lambda params, frames, fps: params  # parameters set without a take, made to fit one
    item_label: Callable = lambda name, place, params, fps: str(place + 1)  # what one entry of a list is called
    needs: frozenset = field(default_factory=frozenset)  # of "skeleton", "contacts"
    keys: str = ""  # how its results are keyed, whatever is asked for; empty leaves that to who asks
    retimes: bool = False  # the result may be of another length, so that it cannot fade into the rest of the take

    @property
    def text(self):
        """The tooltip: the first line of the function's docstring."""
        return self.function.__doc__.strip().splitlines()[0].rstrip(".")

    def open(self, clip, surroundings=Surroundings(), weights=None):
        """A process from parameters to the changed clip; `weights` (frames,) of 0 to 1 say how much where."""
        if weights is not None and self.retimes:
            raise Refusal(f"frames: {self.label.lower()} changes the time of the whole take, not of a part of it")
        process = self.function(clip.check(), surroundings)
        if weights is None:
            return process
        fade = Fade(clip, weights, surroundings.angles_apart, surroundings.skeleton)
        return lambda params: fade(process(params))

    def run(self, clip, params, surroundings=Surroundings(), weights=None) -> Clip:
        return self.open(clip, surroundings, weights)(params)
