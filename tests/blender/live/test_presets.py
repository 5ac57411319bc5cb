# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets: shipped ones are read, own ones come and go, and a broken one is refused by name."""

import json
import re
import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest
import rigs
from bl_ext.dev.motion_signal.core.techniques.character.equalize import EQUALIZE
from bl_ext.dev.motion_signal.operators.live import presets, preview
from bl_ext.dev.motion_signal.operators.settings.properties import reset


@pytest.fixture(autouse=True)
def own_folder(scene):
    """The folder for presets of one's own, empty before and after."""
    folder = presets.user_folder(EQUALIZE)
    shutil.rmtree(folder, ignore_errors=True)
    yield folder
    preview.end()
    reset(EQUALIZE.params, equalizer())
    shutil.rmtree(folder, ignore_errors=True)


def equalizer():
    return bpy.context.window_manager.motion_signal.equalize


def add(name, **properties):
    return bpy.ops.motion_signal.preset_add(technique="equalize", preset=name, **properties)


def load(name, technique="equalize"):
    return bpy.ops.motion_signal.preset_load(technique=technique, preset=name)


def shipped():
    return sorted(path.stem for path in (presets.SHIPPED / "equalize").glob("*.json"))


def test_all_shipped_presets_are_listed_and_load(scene):
    assert len(shipped()) >= 6 and sorted(presets.preset_files(EQUALIZE)) == shipped()
    for name in shipped():
        data = json.loads((presets.SHIPPED / "equalize" / f"{name}.json").read_text("utf-8"))
        assert load(name) == {"FINISHED"}
        assert json.loads(equalizer().gains or "[]") == data["params"].get("gains", [])
        assert equalizer().dc_gain == pytest.approx(data["params"].get("dc_gain", 1.0), abs=1e-6)


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_preset_changes_a_motion(scene, name):
    rig, source = rigs.walker()
    assert bpy.ops.motion_signal.equalize(preset=name) == {"FINISHED"}
    before, after = (rigs.record(action)["curves"] for action in (source, rig.animation_data.action))
    assert sum(before[curve] != after[curve] for curve in before) > 10


def test_loading_a_preset_previews_it(scene):
    rig, source = rigs.walker()
    load("exaggerate")
    assert "motion_signal_preview" in rig.animation_data.action
    bpy.ops.motion_signal.preview_end()
    assert rig.animation_data.action == source


def test_a_preset_of_ones_own_comes_back_as_it_was_saved(scene, own_folder):
    equalizer().gains, equalizer().dc_gain, equalizer().mute = "[1, 2, 0.5]", 0.75, "[2]"
    assert add("My Walk!") == {"FINISHED"}
    assert (own_folder / "my_walk.json").is_file() and "my_walk" in presets.preset_files(EQUALIZE)
    assert bpy.ops.motion_signal.reset(technique="equalize") == {"FINISHED"}
    assert json.loads(equalizer().mute or "[]") == [] and equalizer().dc_gain == 1.0
    assert load("my_walk") == {"FINISHED"}
    assert json.loads(equalizer().gains) == [1, 2, 0.5] and json.loads(equalizer().mute) == [2]
    assert equalizer().dc_gain == 0.75


def test_a_preset_of_ones_own_drives_the_operator(scene, own_folder):
    equalizer().gains = str(rigs.LOUD)
    add("loud")
    results = []
    for properties in ({"preset": "loud"}, {"preset": str(own_folder / "loud.json")}, {"gains": str(rigs.LOUD)}):
        rig, _ = rigs.walker()
        bpy.ops.motion_signal.equalize(object=rig.name, **properties)
        results.append([rigs.keys(curve).tolist() for curve in rigs.curves_of(rig).values()])
    assert results[0] == results[1] == results[2]


def test_a_preset_of_ones_own_is_removed_and_gone(scene, own_folder):
    add("mine")
    assert add("mine", remove=True) == {"FINISHED"}
    assert not list(own_folder.iterdir()) and "mine" not in presets.preset_files(EQUALIZE)


def test_a_shipped_preset_cannot_be_removed(scene):
    with pytest.raises(RuntimeError, match="exaggerate is not one of your own"):
        add("exaggerate", remove=True)
    assert "exaggerate" in presets.preset_files(EQUALIZE)


def test_ones_own_preset_stands_for_a_shipped_one_until_it_is_removed(scene, own_folder):
    equalizer().gains = "[3]"
    add("Exaggerate")
    assert presets.load_preset(EQUALIZE, "exaggerate").params.gains == (3.0,)
    add("exaggerate", remove=True)
    assert len(presets.load_preset(EQUALIZE, "exaggerate").params.gains) == 12


def test_a_preset_without_a_name_is_refused(scene, own_folder):
    with pytest.raises(RuntimeError, match="preset: it needs a name"):
        add(" ! ")
    assert not own_folder.exists() or not list(own_folder.iterdir())


def test_a_name_cannot_leave_the_folder(scene, own_folder):
    add("../../sly")
    assert [path.name for path in own_folder.iterdir()] == ["sly.json"]


def test_settings_that_cannot_be_read_are_not_saved(scene, own_folder):
    equalizer().gains = "[1, 2"
    with pytest.raises(RuntimeError, match="gains"):
        add("broken")
    assert not own_folder.exists() or not list(own_folder.iterdir())


