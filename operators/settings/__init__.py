# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties made from declarations, lists, presets. May import bridge and core."""
