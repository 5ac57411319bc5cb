# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers in bulk are the numbers, and the digits, of Python's own float() and %."""

import numpy as np
import pytest
from motion_signal.core.files import bvh_numbers


def pythons(values):
    return ("".join("%.6f " * values.shape[1] % tuple(row) + "\n" for row in values.tolist())).encode()


@pytest.mark.parametrize("seed", range(40))
def test_written_digits_are_pythons(seed):
    random = np.random.default_rng(seed)
    size = 10.0 ** random.uniform(-9, 7, size=(31, 7))
    values = random.choice([-1.0, 1.0], size=size.shape) * size * random.uniform(size=size.shape)
    values[random.uniform(size=size.shape) < 0.1] = random.choice([0.0, -0.0, 1e-7, -4e-7, 999.9999995, 1000.0, -999999.9999])
    assert bvh_numbers.write(values) == pythons(values)


@pytest.mark.parametrize("seed", range(20))
def test_halves_are_rounded_as_python_rounds_them(seed):
    random = np.random.default_rng(seed)
    halves = (random.integers(0, 10**9, size=(200, 3)) + 0.5) / 1e6
    for values in (halves, np.nextafter(halves, 0.0), np.nextafter(halves, 1e9), random.integers(0, 5000, (200, 3)) / 2.0**7):
        assert bvh_numbers.write(values) == pythons(values)


def test_what_has_no_six_plain_digits_is_written_as_python_does():
    values = np.array([[1e6, -1e17], [np.nan, 0.5], [np.inf, -np.inf]])
    assert bvh_numbers.write(values) == pythons(values)


@pytest.mark.parametrize("seed", range(40))
def test_read_numbers_are_pythons_to_the_bit(seed):
    random = np.random.default_rng(seed)
    forms = ["%.4f", "%.6f", "%d", "%.0f.", "%.14f", "%g", "%.9e", "%+.3f"]
    used = forms[:1] if seed < 5 else random.choice(forms[:4], size=3) if seed < 20 else random.choice(forms, size=3)
    numbers = random.normal(size=500) * 10.0 ** random.uniform(-6, 5, size=500)
    words = [str(random.choice(used)) % number for number in numbers]
    words += ["-0.0000", "0", "-0", ".5", "-.25", "7."] if seed % 2 else []
    text = "".join(word + str(random.choice([" ", "  ", "\n", "\t", " \r\n"])) for word in words).encode()
    assert bvh_numbers.read(text).tobytes() == np.array([float(word) for word in text.split()]).tobytes()


@pytest.mark.parametrize("word", ["1.2.3", "-", ".", "-.", "1-2", "--1", "1.-2", "x", "1,5", "0x10", "1.5.", "12-"])
def test_what_is_no_number_is_not_taken_for_one(word):
    for text in (word, f"1.0000 {word} 2.0000", f"3 {word}\n"):
        with pytest.raises(ValueError):
            bvh_numbers.read(text.encode())


def test_no_words_are_no_numbers():
    assert bvh_numbers.read(b"").size == bvh_numbers.read(b" \n ").size == 0
