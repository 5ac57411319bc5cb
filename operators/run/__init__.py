# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply, recipe, measure: object and action in, action and words out. May import bridge and core."""
