# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock: planted feet and hands stay where they are (Gleicher 2001, section 5).

Every stand has one place. The pelvis is shifted, smoothly, where a leg would not reach; then legs and arms reach softly, and
controls go there themselves. Everything else of the figure stays as it is in the take, unless it is to be kept where it was
in the take that this one was made from.
"""

import json
from functools import cache

from ...body.body import body_of
from ...body.contacts import check_contacts
from ...declare.lists import split_names
from ...declare.params import choice, flag, number, tree, words
from ...declare.technique import Technique
from ...ik.foot_solver import Grip
from ...ik.planted_feet import locked
from ...numeric.frozen import frozen
from ...pinning.kept_paths import KeptPaths


@frozen
class LockParams:
    """How firmly, where and how gently."""

    amount: float = number(1.0, "How firmly what is planted is held; 0 leaves it sliding, 1 holds it still", 0.0, 1.0)
    instant: str = choice(
        "MIDDLE",
        "Moment of a plant at which the foot is where it should be",
        (
            ("START", "Start", "Where it is when it comes down"),
            ("MIDDLE", "Middle", "Where it is halfway"),
            ("END", "End", "Where it is before it leaves"),
        ),
        label="Stand Where",
    )
    ease: float = number(
        Grip.ease, "How long before and after a plant the change comes and goes", 0.0, 5.0, "s", slider_range=(0.0, 1.0)
    )
    lowering: float = number(
        0.1,
        "How far the pelvis may be shifted for a leg of 82 cm to reach; it grows and shrinks with the figure",
        0.0,
        10.0,
        "m",
        label="Hips May Shift",
        slider_range=(0.0, 0.3),
    )
    stretch: float = number(Grip.stretch, "How much longer than it is a leg may become where it still does not reach", 0.0, 0.2)
    flat: bool = flag(
        Grip.flat, "Keep a foot flat as long as heel and toe are planted, even where the take lifts the heel", label="Keep Flat"
    )
    level: bool = flag(Grip.level, "Put all plants at one height; otherwise each keeps its own", label="Level Ground")
    hands: bool = flag(Grip.hands, "Hold planted hands too")
    keep: str = words(
        "",
        "Bones, with commas between them, that stay on the path which they have in the take that this one "
        "was made from, whatever else has changed",
        label="Keep on Path",
    )
    contacts: dict = tree(
        "Planted frames, first and last, as JSON such as {'left_heel': [[10, 30]], 'left_toe': [[12, 38]]}; "
        "none takes those kept with the action, or finds them"
    )
    roles: dict = tree("Bones that are not found by themselves as JSON such as {'left_foot': 'Foot.L'}", label="Body Parts")


def lock(clip, surroundings):
    """Hold planted feet and hands in place and bend the limbs to reach."""
    skeleton, beside = surroundings.skeleton, surroundings.beside
    take = clip if surroundings.unplanted is None else surroundings.unplanted
    body_in = cache(lambda roles: body_of(take.with_clip(beside), skeleton.corrected(json.loads(roles)) if skeleton else None))

    def process(params):
        names, process.told = split_names(params.keep), ""
        if params.amount == 0.0 and not names:
            return clip
        body = body_in(json.dumps(params.roles))
        kept = KeptPaths(names, clip, surroundings) if names else None
        body = body.again(kept.legs(body.clip)) if kept else body
        if params.amount > 0.0:
            contacts = check_contacts(params.contacts or surroundings.planted(), clip)
            edit = None if take is clip else clip.with_clip(beside)
            result, process.told = locked(body, contacts, params, beside, surroundings.original, edit)
        else:
            result = body.clip
        return (kept.others(result) if kept else result).without(beside)

    return process


def plants_all(params):
    """Whether everything that stands is held, as it is found: with that feet are planted too that an edit has moved."""
    return params.amount > 0.0 and params.hands and not (params.keep.strip() or params.contacts or params.roles)


LOCK = Technique(
    "lock",
    "Foot Lock",
    LockParams,
    lock,
    needs=frozenset({"skeleton", "contacts"}),
    waits="raise Amount, or name bones to be kept on their paths",
    principal="amount",
    locks=plants_all,
)
