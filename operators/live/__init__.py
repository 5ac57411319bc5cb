# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview, the panel's settings, and what follows them. May import settings, run, bridge and core."""
