# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes that go on in others: stretches of a library one after the other, each joined where it is most like the one before."""

from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace

import numpy as np

from ..body.roles import find_roles
from ..body.upright import on_its_ground
from ..declare.scope import ScopeParams
from ..library.features import features_of
from ..library.find import Hit
from ..library.following import find_next
from ..library.placed import Spot, level, placed
from ..mixing.transitions import compared
from ..motion.clip import Clip
from ..motion.ground import Ground
from ..motion.match import matched
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from ..recipes.recipe import Recipe, Step
from ..recipes.run import run
from ..techniques import technique
from .tried import held, proved, turned

AROUND = 0.25  # seconds before and after a cut in which the best one is looked for
PEAK = 1.5  # times as fast as on average is a smooth transition in its middle
TRANSITION, LONGEST = 0.4, 1.2  # seconds, where the two are alike, and where they are as far apart as may be
FASTER = 0.2  # of how fast the quickest joint turns there: as much faster may a transition make joints, or it takes longer
SOON = 0.6, 1.4  # of the time after which a take is left: as early, and as late
EVERY = 0.1  # seconds between moments at which it may be
TRIED = 32  # hits that are put on the figure, until one goes well
BACK = 2  # times that a take from which nothing goes on well is exchanged for another, at each place in a chain
WELL = 0.6  # of how fast joints may become and of how far feet may slide: what stays below that goes well
NOWHERE = Spot(np.zeros(3), 0.0, 0.0)  # a join goes on from where the take has come


@frozen
class Link:
    """A take that follows, on the figure of the first, and at which frames of both the one goes over into the other."""

    hit: Hit
    clip: Clip
    leave: int
    enter: int
    cost: float  # how far joints are apart there, in metres
    transition: float = TRANSITION  # seconds
    hurry: float = 0.0  # how much faster than may be joints become in the longest transition, of what may be
    apart: float = 0.0  # how far any joint is turned from the one to the other, of half a turn, which may go either way


def linked(clip, skeleton, hit, there, other, frame, begun=None):
    """The link from about a frame of a take to a hit of a library, whose file holds the clip `there` of a skeleton.

    No transition reaches back before the frame at which the take has `begun`, where it is all there itself.
    """
    lead = AROUND + LONGEST / 2.0
    spot = replace(NOWHERE, ground=level(clip, skeleton))
    follows = placed(there, other, hit, skeleton, clip.fps, spot, frame, lead)
    follows = matched(clip, follows)[0]
    return best_cut(clip, follows, skeleton, frame, hit, 0 if begun is None else begun - clip.first_frame)


def best_cut(clip, follows, skeleton, frame, hit, begun=0):
    """The link where a take and what follows are most alike, near the frame at which both are, with room for a transition."""
    span, room = round(AROUND * clip.fps), round(0.5 * TRANSITION * clip.fps)

    def rows(one, at, begun=0):
        first = max(begun + room, at - one.first_frame - span)
        last = min(one.frames - 1 - room, at - one.first_frame + span)
        if last < first:
            raise Refusal(f"transition: there are not {TRANSITION:g} s around frame {at} to go over in")
        return np.arange(first, last + 1)

    ground = Ground([clip, follows], skeleton)
    cuts = compared(clip, follows, ground, skeleton, rows(clip, frame, begun), rows(follows, frame))
    leave, enter, cost = cuts.best()[0]
    seconds = unhurried(clip, follows, skeleton, leave, enter)
    poses = (
        skeleton.local(one.with_values(ground.taken_off(one.values[[row]])[0]))[0][0]
        for one, row in ((clip, leave), (follows, enter))
    )
    apart = float(turned(*poses)[parts(skeleton)].max() / np.pi)
    free = min(leave - begun, clip.frames - 1 - leave, enter, follows.frames - 1 - enter)  # rows on either side
    longest = max(TRANSITION, min(LONGEST, 2.0 * free / clip.fps))
    frames = clip.first_frame + leave, follows.first_frame + enter
    hurry = max(seconds / longest - 1.0, 0.0)
    return Link(hit, follows, *frames, cost, float(np.clip(seconds, TRANSITION, longest)), hurry, apart)


def unhurried(clip, follows, skeleton, leave, enter):
    """How long a transition takes that makes no joint much faster than joints are there: seconds."""
    span = round(0.5 * TRANSITION * clip.fps)
    here, there = (
        skeleton.local(one.with_values(one.values[max(0, row - span) : row + span + 1]))[0]
        for one, row in ((clip, leave), (follows, enter))
    )
    pelvis = skeleton.index(find_roles(skeleton).pelvis)  # it goes its way by itself
    inner = [index for index in parts(skeleton) if index != pelvis]
    quickest = max(turned(each[1:, inner], each[:-1, inner]).max() for each in (here, there))
    apart = turned(here[min(leave, span)], there[min(enter, span)])[inner].max()
    return float(PEAK * apart / max(FASTER * quickest * clip.fps, 1e-9))


