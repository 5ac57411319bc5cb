# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads the checkout as the package motion_signal, whatever its folder is called, and finds or makes the takes."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def load_package(name: str) -> None:
    """Import the root of the checkout under a fixed name; its parts then import as usual."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])


load_package("motion_signal")


@pytest.fixture(scope="session")
def takes(tmp_path_factory) -> Path:
    """The folder of takes: the recorded ones where there are any, else those that are made to stand in for them."""
    import made_takes

    if made_takes.RECORDED.is_dir():
        return made_takes.RECORDED
    folder = tmp_path_factory.mktemp("takes")
    made_takes.write(folder)
    return folder
