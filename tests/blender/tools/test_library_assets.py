# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes in the Asset Browser: actions that Blender itself finds to be assets, with picture, catalog and tags."""

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.library.store import Library, index_of
from bl_ext.dev.motion_signal.operators.commandline import main
from bl_ext.dev.motion_signal.operators.library.assets import put_takes
from bl_ext.dev.motion_signal.operators.library.stick_pictures import SIZE
from library_folder import RUN, TURN, WALK, filled, indexed_walk


@pytest.fixture
def folder(takes, tmp_path):
    return filled(takes, tmp_path)


@pytest.fixture
def rig(folder):
    """A walk on its figure, and a folder that is indexed."""
    return indexed_walk(folder)


@pytest.fixture
def target(tmp_path_factory):
    return tmp_path_factory.mktemp("assets")


def assets_in(path):
    """The actions of a .blend that Blender takes for assets, appended here."""
    with bpy.data.libraries.load(str(path), assets_only=True) as (there, here):
        here.actions = there.actions
        names = list(there.actions)
    return dict(zip(names, here.actions))


def catalogs_in(target):
    lines = (target / "blender_assets.cats.txt").read_text("utf-8").splitlines()
    return {line.split(":")[0]: line.split(":")[1] for line in lines if line.count(":") == 2}


def test_takes_of_a_library_are_assets_with_pictures_catalogs_and_tags(rig, folder, target):
    before = set(bpy.data.actions)
    assert bpy.ops.motion_signal.library_assets(directory=str(target), show=False) == {"FINISHED"}
    assert set(bpy.data.actions) == before
    found = assets_in(target / f"{folder.name}.motion_signal.blend")
    assert set(found) == {name.removesuffix(".bvh") for name in (WALK, RUN, TURN)}
    for action in found.values():
        data = action.asset_data
        assert catalogs_in(target)[data.catalog_id] == f"Motion Signal/{folder.name}" and "m/s" in data.description
        pixels = np.empty(SIZE * SIZE * 4, np.float32)
        assert tuple(action.preview.image_size) == (SIZE, SIZE)
        action.preview.image_pixels_float.foreach_get(pixels)
        assert 0.02 < (pixels.reshape(-1, 4)[:, 3] > 0.3).mean() < 0.6  # something is drawn, and something left free
    assert "runs" in found[RUN.removesuffix(".bvh")].asset_data.tags and "runs" not in found[WALK[:-4]].asset_data.tags
    walk = found[WALK[:-4]]
    own = rig.animation_data.action
    rig.animation_data.action = walk
    rig.animation_data.action_slot = walk.slots[0]
    first = rigs.poses(rig, [10])[0, :, :3, 3]
    rig.animation_data.action = own
    assert np.isfinite(first).all() and np.ptp(first[:, 2]) > 0


def test_actions_of_this_file_are_put_there_as_copies_and_other_catalogs_stay(rig, target):
    other = "11111111-2222-3333-4444-555555555555:Poses/Hands:Poses-Hands"
    (target / "blender_assets.cats.txt").write_text(f"# Mine\n\nVERSION 1\n{other}\n", "utf-8")
    take = rig.animation_data.action
    source = rigs.record(take)
    for _ in range(2):
        assert bpy.ops.motion_signal.library_assets(what="FILE", directory=str(target), show=False) == {"FINISHED"}
    text = (target / "blender_assets.cats.txt").read_text("utf-8")
    assert text.startswith("# Mine") and text.count(other) == 1 and text.count("Motion Signal/untitled:") == 1
    assert rigs.record(take) == source and take.asset_data is None
    (asset,) = assets_in(target / "untitled.motion_signal.blend").values()
    assert asset.name == f"untitled {take.name}" and asset.frame_range[:] == take.frame_range[:]


def test_what_cannot_be_put_there_is_said(rig, folder, target):
    press = bpy.ops.motion_signal.library_assets
    for words, asked in (
        ("choose the folder", {}),
        ("no such folder", {"directory": str(target / "none")}),
        ("no index yet", {"directory": str(target), "folder": str(target)}),
    ):
        with rigs.nothing_made(), pytest.raises(RuntimeError, match=words):
            press(**asked)
    (target / "blender_assets.cats.txt").write_text("VERSION 7\n", "utf-8")
    with rigs.nothing_made(), pytest.raises(RuntimeError, match="it is of version 7"):
        press(what="FILE", directory=str(target), show=False)
    assert [path.name for path in target.iterdir()] == ["blender_assets.cats.txt"]


def test_a_take_that_is_gone_is_named_and_the_others_are_put_there(rig, folder, target):
    (folder / RUN).unlink()
    with rigs.nothing_made():
        path, problems = put_takes(Library(index_of(folder)), folder, target)
    assert [name for name, _ in problems] == [RUN] and len(assets_in(path)) == 2


@pytest.mark.only("5.2")
def test_the_command_writes_them(rig, folder, target, capsys):
    assert main(["assets", str(folder), "-o", str(target)]) == 0 and "3 takes as assets" in capsys.readouterr().out
    assert len(assets_in(target / f"{folder.name}.motion_signal.blend")) == 3
    assert main(["assets", str(folder), "-o", str(target / "none")]) == 2 and "no such folder" in capsys.readouterr().err
