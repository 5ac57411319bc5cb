# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: blender --command motion_signal equalize walk.bvh --preset exaggerate -o out.bvh."""

import argparse
import json
import sys
import tempfile
from dataclasses import fields
from pathlib import Path

import bpy

from ..core import params as parameters
from ..core.catalog import TECHNIQUES
from ..core.refusal import Refusal
from ..core.report import words
from ..core.schema import schema
from ..core.scope import FAR, ScopeParams
from . import files
from .apply import apply
from .presets import load_preset, preset_files
from .report import measure
from .scope import gather

COMMAND = "motion_signal"
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
    """One technique on files."""
    jobs = pair_files([Path(name) for name in chosen.files], Path(chosen.output))
    for _, target in jobs:
        files.check_ending(target)
    preset = load_preset(chosen.technique, chosen.preset).params if chosen.preset else chosen.technique.params()
    flags = given(chosen.technique.params, chosen)
    parameters.build(chosen.technique.params, flags)
    scope_params = parameters.build(ScopeParams, given(ScopeParams, chosen))
    with tempfile.TemporaryDirectory(prefix="motion_signal_") as folder:
        others = files.put_aside([Path(name) for name in chosen.others], folder)
        for source, target in jobs:
            print(process(source, target, chosen, preset, flags, scope_params, others))


def process(source, target, chosen, preset, flags, scope_params, others):
    """Treat one file, flags over preset; what was done, in words."""
    files.load(source)
    technique = chosen.technique
    subjects = files.animated_objects(chosen.object)
    files.bring(others)
    lines = []
    for subject in subjects:
        scope = gather(bpy.context, scope_params, subject)
        base = technique.fit(preset, scope.last - scope.first + 1, scope.fps)
        values = parameters.build(technique.params, {**base.__dict__, **flags})
        lines.append(f"{subject.name}: {apply(technique, values, scope, scope_params)[1]}")
    files.save(target, subjects)
    return f"{source} -> {target}: {'; '.join(lines)}"


def report(chosen):
    """Measure files and print the numbers, or write them to one file."""
    numbers = {}
    for path in map(Path, chosen.files):
        files.load(path)
        subjects = files.animated_objects(chosen.object)
        with files.sized(subjects, chosen.unit if path.suffix.lower() == ".bvh" else 1.0):
            for subject in subjects:
                bpy.context.view_layer.objects.active = subject
                found = measure(bpy.context)[0]
                numbers.setdefault(str(path), {})[subject.name] = found
                print(f"{path}: {subject.name}: {words(found)}")
    if chosen.output:
        Path(chosen.output).write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


def run(chosen):
    """A recipe on a folder of takes."""
    from . import batch  # nobody else needs it, and Blender starts sooner without

    asked = {field.name: getattr(chosen, field.name) for field in fields(batch.Order)}
    return 0 if batch.run(batch.Order(**{name: value for name, value in asked.items() if value is not None})) else FAILED


def tell_schema(chosen):
    print(json.dumps(schema(), indent=1))


def pair_files(sources, output):
    """What to read and where to write it: one file to a file, several or a folder's into a folder."""
    missing = [source for source in sources if not source.exists()]
    if missing:
        raise Refusal(f"{missing[0]}: there is no such file or folder")
    if len(sources) == 1 and sources[0].is_file() and not output.is_dir():
        return [(sources[0], output)]
    found = [path for source in sources for path in (sorted(source.iterdir()) if source.is_dir() else [source])
             if path.suffix.lower() in files.READERS]
    if not found:
        raise Refusal(f"{sources[0]}: there are no motion files in it")
    if not output.is_dir():
        raise Refusal(f"{output}: there is no such folder, and several files cannot go into one")
    return [(path, output / path.with_suffix(".glb" if path.suffix.lower() == ".gltf" else path.suffix).name) for path in found]


def given(params, chosen):
    return {name: parameters.read_text(name, getattr(chosen, name), declaration)
            for name, declaration in parameters.declarations(params).items() if getattr(chosen, name, None) is not None}


