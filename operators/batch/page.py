# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a batch: every take before and after, the worst first, in one HTML file that needs neither Blender nor a network.

A record is {"source", "target", "status": "done" or "failed", "reason", "seconds", "figures"}, and "traceback" where a fault
failed it; figures are by name {"words", "before", "after", "thumbnail"}, with numbers as core's report gives them, or None.
"""

import math
from html import escape
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


def page(records, title, about):
    """Write the page: what the batch comes to, what failed and why, and every take with its poses and numbers.

    `about` is facts for the head by name, text or a list of it; its "seconds", if there, is how long the batch took, else
    the times of the takes are added up.
    """
    records, about = worst_first(records), dict(about)
    failed = [record for record in records if record["status"] == "failed"]
    rows = [
        (record, name, figure)
        for record in records[len(failed) :]
        for name, figure in (record.get("figures") or {"": {}}).items()
    ]
    columns = [column for column in COLUMNS if any(value for *_, figure in rows for value in numbers(figure, column))]
    seconds = about.pop("seconds", None) or sum(record.get("seconds") or 0.0 for record in records)
    sections = [f"<h1>{text(title)}</h1>", facts(about), totals(records, failed, rows, seconds), FILTERS]
    if failed:
        sections.append(table("failed", f"{len(failed)} failed", headings("Reason"), map(failure, failed)))
    sections.append(
        table("done", f"{len(records) - len(failed)} done", headings("Poses", columns), (result(*row, columns) for row in rows))
    )
    return FRAME.format(title=text(title), style=STYLE, body="\n".join(sections), script=SCRIPT)


def worst_first(records):
    """Records with the worst first: failures, then by how far planted feet slide at worst, those without feet last."""

    def rank(record):
        after = [numbers(figure, COLUMNS[0])[1] for figure in (record.get("figures") or {}).values()]
        slide = max((slide for slide in after if slide is not None), default=-1.0)
        return record["status"] != "failed", -slide, record["source"]

    return sorted(records, key=rank)


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

    worse = {record["source"] for record, _, figure in rows if any(verdict(figure, column) == "worse" for column in COLUMNS)}
    done = len(records) - len(failed)
    tiles = (
        ("Done", f"<b>{done}</b> of {len(records)}"),
        ("Failed", f'<b class="{"worse" if failed else ""}">{len(failed)}</b>'),
        ("Something got worse", f"<b>{len(worse)}</b> of {done}"),
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


def headings(what, columns=()):
    sorted_by = ' aria-sort="descending"'
    yield from ("<th><button>Take</button></th>", f"<th>{what}</th>")
    for column in columns:
        now = sorted_by if column is COLUMNS[0] else ""
        yield f'<th class="number"{now}><button>{column.label}<small>{column.unit}</small></button></th>'
    yield '<th class="number"><button>Time<small>s</small></button></th>'


def failure(record):
    reason = text(record.get("reason") or "no reason given")
    where = (
        f"<details><summary>Traceback</summary><pre>{text(record['traceback'])}</pre></details>"
        if record.get("traceback")
        else ""
    )
    return f'<tr>{named(record)}<td class="reason">{reason}{where}</td>{timed(record)}</tr>\n'


def result(record, name, figure, columns):
    cells = "".join(cell(figure, column) for column in columns)
    kind = "worse" if any(verdict(figure, column) == "worse" for column in COLUMNS) else "fine"
    return (
        f'<tr class="{kind}">{named(record, name, figure.get("words") or "")}'
        f'<td class="poses">{figure.get("thumbnail") or ""}</td>{cells}{timed(record)}</tr>\n'
    )


def named(record, figure="", words=""):
    """The cell of a take: its name, which leads to its file, its figure, where the name does not tell it, and its words."""
    folder, slash, file = record["source"].rpartition("/")
    name = text(file).replace("_", "_<wbr>")
    if record["status"] != "failed" and record.get("target"):
        name = f'<a href="{quote(record["target"], errors="surrogateescape")}">{name}</a>'
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


FILTERS = """<input type="checkbox" id="failures"><label for="failures">Only failures</label>
<input type="checkbox" id="worse"><label for="worse">Only what got worse</label>
<p class="legend">Poses: <i>take</i>, <i>result</i>. Numbers: before, <b>after</b>, change;
<small class="worse">▲ +</small> worse, <small class="better">▼ −</small> better.
Slide is how far planted feet get from where they stand; the worst stands first.</p>"""
STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1f2329; --quiet: #68707b; --line: #e3e6ea; --tint: #f6f7f9;
  --worse: #b3261e; --better: #18794e; --link: #174ea6; --take: #bcc2ca; --result: #1c6dd0; --ground: #9aa0a8 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17191c; --ink: #e4e6e9; --quiet: #949ba6; --line: #2c3036; --tint: #1f2226;
    --worse: #ff8a80; --better: #6fcf97; --link: #9cc2ff; --take: #545b65; --result: #6db3ff; --ground: #5b626c } }
body { margin: 24px 28px 48px; background: var(--paper); color: var(--ink); font: 13px/1.4 system-ui, sans-serif;
  font-variant-numeric: tabular-nums }
h1 { margin: 0 0 8px; font-size: 22px } h2 { margin: 20px 0 4px; font-size: 15px } h1, h2, b { font-weight: 600 }
small, p, dt, ul span { font-size: 11px; font-weight: 400; color: var(--quiet) }
dl { display: flex; flex-wrap: wrap; gap: 6px 32px; margin: 0 0 16px } dd, ol { margin: 0 } ol { padding-left: 16px }
ul { display: flex; flex-wrap: wrap; gap: 1px; margin: 0 0 14px; padding: 1px; list-style: none; background: var(--line) }
ul li { flex: 1 0 auto; padding: 8px 14px; background: var(--tint); white-space: nowrap }
ul span { display: block } ul b { font-size: 17px }
input { margin: 0 5px 0 0; vertical-align: -1px } label { margin-right: 16px } .legend { display: inline }
.legend i { padding-bottom: 1px; border-bottom: 3px solid var(--take); font-style: normal }
.legend i + i { border-color: var(--result) }
#failures:checked ~ .done, #worse:checked ~ .done .fine { display: none }
table { width: 100%; border-collapse: collapse } .failed table { width: auto } tbody tr:hover { background: var(--tint) }
td { border-bottom: 1px solid var(--line) } th, td { padding: 5px 0 5px 14px } tr > :first-child { padding-left: 0 }
th { position: sticky; top: 0; background: var(--paper); box-shadow: inset 0 -1px var(--quiet); text-align: left;
  vertical-align: bottom; font-weight: 600; line-height: 1.2 }
a { color: var(--link); text-decoration: none } button { all: unset; cursor: pointer }
a:hover, button:hover, button:focus-visible { text-decoration: underline }
[aria-sort=descending] button::before { content: "↓ " } [aria-sort=ascending] button::before { content: "↑ " }
.number { width: 52px; text-align: right } .number > *, .number small { display: block; width: 100%; white-space: nowrap }
.number > button { white-space: normal } td span { color: var(--quiet) }
.name { min-width: 180px; overflow-wrap: anywhere; font-weight: 600 } .name small, .name span { display: block }
.name p { display: -webkit-box; margin: 2px 0 0; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 3 }
.poses { width: 320px } svg { display: block } .reason { padding-right: 24px }
.reason, b.worse, small.worse { color: var(--worse) } small.worse { font-weight: 600 } small.better { color: var(--better) }
@media print, (max-width: 1180px) { .poses, svg { width: 200px; height: auto } .name { min-width: 120px } }
@media print { body { margin: 0; font-size: 9px } small, p, dt { font-size: 8px } input, label { display: none }
  th { position: static; box-shadow: none; border-bottom: 1px solid } th, td { padding-left: 8px } tr { break-inside: avoid }
  .number { width: 30px } * { print-color-adjust: exact } }
"""
SCRIPT = """
for (const button of document.querySelectorAll("th button")) button.onclick = () => {
  const head = button.parentNode, table = head.closest("table"), place = head.cellIndex
  const ways = head.className ? ["descending", "ascending"] : ["ascending", "descending"]
  const way = ways[Number(head.getAttribute("aria-sort") == ways[0])], sign = way == "ascending" ? 1 : -1
  const value = row => row.cells[place].dataset.value
  const compare = (one, other) => isNaN(one - other) ? one.localeCompare(other) : one - other
  const known = [...table.tBodies[0].rows].filter(row => value(row) !== undefined)
  known.sort((one, other) => sign * compare(value(one), value(other)))
  table.tBodies[0].prepend(...known)
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort")
  head.setAttribute("aria-sort", way)
}
"""
FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""
