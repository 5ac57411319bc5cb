# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes spread over processes here, or over the workers of a Dask cluster: either way, a map over takes.

Both give the records of the jobs as they are done, in any order.
"""

import re
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from ...core.declare.version import VERSION
from ...core.numeric.refusal import Refusal
from . import worker

ADDRESS = re.compile(r"(?:\w+://)?(?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}")
PATIENCE = 5  # seconds for a scheduler to answer and to have workers


def over_processes(jobs, count):
    """Have jobs done by so many processes on this machine."""
    pool = ThreadPoolExecutor(count, thread_name_prefix="motion_signal")
    try:
        waiting = [pool.submit(worker.treat, job) for job in jobs]
        yield from (done.result() for done in as_completed(waiting))
        pool.shutdown()
        worker.close_all()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        worker.kill_all()
        worker.clear_logs(Path(jobs[0]["log"])) if jobs[0]["log"] else None


class Cluster:
    """The workers of a Dask scheduler, seen to be of use before any take is touched."""

    def __init__(self, address, folders):
        try:
            import distributed
        except ImportError:
            raise Refusal("scheduler: Dask is not installed here; motion-signal[cluster] brings it") from None
        if not ADDRESS.fullmatch(address):
            raise Refusal(f"scheduler: {address!r} is no address such as tcp://10.0.0.1:8786")
        if not __package__.startswith("motion_signal."):
            raise Refusal("scheduler: a cluster is asked from Python, by python -m motion_signal, not from inside Blender")
        self.distributed = distributed
        try:
            self.client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise Refusal(f"scheduler: {address} does not answer ({one_line(error)})") from None
        try:
            self.check(address, folders)
        except BaseException:
            self.client.close()
            raise

    def check(self, address, folders):
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
            seen = self.client.run(worker_info, [str(folder) for folder in folders])
        except TimeoutError:
            raise Refusal(f"scheduler: {address} has no workers") from None
        except Exception as error:  # what a worker answers that cannot do this at all
            raise Refusal(f"scheduler: its workers cannot run Motion Signal ({one_line(error)})") from None
        ours = worker_info([])["version"]
        for name, found in seen.items():
            if found["version"] != ours:
                raise Refusal(f"scheduler: {name} has Motion Signal {found['version']}, and this is {ours}")
            if found["missing"]:
                raise Refusal(f"scheduler: {name} does not see {found['missing'][0]}; it must be a folder that all share")

    def __call__(self, jobs):
        """Have jobs done by the workers; those of a worker that is lost are done by the others."""
        try:
            waiting = self.client.map(worker.treat, jobs, pure=False, retries=worker.TRIES)
            asked = {future.key: job for future, job in zip(waiting, jobs)}
            for done in self.distributed.as_completed(waiting, loop=self.client.loop):
                error = done.exception()
                yield worker.failed(asked[done.key], one_line(error)) if error else done.result()
        finally:
            self.client.close()


def worker_info(folders):
    """What a worker has: the version of Motion Signal, and which of these folders are not there."""
    return {"version": VERSION, "missing": [folder for folder in folders if not Path(folder).is_dir()]}


def one_line(error):
    return " ".join(str(error).split()) or type(error).__name__
