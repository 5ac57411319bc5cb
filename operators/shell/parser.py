# SPDX-License-Identifier: GPL-3.0-or-later
"""The parser of the command line: a few commands, and one for each technique."""

import argparse
import shutil

from ...core.declare.scope import ScopeParams
from ...core.declare.version import TYPED, VERSION
from ...core.recipes.shipped import shipped_presets
from ...core.techniques import TECHNIQUES
from ..batch.order import LIMIT
from ..files.kinds import READABLE, WRITABLE
from . import commands
from .arguments import add_flags, count, metres, seconds, shard
from .assets import add_assets
from .completion import SHELLS, tell_completion
from .continuing import add_continue
from .example import example
from .library import add_commands
from .report import report

ALIASES = {"retarget": ("bring",)}  # other words for a technique
HELP = """commands:
  run         a recipe on takes, files or whole folders
  example     make a small library of takes with a recipe, and run it
  index, assets   make a folder of takes one that can be searched; or show it in Blender's Asset Browser
  find, continue  stretches of such a folder: like one, along a way, by words; or go on from a take in others
  report      measure motions, or the results of batches; change nothing
  schema, completion  what a recipe may hold, as JSON Schema; completion for bash, zsh or fish

techniques, each on takes as a recipe of one step:
{techniques}

{command} COMMAND --help tells more. A library overnight: {command} run recipe.json takes/ -o out/ --jobs 8
"""


def parser(arguments=()):
    """The parser; only the command that is asked for is described in full."""
    return built(arguments)[0]


def built(arguments=()):
    """The parser, and those of its commands by name."""
    top = argparse.ArgumentParser(
        prog=TYPED,
        usage=f"{TYPED} COMMAND [takes ...] [-o OUTPUT] [flags]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=HELP.format(command=TYPED, techniques=listed()),
        add_help=False,
    )
    top.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
    top.add_argument("--version", action="version", version=f"{TYPED} {VERSION}", help=argparse.SUPPRESS)
    below = top.add_subparsers(prog=TYPED, metavar="COMMAND", required=True, help=argparse.SUPPRESS)
    takes = "*" if any(word.startswith("--takes-from") for word in arguments) else "+"
    add_run(below, takes)
    add_report(below)
    add_commands(below, wide)
    add_continue(below, wide)
    add_assets(below)
    one = below.add_parser(
        "example",
        help="Make a small library of takes with a recipe, and run it",
        description="Make takes of a figure that walks, slowly to hurriedly, with a recipe, run it on them, and say by which "
        "command.",
    )
    one.set_defaults(work=example)
    one.add_argument("folder", help="folder that is made for it")
    one = below.add_parser("schema", help="Print what a recipe may hold, as JSON Schema")
    one.set_defaults(work=commands.tell_schema)
    one = below.add_parser("completion", help="Print a script that completes commands and flags")
    one.set_defaults(work=lambda chosen: tell_completion(chosen.shell, built()[1]))
    one.add_argument("shell", choices=tuple(SHELLS))
    for technique in TECHNIQUES:
        one = below.add_parser(
            technique.name,
            help=technique.text,
            description=technique.text + ".",
            formatter_class=wide,
            aliases=ALIASES.get(technique.name, ()),
        )
        one.set_defaults(work=commands.treat, technique=technique)
        one.usage = f"{TYPED} {technique.name} takes ... -o OUTPUT [--preset NAME] [flags]"
        add_order(one, takes)
        presets = ", ".join(shipped_presets(technique)) or "none are shipped"
        group = one.add_argument_group("parameters")
        group.add_argument("--preset", metavar="NAME", help=f"preset to begin with ({presets}), or a path to a .json")
        if not arguments or arguments[0] in (technique.name, *ALIASES.get(technique.name, ())):
            add_flags(group, technique.params)
            add_flags(one.add_argument_group("which curves and frames, which keys"), ScopeParams)
    return top, below.choices


def wide(prog):
    """Help that is laid out for a screen: flags on the left, each with its words in a line where they fit."""
    return argparse.HelpFormatter(prog, max_help_position=30, width=max(80, shutil.get_terminal_size().columns - 2))


def listed():
    return "\n".join(f"  {technique.name:14}{technique.text}" for technique in TECHNIQUES)


def add_run(below, takes):
    one = below.add_parser(
        "run",
        help="Run a recipe on a folder of takes",
        usage=f"{TYPED} run RECIPE takes ... -o OUTPUT [flags]",
        description="Run a recipe on takes, and write results and a report into a folder. The same "
        "command again goes on where it was interrupted.",
        formatter_class=wide,
    )
    one.set_defaults(work=commands.run)
    one.add_argument("recipe", help="recipe, as a result's Save Recipe writes it (.json)")
    add_order(one, takes).add_argument(
        "--action", metavar="NAME", help="action to work on; without it the one that the object has"
    )


def add_order(one, takes):
    """What is read and written and how, the same for a recipe and for one technique; the group of what is in a file."""
    one.add_argument("files", nargs=takes, metavar="takes", help=f"motion files ({' '.join(READABLE)}) or folders of them")
    one.add_argument(
        "-o", "--output", required=True, help=f"folder for results and report; for one file a file ({' '.join(WRITABLE)})"
    )
    which = one.add_argument_group("which takes")
    which.add_argument("--takes-from", metavar="FILE", help="file with a take or folder a line, - for what is piped in")
    which.add_argument("--include", nargs="+", metavar="PATTERN", help="only takes that fit, such as walk* or day1/*")
    which.add_argument("--exclude", nargs="+", metavar="PATTERN", help="no takes that fit")
    which.add_argument("--shard", type=shard, metavar="I/N", help="only the Ith of N parts, for N machines [1/1]")
    which.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    how = one.add_argument_group("how")
    how.add_argument("--jobs", type=count, metavar="N", help="how many work at once, each on a core [1]")
    how.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler whose workers do it, such as tcp://10.0.0.1:8786")
    how.add_argument("--limit", type=seconds, metavar="SECONDS", help=f"how long a take may need [{LIMIT:g}]")
    how.add_argument("--ending", choices=WRITABLE, help="write all results as this kind of file [their takes']")
    said = one.add_argument_group("what is said")
    said.add_argument("-q", "--quiet", action="store_true", help="failures only")
    said.add_argument("-v", "--verbose", action="store_true", help="what happened to each take, in words")
    said.add_argument("--log-json", action="store_true", help="a line of JSON a take, on stdout")
    inside = one.add_argument_group("what is in a file")
    inside.add_argument("--unit", type=metres, metavar="METRES", help="metres in a unit of .bvh files [guessed from the legs]")
    inside.add_argument(
        "--with", dest="others", nargs="+", metavar="FILE", help="files with other takes and curves that are named"
    )
    inside.add_argument("--object", metavar="NAME", help="object to work on; without it every animated armature")
    return inside


def add_report(below):
    one = below.add_parser(
        "report",
        help="Measure motions, or the results of batches, and change nothing",
        description="Measure motions, in files or in folders of any depth. Folders that batches filled "
        "give the report of all of them together, as of shards: report.html and report.json.",
    )
    one.set_defaults(work=report)
    one.add_argument("files", nargs="+", help=f"motion files ({' '.join(READABLE)}), folders of them, or results of batches")
    one.add_argument("-o", "--output", help="file for the numbers, as JSON; of results a folder for the report")
    one.add_argument("--object", default="", metavar="NAME", help="object to measure; without it every animated armature")
    one.add_argument("--unit", type=metres, metavar="METRES", help="metres in a unit of .bvh files [guessed from the legs]")
