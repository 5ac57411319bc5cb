# SPDX-License-Identifier: GPL-3.0-or-later
"""Look: a take is looked at once, for all that may be wrong with it, and whatever is chosen of that is mended.

Each look is at what the ones before it would leave: gaps without spikes, trembling without either, feet on what is steady. So
findings are the same whatever is mended of them.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from ..body.t_pose import leading_t_pose
from ..body.turning import DEGREES, JUMPS, wraps
from ..motion.chart import Chart
from ..motion.leading import leading_rows
from ..numeric.parallel import blocks
from ..numeric.smoothing import smooth
from .fill import fill
from .findings import FLIP, FLOOR, GAP, JITTER, KNEE, SLIDE, SPIKE, T_POSE, finding, gathered
from .gaps import gaps, merged
from .jitter import calmed, jitters
from .on_the_ground import OnTheGround
from .spikes import spikes
from .tracks import tracks_of, written

HALF_TURN = 0.5 * np.pi  # radians: what is farther out is flipped
BEGINS = 1.0  # seconds: what is before the motion is not longer
EASE = 0.1  # seconds in which a stretch becomes calm
BLOCK = 16  # tracks that are looked at together


class Look:
    """What is wrong with a clip: `found` are bars, `mended(chosen)` is the clip without those chosen."""

    def __init__(self, clip, skeleton=None, contacts=None, beside=None, sensitivity=1.0):
        self.clip, self.skeleton, self.contacts, self.beside = clip, skeleton, contacts, beside
        self.leading = self._before_it_begins()
        self.rest = clip.with_values(clip.values[self.leading :], np.arange(self.leading, clip.frames))
        self.first = clip.first_frame + self.leading
        self.rest = replace(self.rest, first_frame=self.first)
        self.cells, self.noises = {}, {}
        self.sets = self._tracks(sensitivity)
        bones = {owner for tracks in self.sets for owner in tracks.owners if moves(tracks, owner)}
        on_tracks, self.stands_for = gathered(self.cells, len(bones))
        self.found = tuple(sorted([*self._leading(), *on_tracks, *self._grounded()], key=lambda bar: bar.first))

    def _before_it_begins(self):
        """Rows at the start that are a rest pose, no part of the motion."""
        if self.skeleton is None or not self.skeleton.bones or self.clip.frames < 12:
            return 0
        whole = self.clip.with_clip(self.beside)
        head = whole.with_values(whole.values[: round(BEGINS * whole.fps) + 20])
        for tracks in tracks_of(head, self.skeleton):  # a spike is no pose that the motion begins after
            wrong = spikes(tracks, head.fps)[1]
            head = written(head, replace(tracks, values=fill(tracks, wrong, head.fps)), wrong)
        rows = leading_rows(head, self.skeleton)
        return rows if self.clip.frames - rows >= 8 else 0

    def _leading(self):
        if not self.leading:
            return []
        last, whole = self.first - 1, self.clip.with_clip(self.beside)
        seconds = max(self.leading, leading_t_pose(whole, self.skeleton)) / self.clip.fps
        return [finding(T_POSE, "", self.clip.first_frame, last, seconds, "s")]

    def _tracks(self, sensitivity):
        """Look at rotations and places, some at a time."""
        sets = []
        for every in tracks_of(self.rest, self.skeleton):
            for chosen in blocks(len(every.owners), BLOCK):
                tracks = every.some(chosen)
                self._look_at(tracks, len(sets), sensitivity)
                sets.append(tracks)
        return sets

    def _look_at(self, tracks, index, sensitivity):
        fps = self.clip.fps
        spiked, wrong = spikes(tracks, fps, sensitivity)
        for first, end, track, size in joined(spiked):
            label = FLIP if tracks.turning and size > HALF_TURN else SPIKE
            self._note(label, tracks, index, track, first, end, size)
        calm = replace(tracks, values=fill(tracks, wrong, fps))
        for first, end, track, size in gaps(self.rest, calm, wrong, fps):
            self._note(GAP, tracks, index, track, first, end, size)
            wrong[first:end, track] = True
        calm = replace(tracks, values=fill(tracks, wrong, fps))
        for track, (first, last) in jumping_numbers(self.rest, calm, wrong).items():
            self._note(FLIP, tracks, index, track, first, last + 1, 2.0 * np.pi, numbers=True)
        trembling, noise = jitters(calm, fps)
        self.noises[index] = noise
        for first, end, track, size in trembling:
            self._note(JITTER, tracks, index, track, first, end, size)

    def _note(self, label, tracks, index, track, first, end, size, numbers=False):
        scale, unit = (DEGREES, "degrees") if tracks.turning else (1000.0 * self._metre, "mm")
        size = min(size, np.pi) if tracks.turning and not numbers else size  # nothing is turned farther than over
        found = finding(label, tracks.owners[track], self.first + first, self.first + end - 1, scale * size, unit)
        self.cells.setdefault(found, []).append((index, track, first, end, numbers))

    @property
    def _metre(self):
        """How many metres a unit of places is; of what has no armature, one."""
        return float(np.linalg.norm(np.array(self.skeleton.world)[2, :3])) if self.skeleton is not None else 1.0

    @cached_property
    def ground(self):
        """The body on its ground, once nothing else is wrong with it; None where there is none."""
        if self.skeleton is None or not self.skeleton.bones:
            return None
        steady = self.steadied(set(self.cells), {bar for bar in self.cells if bar.label == JITTER})
        ground = OnTheGround(steady, self.skeleton, self.contacts, self._rest_beside)
        return ground if ground.body is not None else None

    @property
    def _rest_beside(self):
        beside = self.beside
        return beside and replace(
            beside.with_values(beside.values[self.leading :], np.arange(self.leading, beside.frames)), first_frame=self.first
        )

    def _grounded(self):
        if self.ground is None:
            return []
        rise = self.ground.floor()
        found = [finding(FLOOR, "", self.first, self.clip.last_frame, 1000.0 * abs(rise), "mm")] if rise else []
        found += [finding(KNEE, *stretch, "degrees") for stretch in self.ground.knees()]
        return found + [finding(SLIDE, *stand, "mm") for stand in self.ground.slides()]

    def mended(self, chosen):
        """The clip without what is wrong with it as far as that is chosen, bars of `found`; the rest of it stays to the bit."""
        if not chosen:
            return self.clip
        single = {part for bar in chosen for part in self._parts(bar)}
        clip = self.steadied(single, {bar for bar in single if bar.label == JITTER})
        clip = self._on_the_ground(clip, [bar for bar in chosen if bar.label in (FLOOR, KNEE, SLIDE)])
        added = [channel for channel in clip.channels if channel not in self.clip.channels]
        before = self.clip.with_channels(added, [self.skeleton.held(channel) for channel in added] if added else ())
        head = before.values[: self.leading]
        if any(bar.label == T_POSE for bar in chosen):
            head = np.repeat(clip.values[:1], self.leading, axis=0)
        columns = [before.channels.index(channel) for channel in clip.channels]
        values = np.asfortranarray(np.concatenate([head if head.shape[1] != len(columns) else head[:, columns], clip.values]))
        return replace(self.clip, values=values, channels=clip.channels)

    def _parts(self, bar):
        """The findings of single bones that a finding of the whole figure stands for; else itself."""
        if bar not in self.stands_for:
            return [bar]
        names = self.stands_for[bar]
        return [
            own
            for own in self.cells
            if own.label == bar.label and own.bone in names and bar.first <= own.first and own.last <= bar.last
        ]

    def steadied(self, chosen, trembling):
        """The motion without spikes, flips and gaps that are chosen, and calm where it trembles."""
        clip, fps = self.rest, self.clip.fps
        for index, tracks in enumerate(self.sets):
            wrong, healed = np.zeros(tracks.values.shape[1:], dtype=bool), set()
            for bar in chosen - trembling:
                for own, track, first, end, numbers in self.cells.get(bar, ()):
                    if own == index and numbers:
                        healed.add(track)
                    elif own == index:
                        wrong[first:end, track] = True
            if wrong.any() or healed:
                clip = written(clip, replace(tracks, values=fill(tracks, wrong, fps)), wrong, healed)
        return self._calmed(clip, trembling) if trembling else clip

    def _calmed(self, clip, trembling):
        noise = {}
        for bar in trembling:
            for index, track, first, end, _ in self.cells.get(bar, ()):
                tracks = self.sets[index]
                key = (tracks.owners[track], tracks.turning)
                own = noise.setdefault(key, np.zeros(clip.frames))
                rows, ease = np.arange(first, end), EASE * clip.fps
                rise = smooth((rows - first + 1) / ease) if first > 0 else 1.0
                fall = smooth((end - rows) / ease) if end < clip.frames else 1.0
                level = self.noises[index][first:end, track]
                level = np.maximum(level, np.median(level)) * rise * fall  # where it seems less, that is chance
                own[first:end] = np.maximum(own[first:end], level)
        chart = Chart(clip)
        signals = np.array(chart.signals)
        kinds = [kind == "ROTATION" if kind in ("ROTATION", "LOCATION") else None for kind in chart.kinds]
        for (owner, turning), level in noise.items():
            own = [at for at, name in enumerate(chart.owners) if name == owner and kinds[at] is turning]
            signals[:, own] = calmed(signals[:, None, own], level[:, None], clip.fps)[:, 0]
        return clip.with_values(chart.values(signals, heal=False))

    def _on_the_ground(self, clip, chosen):
        stays = {label: [bar for bar in chosen if bar.label == label] for label in (FLOOR, KNEE, SLIDE)}
        if stays[FLOOR]:
            clip = self.ground.again(clip).levelled(self.ground.floor())
        if stays[KNEE]:
            clip = self.ground.again(clip).bent([(bar.bone, int(bar.first), int(bar.last)) for bar in stays[KNEE]])
        if stays[SLIDE]:
            clip = self.ground.again(clip).held([(bar.bone, int(bar.first), int(bar.last)) for bar in stays[SLIDE]])
        return clip


def joined(spiked):
    """Spikes of each track, those that overlap or touch made one, of the size of the largest."""
    by_track = {}
    for first, end, track, size in spiked:
        by_track.setdefault(track, []).append((first, end, size))
    for track, own in by_track.items():
        for first, end in merged([(first, end) for first, end, _ in own]):
            yield first, end, track, max(size for start, stop, size in own if first <= start and stop <= end)


def jumping_numbers(clip, tracks, wrong):
    """Rows of the first and last frame in which numbers of a rotation jump and the rotation does not, by track."""
    if not tracks.turning:
        return {}
    found = {}
    for track, (mode, columns) in enumerate(zip(tracks.modes, tracks.columns)):
        q, values = tracks.values[:, :, track, None], clip.values[:, list(columns)].T[:, :, None]
        cosine = np.einsum("cft,cft->ft", q[:, 1:], q[:, :-1])
        jumps = JUMPS.get(mode, lambda values, cosine: wraps(values, cosine))(values, cosine)[:, 0]
        jumps &= ~(wrong[1:, track] | wrong[:-1, track]) & (np.abs(cosine[:, 0]) > np.cos(0.25 * np.pi))
        rows = np.flatnonzero(jumps) + 1
        if len(rows):
            found[track] = (int(rows[0]), int(rows[-1]))
    return found


def moves(tracks, owner):
    """Whether a bone of tracks moves at all."""
    track = tracks.owners.index(owner)
    return bool(np.ptp(tracks.values[:, :, track], axis=1).max() > 1e-6)
