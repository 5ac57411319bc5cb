# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust: faults of known size put into a walk are found, with bone, frame and size, and nothing else is."""

import numpy as np
import pytest
from motion_signal.bench.make_moods import clip_of
from motion_signal.core.body.trust import trust, trust_words
from motion_signal.core.body.walking_figure import FIGURE, walk
from scipy.spatial.transform import Rotation


@pytest.fixture(scope="module")
def clip():
    motion = walk(120, 30.0)
    return clip_of(motion.rotations, motion.location)


def turned(clip, name, rows, vector):
    """The clip with a bone turned about its own axes by a rotation vector in degrees, in some rows."""
    columns = [column for column, channel in enumerate(clip.channels) if channel.owner == name and channel.kind == "QUATERNION"]
    values = clip.values.copy()
    turns = Rotation.from_quat(values[rows][:, columns], scalar_first=True) * Rotation.from_rotvec(vector, degrees=True)
    values[np.ix_(rows, columns)] = turns.as_quat(scalar_first=True, canonical=True)
    return clip.with_values(values)


def test_the_take_itself_is_to_be_trusted(clip):
    assert trust_words(clip, clip, FIGURE) == "no joint jumps, no knee is past straight, no foot is deeper than in the take"


def test_a_jump_is_found_with_bone_and_frame(clip):
    worst = trust(clip, turned(clip, "head", [50], (0.0, 40.0, 0.0)), FIGURE)["turn"]
    assert worst.owner == "head" and worst.frame in (clip.first_frame + 50, clip.first_frame + 51)
    assert worst.size == pytest.approx(40.0, abs=3.0)


def test_a_knee_past_straight_is_counted(clip):
    """The shin turned back by as much as the knee bends, and 12 degrees more."""
    rows = [60, 61, 62]
    axes, heads = FIGURE.posed(clip)
    hip, knee, ankle = (heads[:, FIGURE.index(name)] for name in ("thigh.L", "shin.L", "foot.L"))
    edited = clip
    for row in rows:
        thigh, shin = knee[row] - hip[row], ankle[row] - knee[row]
        around = np.cross(thigh, shin)
        bend = np.degrees(np.arctan2(np.linalg.norm(around), thigh @ shin))
        about = axes[row, FIGURE.index("shin.L")].T @ (around / np.linalg.norm(around))
        edited = turned(edited, "shin.L", [row], -(bend + 12.0) * about)
    worst = trust(clip, edited, FIGURE)["knee"]
    assert (worst.owner, worst.count) == ("shin.L", 3) and worst.frame - clip.first_frame in rows
    assert worst.size == pytest.approx(12.0, abs=0.5)
    assert "shin.L is past straight on 3 frame(s), by 12°" in trust_words(clip, edited, FIGURE)


def test_a_figure_that_sinks_says_how_deep(clip):
    up = FIGURE.bones[0].rest[2, :3]
    columns = [column for column, channel in enumerate(clip.channels) if channel.kind == "LOCATION"]
    values = clip.values.copy()
    values[80:90, columns] -= 0.05 * up
    worst = trust(clip, clip.with_values(values), FIGURE)["depth"]
    assert 40.0 < worst.size <= 50.0 and 80 <= worst.frame - clip.first_frame < 90


def test_another_length_is_held_against_all_of_the_take(clip):
    shorter = clip.with_values(clip.values[:100])
    assert trust_words(clip, shorter, FIGURE).startswith("no joint jumps")
    values = shorter.values.copy()
    values[50:] = np.roll(clip.values, 40, axis=0)[50:100]
    assert "farther in frame" in trust_words(clip, clip.with_values(values), FIGURE)
