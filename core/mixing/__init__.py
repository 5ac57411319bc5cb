# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes made into one: weights, synchronizing, transitions, moods. May import body, declare, motion, timing and numeric."""
