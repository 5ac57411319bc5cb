# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes of a library put into the Asset Browser by a process of its own: in an empty Blender no name is taken."""

from pathlib import Path

from ...core.library.store import Library, index_of, opened
from ...core.numeric.refusal import Refusal
from ..batch import worker
from ..batch.order import LIMIT

WORK = "motion_signal.operators.library.put_assets"


def put(folder, target):
    """Write the takes of an indexed folder as assets into another; the .blend, how many, and problems, [(file, why)]."""
    if not Path(target).is_dir():
        raise Refusal(f"{target}: there is no such folder to put assets into")
    with opened(index_of(folder)):  # there is an index, or it is said
        pass
    job = {"work": WORK, "takes": str(folder), "source": "", "target": str(target), "limit": LIMIT}
    process = worker.Worker()
    try:
        answer = process.ask(job)
    finally:
        process.close()
    if answer["reason"]:
        raise Refusal(answer["reason"])
    return answer["path"], answer["count"], answer["problems"]


def work(job):
    """The same inside of that process, as plain data."""
    try:
        library = Library(index_of(job["takes"]))
        from .assets import put_takes

        path, problems = put_takes(library, job["takes"], job["target"])
    except ImportError:
        return {"reason": "assets: they need Blender, which is not here; pip install motion-signal[blender] brings it"}
    except (Refusal, OSError, RuntimeError) as error:
        return {"reason": " ".join(str(error).split())}
    return {"reason": "", "path": str(path), "count": len(library.entries) - len(problems), "problems": problems}
