# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: blender --command motion_signal equalize walk.bvh --preset exaggerate -o out.bvh."""

import argparse
import json
import sys
from pathlib import Path

import bpy

from ..core.body.report import words
from ..core.declare import params as parameters
from ..core.declare.scope import FAR, ScopeParams
from ..core.declare.version import COMMAND
from ..core.numeric.refusal import Refusal
from ..core.recipes.recipe import Recipe, Step
from ..core.recipes.schema import schema
from ..core.techniques import TECHNIQUES
from .files import files
from .files.whole_files import write_text
from .live.presets import load_preset, preset_files
from .run.measure import measure
from .run.recipe import read_recipe_file

FAILED, WRONG = 1, 2  # exit codes: takes of a batch failed; input was refused


def main(arguments):
    """Run the command line and return its exit code: 0 if all went well, 1 if takes of a batch failed, 2 if refused."""
    try:
        chosen = parser().parse_args(arguments)
    except SystemExit as stop:
        return stop.code or 0
    try:
        return chosen.work(chosen) or 0
    except (Refusal, OSError) as error:
        print(f"{COMMAND}: {' '.join(str(error).split())}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print(f"{COMMAND}: stopped; what is done stays", file=sys.stderr)
        return FAILED


def treat(chosen):
    """One technique on files: a recipe of one step."""
    if len(chosen.files) == 1 and not Path(chosen.output).is_dir() and Path(chosen.output).suffix:
        files.check_ending(Path(chosen.output))
    preset = load_preset(chosen.technique, chosen.preset).params if chosen.preset else chosen.technique.params()
    flags, scope = given(chosen.technique.params, chosen), given(ScopeParams, chosen)
    action = scope.pop("action", "")  # which take it is, a recipe does not say
    values = parameters.build(chosen.technique.params, {**preset.__dict__, **flags})
    recipe = Recipe((Step(chosen.technique, values, parameters.build(ScopeParams, scope)),))
    return ordered(chosen, recipe, tuple(flags), action)


def report(chosen):
    """Measure files and print the numbers, or write them to one file; those that cannot be measured are named."""
    takes, target, numbers, wrong = [Path(name) for name in chosen.files], Path(chosen.output or ""), {}, []
    if chosen.output and target.exists() and any(take.exists() and take.samefile(target) for take in takes):
        raise Refusal(f"{target}: a take would be written over")
    for take in takes:
        try:
            numbers[str(take)] = measured(take, chosen)
        except Refusal as error:
            wrong.append(error)
    if wrong and not numbers:
        raise wrong[0]
    for error in wrong:
        print(f"{COMMAND}: {error}", file=sys.stderr)
    if chosen.output:
        write_text(target, json.dumps(numbers, indent=2) + "\n")
    return FAILED if wrong else 0


def measured(path, chosen):
    """The numbers of every figure in a file, printed."""
    files.load(path)
    subjects, numbers = files.animated_objects(chosen.object), {}
    with files.sized(subjects, chosen.unit if path.suffix.lower() == ".bvh" else 1.0):
        for subject in subjects:
            bpy.context.view_layer.objects.active = subject
            numbers[subject.name] = measure(bpy.context, subject.animation_data and subject.animation_data.action)[0]
            print(f"{path}: {subject.name}: {words(numbers[subject.name])}")
    return numbers


def run(chosen):
    """A recipe on a folder of takes."""
    recipe = read_recipe_file(chosen.recipe)
    if not any(step.on for step in recipe.steps):
        raise Refusal(f"{Path(chosen.recipe).name}: none of its steps is on")
    return ordered(chosen, recipe, (), chosen.action or "")


def ordered(chosen, recipe, exact, action):
    """Have a recipe run as the command line asks; the exit code."""
    from .batch import run as batch

    asked = {name: getattr(chosen, name) for name in ORDERED if getattr(chosen, name) is not None}
    order = batch.Order(recipe, chosen.files, chosen.output, exact, action=action, **asked)
    return 0 if batch.run(order) else FAILED


def tell_schema(chosen):
    print(json.dumps(schema(), indent=1))


def given(params, chosen):
    return {
        name: parameters.read_text(name, getattr(chosen, name), declaration)
        for name, declaration in parameters.declarations(params).items()
        if getattr(chosen, name, None) is not None
    }


def parser():
    top = argparse.ArgumentParser(
        prog=COMMAND,
        description="Treat animation as a sound engineer treats sound.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=overview(),
    )
    techniques = top.add_subparsers(metavar="technique", required=True)
    add_batch(techniques)
    one = techniques.add_parser("schema", help="Print what a recipe may hold, as JSON Schema")
    one.set_defaults(work=tell_schema)
    one = techniques.add_parser("report", help="Measure motions and change nothing", description="Measure motions.")
    one.set_defaults(work=report)
    one.add_argument("files", nargs="+", help=f"motion files ({' '.join(files.READERS)})")
    one.add_argument("-o", "--output", help="file for the numbers, as JSON")
    one.add_argument("--object", default="", help="object to measure; without it every animated armature")
    one.add_argument(
        "--unit", type=metres, default=1.0, metavar="METRES", help="how many metres a unit of .bvh files is (default 1)"
    )
    for technique in TECHNIQUES:
        one = techniques.add_parser(technique.name, help=technique.text, description=technique.text + ".")
        one.set_defaults(work=treat, technique=technique)
        add_order(one)
        one.add_argument("--preset", help=f"one of {', '.join(preset_files(technique))}, or a path to a .json")
        add_flags(one.add_argument_group("parameters"), technique.params)
        add_flags(one.add_argument_group("which curves and frames, which keys"), ScopeParams)
    return top


def add_batch(commands):
    one = commands.add_parser(
        "run",
        help="Run a recipe on a folder of takes",
        description="Run a recipe on takes, and write results and a report into a folder. The same "
        "command again goes on where it was interrupted.",
    )
    one.set_defaults(work=run)
    one.add_argument("recipe", help="recipe, as a result's Save Recipe writes it (.json)")
    add_order(one)
    one.add_argument("--action", help="action to work on; without it the one that the object has")


def add_order(one):
    """What is read and written and how, the same for a recipe and for one technique."""
    one.add_argument(
        "files", nargs="+", metavar="takes", help=f"motion files ({' '.join(files.READERS)}) or folders of them, to any depth"
    )
    one.add_argument(
        "-o",
        "--output",
        required=True,
        help=f"folder for results, in the same folders below it, and report; for one file a file ({' '.join(files.WRITERS)})",
    )
    one.add_argument("--jobs", type=count, help="how many Blenders work at once, each on a core (default 1)")
    one.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask scheduler whose workers do it, such as tcp://10.0.0.1:8786; folders must be shared",
    )
    one.add_argument("--ending", choices=tuple(files.WRITERS), help="write all results as this kind of file")
    one.add_argument(
        "--with",
        dest="others",
        nargs="+",
        metavar="FILE",
        help="files with other takes, named as the files are, without their ending, or with curves",
    )
    one.add_argument("--object", help="object to work on; without it every animated armature")
    one.add_argument(
        "--unit",
        type=metres,
        metavar="METRES",
        help="how many metres a unit of .bvh files is, for speeds, paths, lengths and the report (default 1)",
    )
    one.add_argument(
        "--limit", type=seconds, metavar="SECONDS", help="how long a take may need before it counts as failed (default 3600)"
    )


