# SPDX-License-Identifier: GPL-3.0-or-later
"""How the page of a batch looks: what is the same in every one."""

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
