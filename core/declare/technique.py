# SPDX-License-Identifier: GPL-3.0-or-later
"""Technique: the record that joins the catalog, and from which operator, panel, presets and batch step are made."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..motion.clip import Clip
from ..motion.fade import Fade, begun
from ..motion.leading import leading_rows, leading_words
from ..motion.skeleton import Skeleton
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from .params import Declaration, build, changed, declarations


def nothing_there(name, bone, first, last):
    raise Refusal(f"target: there is no object {name}")


@frozen
class Surroundings:
    """What a technique may know besides the clip."""

    skeleton: Skeleton | None = None
    angles_apart: bool = False
    takes: Mapping[str, Clip] = field(
        default_factory=dict
    )  # other takes, Clips of any length and frame rate, by the name of their action
    curves: Mapping[str, Mapping] = field(
        default_factory=dict
    )  # curves to go along by name: {"path": ..., "original": ...}, as they are now
    contacts: Callable[[], dict] = (
        dict  # gives what is planted when, as the animator has it now; nothing where it is to be found
    )
    original: Clip | None = None  # the take that the clip was made from, all of it, if it has the same frames
    beside: Clip | None = None  # what else the figure does meanwhile and will go on doing: curves that are not to be changed
    loop: bool = False  # the animator lets the take repeat for ever
    feet: str = "TAKE"  # how feet are planted, as ScopeParams.feet
    grounds: Mapping[str, Any] = field(default_factory=dict)  # surfaces to stand on by name, HeightFields, as they are now
    targets: Callable[[str, str, int, int], Any] = nothing_there  # where objects, and bones of figures, are: name, bone, first
    # and last frame to matrices (frames, 4, 4) in the world
    clock: np.ndarray | None = None  # which frame of the take each frame is (frames,), None where they are what they were
    unplanted: Clip | None = None  # what the step before was given, that has left feet to be planted by this one
    once: bool = False  # whether one set of parameters is all that will be asked for, so that nothing need be kept for others
    stands: Callable[[], dict] = dict  # contacts that are found in the original, with all toes that stand still, however high

    def planted(self) -> dict:
        """What is to stay planted when; nothing where it is to be found."""
        return self.stands() or self.contacts()


@frozen
class Technique:
    """A way of changing motion.

    `function(clip, surroundings)` looks at the clip once and gives back a process: parameters in, changed Clip out.
    What does not depend on parameters is done before the process is returned, so that dragging a parameter is cheap.
    What a process has to say of its last result, it may hold as `told`.
    What of a path that rises and falls the figure stands on, a process may hold as `surface`, above the take's ground.
    A process that moves frames in time may have `origins(parameters)`, which tells where they are from (contacts.Origin):
    what stood there should stand here.
    """

    name: str
    label: str
    params: type
    function: Callable[[Clip, Surroundings], Callable[[Any], Clip]]
    fit: Callable = lambda params, frames, fps: params  # parameters set without a take, made to fit one
    item_label: Callable = lambda name, index, params, fps: str(index + 1)  # what one entry of a list is called
    needs: frozenset[str] = field(default_factory=frozenset)  # of "skeleton", "contacts"
    keys: str = ""  # how its results are keyed, whatever is asked for; empty leaves that to who asks
    waits: str = ""  # what is to be done first, as long as nothing would change
    wants: tuple[str, ...] = ()  # parameters of which one at least must be given before there is anything to do
    plants: bool = False  # it may move legs and leaves feet to who runs it, who keeps them planted as is asked for
    planting: Callable[[Any], bool] = lambda params: True  # whether these parameters leave feet to be planted
    poses: Callable[[Any], set[str]] = lambda params: set()  # bones that are posed by hand, legs among them
    filters: bool = False  # over time: rows before the take that no body could move through would leak into it
    locks: Callable[[Any], bool] = lambda params: False  # whether with these parameters it plants all feet that stand
    aims: bool = False  # its process asks where objects are, and nothing that it keeps depends on it
    principal: str = ""  # the parameter that says how much of it there is, if one does
    by_amount: Callable[[Any], bool] = lambda params: True  # whether with these parameters it is that one which says so
    retimes: bool = False  # the result may be of another length, so that it cannot fade into the rest of the take

    @property
    def text(self) -> str:
        """The tooltip: the first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0].rstrip(".")

    @property
    def parameters(self) -> dict[str, Declaration]:
        """What is declared of each parameter, by name."""
        return declarations(self.params)

    @cached_property
    def refers(self) -> bool:
        """Whether its parameters can name other actions, curves or objects."""
        return refers(self.params)

    def waiting(self, params: Any) -> str:
        """What it waits for, in words, if it was given nothing to work with; otherwise nothing."""
        idle = self.wants and not any(getattr(params, name) for name in self.wants)
        return f"{self.label.lower()}: nothing would change yet; {self.waits} ({' or '.join(self.wants)})" if idle else ""

    def open(
        self, clip: Clip, surroundings: Surroundings = Surroundings(), weights: np.ndarray | None = None
    ) -> Callable[[Any], Clip]:
        """A process from parameters to the changed clip; `weights` (frames,) of 0 to 1 say how much where."""
        if weights is not None and self.retimes:
            raise Refusal(f"frames: {self.label.lower()} changes the time of the whole take, not of a part of it")
        clip.check()
        leading = leading_rows(clip.with_clip(surroundings.beside), surroundings.skeleton) if self.filters else 0
        process = without_leading(self.function, clip, surroundings, leading) if leading else self.function(clip, surroundings)
        if weights is None:
            return process
        fade = Fade(clip, weights, surroundings.angles_apart, surroundings.skeleton)

        def faded(params):
            result = fade(process(params))
            faded.told = getattr(process, "told", "")
            faded.findings = getattr(process, "findings", ())
            return result

        return faded

    def run(
        self, clip: Clip, params: Any, surroundings: Surroundings = Surroundings(), weights: np.ndarray | None = None
    ) -> Clip:
        return self.open(clip, surroundings, weights)(params)

    def __call__(self, clip: Clip, params: Any = None, surroundings: Surroundings = Surroundings(), **values: Any) -> Clip:
        """The changed clip, all in one: with parameters of its own class, or their values by name, checked and made to fit."""
        if params is not None and not isinstance(params, self.params):
            raise Refusal(f"params: {self.name} takes {self.params.__name__}, and this is {type(params).__name__}")
        given = build(self.params, {**(changed(params) if params else {}), **values})
        return self.run(clip, self.fit(given, clip.frames, clip.fps), surroundings)


def refers(params: type) -> bool:
    """Whether parameters, or entries of their lists, can name something else."""
    return any(each.names or each.entry and refers(each.entry) for each in declarations(params).values())


def without_leading(function, clip, surroundings, rows):
    """A process that works on all but so many rows at the start, keeps those as they are, and begins as the take does."""

    def rest(whole):
        return whole and replace(whole.with_values(whole.values[rows:], np.arange(rows, whole.frames)), first_frame=start)

    start = clip.first_frame + rows
    process = function(
        rest(clip), replace(surroundings, original=rest(surroundings.original), beside=rest(surroundings.beside))
    )

    def whole(params):
        result = process(params)
        before = clip.like(result, surroundings.skeleton)
        changed = not np.array_equal(result.values, before.values[rows:])
        values = begun(rest(before), result, surroundings.angles_apart) if changed else result.values
        values = np.asfortranarray(np.concatenate([before.values[:rows], values]))
        whole.told = "; ".join(filter(None, (leading_words(clip, rows) if changed else "", getattr(process, "told", ""))))
        return replace(clip, values=values, channels=result.channels)

    return whole
