# SPDX-License-Identifier: GPL-3.0-or-later
"""What physics says of a motion, in numbers for reports: how many flights it has and how they fall, how often it tips over."""

from ..body.contacts import fit
from ..declare.technique import Surroundings
from ..motion.compare import differs
from ..numeric.refusal import Refusal
from .flights import GRAVITY
from .masses import SHARES
from .weighted import Weighted

NUMBERS = ("flights", "gravity_m_s2", "gravity_worst_m_s2", "out_of_balance_percent")
LONGEST = 50_000  # frames: longer ones are not looked at, as all masses at once would be too much


def physics_numbers(clip, skeleton, contacts=None, take=None):
    """Flights, the gravity of each and of the worst, and the percent of frames on the ground that are out of balance; None for
    what has no feet. Contacts and the `take` that a clip was made from say when it flies."""
    same = take is not None and (take.frames, take.first_frame) == (clip.frames, clip.first_frame) and differs(take, clip)
    known = contacts if contacts and fit(contacts, clip) else {}
    try:
        if clip.frames > LONGEST:
            raise Refusal("too long")
        body = Weighted(clip, Surroundings(skeleton, contacts=lambda: known, original=take if same else None), SHARES)
    except Refusal:
        return dict.fromkeys(NUMBERS)
    falls = [round(gravity, 2) for _, gravity in body.gravities(clip)]
    worst = max(falls, key=lambda gravity: abs(gravity - GRAVITY), default=None)
    return dict(zip(NUMBERS, (len(falls), falls or None, worst, 100.0 * body.out_of_balance(clip))))
