# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays only: rotations, matrices, vectors, filters, splines, transforms. Knows no Clip; imports no other room."""
