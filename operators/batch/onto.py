# SPDX-License-Identifier: GPL-3.0-or-later
"""A take of a batch brought onto another figure, that of a file, before the other steps of its recipe are done."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ...core.body.unit import guessed_unit
from ...core.body.upright import on_its_ground
from ...core.files.bvh_take import load, sized, take_of
from ...core.motion.clip import Clip
from ...core.motion.skeleton import Skeleton
from ...core.numeric.frozen import frozen
from ...core.numeric.refusal import Refusal
from ...core.retargeting.bone_map import check_figure, named_map
from ...core.retargeting.retarget import Retarget
from ...core.retargeting.same_body import same_body
from ...core.retargeting.stance import stance_of

NAME = "retarget"


def onto_of(recipe):
    """The step of a recipe that brings takes onto the figure of a file, or None; a Refusal where it is not the first."""
    steps = [step for step in recipe.steps if step.on]
    found = [step for step in steps if step.technique.name == NAME and step.params.onto]
    if found and (len(found) > 1 or steps[0] is not found[0]):
        raise Refusal("onto: a recipe brings its takes onto one figure, and that comes first")
    return found[0] if found else None


def check_onto(recipe):
    """Refuse a figure that is not there, or that no take can be brought onto, and a map that is not for it: once, not for every
    take. What is in a file that only Blender reads shows when it is opened."""
    step = onto_of(recipe)
    if step is None:
        return
    path, given = Path(step.params.onto), named_map(step.params.map)
    if not path.is_file():
        raise Refusal(f"onto: {path}: there is no such file")
    if path.suffix.lower() == ".bvh":
        clip, skeleton = figure_in(str(path), path.stat().st_mtime_ns)
        try:
            stance_of(skeleton, clip)
        except Refusal as reason:
            raise Refusal(f"onto: {path.name}: {reason}") from None
        check_figure(given, skeleton)


def without(recipe, step):
    """A recipe without a step that is done already."""
    return recipe.with_steps(*(each for each in recipe.steps if each is not step)) if step else recipe


@frozen
class CarriedTake:
    """A take on the figure of a BVH file, and what is said of it."""

    clip: Clip
    skeleton: Skeleton
    words: str


def carried_over(clip, skeleton, params):
    """A clip of a skeleton on the figure of a BVH file, as a step's parameters ask for it."""
    path = Path(params.onto)
    own, target = figure_in(str(path), path.stat().st_mtime_ns if path.exists() else 0)
    onto = target if same_body(skeleton, target) else on_its_ground(target, own)  # the result lies as the file's own take does
    carry = Retarget(skeleton, onto, named_map(params.map), clip, own)
    result = carry(clip, params.plant, params.hands, params.travel)
    return CarriedTake(replace(result, first_frame=clip.first_frame), target, f"{len(carry.pairs)} bones onto {path.stem}")


@lru_cache(maxsize=4)
def figure_in(path, written):
    """What the figure of a BVH file does there, and its skeleton, in metres as far as that can be told."""
    clip, skeleton = take_of(load(path))
    return clip, sized(skeleton, guessed_unit(skeleton)[0])