ORDERED = ("jobs", "scheduler", "ending", "others", "object", "unit", "limit")


def count(text):
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs from 1 to 1024")
    return int(text)


def between(low, high, what):
    """A kind of argument: a number in a range."""

    def read(text):
        try:
            return parameters.check_number(what, float(text), parameters.Declaration("number", "", low=low, high=high))
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no {what} from {low:g} to {high:g}") from None

    return read


seconds, metres = between(0.1, 1e6, "number of seconds"), between(1e-6, 1e6, "number of metres")


def add_flags(group, params):
    for name, declaration in parameters.declarations(params).items():
        group.add_argument("--" + name.replace("_", "-"), dest=name, metavar=name.upper(), help=flag_help(declaration))


def flag_help(declaration):
    text = declaration.text.replace("%", "%%")
    if declaration.kind == "choice":
        return f"{text} ({', '.join(option.name for option in declaration.options)})"
    bounded = declaration.kind in ("number", "numbers", "table") and declaration.high < FAR
    limits = f" {declaration.low:g} to {declaration.high:g}" if bounded else ""
    return f"{text} ({KINDS[declaration.kind]}{limits}{declaration.unit and ' ' + declaration.unit})"


KINDS = {
    "number": "number",
    "whole": "whole number",
    "flag": "true or false",
    "words": "text",
    "numbers": "numbers between commas, each",
    "marks": "whole numbers between commas, from 0",
    "points": "points [x, y] between commas",
    "table": "JSON, each",
    "tree": "JSON",
    "records": "JSON",
}


def overview():
    """Techniques and their parameters with units."""
    lines = []
    for technique in TECHNIQUES:
        lines.append(f"{technique.name}: {technique.text}")
        lines += [
            f"  --{name.replace('_', '-'):14} {flag_help(declaration).replace('%%', '%')}"
            for name, declaration in parameters.declarations(technique.params).items()
        ]
    return "\n".join(lines)
