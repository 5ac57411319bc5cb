# SPDX-License-Identifier: GPL-3.0-or-later
"""Weight: motion that physics would allow (Shin, Kovar and Gleicher 2003).

In the air the centre of mass falls as gravity says; on the ground the body is shifted until it stands over its feet; in bends
it leans. Each as much as is asked for, feet as planted as before.
"""

from functools import lru_cache

from ...body.body import has_feet
from ...declare.params import number
from ...declare.technique import Technique
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...physics.masses import SHARES

PART = "Percent of the body's weight"


def share(name, text, sides=", of one side"):
    return number(SHARES[name], f"{PART}: {text}{sides}", 0.0, 100.0, label=f"{text.capitalize()} (%)")


@frozen
class WeightParams:
    """How much of each, and where a body has its weight."""

    amount: float = number(1.0, "How much of all of it there is", 0.0, 1.0)
    jumps: float = number(1.0, "How far the body falls in the air as gravity says: 0 as it is, 1 at 9.81 m/s²", 0.0, 1.0)
    balance: float = number(
        1.0, "How far the body is brought over its feet where it would tip over: 0 as it is, 1 all the way", 0.0, 1.0
    )
    banking: float = number(
        0.0, "How far the body leans into bends that it goes round: 0 as it is, 1 as its speed asks for", 0.0, 1.0
    )
    ease: float = number(
        0.25,
        "How long before a take-off and after a landing the body is shifted for it",
        0.05,
        5.0,
        "s",
        slider_range=(0.05, 1.0),
    )
    head: float = share("head", "head and neck", "")
    trunk: float = share("trunk", "trunk", "")
    upper_arm: float = share("upper_arm", "upper arm")
    forearm: float = share("forearm", "forearm")
    hand: float = share("hand", "hand")
    thigh: float = share("thigh", "thigh")
    shank: float = share("shank", "shank")
    foot: float = share("foot", "foot")


def weight(clip, surroundings):
    """Give a body its weight: jumps fall as gravity says, it stands over its feet and leans into bends.

    Contacts, flights and masses are looked at once, so that amounts can be dragged.
    """
    from ...physics.weighted import Weighted  # with all of physics, for which Blender's start need not wait

    opened = lru_cache(2)(lambda shares: Weighted(clip, surroundings, dict(shares)))

    def process(params):
        process.told = ""
        amounts = [params.amount * each for each in (params.jumps, params.balance, params.banking)]
        if not any(amounts):
            return clip
        if not has_feet(surroundings):
            raise Refusal("weight: no feet found, so that nobody can tell when they stand; say which bones they are")
        body = opened(tuple((name, getattr(params, name)) for name in SHARES))
        refuse_broken(body, amounts, clip)
        result = body(*amounts, params.ease)
        process.told = body.words(clip, result)
        return result

    return process


def refuse_broken(body, amounts, clip):
    """Refuse to mend jumps where there is none that is whole, and nothing else is asked for."""
    jumps, *others = amounts
    if jumps and not any(others) and not body.found.flights and body.found.broken:
        row, why = body.found.broken[0]
        raise Refusal(f"jumps: the flight at frame {clip.first_frame + row} {why}, so that its arc is not known")


WEIGHT = Technique(
    "weight",
    "Weight",
    WeightParams,
    weight,
    needs=frozenset({"skeleton", "contacts"}),
    waits="raise Amount; it changes what jumps, tips over or goes round bends",
    principal="amount",
)
