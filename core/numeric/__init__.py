# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays only: rotations, matrices, vectors, filters, splines, transforms. Knows no Clip; imports no other room."""

from importlib import import_module


class Later:
    """A package that is loaded when something of it is first used: Blender need not wait for it whenever it starts."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found


scipy = Later("scipy")
