# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: what buttons, menus and scripts call. May import every other room."""
