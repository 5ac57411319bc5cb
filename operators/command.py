# SPDX-License-Identifier: GPL-3.0-or-later
"""The command motion_signal of Blender; what it does is loaded when it is called, not when Blender starts."""

import bpy

from ..core.declare.version import COMMAND

_registered = []


def run(arguments):
    """Run the command line."""
    from .commandline import main

    return main(arguments)


def register():
    _registered.append(bpy.utils.register_cli_command(COMMAND, run))


def unregister():
    while _registered:
        bpy.utils.unregister_cli_command(_registered.pop())
