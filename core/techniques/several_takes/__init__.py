# SPDX-License-Identifier: GPL-3.0-or-later
"""Several takes in one: mixed, in a row, by speed, in a blend space, or on another figure."""
