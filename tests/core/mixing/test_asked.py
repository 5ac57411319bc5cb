# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of a mix that has the numbers that are asked for, where what comes is bent by a lot between the examples."""

import itertools

import numpy as np
from motion_signal.core.mixing.asked import Examples

CORNERS = np.array([*itertools.product((0.0, 1.0), repeat=3), (0.5, 0.5, 0.5)])
BENT = 1.0  # metres that pairs of examples bend what comes of their mix


def test_what_lies_between_the_examples_comes_though_those_right_around_it_miss_it():
    for seed in range(10):
        draw = np.random.default_rng(seed)
        values = CORNERS + draw.normal(0.0, 0.03, CORNERS.shape)
        bends = BENT * draw.normal(size=(9, 9, 3)) * (1.0 - np.eye(9))[:, :, None]

        def measure(weights, values=values, bends=bends):
            return weights @ values + np.einsum("i,j,ijk->k", weights, weights, bends)

        examples = Examples(values, {"across": "m", "ahead": "m", "up": "m"})
        for place in draw.dirichlet(np.ones(9), 10) @ values:
            assert examples.off(place, measure(examples.weights(place, measure))) < 0.02
