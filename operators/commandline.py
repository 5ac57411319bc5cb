# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: motion-signal run recipe.json takes/ -o out/, or blender --command motion_signal and the same after it.

Nothing here needs Blender; a take or a step that does has it started.
"""

import signal
import sys
import threading

from ..core.declare.version import TYPED
from ..core.numeric.refusal import Refusal
from .shell.parser import parser

FAILED, WRONG = 1, 2  # exit codes: takes of a batch failed; input was refused


def main(arguments):
    """Run the command line and return its exit code: 0 if all went well, 1 if takes of a batch failed, 2 if refused."""
    try:
        chosen = parser(arguments).parse_args(arguments)
    except SystemExit as stop:
        return stop.code or 0
    before = stop_as_by_hand()
    try:
        return chosen.work(chosen) or 0
    except (Refusal, OSError) as error:
        print(f"{TYPED}: {' '.join(str(error).split())}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print(f"{TYPED}: stopped; what is done stays, and the same command goes on from there", file=sys.stderr)
        return FAILED
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def stop_as_by_hand():
    """Let a farm that ends this process end it as Ctrl-C does, with all that it started; what was done then before."""
    if threading.current_thread() is threading.main_thread():
        return signal.signal(signal.SIGTERM, signal.default_int_handler)
