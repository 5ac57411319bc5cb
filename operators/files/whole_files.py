# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that appear under their names only when they are whole: what is not yet is a file beside them. Needs no Blender."""

import os
import shutil
import socket
import zlib
from contextlib import contextmanager

from ...core.numeric.refusal import Refusal

UNFINISHED = ".motion_signal_"  # how the name of what is not whole yet begins
ENDINGS = {".glb": ".glb", ".blend": ".blend"}  # where the writer insists on its own; elsewhere it is no motion file


@contextmanager
def whole(path, write):
    """Have `write(unfinished)` fill a file beside a path, which takes its name when the block ends well."""
    unfinished = beside(path)
    try:
        write(unfinished)
        yield unfinished
        os.replace(unfinished, path)
    except (RuntimeError, OSError) as error:
        raise Refusal(f"{path}: cannot be written ({first_line(error)})") from None
    finally:
        unfinished.unlink(missing_ok=True)


def write_text(path, text):
    """Write a text that appears under its name only when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = beside(path)
    try:
        unfinished.write_text(text, encoding="utf-8")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def beside(path):
    """Where what becomes a file is while it is not whole."""
    return path.with_name(
        f"{UNFINISHED}{own_mark()}{zlib.crc32(path.name.encode()):08x}{ENDINGS.get(path.suffix.lower(), '.part')}"
    )


def own_mark():
    """Which process on which machine an unfinished file belongs to."""
    return f"{os.getpid()}_{socket.gethostname()}_"


def clear_unfinished(folder):
    """Remove unfinished files in a folder, and those below it, whose process on this machine was killed."""
    for unfinished in list(folder.rglob(f"{UNFINISHED}*_*")):
        process, _, rest = unfinished.name.removeprefix(UNFINISHED).partition("_")
        if rest.startswith(f"{socket.gethostname()}_") and not alive(process):
            shutil.rmtree(unfinished, ignore_errors=True) if unfinished.is_dir() else unfinished.unlink(missing_ok=True)


def alive(process):
    """Whether a process still runs; where asking would end it, it is taken to."""
    if os.name == "nt":
        return True
    try:
        os.kill(int(process), 0)
    except (ValueError, OSError):
        return False
    return True


def first_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("Location:")]
    return lines[-1] if lines else type(error).__name__
