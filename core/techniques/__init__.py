# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalog: every technique there is. One line each."""

from ..declare.technique import Technique
from ..numeric.refusal import Refusal
from .character.automate import AUTOMATE
from .character.cartoon import CARTOON
from .character.displace import DISPLACE
from .character.equalize import EQUALIZE
from .character.life import LIFE
from .character.style import STYLE
from .character.waveshape import WAVESHAPE
from .character.weight import WEIGHT
from .figure.avatar import AVATAR
from .figure.clean import CLEAN
from .figure.lock import LOCK
from .figure.path import PATH
from .figure.pins import PINS
from .figure.reduce import REDUCE
from .several_takes.between import BETWEEN
from .several_takes.blend import BLEND
from .several_takes.join import JOIN
from .several_takes.locomotion import LOCOMOTION
from .several_takes.network import NETWORK
from .several_takes.retarget import RETARGET
from .several_takes.speed import SPEED
from .several_takes.wavelet_blend import WAVELET_BLEND
from .time.cycle import CYCLE
from .time.fit_length import FIT_LENGTH
from .time.harmonics import HARMONICS
from .time.music import MUSIC
from .time.timewarp import TIMEWARP

TECHNIQUES: tuple[Technique, ...] = (
    CLEAN,
    EQUALIZE,
    WAVESHAPE,
    DISPLACE,
    LIFE,
    TIMEWARP,
    FIT_LENGTH,
    MUSIC,
    BLEND,
    BETWEEN,
    JOIN,
    LOCK,
    PATH,
    LOCOMOTION,
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
