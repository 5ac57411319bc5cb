# SPDX-License-Identifier: GPL-3.0-or-later
"""The public face of core: what docs/api.md shows runs where there is no Blender, and nothing loads before it is asked for."""

import ast
import importlib.metadata
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from motion_signal import core
from motion_signal.core import TECHNIQUES, Refusal, Surroundings, equalize, lock, read_recipe

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
NEEDED = ("numpy", "scipy", "pywt")  # what `pip install .` brings
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the installed package and what it needs, and nothing else that Python does not bring itself."""
    source, site = tmp_path_factory.mktemp("checkout") / "motion_signal", tmp_path_factory.mktemp("site")
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", "build", "dist", "wheels", "docs", "tests", "*.egg-info")
    shutil.copytree(ROOT, source, ignore=left_out)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-compile",
        "--disable-pip-version-check",
        "--target",
        site,
    ]
    subprocess.run([*pip, *offline(), source], check=True)
    for name in NEEDED:
        folder = Path(importlib.util.find_spec(name).origin).parent
        for path in (folder, *folder.parent.glob(f"{name}.libs"), *folder.parent.glob("pywavelets.libs")):
            if not (site / path.name).exists():
                (site / path.name).symlink_to(path)
    return site


def offline():
    """The build tool at hand, where it is new enough, instead of one that is downloaded."""
    try:
        version = int(importlib.metadata.version("setuptools").split(".")[0])
    except importlib.metadata.PackageNotFoundError:
        return []
    return ["--no-build-isolation"] if version >= 77 else []


def python(site, code, folder):
    """Run code in a Python that finds packages in one folder only."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=folder, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_is_no_blender_where_the_examples_run(installed, tmp_path):
    code = (
        "import importlib.util, motion_signal\n"
        "print([name for name in ('bpy', 'mathutils', 'pytest') if importlib.util.find_spec(name)])\n"
        "print(motion_signal.__file__)"
    )
    found, file = python(installed, code, tmp_path).splitlines()
    assert found == "[]" and Path(file) == installed / "motion_signal" / "__init__.py"


def test_the_examples_of_the_page_run_without_blender(installed, tmp_path, takes):
    for name, take in (("walk", "cmu_07_01_walk_normal"), ("run", "cmu_16_36_run_jog")):
        shutil.copy(takes / f"{take}.bvh", tmp_path / f"{name}.bvh")
    ending = (
        "import sys\n"
        "assert 'bpy' not in sys.modules and len(EXAMPLES_RUN) == " + str(len(EXAMPLES)) + "\n"
        "again, twin = read_bvh('loud.bvh')\n"
        "import numpy\n"
        "gap = numpy.abs(twin.posed(again)[1] - skeleton.posed(steady)[1]).max()\n"
        "print('END', gap, before['slide_mean_mm'], after['slide_mean_mm'], numpy.abs(result.values - steady.values).max(),\n"
        "      numpy.abs(calm.values - clip.values).max(), between.frames)\n"
    )
    code = "EXAMPLES_RUN = []\n" + "".join(f"{example}\nEXAMPLES_RUN.append(1)\n" for example in EXAMPLES) + ending
    said = python(installed, code, tmp_path)
    gap, before, after, apart, calmed, frames = (float(word) for word in said.rpartition("END")[2].split())
    assert gap < 1e-3  # of a figure of 30 units
    assert after < 5.0 and after < 0.5 * before  # millimetres: the whole way, and not just a little
    assert apart < 1e-6 and calmed > 0.01 and frames > 3
    assert "gains[0]: 9 is outside -4 to 4" in said
    assert all(entry.name in said for entry in TECHNIQUES)


def test_core_loads_nothing_before_it_is_asked(installed, tmp_path):
    code = (
        "import sys\nimport motion_signal.core as core\n"
        "print(any(name in sys.modules for name in ('scipy', 'numpy', 'pywt')))\n"
        "print(all(getattr(core, name) is getattr(core, name) for name in core.__all__), set(core.__all__) <= set(dir(core)))\n"
        "from motion_signal.core import *\nprint(equalize.name)"
    )
    assert python(installed, code, tmp_path).split() == ["False", "True", "True", "equalize"]


