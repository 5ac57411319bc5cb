# SPDX-License-Identifier: GPL-3.0-or-later
"""A take as a whole: all that is animated, on one grid of frames; every step of a recipe takes its part and changes it."""

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from ..declare.lists import split_names
from ..motion.clip import Channel, Clip
from ..motion.compare import changed_channels
from ..motion.fade import range_weights
from ..motion.switches import CLOCK, Switches
from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

TIME = Channel("motion_signal_time", 0, CLOCK)
TOGETHER = ("QUATERNION", "AXIS_ANGLE")  # rotations that only change as a whole


@frozen
class Whole:
    """All channels of a take, switches along. What is `fixed` takes part in the motion and is never changed."""

    clip: Clip
    spans: Mapping = field(default_factory=dict)  # first and last frame with keys of a channel, if not the clip's
    held: frozenset = frozenset()  # channels that have no keys, and are what the figure holds
    fixed: frozenset = frozenset()  # path and index of what is not to be changed
    staying: tuple = ()  # channels that were asked for, perhaps, and are locked or muted

    @cached_property
    def columns(self):
        return {channel: column for column, channel in enumerate(self.clip.channels)}

    def chosen(self, scope):
        """The channels that a step may change, in their order."""
        wanted = choice(scope)
        own = [channel for channel in self.clip.channels if not (self.fixed and name(channel) in self.fixed)]
        keyed = [channel for channel in own if not (self.held and channel in self.held) and wanted(channel)]
        if not keyed:
            raise Refusal(f"nothing to change: nothing that moves is in scope ({scope.scope.lower()})")
        refuse_parts(keyed, [channel for channel in own if channel not in self.held] if self.held else own)
        if not self.held:
            return keyed
        paths = {channel.path for channel in keyed}
        placed = {channel.owner for channel in keyed if channel.kind == "LOCATION"}
        return keyed + [
            channel
            for channel in own
            if channel in self.held
            and (
                scope.scope == "ALL"
                or (channel.path in paths or not channel.owner)
                and (channel.kind in TOGETHER or channel.owner in placed)
            )
        ]

    def chosen_switches(self, scope):
        """The switches that go along with a step that changes time."""
        wanted = choice(scope)
        return [channel for channel in getattr(self.clip.switches, "channels", ()) if wanted(channel) or channel.kind == CLOCK]

    def with_clock(self):
        """The same with a switch more, which tells of every frame which one of the take it was, whatever moves it in time."""
        clip = self.clip
        frames = np.arange(clip.first_frame, clip.last_frame + 1, dtype=float)[:, None]
        along = clip.switches or Switches((), np.zeros((clip.frames, 0)))
        return replace(self, clip=replace(clip, switches=Switches((*along.channels, TIME), np.hstack([along.values, frames]))))

    def without_clock(self):
        """The same without that switch, and without switches if it is the only one."""
        along = self.clip.switches
        kept = [index for index, channel in enumerate(along.channels if along else ()) if channel != TIME]
        if along is None or len(kept) == len(along.channels):
            return self
        others = Switches(tuple(along.channels[index] for index in kept), along.values[:, kept]) if kept else None
        return replace(self, clip=replace(self.clip, switches=others))

    @property
    def clock(self):
        """Which frame of the take each frame is (frames,), None where nobody has looked."""
        return self.clip.curve(str(TIME))

    def span(self, channels):
        """First and last frame of channels."""
        own = self.clip.first_frame, self.clip.last_frame
        if not self.spans:
            return own
        spans = [self.spans.get(channel, own) for channel in channels if channel not in self.held] or [own]
        return min(first for first, _ in spans), max(last for _, last in spans)

    def part(self, channels, frames, switches=()):
        """The clip of some channels over first to last frame, and of some switches."""
        clip, (first, last) = self.clip, frames
        along = part_of_switches(clip, switches, frames)
        if list(channels) == list(clip.channels) and frames == (clip.first_frame, clip.last_frame):
            return clip.with_switches(along)
        rows = slice(first - clip.first_frame, last - clip.first_frame + 1)
        values = np.asfortranarray(clip.values[rows][:, [self.columns[channel] for channel in channels]])
        return Clip(values, tuple(channels), clip.fps, first, along)

    def beside(self, channels, frames):
        """What else bones do over these frames; None if they do nothing else."""
        chosen = set(channels)
        if len(chosen) == len(self.clip.channels):
            return None
        others = [channel for channel in self.clip.channels if channel.owner and channel not in chosen]
        keyed = {channel.path for channel in others if channel not in self.held}
        others = [channel for channel in others if channel.path in keyed]
        return self.part(others, frames) if others else None

    def with_result(self, part, result):
        """The whole with a part of it replaced by what became of that, which may have more channels and other frames."""
        if result is part:
            return self
        frames = result.first_frame, result.last_frame
        if result.channels is part.channels is self.clip.channels:
            clip = replace(result, switches=joined_switches(self.clip, result, frames))
            return replace(self, clip=clip, spans={}, held=self.held and self.held - changed_channels(result, part))
        result = without_strangers(result, set(self.clip.channels) - set(part.channels))
        own = {*part.channels, *result.channels}
        others = [channel for channel in self.clip.channels if channel not in own]
        first, last = hull([frames, *([self.span(others)] if others else [])])
        switches = joined_switches(self.clip, result, (first, last))
        clip = result.with_switches(switches)
        if others:
            rest = over(
                self.clip.values[:, [self.columns[channel] for channel in others]], self.clip.first_frame, (first, last)
            )
            both = np.asfortranarray(np.hstack([rest, over(result.values, result.first_frame, (first, last))]))
            clip = replace(clip, values=both, channels=(*others, *result.channels), first_frame=first)
        spans = {channel: self.spans.get(channel, (self.clip.first_frame, self.clip.last_frame)) for channel in others}
        return replace(
            self,
            clip=clip,
            spans={**spans, **dict.fromkeys(result.channels, frames)},
            held=self.held - changed_channels(result, part) if self.held else self.held,
        )


