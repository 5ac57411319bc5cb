# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a batch: every take before and after, in one HTML file that needs neither Blender nor a network.

A record is {"source", "target", "status": "done" or "failed", "reason", "seconds", "figures"}, and "traceback" where a fault
failed it; figures are by name {"words", "before", "after", "thumbnail"}, with numbers as core's report gives them, or None.
"""

import json
import math
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote


class Column(NamedTuple):
    """A number of the report as the page shows it; where more is worse, it is marked from `slack` and a `share` of it on."""

    name: str
    label: str
    unit: str = ""
    decimals: int = 0
    more_is_worse: bool = True
    slack: float = 0.0
    share: float = 0.05


COLUMNS = (
    Column("slide_worst_mm", "Slide, worst", "mm", 1, slack=1.0),
    Column("slide_mean_mm", "Slide, mean", "mm", 1, slack=0.5),
    Column("penetration_worst_mm", "Sinks in", "mm", slack=2.0),
    Column("jerk_rms_m_s3", "Jerk", "m/s³", slack=5.0),
    Column("flips", "Flips", share=0.0),
    Column("limits_frames", "Beyond limits", "frames", share=0.0),
    Column("loop_pose_gap_deg", "Loop gap", "°", 1, slack=1.0),
    Column("speed_m_s", "Speed", "m/s", 2, False),
    Column("cadence_steps_min", "Steps", "a min", 0, False),
    Column("keys", "Keys", "", 0, False),
)


def page(records, title, about, beside=None, inside=None, running=False):
    """Write the page: what the batch comes to, what failed and why, and every take with its poses and numbers, in this order.

    `about` is facts for the head by name, text or a list of it; its "seconds", if there, is how long the batch took, else
    the times of the takes are added up. What is played of takes, by their targets, are scripts `beside` the page, by their
    addresses, and `inside` it, as text. A page of what is still running looks for its next self.
    """
    about, beside = dict(about), beside or {}
    failed, skipped, done = ([each for each in records if each["status"] == status] for status in ("failed", "skipped", "done"))
    rows = [(record, name, figure) for record in done for name, figure in (record.get("figures") or {"": {}}).items()]
    columns = [column for column in COLUMNS if any(value for *_, figure in rows for value in numbers(figure, column))]
    seconds = about.pop("seconds", None) or sum(record.get("seconds") or 0.0 for record in records)
    parts = [f"<h1>{text(title)}</h1>", facts(about), totals(records, failed, rows, seconds), FILTERS]
    for kind, some in (("failed", failed), ("skipped", skipped)):
        if some:
            parts.append(table(f"{kind} apart", f"{len(some)} {kind}", headings("Reason"), map(failure, some)))
    shown = (result(*row, columns, beside) for row in rows)
    parts.insert(len(parts) - bool(skipped), table("done", f"{len(done)} done", headings("Poses", columns, score=True), shown))
    scripts = "".join(f"<script>{script}</script>\n" for script in (inside or {}).values())
    return read("page.html").format(
        title=text(title),
        style=read("page.css"),
        body="\n".join(parts),
        script=read("page.js"),
        motions=scripts,
        running=str(running).lower(),
    )


def read(name):
    return (Path(__file__).parent / name).read_text("utf-8")


def numbers(figure, column):
    """What a figure's reports say before and after, None where they say nothing."""
    found = ((figure.get(when) or {}).get(column.name) for when in ("before", "after"))
    return [value if value is not None and math.isfinite(value) else None for value in found]


def verdict(figure, column):
    """Whether a number got worse, better or neither: "worse", "better" or nothing."""
    was, now = numbers(figure, column)
    if was is None or now is None or not column.more_is_worse or abs(now - was) <= max(column.slack, column.share * abs(was)):
        return ""
    return "worse" if now > was else "better"


def text(words):
    """Words from anywhere, safe to stand in the page, even a file's name that is no proper text."""
    return escape(str(words).encode("utf-8", "replace").decode("utf-8"))


def facts(about):
    """The head's facts; a list, such as the steps of a recipe, is numbered."""
    told = (
        (
            name,
            text(fact)
            if isinstance(fact, str | int | float)
            else f"<ol>{''.join(f'<li>{text(item)}</li>' for item in fact)}</ol>",
        )
        for name, fact in about.items()
    )
    return f"<dl>{''.join(f'<div><dt>{text(name)}</dt><dd>{fact}</dd></div>' for name, fact in told)}</dl>"


def totals(records, failed, rows, seconds):
    """What the batch comes to. Before and after are of the same figures: those that have both."""

    def both(name, gather):
        column = next(column for column in COLUMNS if column.name == name)
        pairs = [pair for pair in (numbers(figure, column) for *_, figure in rows) if None not in pair]
        was, now = (written(gather(side), column.decimals) for side in zip(*pairs)) if pairs else ("", "")
        return f"{was} → <b>{now}</b> {column.unit}" if pairs else "–"

    look = {record["source"] for record, *_ in rows if record.get("score")}
    done = len({record["source"] for record, *_ in rows})
    tiles = (
        ("Done", f"<b>{done}</b> of {len(records)}"),
        ("Failed", f'<b class="{"worse" if failed else ""}">{len(failed)}</b>'),
        ("To look at", f"<b>{len(look)}</b> of {done}"),
        ("Time", f"<b>{duration(seconds)}</b>"),
        ("Takes a second", f"<b>{len(records) / seconds:.3g}</b>" if seconds else "–"),
        ("Foot slide, mean", both("slide_mean_mm", lambda side: sum(side) / len(side))),
        ("Foot slide, worst", both("slide_worst_mm", max)),
        ("Keys", both("keys", sum)),
    )
    return f"<ul>{''.join(f'<li><span>{name}</span> {value}</li>' for name, value in tiles)}</ul>"


