# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a batch: report.json and report.html beside its results, from the first take on, and of folders together."""

import json
import math
import os
import time
from pathlib import Path

from ...core.declare.version import VERSION
from ...core.numeric.refusal import Refusal
from ..files.whole_files import write_text
from .jobs import blender_version
from .page import page
from .plan import HIDDEN, motion_of
from .progress import duration
from .score import score, scored

OWN = ("job", "read", "written")  # of a record, what only resuming needs
OFTEN, SHARE = 5.0, 0.03  # seconds between pages while it grows, and how much of the time they may cost
INSIDE = 24 << 20  # bytes of motion that stand in the page itself


class Report:
    """What came of the takes of a folder so far; takes that other runs of the same recipe did there belong to it."""

    def __init__(self, folder, recipe, jobs=()):
        self.folder, self.recipe, self.started = folder, recipe, time.monotonic()
        self.records, self.digests = {}, {job["digest"] for job in jobs}
        self.total, self.written, self.cost, self.did = len(jobs), 0.0, 0.0, False

    def add(self, *records):
        self.records.update((record["target"], record) for record in records)

    @property
    def failed(self):
        return sum(record["status"] == "failed" for record in self.records.values())

    def grow(self):
        """Write the page as it is by now, not too often."""
        now = time.monotonic()
        if not self.did or now - self.written > max(OFTEN, self.cost / SHARE):
            try:
                self.write(running=True)
            except OSError:
                return  # a disk that is full fails takes, which say so
            self.written, self.did = time.monotonic(), True
            self.cost = self.written - now

    def end(self, said="takes", stream=None):
        """Write the report as it is in the end, and say in a line what came of it; False if it cannot be written."""
        own = len(self.records)
        for record in records_in(self.folder):
            if record.get("job") in self.digests:
                self.records.setdefault(record["target"], record)
        try:
            self.write()
        except OSError as error:
            words = f"{self.folder}: the report cannot be written ({error.strerror or error}); the records of what is done stay"
            print(words, file=stream)
            return False
        if said != "nothing":
            seconds = time.monotonic() - self.started
            print(summary(list(self.records.values()), own, seconds, self.folder), file=stream, flush=True)
        return True

    def write(self, running=False):
        write_report(
            self.folder, list(self.records.values()), self.recipe, time.monotonic() - self.started, self.total, running
        )


def summary(records, own, seconds, folder):
    count = {status: sum(record["status"] == status for record in records) for status in ("done", "skipped", "failed")}
    rest = "".join(f", {count[status]} {status}" for status in ("skipped", "failed") if count[status])
    return f"{count['done']} of {len(records)} takes done in {duration(seconds)}{rest}: see {folder / 'report.html'}"


def write_report(folder, records, recipe, seconds, total=0, running=False):
    """Write report.json and report.html; while it runs, the page only."""
    records = [{name: value for name, value in record.items() if name not in OWN} for record in records]
    for record, reasons in zip(records, scored(records)):
        record["score"], record["reasons"] = score(reasons), reasons
    records = worst_first(records)
    about = {"Steps": [described(step) for step in recipe.steps if step.on]} if recipe else {}
    about |= {"Made": time.strftime("%Y-%m-%d %H:%M"), "With": made_with(), "seconds": seconds}
    title = f"{len(records)} of {total} takes, still running" if running else f"{len(records)} takes"
    beside = {record["target"]: path for record in records if (path := motion_path(folder, record))}
    inside = {} if running else those_inside(beside)
    write_text(folder / "report.html", page(records, title, about, beside_page(folder, beside), inside, running))
    if not running:
        plain = [
            {**record, "figures": {name: without_drawing(each) for name, each in record["figures"].items()}}
            for record in records
        ]
        told = {"recipe": json.loads(recipe.to_json())} if recipe else {}
        write_text(folder / "report.json", json.dumps({**told, "takes": plain}, indent=1) + "\n")


def worst_first(records):
    """Records with the worst first: failures, then by score and how far feet slide, those that were skipped last."""

    def rank(record):
        slides = [(figure.get("after") or {}).get("slide_worst_mm") for figure in (record.get("figures") or {}).values()]
        order = {"failed": 0, "done": 1}.get(record["status"], 2)
        return (
            order,
            -record.get("score", 0.0),
            -max((slide for slide in slides if slide is not None and math.isfinite(slide)), default=-1.0),
            record["source"],
        )

    return sorted(records, key=rank)


def without_drawing(figure):
    return {name: value for name, value in figure.items() if name != "thumbnail"}


def made_with():
    return f"Motion Signal {VERSION}" + (f", Blender {version}" if (version := blender_version()) else "")


def described(step):
    data = step.as_data()
    told = [f"{name} {json.dumps(value)}" for name, value in {**data["params"], **data.get("scope", {})}.items()]
    return f"{step.technique.label}{': ' if told else ''}{', '.join(told)}"


def motion_path(folder, record):
    """Where what the page plays of a take is, None if there is nothing."""
    path = Path(record.get("folder", folder)) / motion_of(record["target"])
    return path if record["status"] == "done" and path.is_file() else None


def those_inside(beside):
    """The motions that stand in the page itself, as scripts: of the worst takes first, as many as there is room for."""
    inside, room = {}, INSIDE
    for target, path in beside.items():
        size = path.stat().st_size
        if size <= room:
            inside[target], room = path.read_text("utf-8"), room - size
    return inside


def beside_page(folder, beside):
    return {target: Path(os.path.relpath(path, folder)).as_posix() for target, path in beside.items()}


def records_in(folder):
    """The records that runs left in a folder; what is none of them is passed by."""
    for path in sorted((folder / HIDDEN).rglob("*.json")):
        try:
            record = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(record, dict) and {"source", "target", "status", "figures"} <= record.keys():
            yield record


def merged(folders, output):
    """One report of the folders of several runs, as shards make them; the records of all, the later of one take."""
    records = {}
    for folder in folders:
        for record in records_in(folder):
            target = Path(os.path.relpath(folder / record["target"], output)).as_posix()
            records[record["source"], str(folder) if len(folders) > 1 else ""] = {
                **record,
                "folder": str(folder),
                "link": target,
            }
    if not records:
        raise Refusal(f"{folders[0]}: there are no records of a batch in it")
    output.mkdir(parents=True, exist_ok=True)
    write_report(output, list(records.values()), None, sum(record.get("seconds") or 0.0 for record in records.values()))
    return list(records.values())
