# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances between the rows of two arrays."""

import numpy as np
import scipy


def distances(a, b):
    """Squared distances (rows of a, rows of b), in one product of matrices."""
    multiply = scipy.linalg.get_blas_funcs("gemm", (a, b))  # numpy's own product may be without BLAS
    product = multiply(-2.0, b.T, a.T, trans_a=True).T
    product += np.einsum("fs,fs->f", a, a)[:, None]
    product += np.einsum("fs,fs->f", b, b)
    return np.maximum(product, 0.0, out=product)