def test_what_type_checkers_see_is_what_there_is():
    tree = ast.parse((ROOT / "core" / "__init__.py").read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {}
    for node in block.body:
        for alias in node.names:
            module = importlib.import_module(f"motion_signal.core.{node.module}")
            seen[alias.asname or alias.name] = getattr(module, alias.name)
    assert set(seen) == set(core.HOMES)
    assert all(getattr(core, name) is value for name, value in seen.items())


def test_every_technique_is_there_with_its_parameters():
    expected = {entry.name: entry for entry in TECHNIQUES} | {entry.params.__name__: entry.params for entry in TECHNIQUES}
    assert set(core.__all__) == set(core.HOMES) | set(expected)
    assert all(getattr(core, name) is value for name, value in expected.items())


def test_the_page_names_what_there_is():
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert set(core.HOMES) <= named


def public_functions():
    """Public functions, and methods and properties of public classes that are no parameters, by their names."""
    for name in core.HOMES:
        value = getattr(core, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for method, held in vars(value).items():
                function = held.fget if isinstance(held, property) else held
                declared = method in getattr(value, "__dataclass_fields__", {})  # a default, which is no method
                if inspect.isfunction(function) and not declared and (method == "__call__" or not method.startswith("_")):
                    yield f"{name}.{method}", function


@pytest.mark.parametrize("name", dict(public_functions()))
def test_public_functions_say_what_they_take_and_give_and_are_checked(name):
    function = dict(public_functions())[name]
    signature = inspect.signature(function)
    assert signature.return_annotation is not signature.empty
    assert [key for key, value in signature.parameters.items() if value.annotation is value.empty and key != "self"] == []
    checked = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]["files"]
    assert Path(inspect.getsourcefile(function)).relative_to(ROOT).as_posix() in checked


def test_installing_brings_three_packages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert [re.match(r"\w+", line)[0] for line in project["dependencies"]] == ["numpy", "scipy", "PyWavelets"]


def test_no_such_name_is_said():
    with pytest.raises(AttributeError, match="no attribute 'equalise'"):
        core.equalise  # noqa: B018


def test_values_by_name_are_the_parameters(figure, moving):
    clip = moving(figure)
    surroundings = Surroundings(figure)
    by_name = equalize(clip, gains=[0.5, 2.0], surroundings=surroundings)
    as_params = equalize(clip, core.EqualizeParams(gains=(0.5, 2.0)), surroundings)
    both = equalize(clip, core.EqualizeParams(gains=(9.0,), dc_gain=1.0), surroundings, gains=[0.5, 2.0])
    assert (by_name.values == as_params.values).all() and (by_name.values == both.values).all()
    assert abs(by_name.values - clip.values).max() > 0.01


@pytest.mark.parametrize(
    "call, sentence",
    (
        (lambda clip: equalize(clip, gain=3), "gain: no such parameter"),
        (lambda clip: equalize(clip, core.EqualizeParams(gains=(9.0,))), r"gains\[0\]: 9 is outside -4 to 4"),
        (lambda clip: lock(clip, core.EqualizeParams()), "lock takes LockParams, and this is EqualizeParams"),
        (lambda clip: lock(clip), "there is no armature"),
        (lambda clip: core.technique("equalise"), "equalise: no such technique"),
        (lambda clip: core.read_bvh("none.bvh"), "none.bvh: "),
        (lambda clip: core.read_bvh("none.bvh", unit=0), "unit: 0 is no length"),
        (lambda clip: read_recipe("none.json"), "none.json: cannot be read"),
        (lambda clip: read_recipe('{"format": 9}'), "newer Motion Signal"),
    ),
)
def test_wrong_calls_are_refused_in_a_sentence(figure, moving, call, sentence):
    with pytest.raises(Refusal, match=sentence) as error:
        call(moving(figure))
    assert "\n" not in str(error.value)