def written(value, decimals, sign=""):
    return f"{value:{sign},.{decimals}f}".replace("-", "−")


def duration(seconds):
    if seconds < 60:
        return f"{seconds:.1f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def table(kind, title, heads, rows):
    return (
        f'<section class="{kind}"><h2>{title}</h2>\n<table><thead><tr>{"".join(heads)}</tr></thead>\n<tbody>\n'
        f"{''.join(rows)}</tbody></table></section>"
    )


def headings(what, columns=(), score=False):
    sorted_by = ' aria-sort="descending"'
    yield from ("<th><button>Take</button></th>", f"<th>{what}</th>")
    if score:
        yield f'<th class="number score"{sorted_by}><button>Score<small>what to look at</small></button></th>'
    for column in columns:
        yield f'<th class="number"><button>{column.label}<small>{column.unit}</small></button></th>'
    yield '<th class="number"><button>Time<small>s</small></button></th>'


def failure(record):
    reason = text(record.get("reason") or "no reason given")
    where = (
        f"<details><summary>Traceback</summary><pre>{text(record['traceback'])}</pre></details>"
        if record.get("traceback")
        else ""
    )
    return f'<tr>{named(record)}<td class="reason">{reason}{where}</td>{timed(record)}</tr>\n'


def result(record, name, figure, columns, beside):
    cells = "".join(cell(figure, column) for column in columns)
    reasons = record.get("reasons") or []
    kinds = " ".join(sorted({reason["kind"] for reason in reasons})) or "fine"
    plays = beside.get(record.get("target"))
    played = (
        f' data-motion="{quote(plays, errors="surrogateescape")}" data-target="{text(record["target"])}" '
        f'data-figure="{text(name)}" data-moments="{text(moments(reasons))}"'
        if plays
        else ""
    )
    return (
        f'<tr class="{kinds}"{played}>{named(record, name, figure.get("words") or "")}'
        f'<td class="poses">{figure.get("thumbnail") or ""}</td>{explained(record, reasons)}{cells}{timed(record)}</tr>\n'
    )


def moments(reasons):
    return json.dumps([[reason["frame"], reason["words"]] for reason in reasons])


def explained(record, reasons):
    """The cell of the score: the number, and what it is made of, each with how many times it is beyond, and its frame."""
    told = "".join(
        f"<li><button{when(reason)}>{text(said(reason))}</button> <small>{reason['times']:g}</small></li>"
        for reason in reasons[:5]
    )
    number = f"{record.get('score', 0.0):g}"
    return f'<td class="number score" data-value="{number}"><b>{number}</b><ol>{told}</ol></td>'


def said(reason):
    return reason["words"] + ("" if reason["frame"] is None else f", frame {reason['frame']}")


def when(reason):
    frame = reason["frame"]
    return "" if frame is None else f' data-frame="{frame}"'


def named(record, figure="", words=""):
    """The cell of a take: its name, which leads to its file, its figure, where the name does not tell it, and its words."""
    folder, slash, file = record["source"].rpartition("/")
    name = text(file).replace("_", "_<wbr>")
    if record["status"] != "failed" and record.get("target"):
        name = f'<a href="{quote(record.get("link") or record["target"], errors="surrogateescape")}">{name}</a>'
    where = f"<small>{text(folder + slash)}</small>" if folder else ""
    told = "" if figure in file else f"<span>{text(figure)}</span>"
    words = words and f'<p title="{text(words)}">{text(words)}</p>'
    return f'<td class="name" data-value="{text(record["source"])}">{where}{name}{told}{words}</td>'


def timed(record):
    seconds = record.get("seconds")
    return "<td></td>" if seconds is None else f'<td class="number" data-value="{seconds}">{written(seconds, 2)}</td>'


def cell(figure, column):
    """A number before, after, and by how much it changed: worse and better have a colour, an arrow and a sign."""
    was, now = numbers(figure, column)
    if now is None:
        return '<td class="number">–</td>'
    after, before = written(now, column.decimals), "" if was is None else written(was, column.decimals)
    if before and before != after:
        kind = verdict(figure, column)
        before = f"<span>{before}</span>"
        change = f'<small class="{kind}">{ARROWS[kind]}{written(now - was, column.decimals, "+")}</small>'
    else:
        before, change = "<span>&nbsp;</span>", "<small>same</small>" if before else "<small>&nbsp;</small>"
    return f'<td class="number" data-value="{now}">{before}<b>{after}</b>{change}</td>'


ARROWS = {"worse": "▲ ", "better": "▼ ", "": ""}


KINDS = {
    "pop": "pops",
    "flip": "flips",
    "knee": "knees past straight",
    "slide": "slide",
    "depth": "depth",
    "start": "start moved",
}
FILTERS = (
    '<p class="tools"><input type="search" id="search" placeholder="Find takes by name"> '
    '<select id="kind"><option value="">all takes</option><option value="look">to look at</option>'
    + "".join(f'<option value="{kind}">{words}</option>' for kind, words in KINDS.items())
    + '<option value="flips">flips gained</option><option value="outlier">unlike the others</option>'
    '<option value="failed">failed</option></select> <button id="csv">Save as CSV</button> <span id="count"></span></p>\n'
    """<p class="legend">Click a take to play it. Poses: <i>take</i>, <i>result</i>. Numbers: before, <b>after</b>, change;
<small class="worse">▲ +</small> worse, <small class="better">▼ −</small> better. The score adds up how many times things
are beyond what eyes let pass, or beyond what is usual in this batch; 0 is nothing to look at. The worst stands first.</p>"""
)
