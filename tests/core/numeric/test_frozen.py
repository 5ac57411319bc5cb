# SPDX-License-Identifier: GPL-3.0-or-later
"""Frozen classes, beside those that Python's own dataclasses make of the same fields."""

import copy
import dataclasses
import pickle
from functools import cached_property

import pytest
from motion_signal.core.numeric.frozen import frozen


def made(how):
    class Point:
        """Where something is."""

        x: float
        y: float = 2.0
        names: tuple = dataclasses.field(default=(), compare=False)
        hidden: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)

        @cached_property
        def far(self):
            return self.x + self.y

    Point.__qualname__ = "Point"
    return how(Point)


OURS, THEIRS = made(frozen), made(dataclasses.dataclass(frozen=True))


@frozen
class Kept:
    """At the top of a file, where pickle finds it."""

    x: float
    y: tuple = (1, 2)


@frozen
class More(Kept):
    """With a field more, checked."""

    z: int = 3

    def __post_init__(self):
        object.__setattr__(self, "z", abs(self.z))


@pytest.mark.parametrize("first", [(1.0,), (1.0, 3.0), (1.0, 2.0, ("a",))])
@pytest.mark.parametrize("second", [(1.0,), (1.0, 3.0), (1.0, 2.0, ("b",))])
def test_equal_and_shown_as_pythons_own(first, second):
    assert (OURS(*first) == OURS(*second)) == (THEIRS(*first) == THEIRS(*second))
    assert (hash(OURS(*first)) == hash(OURS(*second))) == (hash(THEIRS(*first)) == hash(THEIRS(*second)))
    assert repr(OURS(*first)) == repr(THEIRS(*first))
    assert dataclasses.asdict(OURS(*first)) == dataclasses.asdict(THEIRS(*first))


@pytest.mark.parametrize("kind", [OURS, THEIRS])
def test_nothing_of_it_can_be_changed(kind):
    point = kind(1.0)
    for change in (
        lambda: setattr(point, "x", 5.0),
        lambda: setattr(point, "y", 2.0),
        lambda: setattr(point, "unheard_of", 1),
        lambda: delattr(point, "x"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert (point.x, point.y, point.far) == (1.0, 2.0, 3.0)


def test_neither_its_parent_nor_another_of_the_same_fields_is_equal_to_it():
    assert Kept(1.0) != More(1.0) and OURS(1.0) != THEIRS(1.0)
    assert More(1.0, z=-4) == More(1.0, z=4) != More(1.0, z=5)


def test_replaced_copied_and_sent_to_other_processes():
    kept = More(1.0, z=7)
    assert dataclasses.replace(kept, x=2.0) == More(2.0, z=7)
    assert pickle.loads(pickle.dumps(kept)) == copy.deepcopy(kept) == copy.copy(kept) == kept


def test_what_a_class_says_itself_is_kept():
    @frozen
    class Own:
        x: int

        def __hash__(self):
            return 5

        def __repr__(self):
            return "own"

    assert (hash(Own(1)), repr(Own(1))) == (5, "own") and Own(1) == Own(1) != Own(2)


def test_all_of_a_class_without_fields_are_equal():
    @frozen
    class Bare:
        pass

    assert Bare() == Bare() and hash(Bare()) == hash(Bare()) and Bare() != Kept(1.0)
