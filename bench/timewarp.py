# SPDX-License-Identifier: GPL-3.0-or-later
"""The timewarp's correspondence beside dtaidistance, librosa, tslearn, pyts and fastdtw: part of `make bench`.

All of them get the same two takes and the same local cost, the squared distance of poses over 93 channels, and give back a
path. They are development dependencies; one that is not installed is said to be missing. This part needs no Blender:
`python bench/timewarp.py`.
"""

import importlib.util
import tracemalloc

import numpy as np
import scipy
from run import best, line, load

CHANNELS = 93
FPS = 120.0


def timewarp():
    """Times, ratios and errors, in the manner of the rest of the bench."""
    small()
    large()
    for frames in (600, 3000):
        dearer(frames)


def small():
    """600 x 600 frames beside the peers, in turns; then with the cost that the timewarp uses."""
    from motion_signal.core.timing.dtw import correspondence

    one, other = takes(600, 600)
    print(f"correspondence, 600 x 600 frames x {CHANNELS} channels, squared differences, path included")
    peers = installed(pyts, librosa, tslearn, dtaidistance)
    optimum = least(one, other)
    for peer in peers:  # and so they are compiled before they are timed
        say_if_dearer(peer.__name__, path_cost(one, other, peer(one, other)), optimum)
    own, *times = best(lambda: correspondence(Squares(one, other)), *(lambda peer=peer: peer(one, other) for peer in peers))
    for peer, taken in zip(peers, times):
        line(f"  {peer.__name__}", taken)
    if times:
        line("  own, and how many times the fastest of them takes", own, min(times) / own, "at least 1.5")
    if pyts in peers:
        (handed,) = best(lambda: pyts(one, other, squares))
        line("  pyts if it is handed the product of matrices that is ours", handed, handed / own)
    (taken,) = best(stretch_and_bend(one, other))
    line("  own, stretching and bending, limits, from signals to path", taken, "", "under 40 ms")


def large():
    """10,000 x 10,000 frames by coarse to fine."""
    from motion_signal.core.timing.dtw import correspondence

    print(f"correspondence, 10,000 x 10,000 frames x {CHANNELS} channels, coarse to fine")
    one, other = takes(10_000, 10_000)
    peers = installed(fastdtw)
    works = [lambda peer=peer: peer(one, other) for peer in peers]
    own, *times = best(lambda: correspondence(Squares(one, other)), *works, rounds=3)
    line("  own", own, "", "under 600 ms")
    for taken in times:
        line("  fastdtw, radius 1, and how many times own it takes", taken, taken / own, "at least 2")
    (taken,) = best(stretch_and_bend(one, other), rounds=3)
    line("  own, stretching and bending, limits, from signals to path", taken, "", "under 600 ms")
    line("  most memory of that at a time, in MB", peak(stretch_and_bend(one, other)), "", "under 60")


def stretch_and_bend(one, other):
    """A work: the correspondence as the timewarp asks for it."""
    from motion_signal.core.motion.clip import Channel, Clip
    from motion_signal.core.timing.dtw import correspondence
    from motion_signal.core.timing.wires import StretchAndBend, wires

    channels = tuple(Channel(f'["{number}"]', 0) for number in range(CHANNELS))
    clips = [Clip(signals, channels, FPS, 1) for signals in (one, other)]
    return lambda: correspondence(StretchAndBend(*wires(*clips, np.ones(CHANNELS))), limits=(3, 3))


def dearer(frames):
    """How much more than the optimum coarse to fine pays, and how much fastdtw."""
    from motion_signal.core.timing.dtw import correspondence

    one, other = takes(frames, frames)
    optimum = least(one, other)
    own = path_cost(one, other, correspondence(Squares(one, other), whole=0))
    over(f"  own, {frames} x {frames}: over the optimum by", own / optimum, "at most 1 %")
    for peer in installed(fastdtw, quiet=True):
        over("    fastdtw, radius 1", path_cost(one, other, peer(one, other)) / optimum)


