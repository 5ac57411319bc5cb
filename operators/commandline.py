# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: blender --command motion_signal equalize walk.bvh --preset exaggerate -o out.bvh."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import bpy

from ..core import params as parameters
from ..core.catalog import TECHNIQUES
from ..core.report import words
from ..core.scope import FAR, ScopeParams
from . import files
from .apply import apply
from .presets import load_preset, preset_files
from .report import measure
from .scope import gather

COMMAND = "motion_signal"
WRONG = 2  # exit code for input that was refused


def main(arguments):
    """Run the command line and return its exit code."""
    try:
        chosen = parser().parse_args(arguments)
    except SystemExit as stop:
        return stop.code or 0
    if chosen.technique is None:
        return report(chosen)
    try:
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
    except ValueError as error:
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return WRONG
    return 0


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
    try:
        for path in map(Path, chosen.files):
            files.load(path)
            for subject in files.animated_objects(chosen.object):
                bpy.context.view_layer.objects.active = subject
                found = measure(bpy.context)[0]
                numbers.setdefault(str(path), {})[subject.name] = found
                print(f"{path}: {subject.name}: {words(found)}")
        if chosen.output:
            Path(chosen.output).write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    except (ValueError, OSError) as error:
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return WRONG
    return 0


def pair_files(sources, output):
    """What to read and where to write it: one file to a file, several or a folder's into a folder."""
    missing = [source for source in sources if not source.exists()]
    if missing:
        raise ValueError(f"{missing[0]}: there is no such file or folder")
    if len(sources) == 1 and sources[0].is_file() and not output.is_dir():
        return [(sources[0], output)]
    found = [path for source in sources for path in (sorted(source.iterdir()) if source.is_dir() else [source])
             if path.suffix.lower() in files.READERS]
    if not found:
        raise ValueError(f"{sources[0]}: there are no motion files in it")
    if not output.is_dir():
        raise ValueError(f"{output}: there is no such folder, and several files cannot go into one")
    return [(path, output / path.with_suffix(".glb" if path.suffix.lower() == ".gltf" else path.suffix).name) for path in found]


def given(params, chosen):
    return {name: parameters.read_text(name, getattr(chosen, name), declaration)
            for name, declaration in parameters.declarations(params).items() if getattr(chosen, name, None) is not None}


def parser():
    top = argparse.ArgumentParser(prog=COMMAND, description="Treat animation as a sound engineer treats sound.",
                                  formatter_class=argparse.RawDescriptionHelpFormatter, epilog=overview())
    techniques = top.add_subparsers(metavar="technique", required=True)
    one = techniques.add_parser("report", help="Measure motions and change nothing", description="Measure motions.")
    one.set_defaults(technique=None)
    one.add_argument("files", nargs="+", help=f"motion files ({' '.join(files.READERS)})")
    one.add_argument("-o", "--output", help="file for the numbers, as JSON")
    one.add_argument("--object", default="", help="object to measure; without it every animated armature")
    for technique in TECHNIQUES:
        one = techniques.add_parser(technique.name, help=technique.text, description=technique.text + ".")
        one.set_defaults(technique=technique)
        one.add_argument("files", nargs="+", help=f"motion files ({' '.join(files.READERS)}) or folders of them")
        one.add_argument("-o", "--output", required=True, help=f"file ({' '.join(files.WRITERS)}), or folder for several")
        one.add_argument("--preset", help=f"one of {', '.join(preset_files(technique))}, or a path to a .json")
        one.add_argument("--with", dest="others", nargs="+", default=[], metavar="FILE",
                         help="other motion files, whose takes are named as the files are, without their ending")
        one.add_argument("--object", default="", help="object to work on; without it every animated armature")
        add_flags(one.add_argument_group("parameters"), technique.params)
        add_flags(one.add_argument_group("which curves and frames, which keys"), ScopeParams)
    return top


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
