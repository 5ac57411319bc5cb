# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion files in and out of Blender. May import bridge and core."""