def over(what, ratio, bound=""):
    print(f"{what:58} {100 * (ratio - 1):9.3f} %  {'':6}  {bound}", flush=True)


def takes(*lengths):
    """Walks (frames, channels) of a stride a second, the second one at another pace and with a manner of its own."""
    random = np.random.default_rng(1)
    waves = [(random.normal(size=CHANNELS) / pace**0.5, pace, random.uniform(size=CHANNELS)) for pace in (1.0, 2.0, 3.0)]
    result = []
    for length, bend in zip(lengths, (0.0, 0.08)):
        fraction = np.linspace(0.0, 1.0, length)
        seconds = length / FPS * (fraction + bend * np.sin(2 * np.pi * fraction))[:, None]
        manner = scipy.ndimage.gaussian_filter1d(random.normal(size=(length, CHANNELS)), 0.3 * FPS, axis=0)
        walk = sum(size * np.sin(2 * np.pi * (pace * seconds + phase)) for size, pace, phase in waves)
        result.append(walk + manner / manner.std())
    return result


class Squares:
    """Squared differences as a correspondence asks for costs: every node is paid for, moves are free."""

    def __init__(self, one, other):
        self.one, self.other = one, other
        self.shape = (len(one), len(other))
        self.down, self.across = np.zeros(len(one)), np.zeros(len(other))

    def block(self, rows, columns):
        cost = squares(self.one[rows], self.other[columns])
        return cost, cost

    def part(self, rows, columns):
        return Squares(self.one[rows], self.other[columns])

    def halved(self):
        from motion_signal.core.timing.wires import paired

        return Squares(paired(self.one), paired(self.other))


def squares(one, other):
    from motion_signal.core.numeric.vectors import distances

    return distances(one, other)


def cdist(one, other):
    return scipy.spatial.distance.cdist(one, other, "sqeuclidean")


def pyts(one, other, cost=cdist):
    from pyts.metrics import dtw

    return dtw(precomputed_cost=cost(one, other), dist="precomputed", return_path=True)[1].T


def librosa(one, other):
    from librosa.sequence import dtw

    return dtw(one.T, other.T, metric="sqeuclidean")[1][::-1]


def tslearn(one, other):
    from tslearn.metrics import dtw_path

    return dtw_path(one, other)[0]


def dtaidistance(one, other):
    from dtaidistance import dtw_ndim

    return dtw_ndim.warping_path(one, other, use_c=True)


def fastdtw(one, other):
    from fastdtw import fastdtw as solve

    return solve(one, other, radius=1, dist=squared)[1]


def squared(a, b):
    difference = a - b
    return difference @ difference


def installed(*peers, quiet=False):
    """Those of the peers that are there; the others are said to be missing."""
    missing = [peer.__name__ for peer in peers if importlib.util.find_spec(peer.__name__) is None]
    for name in missing if not quiet else ():
        print(f"  {name} is not installed and not compared")
    return [peer for peer in peers if peer.__name__ not in missing]


def path_cost(one, other, path):
    row, column = np.asarray(path).T
    return np.sum((one[row] - other[column]) ** 2)


def least(one, other):
    """The cost of the cheapest path, by dynamic programming of its own."""
    cost = cdist(one, other)
    paid = np.cumsum(cost[0])
    for row in cost[1:]:
        paid = row_after(paid, row)
    return paid[-1]


def row_after(paid, row):
    arriving = np.minimum(paid, np.concatenate([[np.inf], paid[:-1]])) + row
    run = np.cumsum(row)
    return np.minimum.accumulate(arriving - run) + run


def say_if_dearer(name, cost, wanted):
    if cost > wanted * (1 + 1e-9):
        print(f"  {name} found a dearer path: {cost:.6g} instead of {wanted:.6g}")


def peak(work):
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


if __name__ == "__main__":
    load()
    print(f"numpy {np.__version__}, scipy {scipy.__version__}\n")
    timewarp()
