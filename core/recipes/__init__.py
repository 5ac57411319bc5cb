# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes, presets' format, schema, and run: a recipe on a clip. May import techniques and declare."""
