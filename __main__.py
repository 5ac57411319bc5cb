# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs Motion Signal from a shell: motion-signal, or python -m motion_signal. Blender is loaded where a take needs it."""

import sys


def main() -> int:
    """Run the command line."""
    from .operators import commandline

    return commandline.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
