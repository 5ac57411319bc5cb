# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers that treat takes: processes of their own, each started once and then asked take after take.

Only the process itself needs Blender, and that only where a take does. Who asks may be a thread here or a thread of a
cluster's worker: every thread has a process of its own. Jobs and answers are lines of JSON; the end of the line ends the
process, however its owner ended.
"""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from ...core.declare.version import ROOT
from ..files.whole_files import write_text

READY = "motion_signal is ready"
TREAT = f"{__package__}.one_take"  # whose work a job is, unless it names another
TRIES = 2  # a take that takes its Blender down so often is not tried again
GRACE = 5.0  # seconds after its limit, until a take ends its process itself
ONE_CORE = dict.fromkeys(
    ("MOTION_SIGNAL_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
# What is set free is kept for the next array, as new memory is filled with zeros first; only large arrays are given back.
MEMORY = dict.fromkeys(("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"), str(32 << 20))
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
            return own(job.get("log", "")).ask(job)
        except WorkerLost as lost:
            reason, _held.worker = str(lost), None
    return failed(job, f"{reason}, {TRIES} times")


def failed(job, reason):
    """The record of a job that nobody could do, kept for reports of its folder."""
    record = {
        "source": job["source"],
        "target": job["target"],
        "status": "failed",
        "reason": reason,
        "figures": {},
        "seconds": None,
        "job": job["digest"],
    }
    if job["record"]:
        with suppress(OSError):
            write_text(Path(job["output"]) / job["record"], json.dumps(record))
    return record


class WorkerLost(Exception):
    """A Blender that ended before it answered."""


class Worker:
    """A process that waits for jobs. What it complains of is kept in a folder for logs, if there is one."""

    def __init__(self, logs=""):
        with open_log(logs) as log:
            self.process = subprocess.Popen(
                command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **ONE_CORE, **MEMORY},
                start_new_session=True,
                encoding="utf-8",
            )
            self.log = log.name if logs else ""
        while (line := self.process.stdout.readline()).strip() != READY:
            if not line:
                self.process.wait()
                raise WorkerLost(f"a worker did not start{self.last_words()}")

    def last_words(self):
        """The last line that it wrote, for the reason why it was lost."""
        lines = [line for line in Path(self.log).read_text("utf-8", "replace").splitlines() if line.strip()] if self.log else []
        return f" ({lines[-1].strip()[:200]})" if lines else ""

    def ask(self, job):
        """The answer to a job, or WorkerLost: if its time is up, if Blender crashed, or was killed."""
        late = threading.Timer(job["limit"], self.process.kill)
        late.daemon = True
        late.start()
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            late_by = "" if late.is_alive() else f" after {job['limit']:g} seconds"
            self.process.kill()
            self.process.wait()
            raise WorkerLost(f"the worker was stopped{late_by} while it worked on it{self.last_words()}") from None
        finally:
            late.cancel()

    def close(self):
        with suppress(OSError):  # of one that was lost, what it was still to be told cannot be
            self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()


_held, _all = threading.local(), []


def own(logs=""):
    """This thread's worker, started if there is none."""
    if getattr(_held, "worker", None) is None:
        _held.worker = Worker(logs)
        _all.append(_held.worker)
    return _held.worker


def close_all():
    while _all:
        _all.pop().close()


def kill_all():
    while _all:
        _all.pop().process.kill()


def open_log(folder):
    """A file of its own for what a process complains of, where there is a folder for that."""
    if not folder:
        return open(os.devnull, "w", encoding="utf-8")
    Path(folder).mkdir(parents=True, exist_ok=True)
    name = f"{socket.gethostname()}_{os.getpid()}_{len(_all) + 1}_{time.strftime('%Y%m%d_%H%M%S')}.log"
    return open(Path(folder) / name, "a", encoding="utf-8")


def clear_logs(folder):
    """Remove logs in which nothing stands, and their folder if none is left."""
    for log in folder.glob("*.log"):
        if not log.stat().st_size:
            log.unlink(missing_ok=True)
    with suppress(OSError):  # it is not empty, or was never made
        folder.rmdir()


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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks says when it ends
    print(READY, file=answers, flush=True)
    for number, line in enumerate(sys.stdin):
        job = json.loads(line)
        late = threading.Timer(job["limit"] + GRACE, os._exit, (1,))  # should nobody be there any more to end it
        late.daemon = True
        late.start()
        print(json.dumps(import_module(job.get("work", TREAT)).work(job)), file=answers, flush=True)
        late.cancel()
        let_go(number)
    os._exit(0)  # Blender as a module may hang when Python ends


def let_go(number):
    """Give up what is left of a take, whose parts hold each other; what the first has loaded stays, and is not looked at."""
    gc.collect()
    if not number:
        gc.freeze()
