# SPDX-License-Identifier: GPL-3.0-or-later
"""The skeleton of a BVH file: joints from its text, and that text anew, word by word, from what was understood.

Whoever reads the new text, as Blender's importer does, meets nothing that was not checked.
"""

import re
from dataclasses import replace

from ..numeric.frozen import frozen
from ..numeric.refusal import Refusal

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
FAR = 1e9  # units or degrees: what single precision still multiplies
DEEPEST, MOST = 400, 2000  # joints below each other, and in all: Blender takes seconds for these already
BRACKET = re.compile(r"(?:(?<=\s)|(?=\{[ \t]*$))([{}])(?=\s|$)", re.MULTILINE)  # on a line with something else, too
END = -1  # stands for the joint inside an End Site


@frozen
class Joint:
    """A joint of the skeleton: its place from its parent's, and what its columns of the motion are, in the file's order."""

    name: str
    offset: tuple
    channels: tuple
    first: int  # column
    parent: int = -1  # its index among the joints, -1 for a root
    end: tuple | None = None  # the End Site's place from its own

    def columns(self, kind):
        """The columns for X, Y and Z of `position` or `rotation`, None for one that there is not."""
        names = [axis + kind for axis in "XYZ"]
        return [self.first + self.channels.index(name) if name in self.channels else None for name in names]

    @property
    def order(self):
        """The axes that it turns about in the file's order, such as ZYX, or nothing; those that a hinge lacks come last."""
        return "".join(name[0] for name in self.all_channels if name.endswith("rotation"))

    @property
    def all_channels(self):
        """Its channels as Blender wants them: one that turns about some axes has those about the others, too."""
        lacking = [name for name in CHANNELS[3:] if name not in self.channels]
        return (*self.channels, *lacking) if len(lacking) < 3 else self.channels

    @property
    def moves(self):
        return any(name.endswith("position") for name in self.channels)


def read_hierarchy(text):
    """The skeleton's text with one statement a line, as Blender wants it, and its joints."""
    text = BRACKET.sub(r"\n\1\n", text)
    statements = iter([line.split() for line in re.split(r"[\r\n]+", text) if line.strip()][1:])
    lines, joints, inside = ["HIERARCHY"], [], []
    for words in statements:
        kind = words[0].lower()
        if kind in ("root", "joint") and END not in inside:
            joints.append(read_joint(words, statements, joints, inside[-1] if inside else -1))
            lines += [
                f"{'JOINT' if inside else 'ROOT'} {joints[-1].name}",
                "{",
                placed(joints[-1].offset),
                " ".join(["CHANNELS", str(len(joints[-1].all_channels)), *joints[-1].all_channels]),
            ]
            inside.append(len(joints) - 1)
        elif kind == "end" and inside and END not in inside:
            expect(statements, "{")
            end = read_offset(expect(statements, "OFFSET"), joints[inside[-1]].name)
            joints[inside[-1]] = replace(joints[inside[-1]], end=end)
            lines += ["End Site", "{", placed(end)]
            inside.append(END)
        elif words == ["}"] and inside:
            lines.append("}")
            inside.pop()
        else:
            raise Refusal(f"its skeleton has {shown(words)} where that cannot be")
        check_size(joints, inside)
    if inside or not joints:
        raise Refusal("its skeleton has no joint" if not joints else f"its skeleton lacks {len(inside)} closing brackets")
    return "\n".join(lines) + "\n", tuple(joints)


def read_joint(words, statements, joints, parent):
    """A joint from its first four lines."""
    name = "_".join(words[1:])
    if not name or not name.isprintable():
        raise Refusal(f"its skeleton has a joint without a name that can be shown ({shown(words)})")
    expect(statements, "{")
    offset = read_offset(expect(statements, "OFFSET"), name)
    channels = read_channels(expect(statements, "CHANNELS"), name)
    return Joint(name, offset, channels, joints[-1].first + len(joints[-1].channels) if joints else 0, parent)


def expect(statements, word):
    words = next(statements, ["nothing"])
    if words[0].upper() != word:
        raise Refusal(f"its skeleton has {shown(words)} where {word} should be")
    return words


def read_offset(words, name):
    try:
        x, y, z = (float(word) for word in words[1:])
    except ValueError:
        raise Refusal(f"joint {name[:64]} has no three numbers as its offset ({shown(words)})") from None
    if not all(abs(number) < FAR for number in (x, y, z)):
        raise Refusal(f"joint {name[:64]} is too far from its parent ({shown(words)}); {FAR:g} is the most")
    return x, y, z


def read_channels(words, name):
    known = {channel.lower(): channel for channel in CHANNELS}
    channels = tuple(known.get(word.lower()) for word in words[2:])
    if words[1:2] != [str(len(channels))] or None in channels or len(set(channels)) < len(channels):
        raise Refusal(f"joint {name[:64]} has channels that cannot be ({shown(words)})")
    return channels


def check_size(joints, inside):
    if len(inside) > DEEPEST or len(joints) > MOST:
        raise Refusal(f"its skeleton is larger than {MOST} joints, or than {DEEPEST} below each other")


def shown(words):
    """Words of a file that go into a sentence: not all of a long line, and nothing that no screen shows."""
    text = ascii(" ".join(words))[1:-1]
    return text if len(text) <= 64 else text[:61] + "..."


def placed(offset):
    return "OFFSET " + " ".join(map(repr, offset))
