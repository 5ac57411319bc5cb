# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files: what is read is what stands there, what is wrong is said in a sentence, and nothing else ever happens."""

import io
import tracemalloc

import numpy as np
import pytest
from motion_signal.core.files import bvh

TEXT = """HIERARCHY
ROOT Hips
{
  OFFSET 0 1.5 -2e-1
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Left Arm
  {
    OFFSET 1 2 3
    CHANNELS 3 Xrotation Zrotation Yrotation
    End Site
    {
      OFFSET 0 0 1
    }
  }
  JOINT Lid
  {
    OFFSET 0 0 1
    CHANNELS 1 Yposition
  }
}
MOTION
Frames: 3
Frame Time: 0.0083333
0 1 2 3 4 5 6 7 8 9
10 11 12 13 14 15 16 17 18 19
-0.5 .5 1e2 -1e-3 +4 5. 6 7 8 9
"""


def read(text):
    return bvh.read(io.BytesIO(text.encode("utf-8") if isinstance(text, str) else text))


def test_joints_columns_and_numbers_are_those_of_the_file():
    motion = read(TEXT)
    hips, arm, lid = motion.joints
    assert [joint.name for joint in motion.joints] == ["Hips", "Left_Arm", "Lid"]
    assert (hips.offset, arm.offset) == ((0.0, 1.5, -0.2), (1.0, 2.0, 3.0))
    assert (hips.order, arm.order, lid.order) == ("ZYX", "XZY", "")
    assert (hips.columns("position"), hips.columns("rotation")) == ([0, 1, 2], [5, 4, 3])
    assert (arm.columns("rotation"), lid.columns("position")) == ([6, 8, 7], [None, 9, None])
    assert (hips.moves, arm.moves, lid.moves) == (True, False, True)
    assert motion.frame_time == 0.0083333
    np.testing.assert_array_equal(motion.values[:2], np.arange(20.0).reshape(2, 10))
    np.testing.assert_array_equal(motion.values[2], [-0.5, 0.5, 100, -0.001, 4, 5, 6, 7, 8, 9])


@pytest.mark.parametrize(
    "change",
    (
        str.lower,
        str.upper,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace(" ", "\t "),
        lambda text: text.replace("9\n10", "9 10"),
        lambda text: text.rstrip(),
        lambda text: text.replace("Frames: 3", "Frames: 2"),
    ),
)
def test_case_line_ends_and_spaces_do_not_matter(change):
    expected, found = read(TEXT), read(change(TEXT))
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.hierarchy.lower() == expected.hierarchy.lower()


def test_the_skeleton_is_written_anew_and_reads_the_same():
    motion = read(TEXT)
    again = read(bvh.opening_text(motion.hierarchy, 1, repr(motion.frame_time)) + "0 " * 10)
    assert (again.hierarchy, again.joints, again.frame_time) == (motion.hierarchy, motion.joints, motion.frame_time)


@pytest.mark.parametrize("frames", (1, 2 * bvh.ROWS, 2 * bvh.ROWS + 3))
@pytest.mark.parametrize("order", "CF")
def test_what_is_written_has_six_decimals_and_reads_the_same(frames, order):
    values = np.asarray(np.random.default_rng(0).normal(size=(frames, 10)) * 100, order=order)
    file = io.BytesIO()
    bvh.write(file, read(TEXT).hierarchy, 1 / 120, values)
    rows = "".join("".join(f"{value:.6f} " for value in row) + "\n" for row in values)
    assert file.getvalue().decode().partition("Frame Time: 0.008333\n")[2] == rows
    np.testing.assert_allclose(read(file.getvalue()).values, values, atol=5.1e-7, rtol=0)


def swapped(old, new):
    assert old in TEXT
    return lambda: TEXT.replace(old, new, 1)


def chain(depth):
    opened = "".join(f"JOINT j{level}\n{{\nOFFSET 0 0 1\nCHANNELS 0\n" for level in range(depth))
    return TEXT.replace("JOINT Lid", opened + "}\n" * depth + "JOINT Lid")