def parser():
    top = argparse.ArgumentParser(prog=COMMAND, description="Treat animation as a sound engineer treats sound.",
                                  formatter_class=argparse.RawDescriptionHelpFormatter, epilog=overview())
    techniques = top.add_subparsers(metavar="technique", required=True)
    add_batch(techniques)
    one = techniques.add_parser("schema", help="Print what a recipe may hold, as JSON Schema")
    one.set_defaults(work=tell_schema)
    one = techniques.add_parser("report", help="Measure motions and change nothing", description="Measure motions.")
    one.set_defaults(work=report)
    one.add_argument("files", nargs="+", help=f"motion files ({' '.join(files.READERS)})")
    one.add_argument("-o", "--output", help="file for the numbers, as JSON")
    one.add_argument("--object", default="", help="object to measure; without it every animated armature")
    one.add_argument("--unit", type=metres, default=1.0, metavar="METRES",
                     help="how many metres a unit of .bvh files is (default 1)")
    for technique in TECHNIQUES:
        one = techniques.add_parser(technique.name, help=technique.text, description=technique.text + ".")
        one.set_defaults(work=treat, technique=technique)
        one.add_argument("files", nargs="+", help=f"motion files ({' '.join(files.READERS)}) or folders of them")
        one.add_argument("-o", "--output", required=True, help=f"file ({' '.join(files.WRITERS)}), or folder for several")
        one.add_argument("--preset", help=f"one of {', '.join(preset_files(technique))}, or a path to a .json")
        one.add_argument("--with", dest="others", nargs="+", default=[], metavar="FILE",
                         help="other motion files, whose takes are named as the files are, without their ending")
        one.add_argument("--object", default="", help="object to work on; without it every animated armature")
        add_flags(one.add_argument_group("parameters"), technique.params)
        add_flags(one.add_argument_group("which curves and frames, which keys"), ScopeParams)
    return top


def add_batch(commands):
    one = commands.add_parser("run", help="Run a recipe on a folder of takes",
                              description="Run a recipe on takes, and write results and a report into a folder. The same "
                                          "command again goes on where it was interrupted.")
    one.set_defaults(work=run)
    one.add_argument("recipe", help="recipe, as a result's Save Recipe writes it (.json)")
    one.add_argument("takes", nargs="+", help=f"motion files ({' '.join(files.READERS)}) or folders of them, to any depth")
    one.add_argument("-o", "--output", required=True, help="folder for results, in the same folders below it, and report")
    one.add_argument("--jobs", type=count, help="how many Blenders work at once, each on a core (default 1)")
    one.add_argument("--scheduler", default="", metavar="ADDRESS",
                     help="Dask scheduler whose workers do it, such as tcp://10.0.0.1:8786; folders must be shared")
    one.add_argument("--ending", default="", choices=tuple(files.WRITERS), help="write all results as this kind of file")
    one.add_argument("--with", dest="others", nargs="+", default=[], metavar="FILE",
                     help="files with other takes, or curves, that the recipe names")
    one.add_argument("--object", default="", help="object to work on; without it every animated armature")
    one.add_argument("--unit", type=metres, metavar="METRES",
                     help="how many metres a unit of .bvh files is, for speeds, paths and the report (default 1)")
    one.add_argument("--limit", type=seconds, metavar="SECONDS",
                     help="how long a take may need before it counts as failed (default 3600)")


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


KINDS = {"number": "number", "whole": "whole number", "flag": "true or false", "words": "text",
         "numbers": "numbers between commas, each", "marks": "whole numbers between commas, from 0",
         "points": "points [x, y] between commas", "table": "JSON, each", "tree": "JSON", "records": "JSON"}


def overview():
    """Techniques and their parameters with units."""
    lines = []
    for technique in TECHNIQUES:
        lines.append(f"{technique.name}: {technique.text}")
        lines += [f"  --{name.replace('_', '-'):14} {flag_help(declaration).replace('%%', '%')}"
                  for name, declaration in parameters.declarations(technique.params).items()]
    return "\n".join(lines)


_registered = []


def register():
    _registered.append(bpy.utils.register_cli_command(COMMAND, main))


def unregister():
    while _registered:
        bpy.utils.unregister_cli_command(_registered.pop())
