# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on many channels in blocks, side by side: channels share nothing, and numpy lets go of Python's lock."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache

CORES = os.cpu_count() or 1


def blocks(count, least=1):
    """Slices that together cover `count` channels, one a core, at least `least` channels each."""
    size = max(least, -(-count // CORES))
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def each(work, items):
    """The results of work(item) for all items, worked on at the same time."""
    return [work(item) for item in items] if len(items) < 2 else list(workers().map(work, items))


@cache
def workers():
    return ThreadPoolExecutor(CORES, thread_name_prefix="motion_signal")
