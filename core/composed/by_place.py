# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion by a place: between alike reaches, punches or kicks, the one whose hand or foot gets where it is asked to.

A place is as the figure sees it that is about to reach: metres to its left, to its back and up from its hips at first. The
examples whose places lie around it are registered to each other and mixed; weights are those of the place between theirs, and
then moved by what the mix misses it by, until it does not. Outside the hull of the places nothing is made up.
"""

import numpy as np
import scipy

from ..body.figure import Figure
from ..body.roles import find_roles
from ..body.upright import stood
from ..library.features import body_places, heading, place_of, sole_of
from ..numeric.refusal import Refusal
from ..recipes.recipe import Recipe, Step
from ..recipes.run import run
from ..techniques import technique

NEAR, FAR = 0.003, 0.02  # metres off that are none, and that are not there
TRIES = 12
LONGEST, TINY = 0.15, 1e-9  # metres that an aim is moved by at once
BEYOND = 0.8  # of its weight that an example may count for more or less than between the others
LIMBS = ("left_hand", "right_hand", "left_foot", "right_foot")
FEWEST = 4  # examples that can lie around a place


def reached(clip, skeleton, limb):
    """Where a hand or foot is, (3,), when it is farthest from where it began."""
    if limb not in LIMBS:
        raise Refusal(f"limb: there is no {limb!r}; there are {', '.join(LIMBS)}")
    skeleton = stood(skeleton)
    roles = find_roles(skeleton)
    figure = Figure(skeleton, roles)
    points, hips, axes, _ = body_places(clip, skeleton, figure, roles)
    side, part = limb.split("_")
    way = place_of(points, figure, limb) if part == "hand" else sole_of(points, figure, side)
    if way is None:
        raise Refusal(f"limb: the figure has no {limb.replace('_', ' ')}")
    farthest = int(np.linalg.norm(way - way[0], axis=1).argmax())
    across = complex(*(way[farthest] - hips[0])[:2]) * np.exp(-1j * heading(axes[:1])[0])
    return np.array([across.real, across.imag, way[farthest, 2] - hips[0, 2]])


def by_place(place, limb, clips, skeleton):
    """The clip between examples, {name: clip} of one figure, that gets to a place; and the recipe that makes it.

    A Refusal where the place is outside all that the examples reach, or they do not lie around anything.
    """
    names = sorted(clips)
    if len(names) < FEWEST:
        raise Refusal(f"place: there are {len(names)} examples, and {FEWEST} are the fewest that lie around a place")
    places = np.array([reached(clips[name], skeleton, limb) for name in names])
    try:
        hull = scipy.spatial.Delaunay(places)
    except scipy.spatial.QhullError:
        raise Refusal("place: the examples all reach along one plane, so that no place lies between them") from None
    place = np.asarray(place, dtype=np.float64)
    simplex = int(hull.find_simplex(place))
    if simplex < 0:
        raise Refusal(
            f"place: {shown(place)} is outside the examples, which reach from {shown(places.min(axis=0))} to "
            f"{shown(places.max(axis=0))} and between their places"
        )
    best = np.inf, None
    for one in (simplex, *(other for other in hull.neighbors[simplex] if other >= 0)):
        around = hull.simplices[one]
        clipped = {names[index]: clips[names[index]] for index in around}
        best = min(best, solved(place, limb, places[around], clipped, skeleton), key=lambda each: each[0])
        if best[0] < NEAR:
            break
    if best[0] > FAR:
        raise Refusal(f"place: no mix of the examples gets nearer to {shown(place)} than {100.0 * best[0]:.1f} cm")
    return best[1]


def solved(place, limb, places, clips, skeleton):
    """How far off the mix of four examples is that gets nearest to a place, and that, found by Broyden's method."""
    aim, best, inverse, before = place.copy(), (np.inf, None), np.eye(3), None
    for _ in range(TRIES):
        recipe = mixing(list(clips), weights_of(aim, places))
        first, *others = clips
        result = run(recipe, clips[first], skeleton, takes={name: clips[name] for name in others})
        there = reached(result, skeleton, limb)
        best = min(best, (float(np.linalg.norm(place - there)), (result, recipe)), key=lambda each: each[0])
        if best[0] < NEAR:
            break
        if before is not None:
            moved, came = aim - before[0], there - before[1]
            scale = moved @ inverse @ came
            if abs(scale) > TINY:
                inverse = inverse + np.outer(moved - inverse @ came, moved @ inverse) / scale
        before = aim, there
        step = inverse @ (place - there)
        aim = aim + step * min(1.0, LONGEST / max(np.linalg.norm(step), TINY))
    return best


def weights_of(aim, places):
    """Weights (4,) of four places whose mean is an aim, bounded: arms swing round, and a place between two lies inside."""
    weights = np.linalg.solve(np.vstack([places.T, np.ones(4)]), [*aim, 1.0]).clip(-BEYOND, 1.0 + BEYOND)
    return weights / weights.sum()


def mixing(names, weights):
    """The step that mixes takes by weight; the first is the take itself."""
    blend = technique("blend")
    takes = (
        {"weight": float(weights[0])},
        *({"action": name, "weight": float(each)} for name, each in zip(names[1:], weights[1:])),
    )
    return Recipe((Step(blend, blend.params(takes=takes)),))


def shown(place):
    return "({:.2f}, {:.2f}, {:.2f}) m".format(*place)
