# SPDX-License-Identifier: GPL-3.0-or-later
"""Mood: what a styled take does otherwise than a neutral one of the same action, as data that any rig can wear.

Strides are matched by their steps and compared wave by wave (Kenwright, section 3; Unuma et al. 1995); takes without steps by
posture and by how much moves in each band. Turns and moves are as the world sees a figure that stands and faces -Y, however
it lies or faces at rest; moves count in parts of the figure's size.
"""

import json
from dataclasses import field

import numpy as np

from ..body.gait_phase import mean_waves, phases, played_at, strides
from ..body.roles import find_roles
from ..motion.match import matched
from ..motion.skeleton import hanging
from ..numeric import rotation
from ..numeric.bands import HZ_BANDS, Bank
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from ..numeric.rotation import shortest
from ..numeric.vectors import turned
from .mixer import Mixer

HARMONICS = 5
GRID = 64  # phases of a stride at which takes are compared
MOST = 4.0  # times that a band may become larger or smaller
QUIET = 1e-4  # radians or sizes: what moves less has no gain
STEP = 0.1  # of the figure's size: who goes less far in a stride is on the spot


def mood_of(neutral, styled, surroundings):
    """The style of a take against a neutral one; of a take alone, with None, all that it does about its mean."""
    alone = neutral is None
    neutral = styled if alone else neutral
    other = matched(neutral, styled.check())[0]
    if not alone and neutral.frames == other.frames and np.allclose(neutral.values, other.values, atol=1e-9):
        raise Refusal("neutral: it is the same motion as the styled take, so that there is no style between them")
    mixer = Mixer([neutral, other], np.zeros((2, len(neutral.channels)), dtype=bool), surroundings)
    knots = [strides(clip, surroundings) for clip in (neutral, other)]
    skeleton = surroundings.skeleton
    roles = {role: name for role, name in find_roles(skeleton).table().items() if name} if skeleton and skeleton.bones else {}
    if any(these is None for these in knots):
        return Mood(rounded(compared_by_bands(mixer, skeleton, alone)), roles=roles)
    cycle = float(np.median(np.diff(knots[1][:, 0])) / other.fps)
    strode = [stride_length(mixer, index, these) for index, these in enumerate(knots)]
    stride = float(np.clip(strode[1] / strode[0], 1 / MOST, MOST)) if min(strode) > STEP * sized(skeleton) else 1.0
    return Mood(rounded(compared_by_strides(mixer, knots, skeleton, alone)), cycle, stride, roles)


def stride_length(mixer, index, knots):
    """How far a take gets along the ground in a stride, the median of all of them."""
    _, path = mixer.ground.taken_off(mixer.clips[index].values)
    rows = np.rint(knots[:, 0]).astype(int)
    return float(np.median(np.linalg.norm(np.diff(path.places[rows], axis=0), axis=1)))


def compared_by_strides(mixer, knots, skeleton, alone):
    """Waves of what each bone does otherwise over a stride."""
    grid, means = np.arange(GRID) / GRID, []
    for signals, these in zip(mixer.signals, knots):
        at = phases(these, len(signals))
        inside = (np.arange(len(signals)) >= these[0, 0]) & (np.arange(len(signals)) <= these[-1, 0])
        means.append(played_at(mean_waves(signals[inside], at[inside], HARMONICS + 1), grid))
    if alone:
        means[0] = np.repeat(means[1].mean(axis=0, keepdims=True), GRID, axis=0)
    return {
        owner: {kind: mean_waves(over, grid, HARMONICS + 1) for kind, over in kinds.items()}
        for owner, kinds in differences(mixer, means, skeleton).items()
    }


def compared_by_bands(mixer, skeleton, alone):
    """Posture as a wave of no pace, and gains of bands."""
    banks = [Bank(signals, mixer.clips[0].fps) for signals in mixer.signals]
    energies = [bank.energies() for bank in banks]
    means = [signals.mean(axis=0, keepdims=True) for signals in mixer.signals]
    result = (
        {}
        if alone
        else {
            owner: {kind: over.astype(complex) for kind, over in kinds.items()}
            for owner, kinds in differences(mixer, means, skeleton).items()
        }
    )
    for owner in dict.fromkeys(mixer.owners):
        columns = [column for column, other in enumerate(mixer.owners) if other == owner]
        before, after = (np.sqrt(np.mean(energy[:, columns] ** 2, axis=1)) for energy in energies)
        gains = np.where(before > QUIET, np.clip(after / np.maximum(before, QUIET), 1 / MOST, MOST), 1.0)
        if np.abs(gains - 1.0).max() > 0.05:
            result.setdefault(owner, {})["gains"] = gains
    return result


def differences(mixer, means, skeleton):
    """The turns and moves (moments, 3) that lead every owner from the first of two means (moments, signals) to the second."""
    result, limbs, hung = {}, limb_bones(skeleton), hanging(skeleton)
    for (own, columns), (_, members) in zip(mixer.turned, mixer.chart.groups):
        before, after = (own.composed(np.asarray(signals)[:, columns]) for signals in means)
        for number, channels in enumerate(members):
            owner = mixer.clips[0].channels[channels[0]].owner
            way = LEADS[(owner in hung) + (owner in limbs)](before[:, :, number], after[:, :, number])
            vectors = rotation.log(way * np.where(way[0] < 0, -1.0, 1.0))
            result.setdefault(owner, {})["turn"] = vectors.T @ axes_of(owner, skeleton, mixer.ground)[0].T
    located, offset = {}, len(mixer.owners) - len(mixer.chart.plain)
    for column, channel in enumerate(mixer.clips[0].channels[column] for column in mixer.chart.plain):
        if channel.kind == "LOCATION":
            located.setdefault(channel.owner, {})[channel.index] = means[1][:, offset + column] - means[0][:, offset + column]
    for owner, kinds in located.items():
        move = np.column_stack([kinds.get(index, np.zeros(len(means[0]))) for index in range(3)])
        result.setdefault(owner, {})["move"] = move @ axes_of(owner, skeleton, mixer.ground)[1].T / sized(skeleton)
    return result


