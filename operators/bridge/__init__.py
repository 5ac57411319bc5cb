# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender data to core and back: no context, no interface. May import core."""
