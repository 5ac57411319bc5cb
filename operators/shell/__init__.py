# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command line understands. Needs no Blender. May import batch, run, files and core."""
