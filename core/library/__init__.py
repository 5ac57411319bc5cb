# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of takes that can be asked: what they do as features, kept in one file, searched. May import retarget and below."""
