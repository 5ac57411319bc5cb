# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of a folder: only what changed is read again, what cannot be read is listed, and it stays whole."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import made_takes
import pytest
from motion_signal.core.files.bvh_take import read_bvh
from motion_signal.core.library.store import VERSION, Library, index_of
from motion_signal.core.numeric.refusal import Refusal
from motion_signal.operators.commandline import main
from motion_signal.operators.library.index import update

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path):
    """A folder of four takes, one of them in a folder below."""
    (tmp_path / "takes" / "day2").mkdir(parents=True)
    for name in ("walk", "run", "kick"):
        made_takes.write_bvh(tmp_path / "takes" / f"{name}.bvh", made_takes.take(name))
    made_takes.write_bvh(tmp_path / "takes" / "day2" / "turn.bvh", made_takes.take("turn"))
    return tmp_path / "takes"


def test_a_folder_is_indexed_and_only_what_changed_again(folder):
    done = update(folder)
    assert (done.takes, done.read, done.gone, done.problems) == (4, 4, 0, ())
    assert index_of(folder).stat().st_size < 100 * done.frames + 40_000  # and a page of SQLite's for each of its blobs
    assert update(folder).read == 0
    os.utime(folder / "walk.bvh")
    assert update(folder).read == 0  # it is what it was
    (folder / "walk.bvh").write_bytes((folder / "run.bvh").read_bytes())
    (folder / "kick.bvh").unlink()
    before = {entry.path: entry.number for entry in Library(index_of(folder)).entries}
    done = update(folder)
    after = {entry.path: entry.number for entry in Library(index_of(folder)).entries}
    assert (done.takes, done.read, done.gone) == (3, 1, 1)
    assert {path: after[path] for path in ("run.bvh", "day2/turn.bvh")} == {
        path: before[path] for path in ("run.bvh", "day2/turn.bvh")
    }


def test_what_cannot_be_read_is_listed_and_the_rest_indexed(folder):
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT nothing")
    (folder / "empty.bvh").write_bytes(b"")
    done = update(folder)
    assert done.takes == 4 and [path for path, _ in done.problems] == ["broken.bvh", "empty.bvh"]
    assert all(problem for _, problem in done.problems) and update(folder).read == 0
    made_takes.write_bvh(folder / "broken.bvh", made_takes.take("slow"))
    assert update(folder).takes == 5


def test_several_processes_index_the_same(folder):
    update(folder, 1)
    alone = Library(index_of(folder))
    index_of(folder).unlink()
    update(folder, 2)
    together = Library(index_of(folder))
    assert [entry.path for entry in alone.entries] == [entry.path for entry in together.entries]
    assert (alone.moments == together.moments).all() and (alone.measures == together.measures).all()


def test_an_index_of_a_newer_version_and_what_is_none_are_refused_and_left_alone(folder):
    update(folder)
    with sqlite3.connect(index_of(folder)) as base:
        base.execute(f"PRAGMA user_version = {VERSION + 1}")
    base.close()
    before = index_of(folder).read_bytes()
    for asked in (lambda: update(folder), lambda: Library(index_of(folder))):
        with pytest.raises(Refusal, match=f"version {VERSION + 1}, and this Motion Signal knows {VERSION}"):
            asked()
    assert index_of(folder).read_bytes() == before
    index_of(folder).write_bytes(b"no index at all" * 100)
    for asked in (lambda: update(folder), lambda: Library(index_of(folder))):
        with pytest.raises(Refusal, match="no index of takes"):
            asked()
    assert index_of(folder).read_bytes() == b"no index at all" * 100


def test_folders_without_takes_or_index_and_those_that_vanish_get_a_sentence(folder, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["index", str(tmp_path / "empty")]) == 2 and "there are no motion files in it" in capsys.readouterr().err
    assert list((tmp_path / "empty").iterdir()) == []
    assert main(["index", str(tmp_path / "none")]) == 2 and "there is no such folder" in capsys.readouterr().err
    assert main(["find", str(folder), "loops"]) == 2 and "index it first" in capsys.readouterr().err
    update(folder)
    library = Library(index_of(folder))
    index_of(folder).unlink()
    with pytest.raises(Refusal, match="not there any more"):
        library.features(0)


@pytest.mark.parametrize("after", [0.7, 1.0, 1.4])
def test_an_index_stays_whole_when_its_maker_is_killed(folder, after):
    for number in range(12):
        made_takes.write_bvh(folder / f"more{number}.bvh", made_takes.take("slow"))
    code = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('motion_signal', {str(ROOT / '__init__.py')!r}, "
        f"submodule_search_locations=[{str(ROOT)!r}])\n"
        "sys.modules['motion_signal'] = package = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(package)\n"
        "from motion_signal.operators.library.index import update\n"
        f"update({str(folder)!r}, 1)\n"
    )
    maker = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    time.sleep(after)
    os.killpg(maker.pid, signal.SIGKILL)
    maker.wait()
    if index_of(folder).exists():
        there = sqlite3.connect(index_of(folder))
        assert there.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        there.close()
    assert update(folder).takes == 16


def test_the_command_finds_by_a_stretch_by_words_and_along_a_way(folder, capsys):
    assert main(["index", str(folder), "--jobs", "1"]) == 0
    capsys.readouterr()
    asked = {
        ("--like", str(folder / "run.bvh"), "--frames", "50-200"): "run.bvh",
        ("--pose", str(folder / "kick.bvh"), "--frames", "110"): "kick.bvh",
        ("speed > 2",): "run.bvh",
        ("--way", "0,0", "1,0", "2,0.5", "2.5,1.5"): "turn.bvh",
    }
    for words, name in asked.items():
        assert main(["find", str(folder), *words, "--count", "3"]) == 0
        assert name in capsys.readouterr().out.splitlines()[0]
    assert main(["find", str(folder)]) == 2 and "say what is looked for" in capsys.readouterr().err
    assert main(["find", str(folder), "speed > 2", "--json"]) == 0 and '"path": "run.bvh"' in capsys.readouterr().out


def test_the_command_goes_on_in_other_takes_and_along_a_way(folder, tmp_path, capsys):
    made_takes.write_bvh(folder / "fast.bvh", made_takes.take("fast"))
    made_takes.write_bvh(folder / "slow.bvh", made_takes.take("slow"))
    update(folder, 1)
    take, target = folder / "walk.bvh", tmp_path / "out.bvh"
    assert main(["continue", str(folder), str(take), "-o", str(target), "--count", "2", "--seconds", "1.2"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len({line.split()[0] for line in said[:2]} - {"walk.bvh"}) == 2
    longer, _ = read_bvh(target)
    assert longer.frames == int(said[-1].split()[-2]) > 300
    for wrong, words in (
        ((str(folder), str(take), "-o", str(take)), "written over"),
        ((str(folder), str(take), "-o", str(tmp_path / "out.fbx")), "to a .bvh file"),
        ((str(folder), str(folder / "kick.bvh"), "-o", str(target), "--way", "0,0", "9,0"), "gets on at"),
        ((str(folder), str(take), "-o", str(target), "--count", "40"), "nothing in it could follow"),
    ):
        assert main(["continue", *wrong]) == 2 and words in capsys.readouterr().err
