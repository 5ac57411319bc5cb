# SPDX-License-Identifier: GPL-3.0-or-later
"""Control rigs: what an animator keys on them."""
