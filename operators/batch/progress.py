# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a batch is: a bar with rate and time left where somebody looks, a line a take where it goes to a file."""

import json
import os
import sys
import time

WIDTH = 24
TOLD = ("source", "target", "status", "reason", "seconds")  # of a take, in a line of JSON


class Progress:
    """Counts takes as they are done; `said` is how much of that is told: "nothing" but failures, "takes" or "everything"."""

    def __init__(self, total, stream=None, clock=time.monotonic, said="takes", as_json=False):
        stream = stream or sys.stderr
        self.total, self.stream, self.clock, self.started = total, stream, clock, clock()
        self.said, self.as_json = said, as_json
        self.done = self.failed = 0
        self.live = bool(getattr(stream, "isatty", lambda: False)()) and said == "takes" and not as_json

    def note(self, words):
        if self.said != "nothing" and not self.as_json:
            print(words, flush=True)

    def step(self, record):
        self.done += 1
        self.failed += record["status"] == "failed"
        if self.as_json:
            print(json.dumps({name: record.get(name) for name in TOLD} | {"figures": words_of(record)}), flush=True)
            return
        if self.live:
            self.stream.write(f"\r\x1b[K{self.bar()}  {record['source'][-30:]}")
        if record["status"] != "done":
            if record["status"] == "failed" or self.said == "everything":
                self.stream.write(f"{chr(10) if self.live else ''}{self.coloured(record)}\n")
        elif not self.live and self.said != "nothing":
            self.stream.write(f"{record['source']} -> {record['target']} ({self.bar()})\n")
            if self.said == "everything":
                self.stream.writelines(f"    {name}: {words}\n" for name, words in words_of(record).items())
        self.stream.flush()

    def coloured(self, record):
        """A take that was not done, and why; in red where somebody looks."""
        words = f"{record['source']}: {'skipped, ' if record['status'] == 'skipped' else ''}{record['reason']}"
        return f"\x1b[31m{words}\x1b[0m" if self.live and "NO_COLOR" not in os.environ else words

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


def words_of(record):
    """What happened to each figure of a take, in words."""
    return {name: figure["words"] for name, figure in record["figures"].items()}
