# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures in the Graph Editor. May import live, settings, run, bridge and core."""
