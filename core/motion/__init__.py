# SPDX-License-Identifier: GPL-3.0-or-later
"""Clip, Skeleton, Chart, Ground, Cycle: the data, and its changes of form. May import numeric."""