def parts(skeleton):
    """Indices of bones that are parts of the body; fingers count for nothing."""
    return [skeleton.index(name) for name in find_roles(skeleton).table().values() if name] or list(range(len(skeleton.bones)))


def chained(library, clip, skeleton, read, count, seconds=2.0, used=()):
    """Links by which a take goes on in so many others of a library, each left about so many `seconds` after it was entered.

    `read(hit)` gives the clip and the skeleton of a hit. No take comes twice, nor do those that are `used` already.
    """
    skeleton = on_its_ground(skeleton, clip)
    links, gone_back, left = [], Counter(), defaultdict(set)
    while len(links) < count:
        place, now, entered, begun = len(links), clip, clip.first_frame, clip.first_frame
        if links:
            now, entered = links[-1].clip, links[-1].enter
            begun = entered + round(0.5 * links[-1].transition * now.fps)
        gone = {*used, *left[place], *(link.hit.path for link in links)}
        try:
            cost, link = next_best(library, now, skeleton, entered, begun, seconds, gone, read, place + 1 < count)
        except Refusal:
            if left[place]:
                left[place].clear()  # there is no other
                continue
            if not links or gone_back[place] == BACK:
                raise
            cost = np.inf
        if cost > 1.0 and links and gone_back[place] < BACK:
            gone_back[place] += 1
            left[place - 1].add(links.pop().hit.path)
        else:
            links.append(link)
    return links


def continued(clip, skeleton, links, steps=()):
    """A take that goes on in links, one after the other, and through further steps; feet then stay where they stand in that.

    What stands is looked for in what was joined: in a transition that is not what stands in either take.
    """
    skeleton = on_its_ground(skeleton, clip)
    recipe, takes = recipe_of(links)
    joined = run(Recipe((*recipe.steps, *steps)), clip, skeleton, takes=takes)
    return held(joined, skeleton)


def recipe_of(links):
    """The recipe that joins links on, one after the other, and the takes that it names."""
    gone, steps = 0, []  # frames of the result before the first of the take that is at its end
    for number, link in enumerate(links, 1):
        steps.append(joining(link, gone, f"next {number}"))
        gone += link.leave - link.enter
    return Recipe(tuple(steps)), {f"next {number}": link.clip for number, link in enumerate(links, 1)}


def joining(link, gone, name):
    """The step that joins a link on, whose take is called so; feet are kept when all is joined."""
    join = technique("join")
    params = join.params(
        take=name, cut="FRAMES", cut_frame=link.leave + gone, enter_frame=link.enter, transition=link.transition
    )
    return Step(join, params, ScopeParams(feet="FREE"))


def next_best(library, clip, skeleton, entered, begun, seconds, used, read, more):
    """The link by which a take is best left, some time after it was entered and has `begun`, and how much it takes of what may
    be: the nearest of which joints do not hurry and feet do not slide, and that is long enough to be left again where `more`
    is to follow."""
    features, room = features_of(clip, skeleton), round((AROUND + 0.5 * LONGEST) * clip.fps)
    first, last = (entered + round(share * seconds * clip.fps) for share in SOON)
    last = max(min(last, clip.last_frame - room), begun + 1)
    long = SOON[0] * seconds + LONGEST if more else LONGEST
    near = {}
    for frame in range(min(first, last), last + 1, max(1, round(EVERY * clip.fps))):
        for hit in find_next(library, features, frame, SOON[1] * seconds + 2 * AROUND + LONGEST):
            short = (hit.last - hit.first) / library.entries[hit.take].fps < long
            if hit.path not in used and (short, hit.distance) < near.get(hit.path, (True, np.inf))[:2]:
                near[hit.path] = short, hit.distance, frame, hit
    links = []
    for _, _, frame, hit in sorted(near.values())[:TRIED]:
        with suppress(Refusal):  # there is too little of it
            link = linked(clip, skeleton, hit, *read(hit), frame, begun)
            proof = proved(clip, link, skeleton, joining(link, 0, "next"), begun, SOON[0] * seconds)
            links.append((max(proof.cost, link.hurry, link.apart), link))
            if links[-1][0] < WELL:
                break
    if not links:
        raise Refusal(f"library: nothing in it could follow on frames {first} to {last}")
    return min(links, key=lambda each: each[0])