def name(channel):
    return channel.path, channel.index


def choice(scope):
    """A function that says of a channel whether ScopeParams ask for it; who is selected was looked up before."""
    if scope.scope == "NAMED":
        names = set(split_names(scope.bones))
        return lambda channel: channel.owner in names
    if scope.scope == "LISTED":
        listed = {(entry.get("path", ""), entry.get("index", 0)) for entry in scope.curves}
        return lambda channel: name(channel) in listed
    if scope.scope != "ALL":
        raise Refusal(f"scope: {scope.scope.lower()} are known only where they are selected; name the bones instead")
    return lambda channel: True


def refuse_parts(chosen, there):
    """Refuse components of a rotation that only changes as a whole."""
    for path in {channel.path for channel in chosen if channel.kind in TOGETHER}:
        some, all_of_it = ([channel for channel in group if channel.path == path] for group in (chosen, there))
        if len(some) < len(all_of_it):
            raise Refusal(
                f"{path}: {len(some)} of {len(all_of_it)} curves are selected, and a rotation in this mode only "
                "changes as a whole"
            )


def weights_of(scope, frames, fps):
    """How much each frame of first to last changes, (frames,), or None where everything does."""
    if scope.frames == "WHOLE":
        return None
    (first, last), start, end = frames, scope.frame_start, scope.frame_end
    if end <= start:
        raise Refusal(f"frame_end: {end} is not after the start at {start}")
    if end <= first or start >= last:
        raise Refusal(f"frames {start}-{end} lie outside the motion, which has frames {first}-{last}")
    return range_weights(
        last - first + 1,
        start - first,
        end - first,
        scope.fade_in * fps if start > first else 0.0,
        scope.fade_out * fps if end < last else 0.0,
    )


def without_strangers(result, others):
    """A result without channels that are there already and were not in its scope."""
    kept = [index for index, channel in enumerate(result.channels) if channel not in others]
    if len(kept) == len(result.channels):
        return result
    return replace(result, values=result.values[:, kept], channels=tuple(result.channels[index] for index in kept))


def hull(spans):
    return min(first for first, _ in spans), max(last for _, last in spans)


def over(values, begins, frames):
    """Rows of values that begin at a frame, over first to last frame; outside their own they hold."""
    if (begins, begins + len(values) - 1) == frames:
        return values
    return values[np.clip(np.arange(frames[0], frames[1] + 1) - begins, 0, len(values) - 1)]


def part_of_switches(clip, channels, frames):
    if clip.switches is None or not len(channels):
        return None
    if list(channels) == list(clip.switches.channels) and frames == (clip.first_frame, clip.last_frame):
        return clip.switches
    columns = [clip.switches.channels.index(channel) for channel in channels]
    return Switches(tuple(channels), over(clip.switches.values, clip.first_frame, frames)[:, columns])


def joined_switches(clip, result, frames):
    """All switches over these frames, of which those of the part are as they became."""
    if clip.switches is None:
        return None
    became = dict(zip(result.switches.channels, result.switches.values.T)) if result.switches else {}
    columns = [
        over(became[channel], result.first_frame, frames) if channel in became else over(values, clip.first_frame, frames)
        for channel, values in zip(clip.switches.channels, clip.switches.values.T)
    ]
    return Switches(clip.switches.channels, np.column_stack(columns))
