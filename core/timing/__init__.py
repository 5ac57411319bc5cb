# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frame belongs to which: dynamic time warping, and time maps applied. May import motion and numeric."""
