# SPDX-License-Identifier: GPL-3.0-or-later
"""A process of a batch, which treats take after take."""

from motion_signal.operators.batch.worker import Worker

WORK = """
import weakref

seen = []


class Take:
    pass


def work(job):
    alive = sum(take() is not None for take in seen)
    take = Take()
    take.kept = {"of": take}
    seen.append(weakref.ref(take))
    return {"alive": alive}
"""


def test_nothing_of_a_take_is_left_when_the_next_one_comes(tmp_path, monkeypatch):
    (tmp_path / "work_that_leaves_circles.py").write_text(WORK, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    worker = Worker()
    try:
        answers = [worker.ask({"work": "work_that_leaves_circles", "limit": 60.0}) for _ in range(4)]
    finally:
        worker.close()
    assert [answer["alive"] for answer in answers] == [0, 0, 0, 0]
