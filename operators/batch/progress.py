# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a batch is: a bar with rate and time left where somebody looks, a line a take where it goes to a file."""

import sys
import time

WIDTH = 24


class Progress:
    """Counts takes as they are done."""

    def __init__(self, total, stream=None, clock=time.monotonic):
        stream = stream or sys.stderr
        self.total, self.stream, self.clock, self.started = total, stream, clock, clock()
        self.done = self.failed = 0
        self.live = bool(getattr(stream, "isatty", lambda: False)())

    def step(self, record):
        self.done += 1
        self.failed += record["status"] == "failed"
        if self.live:
            self.stream.write(f"\r\x1b[K{self.bar()}  {record['source'][-30:]}")
        if record["status"] == "failed":
            self.stream.write(f"{chr(10) if self.live else ''}{record['source']}: {record['reason']}\n")
        elif not self.live:
            self.stream.write(f"{record['source']} -> {record['target']} ({self.bar()})\n")
        self.stream.flush()

    def bar(self):
        elapsed = max(self.clock() - self.started, 1e-9)
        rate, filled = self.done / elapsed, round(WIDTH * self.done / max(self.total, 1))
        left = (self.total - self.done) / rate if self.done else 0.0
        drawn = f"[{'#' * filled}{'.' * (WIDTH - filled)}] " if self.live else ""
        return f"{drawn}{self.done}/{self.total}, {rate:.2g} takes a second, {duration(left)} left"

    def end(self):
        if self.live and self.done:
            self.stream.write("\n")


def duration(seconds):
    """A time as people say it: 48 s, 3 min 5 s, 2 h 10 min."""
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes} min {seconds} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
