# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files, read and written in bulk: a skeleton as text, and its motion as numbers, of which there may be millions."""

import re

import numpy as np

from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal
from . import bvh_numbers
from .bvh_hierarchy import FAR, read_hierarchy, shown

OPENING = re.compile(rb"(?<!\S)MOTION\s+Frames:\s*(\S{1,40})\s+Frame\s+Time:\s*(\S{1,40})\s", re.IGNORECASE)
HEAD = 1 << 23  # bytes within which the motion begins
BLOCK = 1 << 18  # bytes read at a time
ROWS = 256  # frames written at a time
LONGEST = 1 << 10  # characters of a number
SHORTEST, SLOWEST = 1e-4, 1.0  # seconds a frame
WORD = re.compile(rb"\S+")
SPACES = [bytes([letter]) for letter in b" \n\t\r\v\f"]


@frozen
class Bvh:
    """What a BVH file holds: its skeleton's text and joints in the file's order, seconds a frame, values (frames, channels)."""

    hierarchy: str
    joints: tuple
    frame_time: float
    values: np.ndarray
    as_written: tuple = ("", "")  # the skeleton and the seconds a frame, to the letter


def read(file):
    """Read a BVH file that is open for reading bytes, or a Refusal of one sentence that says what is wrong with it."""
    head = file.read(HEAD)
    opening = OPENING.search(head)
    text = head[: opening.start()].decode("utf-8-sig", "replace") if opening else ""
    if text.lstrip()[:9].upper() != "HIERARCHY":
        raise Refusal("it is no whole BVH file")
    hierarchy, joints = read_hierarchy(text)
    channels = sum(len(joint.channels) for joint in joints)
    if not channels:
        raise Refusal("its skeleton has no channels, so that nothing moves")
    frames, frame_time = read_count(opening[1]), read_time(opening[2])
    as_written = text, opening[2].decode("ascii", "replace")
    return Bvh(hierarchy, joints, frame_time, read_motion(file, opening.end(), frames, channels), as_written)


def opening_text(hierarchy, frames, frame_time):
    """All that stands before the numbers; the frame time as text."""
    return f"{hierarchy}MOTION\nFrames: {frames}\nFrame Time: {frame_time}\n"


def write(file, hierarchy, frame_time, values):
    """Write a BVH file that is open for writing bytes, values (frames, channels) with six decimals, some rows at a time.

    The frame time is written as text is, and as a number with six decimals, as Blender does.
    """
    seconds = frame_time if isinstance(frame_time, str) else f"{frame_time:.6f}"
    file.write(opening_text(hierarchy, len(values), seconds).encode("utf-8"))
    for start in range(0, len(values), ROWS):
        file.write(bvh_numbers.write(values[start : start + ROWS]))


def read_count(word):
    try:
        frames = int(word)
    except ValueError:
        frames = 0
    if frames < 1:
        raise Refusal(f"it says that it has {shown([word.decode('utf-8', 'replace')])} frames")
    return frames


def read_time(word):
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not seconds > 0.0:
        raise Refusal(f"its frame time is {shown([word.decode('utf-8', 'replace')])}, which is no number of seconds")
    if not SHORTEST <= seconds <= SLOWEST:
        raise Refusal(
            f"its frame time is {seconds:g} s, and {SHORTEST:g} to {SLOWEST:g} s "
            f"({1 / SLOWEST:g} to {1 / SHORTEST:g} frames a second) can be read"
        )
    return seconds


def read_motion(file, start, frames, channels):
    """The numbers (frames, channels) of a file from a byte on: as many frames as it says, or as it has lines."""
    try:
        values = read_numbers(file, start, frames * channels)
    except ValueError:
        check_count(count_words(file, start), frames, channels)
        refuse_word(file, start, channels)
        raise
    check_count(len(values), frames, channels)
    farthest = max(values.max(), -values.min())
    if not np.isfinite(farthest):
        refuse_word(file, start, channels)
    if farthest > FAR:
        raise Refusal(f"its motion goes as far as {farthest:g}, and {FAR:g} is the most")
    if len(values) != frames * channels:
        frames, said = count_lines(file, start), frames
        if len(values) != frames * channels:
            raise Refusal(
                f"its motion holds {len(values)} numbers, and {said} frames of {channels} channels are {said * channels}"
            )
    return values.reshape(frames, channels)


def read_numbers(file, start, wanted):
    """All numbers, in an array that has room for those wanted (not for more than the file can hold) from the start."""
    values = np.empty(min(wanted, file.seek(0, 2) // 2 + 1))
    filled, more = 0, []
    for text in texts(file, start):
        found = bvh_numbers.read(text)
        fitting = found[: len(values) - filled]
        values[filled : filled + len(fitting)] = fitting
        filled += len(fitting)
        more += [found[len(fitting) :]] if len(fitting) < len(found) else []
    return np.concatenate([values[:filled], *more]) if more else values[:filled]


def texts(file, start):
    """The text of a file from a byte on, in parts that end with a word: the first line, which often is a pose of whole numbers,
    and then some thousands of words at a time."""
    file.seek(start)
    rest, block = b"", file.readline(BLOCK)
    while block:
        text = rest + block
        end = len(text) if block[-1:].isspace() else 1 + max(text.rfind(space) for space in SPACES)
        if len(text) - end > LONGEST:
            raise TooLong(text[end : end + LONGEST])
        yield text[:end]
        rest, block = text[end:], file.read(BLOCK)
    yield rest


class TooLong(ValueError):
    """A word that is longer than any number."""


def count_words(file, start):
    """How many words a file has from a byte on, without end where one of them has none."""
    try:
        return sum(len(text.split()) for text in texts(file, start))
    except TooLong:
        return np.inf


def check_count(numbers, frames, channels):
    if numbers < frames * channels:
        raise Refusal(f"it is cut short, {10 * numbers // channels / 10} of {frames} frames are there")


def refuse_word(file, start, channels):
    """A Refusal of the first word from a byte on that is no number, with its line and its frame."""
    file.seek(0)
    line, index, rest = 1 + file.read(start).count(b"\n"), 0, b""
    while True:
        block = file.read(BLOCK)
        text = rest + block
        last = max(text.rfind(space) for space in SPACES) + 1
        end = last if block and len(text) - last <= LONGEST else len(text)
        for word in WORD.finditer(text, 0, end):
            if not is_number(word[0]):
                line += text.count(b"\n", 0, word.start())
                shown_word = shown([word[0][:LONGEST].decode("utf-8", "replace")])
                raise Refusal(f"line {line}, frame {index // channels + 1}: {shown_word} is no number")
            index += 1
        line, rest = line + text.count(b"\n", 0, end), text[end:]
        if not block:
            return


def is_number(word):
    try:
        return len(word) <= LONGEST and bool(np.isfinite(float(word)))
    except ValueError:
        return False


def count_lines(file, start):
    file.seek(start)
    return sum(not line.isspace() for line in file)
