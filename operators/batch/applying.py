# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step refuses of a take that can be read: the recipe does not apply to it."""

from contextlib import contextmanager

from ...core.numeric.refusal import Refusal


class NotApplicable(Refusal):
    """A take on which a step cannot be done."""


@contextmanager
def applying():
    """What is refused while steps are done does not apply."""
    try:
        yield
    except Refusal as error:
        raise NotApplicable(str(error)) from None
