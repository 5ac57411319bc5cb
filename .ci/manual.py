# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages in docs/ as HTML, for the manual that is packed with the extension: headings, lists, tables, code and pictures."""

import html
import re
import shutil
from pathlib import Path

STYLE = """body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 sans-serif }
body { color: #ddd; background: #2b2b2b }
a { color: #8ab4f8 } img { max-width: 100% } code, pre { background: #1d1d1d; border-radius: 3px; padding: 0 .2em }
pre { padding: .6em; overflow-x: auto } table { border-collapse: collapse } td, th { padding: .2em .6em; text-align: left;
border-top: 1px solid #444; vertical-align: top } nav { columns: 4; margin-bottom: 2rem }"""
PICTURES = (".png", ".webp")
INLINE = (
    (r"!\[([^\]]*)\]\(([^)\s]+)\)", r'<img alt="\1" src="\2">'),
    (r"\[([^\]]*)\]\(([^)\s]+)\)", r'<a href="\2">\1</a>'),
    (r"\*\*([^*]+)\*\*", r"<b>\1</b>"),
    (r"(?<![\w*])\*([^*\s][^*]*)\*", r"<i>\1</i>"),
)


def write_manual(docs: Path, folder: Path) -> None:
    """Write every page of docs into a folder, with the pictures, and links between them."""
    folder.mkdir(parents=True)
    pages = sorted(docs.glob("*.md"), key=lambda page: (page.stem != "tutorial", page.stem))
    links = "<br>".join(f'<a href="{page.stem}.html">{title(page)}</a>' for page in pages)
    for page in pages:
        text = page.read_text("utf-8")
        body = f'<meta charset="utf-8"><title>{title(page)}</title><style>{STYLE}</style><nav>{links}</nav>{as_html(text)}'
        (folder / f"{page.stem}.html").write_text(f"<!doctype html>{body}", encoding="utf-8")
    for picture in docs.iterdir():
        if picture.suffix in PICTURES:
            shutil.copy(picture, folder)


def title(page: Path) -> str:
    return html.escape(page.read_text("utf-8").splitlines()[0].lstrip("# "))


def as_html(text: str) -> str:
    """A page's blocks one after the other; code stays as it is."""
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    parts = re.split(r"^```\w*\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    blocks = [
        f"<pre>{html.escape(part)}</pre>" if index % 2 else "".join(map(block, part.split("\n\n")))
        for index, part in enumerate(parts)
    ]
    return "\n".join(blocks)


def block(text: str) -> str:
    text = text.strip("\n")
    lines = text.splitlines()
    if not lines:
        return ""
    heading = re.match(r"(#+) (.*)", lines[0])
    if heading:
        level = len(heading[1])
        anchor = re.sub(r"[^\w -]", "", heading[2].lower()).replace(" ", "-")
        rest = block("\n".join(lines[1:])) if lines[1:] else ""
        return f'<h{level} id="{anchor}">{inline(heading[2])}</h{level}>{rest}'
    if lines[0].startswith("|"):
        return table(lines)
    marker = re.match(r"(- |\d+\. )", lines[0])
    if marker:
        entries = re.split(r"\n(?:- |\d+\. )", "\n" + text)[1:]
        kind = "ul" if marker[1] == "- " else "ol"
        return f"<{kind}>" + "".join(f"<li>{inline(entry)}</li>" for entry in entries) + f"</{kind}>"
    return f"<p>{inline(text)}</p>"


def table(lines: list[str]) -> str:
    rows = [
        re.split(r"(?<!\\)\|", line.strip().strip("|"))
        for line in lines
        if not re.fullmatch(r"[|\s:-]+", line) or line.strip("| ") == ""
    ]
    cells = ["".join(f"<td>{inline(cell.strip().replace(chr(92) + '|', '|'))}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def inline(text: str) -> str:
    """Code, pictures, links and emphasis in a text; links to pages lead to their HTML."""
    parts = re.split(r"`([^`]+)`", text)
    return "".join(f"<code>{html.escape(part)}</code>" if index % 2 else marked(part) for index, part in enumerate(parts))


def marked(text: str) -> str:
    text = html.escape(text, quote=False)
    for pattern, replacement in INLINE:
        text = re.sub(pattern, replacement, text)
    return re.sub(r'href="(\w+)\.md', r'href="\1.html', text)
