# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a batch: what stands in it, in which order, and that nothing in it comes from elsewhere or runs."""

import importlib.util
import sys
from html.parser import HTMLParser

import pytest
from motion_signal.operators.batch import page as module
from motion_signal.operators.batch.page import page
from motion_signal.operators.batch.report import worst_first

DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0L9 9"/></svg>'
HOSTILE = "<script>alert(1)</script>&\"'.bvh"


def numbers(slide=10.0, **more):
    return {
        "slide_worst_mm": slide,
        "slide_mean_mm": slide and slide / 2,
        "jerk_rms_m_s3": 100.0,
        "flips": 0,
        "keys": 1000,
        "loop_pose_gap_deg": 5.0,
        "speed_m_s": 1.25,
        "cadence_steps_min": 110.0,
        "limits_frames": 0,
        **more,
    }


def done(source="walk.bvh", before=None, after=None, **more):
    figure = {"words": "31 bones, 96 curves", "before": before, "after": after or numbers(), "thumbnail": DRAWING}
    return {
        "source": source,
        "target": source,
        "status": "done",
        "reason": "",
        "seconds": 0.5,
        "figures": {"walk": figure},
        **more,
    }


def failed(source="broken.bvh", reason="line 12 cannot be read"):
    return {"source": source, "target": source, "status": "failed", "reason": reason, "seconds": 0.1, "figures": {}}


