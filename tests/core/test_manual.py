# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual that is packed: every page, every link in it leads somewhere, every technique is seen to move."""

import importlib.util
import re
from pathlib import Path

import pytest
from motion_signal.core import TECHNIQUES

ROOT = Path(__file__).resolve().parents[2]
LARGEST, ALTOGETHER = 1_000_000, 12_000_000  # bytes of a moving picture, and of all


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("manual", ROOT / ".ci" / "manual.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("packed") / "manual"
    module.write_manual(ROOT / "docs", folder)
    return {page.name: page.read_text("utf-8") for page in folder.glob("*.html")}, folder


def test_every_page_is_there_and_every_link_leads_somewhere(manual):
    pages, folder = manual
    assert set(pages) == {f"{page.stem}.html" for page in (ROOT / "docs").glob("*.md")}
    for name, text in pages.items():
        for target in re.findall(r'(?:href|src)="([^"]+)"', text):
            page, _, anchor = target.partition("#")
            if not target.startswith(("http", "../")):
                assert not page or (folder / page).exists() or (ROOT / "docs" / page).exists(), f"{name}: {target}"
                assert not anchor or f'id="{anchor}"' in pages[page or name], f"{name}: {target}"


def test_blocks_are_what_they_look_like(manual):
    pages, _ = manual
    tutorial = pages["tutorial.html"]
    assert '<a href="viewport.html#versions">Versions</a>' in tutorial and "<b>Sadder</b>" in tutorial and "**" not in tutorial
    assert "<pre>" in pages["cycles.html"] and "<td><code>find</code></td>" in pages["cycles.html"]


def test_every_technique_is_seen_to_move():
    pictures = {path.name.removesuffix("_moving.webp"): path for path in (ROOT / "docs").glob("*_moving.webp")}
    assert set(pictures) == {technique.name for technique in TECHNIQUES}
    sizes = [path.stat().st_size for path in pictures.values()]
    assert max(sizes) < LARGEST and sum(sizes) < ALTOGETHER
    shown = "".join(page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md"))
    assert all(path.name in shown for path in pictures.values())
