# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files as text and numbers, and as Clip and Skeleton. May import numeric and motion."""
