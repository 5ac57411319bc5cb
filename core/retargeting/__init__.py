# SPDX-License-Identifier: GPL-3.0-or-later
"""Any take on any figure: which bone is which, how rests lie to each other, and what of the motion is carried over."""
