# SPDX-License-Identifier: GPL-3.0-or-later
"""Icons of stretches of a library, drawn from features alone, without reading a take."""

from ..library.stick_pictures import pixels_of_stretch
from .version_pictures import keep_picture, picture_named


def picture_of(library, found):
    """The number of a stretch's icon, drawn when it is first asked for."""
    name = f"library {library.path} {found.take} {found.first} {found.last} {found.mirrored}"
    number = picture_named(name)
    if number:
        return number
    return keep_picture(name, pixels_of_stretch(library.features(found.take), found.first, found.last, found.mirrored))
