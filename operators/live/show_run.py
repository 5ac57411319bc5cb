# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of a take, written into the lent action as often as something is touched: curves that do not differ stay."""

from dataclasses import replace

from ...core.motion.switches import CLOCK
from ..bridge.actions import Take
from ..bridge.switches import write_switches
from ..bridge.writer import KeysChanged, Writer


class ShowRun:
    """Writes runs of one take into one lent action. Where a channel is to be keyed in another way than before, or is there no
    more, the action has to be lent anew: it is KeysChanged. Holds no reference into Blender."""

    def __init__(self, run, dense):
        self.before, self.dense = run.before, dense
        self.writers, self.group_of, self.switched, self.retimed = {}, {}, set(), False
        self.switches = any(channel.kind != CLOCK for channel in run.before.clip.switches.channels)

    def __call__(self, bag, run):
        """Make the curves of a channelbag show what became of the take."""
        retimed = any(how.retimed for how in run.writing.values())
        there = set(run.whole.clip.channels)
        if self.retimed and not retimed or not self.group_of.keys() <= there:
            raise KeysChanged("keys of another length")
        self.retimed = retimed
        for channel, how in run.writing.items():
            if channel in there and self.group_of.setdefault(channel, group_of(how)) != group_of(how):
                raise KeysChanged(channel.path)
        if self.switches:
            write_switches(bag, run.whole.clip, self.before.clip, self.switched)
        for (group, span), channels in self._together(run).items():
            writer = self.writers.get(group) or self.writers.setdefault(group, self._writer(*group))
            writer.write(bag, replace(run.whole.part(channels, span), switches=None))

    def _together(self, run):
        """The channels that were ever changed, by how they are written and over which frames."""
        found = {}
        for channel in run.whole.clip.channels:
            group = self.group_of.get(channel)
            if group:
                span = run.whole.span([channel]) if self.retimed else group[3]
                found.setdefault((group, span), []).append(channel)
        return found

    def _writer(self, keys, tolerance, changing, frames):
        clip = replace(self.before.part(self.before.clip.channels, frames), switches=None)
        whole = frames == (self.before.clip.first_frame, self.before.clip.last_frame)
        return Writer(Take(clip, self.dense if whole else {}, self.before.held), keys, tolerance, changing)

    def is_applied(self, bag, run):
        """Whether the lent action is already, key for key, what Apply would write: every frame keyed, as in the take."""
        return (
            not run.moves
            and run.writing.keys() == self.group_of.keys()
            and run.writing.keys() <= self.dense.keys()
            and all(how.keys in ("AUTO", "EVERY_FRAME") for how in run.writing.values())
            and all(writer.undisturbed(bag) for writer in self.writers.values())
        )

    def known(self, run):
        """Times and values of the curves that have just a key on every frame, by (path, index)."""
        known = {}
        for (group, span), channels in self._together(run).items():
            known |= self.writers[group].every_frame(run.whole.part(channels, span))
        return known

    def adds(self, run):
        """Whether something is animated that the take leaves as its owner holds it."""
        return any(channel not in self.before.columns or channel in self.before.held for channel in self.group_of)


def group_of(how):
    """How a channel is written while it is previewed; few keys for the body come with Apply."""
    return "EVERY_FRAME" if how.keys == "BODY" else how.keys, how.scope.tolerance, how.changing, how.frames
