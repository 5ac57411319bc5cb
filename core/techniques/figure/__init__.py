# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a figure goes and stands, how large it is, what was wrong with its capture, and how few keys it needs."""
