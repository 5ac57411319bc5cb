# SPDX-License-Identifier: GPL-3.0-or-later
"""What a motion is like: louder or calmer bands, shapes, moods, poses, life and weight."""