class Reader(HTMLParser):
    """What a browser would find: elements with their attributes, the words of each table row, and all words."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.rows, self.words, self.skipping = [], [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.skipping = tag in ("style", "script")
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.skipping = False

    def handle_data(self, data):
        if not self.skipping:
            self.words.append(data)
            if self.rows and self.rows[-1]:
                self.rows[-1][-1] += data + " "

    def found(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def cell(self, heading, row=1):
        """The words under a heading in a row of the last table."""
        heads = [index for index, cells in enumerate(self.rows) if cells and cells[0].strip() == "Take"][-1]
        index = next(index for index, words in enumerate(self.rows[heads]) if words.startswith(heading))
        return self.rows[heads + row][index].split()


def read(*records, about=None, title="Night"):
    return Reader(page(list(records), title, about or {}))


def test_the_worst_stand_first_failures_before_all_and_what_has_no_feet_last():
    records = [
        done("a", after=numbers(3.0)),
        done("none", after=numbers(None)),
        failed("z"),
        done("c", after=numbers(30.0)),
        done("nan", after=numbers(float("nan"))),
        failed("y"),
        done("b", after=numbers(3.0)),
        done("bare", figures=None),
    ]
    records[0]["figures"]["second"] = {"words": "", "before": None, "after": numbers(50.0), "thumbnail": ""}
    names = ["y", "z", "a", "c", "b", "bare", "nan", "none"]
    assert [record["source"] for record in worst_first(records)] == names
    text = page(worst_first(records), "Night", {})
    order = [text.index(f'data-value="{name}"') for name in names]
    assert order == sorted(order)


def test_a_number_shows_before_after_and_how_it_changed_and_says_what_is_worse():
    reader = read(done(before=numbers(2.0, jerk_rms_m_s3=150.0, keys=5000), after=numbers(12.5, speed_m_s=1.5)))
    assert reader.cell("Slide, worst") == ["2.0", "12.5", "▲", "+10.5"]
    assert reader.cell("Jerk") == ["150", "100", "▼", "−50"]
    assert reader.cell("Loop gap") == ["5.0", "same"]
    assert reader.cell("Speed") == ["1.25", "1.50", "+0.25"]  # faster is neither better nor worse
    assert reader.cell("Keys") == ["5,000", "1,000", "−4,000"]
    kinds = [attributes["class"] for attributes in reader.found("small") if "class" in attributes]
    assert kinds.count("worse") == 3 and kinds.count("better") == 2  # one of each stands in the legend


@pytest.mark.parametrize(
    "name, was, now, mark",
    [
        ("slide_worst_mm", 30.0, 30.9, []),
        ("slide_worst_mm", 30.0, 32.0, ["▲"]),
        ("slide_worst_mm", 0.0, 0.9, []),
        ("jerk_rms_m_s3", 1000.0, 1040.0, []),
        ("jerk_rms_m_s3", 1000.0, 1060.0, ["▲"]),
        ("jerk_rms_m_s3", 1000.0, 900.0, ["▼"]),
        ("flips", 100, 101, ["▲"]),
        ("flips", 1, 0, ["▼"]),
        ("limits_frames", 0, 1, ["▲"]),
        ("keys", 10, 99, []),
    ],
)
def test_only_a_change_that_matters_is_marked(name, was, now, mark):
    heading = next(column.label for column in module.COLUMNS if column.name == name)
    cell = read(
        done(
            before=numbers(**{name: was} if name != "slide_worst_mm" else {"slide": was}),
            after=numbers(**{name: now} if name != "slide_worst_mm" else {"slide": now}),
        )
    ).cell(heading)
    assert [word for word in cell if word in "▲▼"] == mark


def test_what_has_no_number_before_or_at_all_is_shown_without():
    reader = read(done("a", after=numbers(7.0)), done("b", after=numbers(None)), done("c", figures={}))
    assert reader.cell("Slide, worst") == ["7.0"]
    assert reader.cell("Slide, worst", 2) == reader.cell("Slide, worst", 3) == ["–"]
    heads = " ".join(reader.rows[0])
    assert "Flips" not in heads and "limits" not in heads  # nought everywhere


def test_totals_compare_the_same_figures_before_and_after():
    records = [
        done("a", numbers(10.0), numbers(4.0, keys=100), seconds=2.0),
        done("b", numbers(20.0), numbers(40.0, keys=200), score=2.5),
        done("c", after=numbers(900.0, keys=7)),
        failed("d"),
    ]
    words = "".join(read(*records).words)
    for claim in (
        "Done 3 of 4",
        "Failed 1",
        "To look at 1 of 3",
        "Time 3.1 s",
        "Takes a second 1.29",
        "Foot slide, mean 7.5 → 11.0 mm",
        "Foot slide, worst 20.0 → 40.0 mm",
        "Keys 2,000 → 300",
    ):
        assert claim in words
    words = "".join(read(*records, about={"seconds": 8000.0}).words)
    assert "Time 2 h 13 min" in words and "Takes a second 0.0005" in words


def test_every_word_from_outside_is_text():
    record = done(HOSTILE, figures={"<b>Anna": {"words": "<i>x</i>", "before": None, "after": numbers(), "thumbnail": DRAWING}})
    reader = read(
        record,
        failed("x/" + HOSTILE, "<img src=x onerror=alert(1)>"),
        title="</title><script>alert(2)</script>",
        about={"<u>": ["<s>1</s>", "2"], "Date": "<q>"},
    )
    assert len(reader.found("script")) == 1 and not any(map(reader.found, ("img", "u", "s", "q")))
    assert not [attributes for _, attributes in reader.elements if any(name.startswith("on") for name in attributes)]
    everything = "".join(reader.words)
    assert everything.count("alert(1)") == 3
    assert all(words in everything for words in ("<b>Anna", "<i>x</i>", "<s>1</s>", "<q>"))
    assert {cell["data-value"] for cell in reader.found("td") if cell.get("class") == "name"} == {HOSTILE, "x/" + HOSTILE}


def test_a_name_leads_to_its_result_and_a_failure_nowhere():
    reader = read(done("b\udcff.bvh"), done("javascript:alert(1)"), done("sub folder/100% #1?.bvh"), failed("x.bvh"))
    assert [link["href"] for link in reader.found("a")] == [
        "b%FF.bvh",
        "javascript%3Aalert%281%29",
        "sub%20folder/100%25%20%231%3F.bvh",
    ]
    page([done("b\udcff.bvh")], "t", {}).encode("utf-8")  # can be written


def test_the_page_is_whole_by_itself():
    text = page([done(), failed()], "Night", {"Recipe": ["Equalize", "Lock Feet"]})
    assert text.count("http") == 2 and "http-equiv" in text  # and the name of SVG, which is no address to load from
    assert not [attributes for _, attributes in Reader(text).elements if "src" in attributes]
    assert "url(" not in text and "@import" not in text and "prefers-color-scheme: dark" in text and "@media print" in text
    assert DRAWING in text and text.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("records", [[], [failed()], [done(figures={})], [{"source": "a", "target": "a", "status": "failed"}]])
def test_little_or_nothing_makes_a_page_too(records):
    assert Reader(page(records, "Night", {})).found("table")


def test_it_needs_no_blender(monkeypatch):
    monkeypatch.setitem(sys.modules, "bpy", None)
    spec = importlib.util.spec_from_file_location("motion_signal.operators.alone", module.__file__)
    alone = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(alone)
    assert alone.page([done()], "Night", {}) == page([done()], "Night", {})


def test_a_fault_shows_where_it_was():
    fault = {**failed("a", "internal error (ValueError: no)"), "traceback": "Traceback <most recent>"}
    shown = page([fault, failed("b", "it is cut short")], "Two", {})
    assert shown.count("<pre>") == 1 and "<pre>Traceback &lt;most recent&gt;</pre>" in shown
