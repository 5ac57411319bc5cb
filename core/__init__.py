# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays in, arrays out: everything about motion that needs no Blender."""
