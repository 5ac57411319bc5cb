# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: bones held to places, objects and bones of others for a span of frames."""
