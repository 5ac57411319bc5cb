# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that are sums of weighed numbers, and the numbers that come nearest to given values.

While there are few numbers a full array is many times as fast as a sparse one, whose upkeep costs more than its sums.
"""

import numpy as np

from ..numeric import scipy

FULL = 60_000  # entries up to which an array is full
AT_ONCE = 120_000  # multiplications: with more BLAS has all cores wait for each other, which lasts longer than they do
FEW = 96  # numbers: the same of equations


def weighing(entries, shape, full=None):
    """A matrix of `entries` (rows, columns, values), those in the same place summed: full if it is small, or as is said."""
    rows, columns, values = entries
    if shape[0] * shape[1] <= FULL if full is None else full:
        places = np.asarray(rows, dtype=int) * shape[1] + np.asarray(columns, dtype=int)
        return np.bincount(places, weights=values, minlength=shape[0] * shape[1]).reshape(shape)
    return scipy.sparse.csr_matrix((values, (rows, columns)), shape=shape)


def is_full(matrix):
    return isinstance(matrix, np.ndarray)


def product(one, other):
    """One matrix times another, of full ones a few rows at a time."""
    if not (is_full(one) and is_full(other)):
        return one @ other
    step = max(1, AT_ONCE // max(1, other.size))
    return np.concatenate([one[start : start + step] @ other for start in range(0, len(one), step)])


def side_by_side(matrices):
    """Matrices of the same rows as one."""
    return np.hstack(matrices) if all(map(is_full, matrices)) else scipy.sparse.hstack(matrices).tocsr()


def nearest(drawing, counts, hold, wanted):
    """The numbers whose sums by `drawing` (rows, numbers) are nearest to what is wanted (rows,), where each row counts so much
    and each number is held that firmly to nothing."""
    if is_full(drawing):
        weighted = (drawing * counts[:, None]).T
        normal = product(weighted, drawing)
        normal[np.diag_indices(len(hold))] += hold
        if len(hold) <= FEW:
            _, found, singular = scipy.linalg.lapack.dposv(normal, weighted @ wanted)
            if not singular:
                return found
        return scipy.sparse.linalg.spsolve(scipy.sparse.csc_matrix(normal), weighted @ wanted)
    weighted = drawing.multiply(counts[:, None]).T
    return scipy.sparse.linalg.spsolve((weighted @ drawing + scipy.sparse.diags(hold)).tocsc(), weighted @ wanted)
