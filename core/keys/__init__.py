# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys for dense curves. May import motion and numeric."""
