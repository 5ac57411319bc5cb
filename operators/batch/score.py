# SPDX-License-Identifier: GPL-3.0-or-later
"""Which takes of a batch to look at first: one number a take, and what it is made of.

What no recipe asks for (a leg that pops, a knee past straight) counts as how many times it is beyond what eyes let pass. What a
recipe may well ask for (more jerk, more travel) counts only where a take is far from the others of its batch: by how many times
its distance from their median is beyond what is usual, 3.5 times their median distance, made comparable to a deviation.
A score is the sum of all that is beyond, in which what breaks a body for a frame weighs most; 0 is nothing to look at.
"""

import statistics

LIMITS = {"pop": 20.0, "flip": 30.0, "knee": 8.0, "slide": 12.0, "depth": 25.0, "start": 50.0, "flips": 1.0}
WEIGHTS = {"pop": 8.0, "flip": 8.0, "knee": 2.0}  # of others 1
WORDS = {
    "pop": "{owner} pops {size:.0f}°",
    "flip": "{owner} flips {size:.0f}°",
    "knee": "{owner} {size:.0f}° past straight",
    "slide": "{owner} slides {size:.0f} mm more",
    "depth": "{owner} {size:.0f} mm deeper",
    "start": "starts {size:.0f} mm away",
    "flips": "{size:.0f} flips more",
}
COMPARED = {  # what is held against the batch: (name in words, how much at least is no accident, whether less is as telling)
    "jerk_rms_m_s3": ("jerk", 0.15, False),
    "acceleration_peak_m_s2": ("peak acceleration", 0.3, False),
    "speed_m_s": ("speed", 0.1, True),
    "cadence_steps_min": ("steps a minute", 0.1, True),
    "slide_mean_mm": ("mean slide", 0.5, False),
}
ASKED = ("start", "depth", "slide")  # what counts beyond the batch's median: a recipe that shifts all takes was asked to
FAR, DEVIATION, FEWEST = 3.5, 1.4826, 8
MOST = 5.0  # times that a reason counts: a take that is broken in one way is not hidden by one that is broken more in another


def scored(records):
    """For every record of a batch its reasons, the worst first, [{"words", "times", "frame"}], by its place in the list."""
    usual = {name: spread_of(name, records) for name in COMPARED} | {what: median_of(what, records) for what in ASKED}
    return [sorted(reasons(record, usual), key=lambda each: -each["times"]) for record in records]


def score(reasons):
    """The one number."""
    return round(sum(reason["times"] for reason in reasons), 1)


def reasons(record, usual):
    for figure in (record.get("figures") or {}).values():
        for found in (*figure.get("findings", ()), gained_flips(figure)):
            times = (found["size"] - usual.get(found["what"], 0.0)) / LIMITS[found["what"]]
            if times >= 1.0:
                yield reason(WORDS[found["what"]].format(**found), times, found["what"], found["frame"])
        for name, (words, _, both) in COMPARED.items():
            ratio = change(figure, name)
            if ratio is not None and usual[name] is not None:
                middle, width = usual[name]
                times = (abs(ratio - middle) if both else ratio - middle) / (FAR * width)
                if times >= 1.0:
                    frame = (figure.get("after") or {}).get("acceleration_peak_frame") if "peak" in words else None
                    yield reason(f"{words} × {ratio:.2g}, in this batch × {middle:.2g}", times, "outlier", frame)


def reason(words, times, kind, frame):
    return {"words": words, "times": round(WEIGHTS.get(kind, 1.0) * min(times, MOST), 2), "kind": kind, "frame": frame}


def gained_flips(figure):
    was, now = ((figure.get(when) or {}).get("flips") or 0 for when in ("before", "after"))
    return {"what": "flips", "size": now - was, "owner": "", "frame": None}


def change(figure, name):
    """How many times a number is what it was; None where that says nothing."""
    was, now = ((figure.get(when) or {}).get(name) for when in ("before", "after"))
    return now / was if was and now is not None and was > 0.0 else None


def median_of(what, records):
    """How large a finding is in the middle of a batch, 0 in a batch of few."""
    figures = [figure for record in records for figure in (record.get("figures") or {}).values()]
    sizes = [sum(found["size"] for found in figure.get("findings", ()) if found["what"] == what) for figure in figures]
    return statistics.median(sizes) if len(sizes) >= FEWEST else 0.0


def spread_of(name, records):
    """The median of a change in a batch, and how far from it is usual; None in a batch of few."""
    ratios = [change(figure, name) for record in records for figure in (record.get("figures") or {}).values()]
    ratios = [ratio for ratio in ratios if ratio is not None]
    if len(ratios) < FEWEST:
        return None
    middle = statistics.median(ratios)
    width = DEVIATION * statistics.median(abs(ratio - middle) for ratio in ratios)
    return middle, max(width, COMPARED[name][1] * abs(middle) / FAR, 1e-9)
