# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs Motion Signal from a shell, with Blender as a Python module: python -m motion_signal."""

import sys

from . import register, unregister


def main() -> int:
    """Register the extension, run the command line, and leave Blender as it was."""
    register()
    try:
        from .operators import commandline

        return commandline.main(sys.argv[1:])
    finally:
        unregister()


if __name__ == "__main__":
    sys.exit(main())
