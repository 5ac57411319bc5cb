# SPDX-License-Identifier: GPL-3.0-or-later
"""Enables the checkout as the extension bl_ext.dev.motion_signal in a Blender of its own.

That happens on loading, before the test files, so that they may import bpy and the extension at their top.
"""

import json
import os
import sys
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

FOLDER = tempfile.TemporaryDirectory(prefix="motion_signal_")
os.environ["BLENDER_USER_RESOURCES"] = FOLDER.name  # Blender reads it once, when bpy is imported

import bpy  # noqa: E402, I001
import addon_utils  # noqa: E402, found only after bpy

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = "bl_ext.dev.motion_signal"
OUTCOME = pytest.StashKey()


def enable_extension():
    """Enable a folder of links to the checkout, without the wheels: the environment has its own scipy."""
    repository = Path(FOLDER.name) / "repository"
    package = repository / "motion_signal"
    package.mkdir(parents=True)
    for entry in ROOT.iterdir():
        if entry.name != "wheels" and not entry.name.startswith("."):
            (package / entry.name).symlink_to(entry)
    bpy.context.preferences.extensions.repos.new(name="Dev", module="dev", custom_directory=str(repository), remote_url="")
    return addon_utils.enable(EXTENSION, default_set=True)


MODULE = enable_extension()


def pytest_collection_modifyitems(config, items) -> None:
    """Leave out tests that another version of Blender runs: what they try does not depend on it."""
    own = "{}.{}".format(*bpy.app.version)
    elsewhere = [item for item in items if own not in versions_of(item)]
    items[:] = [item for item in items if own in versions_of(item)]
    config.hook.pytest_deselected(items=elsewhere)


def versions_of(item):
    markers = [set(marker.args) for marker in item.iter_markers("only")]
    return set.intersection(*markers) if markers else {"{}.{}".format(*bpy.app.version)}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus) -> None:
    """Disable the extension, as a user can."""
    addon_utils.disable(EXTENSION, default_set=True)
    session.config.stash[OUTCOME] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config) -> None:
    """Leave at once, after all is said: Blender 4.5 as a module may hang while it frees its memory."""
    FOLDER.cleanup()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(config.stash.get(OUTCOME, 1))


@pytest.fixture(scope="session", autouse=True)
def extension():
    """The enabled extension's module."""
    assert MODULE is not None, f"{EXTENSION} could not be enabled; the reason is printed above"
    return MODULE


@pytest.fixture(scope="session")
def takes(takes) -> Path:
    """The folder of takes, one of which is there as FBX and GLB too."""
    from bl_ext.dev.motion_signal.operators.files import files

    walk = takes / "cmu_07_01_walk_normal.bvh"
    for ending in (".fbx", ".glb"):
        if not walk.with_suffix(ending).exists():
            files.load(walk)
            files.save(walk.with_suffix(ending), files.animated_objects())
    return takes


@pytest.fixture(scope="session")
def recorded(takes):
    """A take by its name, read once and without Blender, which is much faster and gives the same (files/test_bvh): its clip and
    skeleton, in metres unless told otherwise, and the truth about it."""
    from bl_ext.dev.motion_signal.core.body.upright import stood
    from bl_ext.dev.motion_signal.core.files.bvh_take import read_bvh
    from bl_ext.dev.motion_signal.core.motion.scale import scaled

    truth = json.loads((takes / "truth.json").read_text())

    @cache
    def read(name, metres=True):
        file = next(takes.glob(f"*{name}*.bvh"))
        own = truth[file.name]
        clip, skeleton = read_bvh(file)
        unit = own["unit"] if metres else 1.0
        bones = [
            replace(
                bone, rest=np.block([[bone.rest[:3, :3], unit * bone.rest[:3, 3:]], [bone.rest[3:]]]), length=unit * bone.length
            )
            for bone in skeleton.bones
        ]
        clip = replace(scaled(clip, unit), fps=own["fps_true"])
        return SimpleNamespace(clip=clip, skeleton=stood(replace(skeleton, bones=tuple(bones))), truth=own)

    return read


@pytest.fixture
def scene() -> bpy.types.Scene:
    """An empty file's scene, with the extension still enabled."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return bpy.context.scene


@pytest.fixture
def settled(scene, capfd):
    """The panel as it is in a new window, no preview left over, and no error that Blender only prints."""
    from bl_ext.dev.motion_signal.operators.live import preview
    from desk import reset

    reset()
    yield
    preview.end()
    reset()
    assert "Traceback" not in capfd.readouterr().err
