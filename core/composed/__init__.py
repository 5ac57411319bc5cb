# SPDX-License-Identifier: GPL-3.0-or-later
"""New motion of the takes of a library: chains, along curves, by a number, by a place. May import everything else of core."""
