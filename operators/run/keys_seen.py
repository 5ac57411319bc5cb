# SPDX-License-Identifier: GPL-3.0-or-later
"""Few keys on a control rig, looked at as Blender shows them: where a joint is far off, keys of its controls come closer."""

from functools import cached_property

import bpy
import numpy as np

from ...core.body.body import LIMBS
from ...core.body.more_feet import sides_in, whole_table
from ...core.body.roles import find_roles
from ...core.numeric import scipy
from ..bridge.measured import seen, seen_again
from ..bridge.rig import Rig, reached

FAR = 1.4  # times what a single curve may be off by is what all of them together may
STANDING = 0.15  # of that is what a foot that stands may be off by
STILL = 0.1  # metres a second: what is slower may stand
MARGIN = 1.4  # times as much nearer as it is too far off is what is asked for, and that again each time
NEAREST = 50.0  # times nearer at most: what is off by more is off for another reason than that keys are few
PART = 0.5  # of what the control is off by that is farthest: who is, is to blame
PATIENCE = 5  # times that keys come closer
AROUND = 2  # frames before and after one that is too far off that come closer with it


class KeysSeen:
    """What is seen of a result that was written with few keys, and `closer` {control: (frames,)}: how many times as near as
    usual the keys of controls must come so that no joint is more than `FAR` times the millimetres off that are allowed, and
    no foot that stands more than a part of that."""

    def __init__(self, scope, treated):
        self.scope, self.treated, self.closer, self.there, self.words, self.times = scope, treated, {}, None, "", 0
        self.best, self.last = (np.inf, {}, {}, ""), False  # how far off, and what it was written by

    def near_enough(self, slot, few):
        """Whether all joints are near enough in what was written; if they are not, keys are to come closer."""
        clip, owner = self.treated.run.whole.clip, self.scope.owner
        if self.there is None:
            self.there = seen(owner, self.treated.action, slot, clip.first_frame, clip.last_frame)
        else:
            self.there = seen_again(self.there, few.altered, owner, self.treated.action, slot, clip.first_frame)
        self.times += 1
        margin = MARGIN**self.times
        nearer, worst, most, apart = {}, (1.0, "", 0), 0.0, few.apart
        for name, off, stands in self._off(few.millimetres):
            worst = max(worst, (off.max(), name, clip.first_frame + int(off.argmax())))
            chain, limb = self._moved_by(name)
            for rows, names in ((np.where(stands, off / STANDING, 0.0), limb or chain), (off, chain)):
                most = max(most, rows.max())
                if rows.max() > 1.0:
                    for control, blamed in to_blame(names & apart.keys(), apart, rows > 1.0):
                        more = scipy.ndimage.maximum_filter1d(np.where(blamed, margin * rows, 1.0), 2 * AROUND + 1)
                        nearer[control] = np.maximum(nearer.get(control, 1.0), more)
        far, name, frame = worst
        self.words = f"few keys leave {name} {FAR * few.millimetres * far:.1f} mm off in frame {frame}" if far > 1.0 else ""
        self.last = most < self.best[0]
        if self.last:
            self.best = most, self.closer, dict(few.fits), self.words
        asked = {name: nearer.get(name, 1.0) * self.closer.get(name, 1.0) for name in {*nearer, *self.closer}}
        self.closer = {name: np.minimum(rows, NEAREST) for name, rows in asked.items()}
        return not nearer

    def back(self):
        """Let keys be again as they were where they were nearest, and what was found then."""
        _, self.closer, fits, self.words = self.best
        return fits

    @cached_property
    def wanted(self):
        """Where joints are with a key on every frame, {bone: (frames, 3)}."""
        names = [bone.name for bone in self.scope.skeleton.bones]
        posed = self.scope.skeleton.posed(self.treated.run.whole.clip)[1].swapaxes(0, 1)
        return self.treated.joints | dict(zip(names, posed))

    @cached_property
    def follows(self):
        """Which bones have a say in where each is, as the rig stands."""
        owner = self.scope.owner
        return Rig(owner, owner.evaluated_get(bpy.context.evaluated_depsgraph_get())).follows

    @cached_property
    def limbs(self):
        return limbs_of(self.scope.skeleton)

    def _moved_by(self, name):
        """All that has a say in where a joint is; and what carries the end of its limb, if a control moves that."""
        _, end, handle = self.limbs.get(name, ("", "", ""))
        skeleton = self.scope.skeleton
        limb = {handle, *(skeleton.bones[each].name for each in skeleton.chain(skeleton.index(end)))} if handle else set()
        return {name, *limb, *reached(name, self.follows)}, limb

    def _off(self, millimetres):
        """Joints, how far they are off in parts of what they may be, and when they stand, as those of feet do."""
        size = np.linalg.norm(np.array(self.scope.skeleton.world)[:3, :3], axis=0).max()
        for name in self.there.keys() & self.wanted.keys():
            wanted = self.wanted[name]
            off = 1e3 * size * np.linalg.norm(self.there[name][:, :3, 3] - wanted, axis=1) / (FAR * millimetres)
            speed = size * self.treated.run.whole.clip.fps * np.linalg.norm(np.gradient(wanted, axis=0), axis=1)
            yield name, off, (speed < STILL) & (self.limbs.get(name, ("",))[0] in ("foot", "toe"))


def to_blame(names, apart, rows):
    """Controls and in which of `rows` (frames,) they have a good part in what is off, by how far `apart` they are."""
    most = np.max([apart[name] for name in names], axis=0) if names else 0.0
    for name in names:
        blamed = rows & (apart[name] >= PART * most)
        if blamed.any():
            yield name, blamed


def limbs_of(skeleton):
    """Which part of a limb a bone is, that limb's end, and what moves it, {bone: (part, end, control)}."""
    table = whole_table(skeleton, find_roles(skeleton))
    found = {}
    for side in sides_in(table):
        for tip, parts in LIMBS.items():
            end = table.get(f"{side}_{tip}")
            handle = skeleton.bones[skeleton.index(end)].handle if end else ""
            found |= {table[f"{side}_{part}"]: (part, end, handle) for part in (*parts, "toe") if table.get(f"{side}_{part}")}
    return found
