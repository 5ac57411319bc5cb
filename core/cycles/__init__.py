# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops, closing, strides, pace, network. May import mixing, ik and what those may."""