def crowd():
    return TEXT.replace("JOINT Lid", "JOINT j\n{\nOFFSET 0 0 1\nCHANNELS 0\n}\n" * 2500 + "JOINT Lid")


CUT, STRANGE, NO_NUMBER = "it is cut short", "it is no whole BVH file", "is no number"
WRONG = {
    "nothing": (lambda: "", STRANGE),
    "something else": (lambda: "hello", STRANGE),
    "bytes": (lambda: bytes(range(256)) * 50, STRANGE),
    "no motion": (lambda: TEXT.partition("MOTION")[0], STRANGE),
    "no skeleton": (lambda: "MOTION" + TEXT.partition("MOTION")[2], STRANGE),
    "zeros": (lambda: "\0" * 10000, STRANGE),
    "no frame time": (swapped("Frame Time: 0.0083333\n", ""), STRANGE),
    "cut": (lambda: TEXT[:-8], "it is cut short, 2.6 of 3 frames are there"),
    "cut in a sign": (swapped(" -1e-3 +4 5. 6 7 8 9", " -"), CUT),
    "more frames": (swapped("Frames: 3", "Frames: 4"), CUT),
    "endless frames": (swapped("Frames: 3", "Frames: " + "9" * 38), CUT),
    "a number more": (swapped("10 11", "10 1 1"), "its motion holds 31 numbers, and 3 frames of 10 channels are 30"),
    "a word": (swapped("10 11", "10 oops"), "line 25, frame 2: oops is no number"),
    "two dots": (swapped("10 11", "10 1.1.1"), NO_NUMBER),
    "zero byte": (swapped("10 11", "10 1\0"), NO_NUMBER),
    "nan": (swapped("10 11", "10 nan"), NO_NUMBER),
    "infinity": (swapped("10 11", "10 -inf"), NO_NUMBER),
    "past infinity": (swapped("10 11", "10 1e999"), NO_NUMBER),
    "a word of megabytes": (swapped("10 11", "10 " + "1" * 3000000), NO_NUMBER),
    "far": (swapped("10 11", "10 -1e300"), "its motion goes as far as 1e+300, and 1e+09 is the most"),
    "no frames": (swapped("Frames: 3", "Frames: 0"), "it says that it has 0 frames"),
    "fewer than no frames": (swapped("Frames: 3", "Frames: -3"), "it says that it has -3 frames"),
    "frames in words": (swapped("Frames: 3", "Frames: three"), "it says that it has three frames"),
    "no time": (swapped("0.0083333", "0"), "its frame time is 0, which is no number of seconds"),
    "time backwards": (swapped("0.0083333", "-1"), NO_NUMBER),
    "time of nothing": (swapped("0.0083333", "nan"), NO_NUMBER),
    "time in words": (swapped("0.0083333", "soon"), NO_NUMBER),
    "endless time": (swapped("0.0083333", "inf"), "its frame time is inf s, and 0.0001 to 1 s (1 to 10000 frames a second)"),
    "hardly any time": (swapped("0.0083333", "1e-300"), "its frame time is 1e-300 s"),
    "long time": (swapped("0.0083333", "1e9"), "its frame time is 1e+09 s"),
    "a bracket more": (swapped("MOTION", "}\nMOTION"), "its skeleton has } where that cannot be"),
    "a bracket less": (swapped("}\nMOTION", "MOTION"), "its skeleton lacks 1 closing brackets"),
    "no opening bracket": (swapped("{", ""), "its skeleton has OFFSET 0 1.5 -2e-1 where { should be"),
    "no name": (swapped("JOINT Lid", "JOINT"), "its skeleton has a joint without a name"),
    "name of a zero byte": (swapped("JOINT Lid", "JOINT Li\0d"), r"a joint without a name that can be shown (JOINT Li\x00d)"),
    "no joint": (lambda: "HIERARCHY\nMOTION" + TEXT.partition("MOTION")[2], "its skeleton has no joint"),
    "no offset": (swapped("OFFSET 1 2 3", ""), "Zrotation Yrotation where OFFSET should be"),
    "short offset": (swapped("OFFSET 1 2 3", "OFFSET 1 2"), "joint Left_Arm has no three numbers as its offset (OFFSET 1 2)"),
    "offset in words": (swapped("OFFSET 1 2 3", "OFFSET 1 2 c"), "no three numbers"),
    "offset of nothing": (swapped("OFFSET 1 2 3", "OFFSET 1 nan 3"), "joint Left_Arm is too far from its parent"),
    "far offset": (swapped("OFFSET 1 2 3", "OFFSET 1 2 1e30"), "joint Left_Arm is too far from its parent"),
    "endless offset": (swapped("OFFSET 0 0 1", "OFFSET inf 0 1"), "joint Left_Arm is too far from its parent"),
    "no channels": (swapped("CHANNELS 1 Yposition", ""), "where CHANNELS should be"),
    "a channel more": (swapped("CHANNELS 1", "CHANNELS 2"), "joint Lid has channels that cannot be (CHANNELS 2 Yposition)"),
    "channels in words": (swapped("CHANNELS 1", "CHANNELS one"), "joint Lid has channels that cannot be"),
    "no such channel": (swapped("Yposition\n  }", "Wposition\n  }"), "joint Lid has channels that cannot be"),
    "a channel twice": (swapped("3 Xrotation Zrotation", "3 Xrotation Xrotation"), "joint Left_Arm has channels that"),
    "nothing moves": (
        lambda: "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n",
        "its skeleton has no channels",
    ),
    "a joint in an end": (swapped("OFFSET 0 0 1\n    }", "OFFSET 0 0 1\nJOINT x\n    }"), "has JOINT x where that"),
    "very deep": (lambda: chain(10000), "its skeleton is larger than 2000 joints, or than 400 below each other"),
    "a crowd": (crowd, "its skeleton is larger"),
}


