# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages say what is declared: tables of parameters, presets and the schema are as `make docs` writes them."""

import importlib.util
import re
from pathlib import Path

import pytest
from motion_signal.core import TECHNIQUES

ROOT = Path(__file__).resolve().parents[2]
PAGES = {str(page.relative_to(ROOT)): page for page in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]}


@pytest.fixture(scope="module")
def tables():
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(name):
    return PAGES[name].read_text("utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_tables_are_as_declared(tables, page):
    assert tables.written(text_of(page)) == text_of(page), "make docs writes it anew"


def test_the_schema_is_as_declared(tables):
    assert (ROOT / "docs" / "recipe.schema.json").read_text("utf-8") == tables.schema_text(), "make docs writes it anew"


def test_every_technique_has_one_table_with_all_its_parameters():
    whole = "".join(map(text_of, PAGES))
    for technique in TECHNIQUES:
        (rows,) = re.findall(rf"<!-- table: {technique.name} -->\n(.*?)<!-- end of table -->", whole, re.DOTALL)
        assert re.findall(r"^\| `(\w+)` \|", rows, re.MULTILINE) == list(technique.parameters)
        for name, declaration in technique.parameters.items():
            assert declaration.text.replace("|", "\\|") in rows, name


def test_a_table_that_is_stale_is_found(tables):
    text = text_of("docs/equalizer.md")
    stale = text.replace("| `dc_gain` | 1 |", "| `dc_gain` | 2 |")
    assert stale != text and tables.written(stale) == text


def test_readme_and_the_page_of_presets_agree():
    numbers = r"\|\s*([\d.]+)°\s*\|\s*([\d.]+)°\s*\|\s*([\d.]+) mm"
    page = dict(re.findall(r"^\| `(\w+)` \|[^|]*(\|.*)$", text_of("docs/presets.md"), re.MULTILINE))
    front = re.findall(r"^\| (\w[\w ]+?)\s*(\|\s*[\d.]+°.*)$", text_of("README.md"), re.MULTILINE)
    compared = {name.lower().replace(" ", "_"): re.findall(numbers, row) for name, row in front if name != "Source"}
    assert len(compared) > 2 and compared == {name: re.findall(numbers, page[name]) for name in compared}
