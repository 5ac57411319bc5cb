# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that appear under their names only when they are whole: what is not yet is a part beside them. Needs no Blender."""

import os
import shutil
import socket
import zlib
from contextlib import contextmanager

from ...core.numeric.refusal import Refusal

PART = ".motion_signal_"  # how the name of what is not whole yet begins
ENDINGS = {".glb": ".glb", ".blend": ".blend"}  # where the writer insists on its own; elsewhere a part is no motion file


@contextmanager
def whole(path, write):
    """Have `write(part)` fill a part beside a path, which takes its name when the block ends well."""
    part = path.with_name(f"{PART}{own_mark()}{zlib.crc32(path.name.encode()):08x}{ENDINGS.get(path.suffix.lower(), '.part')}")
    try:
        write(part)
        yield part
        os.replace(part, path)
    except (RuntimeError, OSError) as error:
        raise Refusal(f"{path}: cannot be written ({first_line(error)})") from None
    finally:
        part.unlink(missing_ok=True)


def write_text(path, text):
    """Write a text that appears under its name only when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def own_mark():
    """Which process on which machine a part belongs to."""
    return f"{os.getpid()}_{socket.gethostname()}_"


def clear_parts(folder):
    """Remove parts in a folder, and those below it, whose process on this machine was killed."""
    for part in list(folder.rglob(f"{PART}*_*")):
        process, _, rest = part.name.removeprefix(PART).partition("_")
        if rest.startswith(f"{socket.gethostname()}_") and not alive(process):
            shutil.rmtree(part, ignore_errors=True) if part.is_dir() else part.unlink(missing_ok=True)


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
