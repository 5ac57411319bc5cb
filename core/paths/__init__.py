# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves to walk along. May import mixing, ik and what those may."""
