# SPDX-License-Identifier: GPL-3.0-or-later
"""Where animators look: what menus open, versions of a take, its intake, bars and points that are dragged."""
