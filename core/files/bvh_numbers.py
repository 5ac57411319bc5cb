# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as text and back, many at a time: the same numbers and the same digits as Python's own, several times faster.

Plain decimals are read as whole numbers without their point, which are then divided by a power of ten. Up to 15 digits both are
exact, so that the division rounds as it should (Clinger 1990). They are written the same way, by tables of three digits each.
"""

import numpy as np

PLAIN = b"0123456789-. \n\r\t"
DIGITS = 15  # that a double holds exactly
POINT, MINUS, SPACE = b".- "
MOST = 1e6  # what is larger is written one by one


def read(text):
    """The numbers of a text of words between spaces, float64; a ValueError where a word is none."""
    found = plain_numbers(text)
    if found is None:
        words = text.split()
        found = np.fromiter(map(float, words), dtype=np.float64, count=len(words))
    return found


def plain_numbers(text):
    """The same of plain decimals, None where there are others."""
    if text.translate(None, PLAIN):
        return None
    letters = np.frombuffer(b" " + text + b" ", dtype=np.uint8)
    blank = letters <= SPACE
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    points, signed = np.flatnonzero(letters == POINT), letters[starts] == MINUS
    decimals = decimals_of(starts, ends, points)
    if decimals is None or np.count_nonzero(letters == MINUS) != np.count_nonzero(signed):
        return None
    digits = ends - starts - signed - (decimals >= 0)
    if not len(starts) or digits.min() < 1 or digits.max() > DIGITS:
        return None if len(starts) else np.empty(0)
    whole = np.fromstring(text.translate(None, b"."), dtype=np.int64, sep=" ")
    if len(whole) != len(starts):
        return None
    values = whole / 10.0 ** np.maximum(decimals, 0)
    values[signed & (whole == 0)] = -0.0
    return values


def decimals_of(starts, ends, points):
    """How many decimals words have, -1 without a point; None where one has several points."""
    if len(points) == len(ends):  # mostly every word has one, and as many decimals
        decimals = ends - points - 1
        if len(points) and decimals[0] >= 0 and (decimals == decimals[0]).all() and (points >= starts).all():
            return decimals[:1]
    owners = np.searchsorted(ends, points)
    if (np.diff(owners) == 0).any():
        return None
    decimals = np.full(len(ends), -1)
    decimals[owners] = ends[owners] - points - 1
    return decimals


def write(values):
    """Rows (rows, columns) as text: every number with six decimals and a space behind it, every row with a new line."""
    size = np.abs(values)
    if not (size < MOST).all():
        row = "%.6f " * values.shape[1] + "\n"
        return (row * len(values) % tuple(values.ravel().tolist())).encode("ascii")
    scaled = 1e6 * size
    whole = np.rint(scaled)
    for at in np.argwhere(np.abs(scaled - whole) > 0.5 - 1e-15 * scaled - 1e-9):  # where the product may have been rounded over
        whole[tuple(at)] = float(f"{size[tuple(at)]:.6f}".replace(".", ""))
    thousandths = whole.astype(np.int64) // 1000
    units, below = thousandths // 1000, np.signbit(values)
    high, large = units // 1000, bool((size >= 999.0).any())
    text = np.empty((len(values), 3 * values.shape[1] + large * values.shape[1] + 1), dtype=np.uint32)
    cells = text[:, :-1].reshape(len(values), values.shape[1], 3 + large)
    if large:
        cells[..., 0] = np.where(high > 0, LEADING[high + 1000 * below], 0)
        cells[..., 1] = np.where(high > 0, PADDED[units - 1000 * high], LEADING[units - 1000 * high + 1000 * below])
    else:
        cells[..., 0] = LEADING[units + 1000 * below]
    cells[..., -2] = POINTED[thousandths - 1000 * units]
    cells[..., -1] = SPACED[whole.astype(np.int64) - 1000 * thousandths]
    text[:, -1] = np.frombuffer(b"\n\0\0\0", dtype=np.uint32)
    return text.tobytes().translate(None, b"\0")


def table(form, signs=("",)):
    """Texts of four letters of all numbers below 1000, as whole numbers; what is shorter is filled with nothing in front."""
    words = "".join((sign + form % number).rjust(4, "\0") for sign in signs for number in range(1000))
    return np.frombuffer(words.encode("ascii"), dtype=np.uint32)


LEADING, PADDED, POINTED, SPACED = table("%d", ("", "-")), table("%03d"), table(".%03d"), table("%03d ")
