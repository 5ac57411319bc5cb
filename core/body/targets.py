# SPDX-License-Identifier: GPL-3.0-or-later
"""What filters act on: the chart of a clip, or the positions of its joints."""

from ..declare.technique import Surroundings
from ..motion.chart import Chart
from ..motion.joint_positions import Stretch
from ..numeric.refusal import Refusal
from .underway import Underway, trend


class Rotations:
    """The chart of a clip as a domain to filter in; of bands, with a boundary, where a figure goes slower than its strides is
    no part."""

    def __init__(self, clip, surroundings, boundary=""):
        self.clip = clip
        self.underway = Underway(clip, surroundings if boundary else Surroundings(), trend(boundary))
        self.chart = Chart(clip.with_values(self.underway.values), surroundings.angles_apart)
        self.signals, self.owners = self.chart.signals, self.chart.owners

    def clip_of(self, signals, posture=1.0):
        """Signals as a clip; the straight way that a figure goes belongs to its posture."""
        return self.clip.with_values(self.underway.back(self.chart.values(signals), self.underway.farther(posture)))


def positions(clip, surroundings, boundary=""):
    if surroundings.skeleton is None:
        raise Refusal("squash and stretch needs an armature")
    return Stretch(clip, surroundings.skeleton)


DOMAINS = {"ROTATIONS": Rotations, "POSITIONS": positions}