def limb_bones(skeleton):
    """Arms, hands and legs: captured motion says little of how those are twisted along themselves while they are straight."""
    roles = find_roles(skeleton).table() if skeleton and skeleton.bones else {}
    return {name for role, name in roles.items() if role.endswith(("arm", "leg", "hand"))} & hanging(skeleton) - {""}


def by_own_axes(before, after):
    """The turn about its own axes that leads from one orientation to another: it goes with a figure that turns."""
    return rotation.multiply(rotation.conjugate(before), after)


def by_resting_axes(before, after):
    """The turn about the axes that it has at rest in its parent."""
    return rotation.multiply(after, rotation.conjugate(before))


def by_direction(before, after):
    """The shortest such turn that leads from where the bone pointed to where it points."""
    along = np.array([0.0, 1.0, 0.0])[:, None]
    return shortest(turned(before, along), turned(after, along))


LEADS = (by_own_axes, by_resting_axes, by_direction)


def axes_of(owner, skeleton, ground):
    """The axes at rest, as who stands and faces -Y sees them, that an owner turns about and moves along, (3, 3) each.

    What hangs on nothing that moves goes through the world, all else moves within the figure.
    """
    index = skeleton.index(owner) if skeleton and owner else -1
    if index < 0:
        return np.eye(3), np.eye(3)
    bone, own = skeleton.bones[index], skeleton.standing_axes.T
    free = bone.parent < 0 or owner in {root.owner for root in ground.roots}
    along = skeleton.world_axes.T if free else own
    return own @ bone.rest[:3, :3], along @ bone.rest[:3, :3] if bone.local_location else along


def sized(skeleton):
    """How large a figure is along the longest of its own three directions; 1 where there is none."""
    if skeleton is None or not skeleton.bones:
        return 1.0
    heads = np.array([bone.rest[:3, 3] for bone in skeleton.bones]) @ skeleton.standing_axes
    return max(np.ptp(heads, axis=0).max(), max(bone.length for bone in skeleton.bones))


def rounded(bones):
    """Bones without what is too small to be seen, and no longer numbers than it takes."""
    result = {}
    for owner, kinds in bones.items():
        kept = {
            kind: np.round(values, DIGITS)
            for kind, values in kinds.items()
            if kind == "gains" or np.linalg.norm(values, axis=0).max() > SMALL[kind]
        }
        if kept:
            result[owner] = kept
    return result


FORMAT = 1
SMALL = {"turn": np.radians(0.3), "move": 1e-3}  # what a bone does less is left out
DIGITS = 4


@frozen
class Mood:
    """A style: for each bone waves of "turn" (count, 3), of "move" (count, 3), and "gains" of bands where there are no waves.

    `cycle` are the seconds of a stride, `stride` how many times as far it goes; `roles` tell which bones are what, so that
    other rigs find theirs.
    """

    bones: dict
    cycle: float = 0.0
    stride: float = 1.0
    roles: dict = field(default_factory=dict)


def to_data(mood):
    """A mood as plain data: waves as rows of six numbers, real parts before imaginary ones."""

    def plain(kind, values):
        return values.tolist() if kind == "gains" else np.hstack([values.real, values.imag]).round(DIGITS).tolist()

    bones = {owner: {kind: plain(kind, values) for kind, values in kinds.items()} for owner, kinds in mood.bones.items()}
    return {
        "format": FORMAT,
        "cycle": round(mood.cycle, DIGITS),
        "stride": round(mood.stride, DIGITS),
        "roles": mood.roles,
        "bones": bones,
    }


def from_data(data):
    """A mood from plain data, or a Refusal that says what is wrong with it."""
    version = data.get("format")
    if isinstance(version, (int, float)) and version > FORMAT:
        raise Refusal(
            f"style: it was saved as format {version} by a newer version, and this one reads {FORMAT}; update the extension"
        )
    bones, roles, paces = data.get("bones"), data.get("roles", {}), (data.get("cycle", 0.0), data.get("stride", 1.0))
    tables = [bones, roles, *bones.values()] if isinstance(bones, dict) else [bones]
    if version != FORMAT or not all(isinstance(table, dict) for table in tables) or not all(map(is_pace, paces)):
        raise Refusal(f"style: {json.dumps(data)[:60]} is no style; it needs format {FORMAT}, cycle, roles and bones")
    return Mood(
        {owner: {kind: read(owner, kind, rows) for kind, rows in kinds.items()} for owner, kinds in bones.items()},
        *map(float, paces),
        roles,
    )


def is_pace(value):
    return isinstance(value, (int, float)) and 0.0 <= value < 1000.0


def read(owner, kind, rows):
    """The waves or gains of one bone."""
    try:
        values = np.array(rows, dtype=np.float64)
        shaped = values.shape == (HZ_BANDS,) if kind == "gains" else kind in SMALL and values.ndim == 2 and values.shape[1] == 6
    except (TypeError, ValueError):
        values, shaped = None, False
    if not shaped or not np.isfinite(values).all():
        raise Refusal(f"style {owner}: its {kind} is not what a style holds, rows of six numbers, or {HZ_BANDS} gains")
    return values if kind == "gains" else values[:, :3] + 1j * values[:, 3:]
