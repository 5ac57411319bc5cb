# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bone takes from its parent: rotation or not, and scale in each of the six ways that Blender has.

Matrices are (3, 3, frames), their columns a bone's X, Y and Z axes with scale; vectors are (3, frames).
"""

import numpy as np

from ..numeric.matrix import product

FULL, NONE = "FULL", "NONE"
LEAST = 1e-30


def inherited(bone, rest, parent, relative):
    """The axes that a bone turns in, from its parent's axes at rest and posed and its own at rest within the parent."""
    source = parent if bone.inherit_rotation else rest
    taken = TAKEN[bone.inherit_rotation].get(bone.inherit_scale, lambda source, parent: source)(source, parent)
    base = product(taken, relative)
    return orthogonal(base) if bone.inherit_scale == "FIX_SHEAR" else base


def passed_on(bone, parent):
    """The scale (3, frames) along a bone's own axes that comes on top of its own."""
    if bone.inherit_scale != "ALIGNED":
        return 1.0
    return size(orthogonal(parent)) if bone.inherit_rotation else size_by_volume(parent)


def size(axes):
    """The lengths of the axes (3, frames)."""
    return np.sqrt((axes * axes).sum(axis=-3))


def unscaled(axes):
    return axes / np.maximum(size(axes), LEAST)[..., None, :, :]


def volume(axes):
    """The determinants (frames,)."""
    x, y, z = columns(axes)
    return dot(x, np.cross(y, z, axis=-2))


def size_by_volume(axes):
    """The lengths of the axes, evened out so that their product is the volume even where the axes are sheared."""
    lengths = size(axes)
    return lengths * np.cbrt(np.abs(volume(axes)) / np.maximum(lengths.prod(axis=-2), LEAST))[..., None, :]


def orthogonal(axes):
    """Axes without shear: Y stays, X and Z are brought to right angles, each by half of what is missing between them."""
    x, y, z = columns(axes)
    along = unit(y)
    x, z = (side - along * dot(side, along)[..., None, :] for side in (x, z))
    across, ahead = unit(x), unit(z)
    cosine = dot(across, ahead)
    sheared = (np.abs(cosine) > 1e-4) & (np.abs(cosine) < 1.0 - 1e-7)
    angle = np.arccos(np.where(sheared, cosine, 0.0))
    half = (0.5 * (angle + 0.5 * np.pi))[..., None, :]
    straight = unit(across - ahead * cosine[..., None, :]) * np.sin(half) + ahead * np.cos(half)
    other = unit(ahead - straight * dot(ahead, straight)[..., None, :])
    even = np.sqrt(np.sin(angle))  # keeps the volume
    x, z = (
        np.where(sheared[..., None, :], better * (length(old) * even)[..., None, :], old)
        for better, old in ((straight, x), (other, z))
    )
    return np.stack([x, y, z], axis=-2)


def average(source, parent):
    return source * np.cbrt(np.abs(volume(parent)))[..., None, None, :]


TAKEN = {  # by whether rotation is inherited, then by the way of inheriting scale; those not named take all
    True: {
        NONE: lambda source, parent: unscaled(orthogonal(source)),
        "NONE_LEGACY": lambda source, parent: unscaled(source),
        "ALIGNED": lambda source, parent: unscaled(orthogonal(source)),
        "AVERAGE": lambda source, parent: average(unscaled(orthogonal(source)), parent),
    },
    False: {
        FULL: lambda source, parent: source * size(parent)[..., None, :, :],
        "FIX_SHEAR": lambda source, parent: source * size_by_volume(parent)[..., None, :, :],
        "AVERAGE": average,
    },
}


def columns(axes):
    return (axes[..., column, :] for column in range(3))


def dot(a, b):
    return (a * b).sum(axis=-2)


def length(vectors):
    return np.sqrt(dot(vectors, vectors))


def unit(vectors):
    return vectors / np.maximum(length(vectors), LEAST)[..., None, :]
