# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters, scope, technique: what is declared once. May import motion and numeric."""
