# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of takes that can be asked: their index, made on all cores, and what is looked for. May import batch and below."""
