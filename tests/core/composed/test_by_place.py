# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion by a place: a hand gets to places that no example reaches, and beyond them that is said."""

import made_takes
import numpy as np
import pytest
from made_motion import Stand
from motion_signal.core.composed.by_place import by_place, reached
from motion_signal.core.numeric.refusal import Refusal


def reach(swing, elbow, aside, moment=1.2):
    """Someone who stands and reaches ahead with the right hand, at some moment, and back again."""
    arm = ((0, 0, 15), (0.3, 0, 15), (moment, swing, elbow), (2.4, 0, 15))
    hips = ((0, 0, 0, 0), (0.3, 0, 0, 0), (moment, aside, 0, 0), (2.4, 0, 0, 0))
    return made_takes.make(made_takes.Recipe(Stand(hips=hips, right_arm=arm), 330))


CORNERS = [(swing, elbow, aside) for swing in (40, 110) for elbow in (10, 60) for aside in (-0.08, 0.08)]


@pytest.fixture(scope="module")
def reaches():
    made = {str(corner): reach(*corner, 1.0 + 0.05 * index) for index, corner in enumerate(CORNERS)}
    return {name: each.clip for name, each in made.items()}, made[str(CORNERS[0])].skeleton


@pytest.mark.parametrize("seed", range(8))
def test_a_hand_gets_to_places_between_those_of_the_examples(reaches, seed):
    clips, skeleton = reaches
    places = np.array([reached(clip, skeleton, "right_hand") for clip in clips.values()])
    place = np.random.default_rng(seed).dirichlet(np.ones(len(places))) @ places
    clip, _ = by_place(place, "right_hand", clips, skeleton)
    hand = skeleton.posed(clip)[1][:, skeleton.index("RightHand")]
    hips = skeleton.posed(clip)[1][0, skeleton.index("Hips")]
    farthest = hand[np.linalg.norm(hand - hand[0], axis=1).argmax()] - hips  # who was made so faces -Y, all but a degree or two
    assert np.linalg.norm(reached(clip, skeleton, "right_hand") - place) < 0.02
    assert np.linalg.norm(farthest - place) < 0.06


def test_what_is_outside_and_too_few_examples_are_refused(reaches):
    clips, skeleton = reaches
    with pytest.raises(Refusal, match="outside the examples, which reach from"):
        by_place((0.0, -3.0, 0.0), "right_hand", clips, skeleton)
    with pytest.raises(Refusal, match="4 are the fewest"):
        by_place((0.0, -0.3, 0.0), "right_hand", dict(list(clips.items())[:3]), skeleton)
    with pytest.raises(Refusal, match="there is no 'nose'"):
        by_place((0.0, -0.3, 0.0), "nose", clips, skeleton)
    with pytest.raises(Refusal, match="all reach along one plane"):
        by_place((0.0, -0.3, 0.0), "right_hand", dict.fromkeys("abcd", next(iter(clips.values()))), skeleton)
