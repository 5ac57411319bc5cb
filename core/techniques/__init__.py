# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalog: every technique there is. One line each."""

from ..declare.technique import Technique
from ..numeric.refusal import Refusal
from .automate import AUTOMATE
from .avatar import AVATAR
from .blend import BLEND
from .cartoon import CARTOON
from .clean import CLEAN
from .cycle import CYCLE
from .displace import DISPLACE
from .equalize import EQUALIZE
from .harmonics import HARMONICS
from .join import JOIN
from .life import LIFE
from .lock import LOCK
from .music import MUSIC
from .network import NETWORK
from .path import PATH
from .pins import PINS
from .reduce import REDUCE
from .retarget import RETARGET
from .speed import SPEED
from .style import STYLE
from .timewarp import TIMEWARP
from .wavelet_blend import WAVELET_BLEND
from .waveshape import WAVESHAPE
from .weight import WEIGHT

TECHNIQUES: tuple[Technique, ...] = (
    CLEAN,
    EQUALIZE,
    WAVESHAPE,
    DISPLACE,
    LIFE,
    TIMEWARP,
    MUSIC,
    BLEND,
    JOIN,
    LOCK,
    PATH,
    PINS,
    CYCLE,
    HARMONICS,
    NETWORK,
    SPEED,
    WAVELET_BLEND,
    AVATAR,
    CARTOON,
    AUTOMATE,
    STYLE,
    WEIGHT,
    REDUCE,
    RETARGET,
)


def technique(name: str) -> Technique:
    """The technique of this name, or a Refusal that lists those there are."""
    for entry in TECHNIQUES:
        if entry.name == name:
            return entry
    raise Refusal(f"{name}: no such technique; there are {', '.join(entry.name for entry in TECHNIQUES)}")