@pytest.mark.parametrize("text, sentence", WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_in_a_sentence(text, sentence):
    with pytest.raises(ValueError) as error:
        read(text())
    assert sentence in str(error.value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 250


def test_mutated_files_are_read_or_refused():
    """Any other error ends this test; what is read has numbers only, and a skeleton that reads the same again."""
    random, outcomes = np.random.default_rng(0), []
    for _ in range(2000):
        text = mutated(TEXT.encode(), random)
        try:
            motion = read(text)
        except ValueError as error:
            assert "\n" not in str(error) and len(str(error)) < 250
            outcomes.append(False)
            continue
        outcomes.append(True)
        assert np.isfinite(motion.values).all()
        assert motion.values.shape[1] == sum(len(joint.channels) for joint in motion.joints)
        again = read(bvh.opening_text(motion.hierarchy, 1, "0.1") + "0 " * motion.values.shape[1])
        assert again.joints == motion.joints
    assert 50 < sum(outcomes) < 1900


def mutated(text, random):
    """A few bytes of a text changed, left out, doubled or moved."""
    for _ in range(random.integers(1, 3)):
        start, length = random.integers(len(text)), random.integers(1, 30)
        letters = text[start : start + length]
        byte = bytes(random.integers(256, size=1, dtype=np.uint8))
        put = (byte, b"7", b"x", b"", letters + letters, letters[::-1], b"nan", b"-1e308", b"}", b"\0")
        text = text[:start] + put[random.integers(len(put))] + text[start + (1 if random.random() < 0.8 else length) :]
    return text


def test_reading_needs_little_more_memory_than_the_numbers():
    row = " ".join(["-123.4567"] * 10) + "\n"
    data = io.BytesIO((TEXT.partition("Frames")[0] + "Frames: 50000\nFrame Time: 0.01\n" + row * 50000).encode())
    tracemalloc.start()
    try:
        motion = bvh.read(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert motion.values.nbytes == 4000000 and peak < 4000000 + 3 * bvh.HEAD
