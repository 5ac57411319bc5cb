# SPDX-License-Identifier: GPL-3.0-or-later
"""When things happen: other times, beats, loops."""
