# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is who, contacts, gait, report. May import declare, motion and numeric."""
