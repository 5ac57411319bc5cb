# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a batch is, said to whoever looks and to files."""

import io

import pytest
from motion_signal.operators.batch.progress import Progress, duration


class Screen(io.StringIO):
    def isatty(self):
        return True


def ran(stream, total=4):
    """Progress of takes that each need two seconds, one of which fails."""
    now = iter(range(0, 1000, 2))
    progress = Progress(total, stream, lambda: next(now))
    for number in range(3):
        failed = number == 1
        progress.step(
            {
                "source": f"take{number}.bvh",
                "target": f"take{number}.bvh",
                "status": "failed" if failed else "done",
                "reason": "it is cut short" if failed else "",
            }
        )
    progress.end()
    return stream.getvalue()


def test_a_bar_fills_and_says_rate_and_time_left():
    text = ran(Screen())
    last = text.split("\r")[-1]
    assert "[##################......] 3/4, 0.5 takes a second, 2 s left" in last
    assert "\n\x1b[31mtake1.bvh: it is cut short\x1b[0m\n" in text


def test_a_file_gets_a_line_for_each_take_and_no_bar():
    lines = ran(io.StringIO()).splitlines()
    assert lines[0] == "take0.bvh -> take0.bvh (1/4, 0.5 takes a second, 6 s left)"
    assert lines[1] == "take1.bvh: it is cut short" and len(lines) == 3 and "\r" not in "".join(lines)


@pytest.mark.parametrize(
    "seconds, words", [(0.2, "0 s"), (48.4, "48 s"), (60, "1 min 0 s"), (185, "3 min 5 s"), (7830, "2 h 10 min")]
)
def test_times_are_said_as_people_say_them(seconds, words):
    assert duration(seconds) == words
