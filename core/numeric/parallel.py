# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on many channels in blocks, side by side: channels share nothing, and numpy lets go of Python's lock."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache

PARTS = 4  # the same on every machine, so that results are, to the last bit
ROOM = 1 << 18  # frames times channels at a time: more is new memory at every step, which the system fills with zeros first
THREADS = int(os.environ.get("MOTION_SIGNAL_THREADS", 0)) or os.cpu_count() or 1  # a batch has a process for each core


def blocks(count, least=1):
    """Slices that together cover `count` channels, at least `least` channels each."""
    size = max(least, -(-count // PARTS))
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def few_enough(count, frames, least=1):
    """Slices like `blocks`, of no more channels than there is room for with so many frames."""
    most = max(1, ROOM // max(1, frames))
    return [
        slice(start, min(start + most, some.stop))
        for some in blocks(count, least)
        for start in range(some.start, some.stop, most)
    ]


def each(work, items):
    """The results of work(item) for all items, worked on at the same time."""
    return [work(item) for item in items] if min(len(items), THREADS) < 2 else list(workers().map(work, items))


@cache
def workers():
    return ThreadPoolExecutor(THREADS, thread_name_prefix="motion_signal")
