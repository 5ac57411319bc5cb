# SPDX-License-Identifier: GPL-3.0-or-later
"""New motion of the takes of a library: chains, and along curves. May import everything else of core."""
