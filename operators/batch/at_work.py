# SPDX-License-Identifier: GPL-3.0-or-later
"""One run at a time in a folder: a note says who is at work on which part, and is there for as long as that is so."""

import json
import os
import socket
import threading
from contextlib import contextmanager

from ...core.numeric.refusal import Refusal
from ..files.whole_files import alive

NOTE = "at_work"
BEAT, SILENT = 20.0, 120.0  # seconds between signs of life, and without one until a run on another machine counts as gone


@contextmanager
def at_work(folder, shard=(1, 1)):
    """Put up a note in a folder that says who is at work; a Refusal if another run does the same takes there."""
    note = folder / f"{NOTE}_{shard[0]}_of_{shard[1]}_{socket.gethostname()}_{os.getpid()}.json"
    note.write_text(json.dumps({"process": os.getpid(), "machine": socket.gethostname(), "shard": list(shard)}), "utf-8")
    ended = threading.Event()
    try:
        for other in sorted(folder.glob(f"{NOTE}_*.json")):
            if other != note and is_working(other, note) and in_the_way(told(other), shard):
                raise Refusal(
                    f"{folder.parent}: process {told(other)['process']} on {told(other)['machine']} is at work in it; "
                    "wait for it, or give each run its --shard"
                )
        threading.Thread(target=beat, args=(note, ended), daemon=True).start()
        yield
    finally:
        ended.set()
        note.unlink(missing_ok=True)


def beat(note, ended):
    while not ended.wait(BEAT):
        if note.exists():
            os.utime(note)


def told(note):
    try:
        return json.loads(note.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def is_working(note, own):
    """Whether the run that wrote a note is still there; the note of one that is not goes."""
    who = told(note)
    here = who.get("machine") == socket.gethostname()
    try:
        gone = not alive(who["process"]) if here else own.stat().st_mtime - note.stat().st_mtime > SILENT
    except (OSError, KeyError):
        gone = True
    if gone:
        note.unlink(missing_ok=True)
    return not gone


def in_the_way(other, shard):
    """Whether another run does takes of this shard: of the same, or of another division."""
    return other.get("shard") == list(shard) or other.get("shard", [1, 1])[1] != shard[1]
