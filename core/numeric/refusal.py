# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusal: wrong input, said in one sentence before anything is made. Any other exception is a fault, and shows as one."""


class Refusal(ValueError):
    """What was asked cannot be done; the text is the sentence for the animator, naming parameter and value."""
