# SPDX-License-Identifier: GPL-3.0-or-later
"""Blenders that treat takes: processes of their own, each started once and then asked take after take.

Only the process itself needs Blender. Who asks may be a thread here or a thread of a cluster's worker: every thread has a
process of its own. Jobs and answers are lines of JSON; the end of the line ends the process, however its owner ended.
"""

import json
import os
import subprocess
import sys
import threading

from ...core.declare.version import ROOT

READY = "motion_signal is ready"
TRIES = 2  # a take that takes its Blender down so often is not tried again
ONE_CORE = dict.fromkeys(
    ("MOTION_SIGNAL_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
BEGIN = """
import importlib.util, sys
sys.path += [path for path in {path!r} if path not in sys.path]
spec = importlib.util.spec_from_file_location("motion_signal", {init!r}, submodule_search_locations=[{root!r}])
sys.modules["motion_signal"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
from motion_signal.operators.batch.worker import serve
serve()
"""


def treat(job):
    """Have a take treated by this thread's Blender; the record of what came of it. A Blender that is lost is replaced."""
    for _ in range(TRIES):
        try:
            return own().ask(job)
        except WorkerLost as lost:
            reason, _held.worker = str(lost), None
    return failed(job, f"{reason}, {TRIES} times")


def failed(job, reason):
    """The record of a job that nobody could do."""
    return {
        "source": job["source"],
        "target": job["target"],
        "status": "failed",
        "reason": reason,
        "figures": {},
        "seconds": None,
    }


class WorkerLost(Exception):
    """A Blender that ended before it answered."""


class Worker:
    """A Blender that waits for jobs."""

    def __init__(self):
        self.process = subprocess.Popen(
            command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **ONE_CORE},
            start_new_session=True,
            encoding="utf-8",
        )
        while (line := self.process.stdout.readline()).strip() != READY:
            if not line:
                self.process.wait()
                raise WorkerLost("Blender did not start")

    def ask(self, job):
        """The answer to a job, or WorkerLost: if its time is up, if Blender crashed, or was killed."""
        late = threading.Timer(job["limit"], self.process.kill)
        late.start()
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            late_by = "" if late.is_alive() else f" after {job['limit']:g} seconds"
            self.process.kill()
            self.process.wait()
            raise WorkerLost(f"Blender was stopped{late_by} while it worked on it") from None
        finally:
            late.cancel()

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()


_held, _all = threading.local(), []


def own():
    """This thread's Blender, started if there is none."""
    if getattr(_held, "worker", None) is None:
        _held.worker = Worker()
        _all.append(_held.worker)
    return _held.worker


def close_all():
    while _all:
        _all.pop().close()


def kill_all():
    while _all:
        _all.pop().process.kill()


def command():
    """What starts a Blender: this very one, or Python where Blender is a module."""
    begin = BEGIN.format(path=sys.path, init=str(ROOT / "__init__.py"), root=str(ROOT))
    binary = getattr(getattr(sys.modules.get("bpy"), "app", None), "binary_path", "")
    if not binary:
        return [sys.executable, "-c", begin]
    return [binary, "--background", "--factory-startup", "--threads", "1", "--python-exit-code", "1", "--python-expr", begin]


def serve():
    """The process: answer jobs until nobody asks any more. What Blender prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    from .one_take import work

    print(READY, file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(work(json.loads(line))), file=answers, flush=True)
    os._exit(0)  # Blender as a module may hang when Python ends
