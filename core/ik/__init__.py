# SPDX-License-Identifier: GPL-3.0-or-later
"""Two-bone IK, null space, plants, locking, holding. May import body, declare, motion and numeric."""
