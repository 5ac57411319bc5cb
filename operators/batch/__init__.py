# SPDX-License-Identifier: GPL-3.0-or-later
"""A recipe on many files, spread over processes, and the page about it. May import run, files, bridge and core."""