BROKEN = {
    "no JSON": ('{"technique": "equalize", "params": {', "line 1 cannot be read"),
    "no object": ("[1, 2]", "it holds no JSON object"),
    "no technique": ('{"params": {}}', "line 1: technique: it needs"),
    "unknown technique": ('{"technique": "juggle", "params": {}}', "juggle: no such technique"),
    "unknown parameter": ('{"technique": "equalize", "params": {"volume": 3}}', "volume: no such parameter"),
    "wrong value": ('{"technique": "equalize", "params": {"gains": [1, "x"]}}', "gains[1]: 'x' is no number"),
    "too much": ('{"technique": "equalize", "params": {"dc_gain": 40}}', "dc_gain: 40 is outside -4 to 4"),
    "no text": (b"\xff\xfe\x00", "cannot be read"),
}


@pytest.mark.parametrize("content, sentence", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_preset_is_refused_by_name_and_changes_nothing(scene, own_folder, content, sentence):
    own_folder.mkdir(parents=True)
    (own_folder / "broken.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    rigs.walker()
    for use in (lambda: load("broken"), lambda: bpy.ops.motion_signal.equalize(preset="broken")):
        with rigs.nothing_made(), pytest.raises(RuntimeError) as error:
            use()
        said = str(error.value).strip()
        assert "preset broken" in said and sentence in said and "\n" not in said
    assert equalizer().gains == ""


def test_an_unknown_preset_is_refused_with_those_there_are(scene):
    for use in (lambda: load("sparkle"), lambda: bpy.ops.motion_signal.equalize(preset="sparkle")):
        rigs.walker()
        with rigs.nothing_made(), pytest.raises(RuntimeError, match="there is no sparkle; there are .*exaggerate"):
            use()


def test_a_path_to_no_file_is_refused(scene, tmp_path):
    rigs.walker()
    with pytest.raises(RuntimeError, match="nothing.json cannot be read"):
        bpy.ops.motion_signal.equalize(preset=str(tmp_path / "nothing.json"))


def test_an_unknown_technique_is_refused(scene):
    with pytest.raises(RuntimeError, match="juggle: no such technique"):
        load("exaggerate", technique="juggle")


def test_a_preset_of_the_first_faders_alone_fits_every_take(scene, own_folder):
    """Dragged faders are saved as far as they were moved; operator and panel fill up the rest alike."""
    rigs.walker(97)
    own_folder.mkdir(parents=True, exist_ok=True)
    (own_folder / "short.json").write_text('{"technique": "equalize", "params": {"gains": [1, 1, 1, 1, 1, 2]}}')
    bpy.ops.motion_signal.equalize(preset="short")
    short = rigs.evaluated(bpy.context.object, range(1, 98))
    bpy.context.object.animation_data.action = bpy.context.object.animation_data.action["motion_signal_source"]
    bpy.ops.motion_signal.equalize(gains=str([1, 1, 1, 1, 1, 2] + [1] * 6))
    whole = rigs.evaluated(bpy.context.object, range(1, 98))
    assert all((short[name] == whole[name]).all() for name in whole)


def measured(figure):
    """Thigh swing and elbow bend in degrees and pelvis bob in millimetres, as the tables of the documentation say them."""
    names, rows = ("thigh.L", "upper_arm.L", "forearm.L"), []
    for frame in range(1, 181):
        bpy.context.scene.frame_set(frame)
        bones = figure.pose.bones
        rows.append([*((bones[name].tail - bones[name].head).normalized() for name in names), bones["hips"].head.copy()])
    thigh, upper, lower, hips = np.array(rows).transpose(1, 0, 2)
    swing = np.degrees(np.arctan2(-thigh[:, 1], -thigh[:, 2]))
    bend = np.degrees(np.arccos(np.clip((upper * lower).sum(axis=1), -1, 1)))
    return [f"{np.ptp(values):.1f}" for values in (swing, bend, 1000 * hips[:, 2])]


def listed(page):
    """The first three numbers of the rows of a page's tables, by preset."""
    text = (Path(__file__).resolve().parents[3] / page).read_text("utf-8")
    rows = re.findall(r"^\|\s*([^|]+?)\s*\|(?:[^|]*\|)?\s*([\d.]+)°\s*\|\s*([\d.]+)°\s*\|\s*([\d.]+) mm", text, re.MULTILINE)
    return {name.strip("`").lower().replace(" ", "_"): numbers for name, *numbers in rows}


def test_the_documentation_says_what_the_presets_do():
    """The numbers of README and of the presets' page are those of the walking figure at 30 frames a second."""
    bpy.context.scene.render.fps = 30
    bpy.ops.motion_signal.add_figure()
    figure, take = bpy.context.object, bpy.context.object.animation_data.action
    found = {"": measured(figure)}
    for preset in shipped():
        figure.animation_data.action = take
        figure.animation_data.action_slot = take.slots[0]
        bpy.ops.motion_signal.equalize(preset=preset)
        found[preset] = measured(figure)
    page, front = listed("docs/presets.md"), listed("README.md")
    assert page == {**{preset: found[preset] for preset in shipped()}, "(the_take)": found[""]}
    assert len(front) > 3 and front.pop("source") == found[""] and front == {preset: found[preset] for preset in front}
