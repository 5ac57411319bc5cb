# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a capture: found as bars, and mended."""
