# SPDX-License-Identifier: GPL-3.0-or-later
"""Beats of sounds, moments of motion, and how the ones are brought onto the others. May import body, motion and numeric."""
