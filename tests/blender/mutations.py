# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes, presets and BVH files with random faults, and what becomes of them: they run, or are refused in a sentence."""

import contextlib
import copy
import io
import json
import os
import random
import signal
import time
from pathlib import Path

from bl_ext.dev.motion_signal.core.declare.params import declarations
from bl_ext.dev.motion_signal.core.declare.scope import ScopeParams
from bl_ext.dev.motion_signal.core.numeric.refusal import Refusal
from bl_ext.dev.motion_signal.core.recipes.recipe import recipe_from_json
from bl_ext.dev.motion_signal.core.techniques import TECHNIQUES, technique
from bl_ext.dev.motion_signal.operators.batch import one_take
from bl_ext.dev.motion_signal.operators.batch.jobs import jobs_for
from bl_ext.dev.motion_signal.operators.batch.order import Order
from bl_ext.dev.motion_signal.operators.commandline import main
from bl_ext.dev.motion_signal.operators.run.recipe import read_recipe_file

LIMIT = 10  # seconds that a trial may take
CHARACTERS = '0123456789-+.eE,:{}[]"\\ \n\t\x00xNnu\u00e9'
VALUES = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    2.5,
    0.1,
    1e9,
    -1e9,
    1e308,
    1e-300,
    float("nan"),
    float("inf"),
    10**400,
    "",
    "HZ",
    "ALL",
    "../../x",
    "/etc/passwd",
    "__import__('os').system('true')",
    "\u2603",
    [],
    {},
    [1.0, 1.0],
    [[0, 0], [1, 1]],
    [{}],
    {"arm": [1.0]},
    {"a": {"b": []}},
    ["x"],
)
RECIPE = {
    "format": 1,
    "source": "walk",
    "made_with": {"blender": "5.2"},
    "steps": [
        {"technique": "equalize", "params": {"gains": [1, 1, 1, 1.5, 2], "dc_gain": 1.1, "mute": [0], "bands": "HZ"}},
        {"technique": "waveshape", "params": {"shape": "CURVE", "points": [[-1, -0.8], [0, 0], [1, 0.8]]}},
        {"technique": "displace", "params": {"displacement_keys": [{"frame": 12, "bones": {"Hips": {"rotation": [5, 0, 0]}}}]}},
        {"technique": "cartoon", "params": {}, "scope": {"keys": "FEWEST", "tolerance": 0.01}},
        {"technique": "harmonics", "params": {}, "on": False},
        {
            "technique": "lock",
            "params": {"amount": 1.0, "ease": 0.2},
            "scope": {"frames": "RANGE", "frame_start": 5, "frame_end": 30},
        },
        {"technique": "reduce", "params": {}, "scope": {"millimetres": 5.0, "together": True}},
    ],
}
PRESET = {
    "label": "Bouncy",
    "text": "More bounce",
    "technique": "equalize",
    "params": {"gains": [1, 1, 1, 1, 1, 1.5, 2], "limbs": {"Spine": [1, 2]}, "solo": [3], "boundary": "REFLECT"},
}


def scribbled(text, chance):
    """A text with some characters or lines changed, dropped or doubled, or cut off."""
    characters = list(text)
    for _ in range(chance.randint(1, 4)):
        index = chance.randrange(len(characters))
        characters[index] = chance.choice(["", characters[index] * 2, *CHARACTERS])
    lines = "".join(characters).split("\n")
    if chance.random() < 0.3:
        index, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[index] = chance.choice(["", lines[index] + "\n" + lines[index], lines[other], " ".join(lines[other].split()[1:])])
    text = "\n".join(lines)
    return text[: chance.randrange(len(text))] if chance.random() < 0.05 else text


def swapped(data, chance):
    """Plain data with some values changed, left out, doubled or renamed."""
    data = json.loads(json.dumps(data))
    for _ in range(chance.randint(1, 3)):
        container, key = chance.choice(list(entries(data)))
        kind = chance.random()
        if kind < 0.6:
            container[key] = copy.deepcopy(chance.choice(VALUES))
        elif kind < 0.75:
            del container[key]
        elif isinstance(container, list):
            container.append(container[key])
        else:
            container[chance.choice(["gain", "scope", "keys", "technique", "points", "frames", "bones"])] = container.get(key)
        if not list(entries(data)):
            break
    return json.dumps(data, indent=1)


def entries(data):
    for key in data if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from entries(data[key])


def nudged(data, chance):
    """A recipe or a preset whose steps have other values, each of the kind and in the range that it should be."""
    data = json.loads(json.dumps(data))
    for step in data.get("steps", [data]):
        if "steps" in data and chance.random() < 0.5:
            step["technique"], step["params"] = chance.choice(TECHNIQUES).name, {}
        step["params"].update(values(technique(step["technique"]).params, chance))
        if "steps" in data:
            step["scope"] = values(ScopeParams, chance) if chance.random() < 0.3 else {}
            step["scope"].pop("action", None)
    return json.dumps(data, indent=1)


def values(params, chance):
    """Some parameters, with values that pass their declarations."""
    known = declarations(params)
    return {name: value(known[name], chance) for name in chance.sample(list(known), min(len(known), chance.randint(0, 3)))}


