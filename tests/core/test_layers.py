# SPDX-License-Identifier: GPL-3.0-or-later
"""The house in rooms: every room imports lower rooms only, and nothing private crosses a file."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAYERS = (
    "core.numeric",
    "core.motion",
    "core.declare core.files core.keys core.timing",
    "core.body",
    "core.ik core.mixing",
    "core.cycles core.paths core.retargeting core.faults core.rhythm",
    "core.library",
    "core.physics core.pinning",
    "core.techniques",
    "core.recipes",
    "core.composed",
    "operators.bridge",
    "operators.rigs",
    "operators.files operators.run operators.settings",
    "operators.batch operators.live",
    "operators.library",
    "operators.shell operators.draw",
    "operators.desk operators.commandline",
    "operators.tools operators.command",
)
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms.split()}
BLENDER = {"bpy", "mathutils", "gpu", "blf", "bpy_extras", "addon_utils"}
MOST = 20  # files in a room
ALONE = (
    "batch.worker",
    "batch.spread",
    "batch.run",
    "library.index",
    "commandline",
)  # without a Blender where no take needs one


def sources():
    """The text of every file of core and operators, by its path."""
    paths = [path for folder in ("core", "operators") for path in (ROOT / folder).rglob("*.py")]
    return {path.relative_to(ROOT): path.read_text("utf-8") for path in paths}


def imported(path, text):
    """What a file imports: (True, dotted name in the extension) or (False, name of another package)."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = path.parent.parts[: len(path.parent.parts) - node.level + 1]
            for alias in node.names:
                yield True, ".".join((*above, *(node.module or "").split("."), alias.name)).replace("..", ".")
        elif isinstance(node, ast.ImportFrom):
            yield False, node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            yield from ((False, alias.name.split(".")[0]) for alias in node.names)


def upward(path, text):
    """The imports of a file that do not lead to a lower room."""
    own = room_of(path.parts)
    names = [name for ours, name in imported(path, text) if ours and room_of(name.split(".")) not in (own, "operators", "core")]
    return [name for name in names if LEVEL[room_of(name.split("."))] >= LEVEL[own]]


def room_of(names):
    return ".".join(names[:2]).removesuffix(".py")


FILES = sources()


@pytest.mark.parametrize("path", [path for path in FILES if len(path.parts) > 2 or path.name == "commandline.py"], ids=str)
def test_a_room_imports_lower_rooms_only(path):
    assert upward(path, FILES[path]) == []


def test_an_upward_import_is_found():
    path = Path("core/numeric/bands.py")
    assert upward(path, FILES[path] + "\nfrom ..motion.clip import Clip\n") == ["core.motion.clip.Clip"]
    assert upward(Path("core/ik/reach.py"), "from ..cycles import pace") == ["core.cycles.pace"]


def test_core_is_rooms_and_knows_no_blender():
    assert [path.name for path in (ROOT / "core").glob("*.py")] == ["__init__.py"]
    for path, text in FILES.items():
        if path.parts[0] == "core":
            assert not {name for ours, name in imported(path, text) if not ours} & BLENDER, path


def test_no_room_is_crowded_and_each_says_what_it_is():
    for room in LEVEL:
        folder = ROOT / room.replace(".", "/")
        if folder.is_dir():
            for part in (path.parent for path in folder.rglob("__init__.py")):
                assert len(list(part.glob("*.py"))) - 1 <= MOST, part
                assert ast.get_docstring(ast.parse((part / "__init__.py").read_text("utf-8"))), part


def test_every_room_is_packed():
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    there = [
        folder.relative_to(ROOT) for name in ("core", "operators", "panels") for folder in ROOT.glob(f"{name}/**/__init__.py")
    ]
    assert sorted(packed) == sorted(["motion_signal", *(".".join(("motion_signal", *path.parent.parts)) for path in there)])


def test_techniques_do_not_import_each_other():
    for path, text in FILES.items():
        if path.parent.parent.as_posix() == "core/techniques":
            names = [name for ours, name in imported(path, text) if ours]
            assert not [name for name in names if name.startswith("core.techniques.")], path


def test_no_private_name_crosses_a_file():
    for path, text in FILES.items():
        tree = ast.parse(text)
        names = [name.rpartition(".")[2] for ours, name in imported(path, text) if ours]
        assert not [name for name in names if private(name)], path
        used = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and private(node.attr) and getattr(node.value, "id", "") != "os"
        }
        own = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in ("self", "cls")
        }
        own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert not used - own, path


def private(name):
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("name", ALONE)
def test_who_spreads_takes_needs_no_blender(name):
    code = (
        "import importlib.util, sys\n"
        "sys.modules['bpy'] = None\n"
        f"spec = importlib.util.spec_from_file_location('motion_signal', {str(ROOT / '__init__.py')!r}, "
        f"submodule_search_locations=[{str(ROOT)!r}])\n"
        "sys.modules['motion_signal'] = package = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(package)\n"
        f"import motion_signal.operators.{name}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_class_of_one_name_means_one_thing():
    names = [
        node.name
        for path, text in FILES.items()
        if path.parts[0] != "panels"
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_what_is_declared_is_known_without_what_computes():
    code = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('motion_signal', {str(ROOT / '__init__.py')!r}, "
        f"submodule_search_locations=[{str(ROOT)!r}])\n"
        "sys.modules['motion_signal'] = package = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(package)\n"
        "import motion_signal.core.techniques\n"
        "print([name for name in ('scipy', 'pywt', 'motion_signal.core.faults.look') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