def value(declaration, chance):
    low, high = max(declaration.low, -1e3), min(declaration.high, 1e3)
    number = chance.choice([low, high, low + chance.random() * (high - low), max(low, min(high, chance.choice((0, 1, 2, 12))))])
    pair = [chance.choice((-1, 0, 1, 5, 30, 40)), chance.choice((-1, 0, 0.5, 1, 20))]
    return {
        "number": number,
        "whole": round(number),
        "flag": chance.random() < 0.5,
        "numbers": [number] * chance.randint(0, 12),
        "choice": chance.choice([option.name for option in declaration.options] or [""]),
        "words": chance.choice(["", "Hips", "left_foot", "LeftFoot, RightHand", "walk", "db2", "location[0]", "nobody"]),
        "marks": [chance.randint(0, 9)],
        "points": sorted([pair, [pair[0] + chance.choice((0, 1, 9)), 1]]),
        "table": {"Hips": [number] * chance.randint(1, 12)},
        "tree": chance.choice(
            [
                {},
                {"Hips": 1},
                {"left_heel": [[2, 9]]},
                {"control": [[0, 0, 0], [9, 0, 0], [9, 9, 0]]},
                {"points": [[0, 0, 0], [20, 5, 0]]},
                {"plus": ["walk"]},
                {"a": {"b": [1, None]}},
            ]
        ),
        "records": [values(declaration.entry, chance) for _ in range(chance.randint(1, 3))] if declaration.entry else [],
    }[declaration.kind]


def mutant(data, chance):
    """A recipe or a preset with faults, as text."""
    return chance.choice(
        [
            lambda: scribbled(json.dumps(data, indent=1), chance),
            lambda: swapped(data, chance),
            lambda: nudged(data, chance),
            lambda: nudged(data, chance),
        ]
    )()


class Trials:
    """Runs mutants in a folder, one after the other, and keeps count of what became of them."""

    def __init__(self, folder, bvh):
        self.folder, self.bvh, self.output = Path(folder), bvh, Path(folder) / "out"
        self.output.mkdir()
        (self.folder / "walk.bvh").write_text(bvh, "utf-8")
        self.count, self.longest, self.sentences = {}, 0.0, []
        self.before = self.others()

    def recipe(self, chance):
        text = mutant({**RECIPE, "steps": chance.sample(RECIPE["steps"], chance.randint(1, 4))}, chance)
        return self.trial("recipe", "json", text, self.run_recipe)

    def preset(self, chance):
        return self.trial("preset", "json", mutant(PRESET, chance), self.run_preset)

    def motion(self, chance):
        return self.trial("motion", "bvh", scribbled(self.bvh, chance), self.run_motion)

    def trial(self, kind, ending, text, work):
        """One mutant: the sentence that it was refused with, or nothing."""
        path = self.folder / f"mutant.{ending}"
        path.write_text(text, "utf-8", errors="replace")
        started, said = time.monotonic(), io.StringIO()
        try:
            with alarm(LIMIT), contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                refused = work(path)
        except BaseException as error:
            raise AssertionError(f"{kind}: {type(error).__name__}: {error}\n{said.getvalue()}\n{text[:3000]}") from error
        self.longest = max(self.longest, time.monotonic() - started)
        assert "Traceback" not in said.getvalue() and "\n" not in refused, f"{said.getvalue()} {refused}"
        for written in self.output.rglob("*.bvh"):
            written.unlink()
        assert self.others() == self.before, f"{kind} wrote elsewhere: {self.others() - self.before}"
        outcome = f"{kind} {'refused' if refused else 'run'}"
        self.count[outcome] = self.count.get(outcome, 0) + 1
        self.sentences.append(refused)
        return refused

    def run_recipe(self, path):
        try:
            recipe = read_recipe_file(path)
        except ValueError as error:
            return str(error)
        return self.done(recipe, "walk.bvh")

    def run_motion(self, path):
        plain = json.dumps({"format": 1, "steps": [{"technique": "equalize", "params": {"gains": [1, 1, 1, 2]}}]})
        return self.done(recipe_from_json(plain), path.name)

    def done(self, recipe, source):
        order = Order(recipe, (), "", unit=0.0564)
        try:
            (job,) = jobs_for(order, self.output, [(self.folder, source, "result.bvh")], ())
        except Refusal as refused:  # the command says so, and no take is touched
            return str(refused)
        record = one_take.work(job)
        assert "traceback" not in record, record["traceback"]
        assert (record["status"] == "done") == (self.output / "result.bvh").exists()
        return record["reason"]

    def run_preset(self, path):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = main(["equalize", str(self.folder / "walk.bvh"), "-o", str(self.output / "x.bvh"), "--preset", str(path)])
        assert code in (0, 2) and (code == 2) == bool(said.getvalue()), said.getvalue()
        return said.getvalue().strip()

    def others(self):
        """Everything but the output and the mutant, with its size."""
        return {
            (str(path), path.stat().st_size)
            for path in [*self.folder.rglob("*"), *Path.cwd().iterdir()]
            if path.is_file() and self.output not in path.parents and path.stem != "mutant"
        }


@contextlib.contextmanager
def alarm(seconds):
    def ring(*_):
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def short_bvh(path, frames=40):
    """The beginning of a BVH file."""
    head, motion = Path(path).read_text("utf-8").split("Frames:")
    _, rate, *rows = motion.strip().split("\n")
    return f"{head}Frames: {frames}\n{rate}\n" + "\n".join(rows[:frames]) + "\n"


def run(folder, bvh, count, seed):
    """So many trials of each kind in turn."""
    os.chdir(folder)
    trials, chance = Trials(folder, bvh), random.Random(seed)
    for number in range(count):
        (trials.recipe, trials.preset, trials.motion)[number % 3](chance)
    return trials
