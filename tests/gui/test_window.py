# SPDX-License-Identifier: GPL-3.0-or-later
"""The window opens with the installed extension, and what the mouse and keyboard do arrives in it."""

import pytest
from window import Window

PROBE = """
class Probe(bpy.types.Operator):
    bl_idname = "window.probe"
    bl_label = "Probe"

    def modal(self, context, event):
        if event.type in {"LEFTMOUSE", "ESC"} and event.value == "PRESS":
            bpy.app.driver_namespace["probe"] = [event.type, event.mouse_x, event.mouse_y]
            return {"FINISHED"}
        return {"RUNNING_MODAL"}

    def invoke(self, context, event):
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

bpy.utils.register_class(Probe)
"""


@pytest.fixture(scope="module")
def window():
    with Window() as window:
        window.run(PROBE)
        yield window


def probe(window, act):
    """Return the event that a modal operator sees when `act` is done."""
    window.run('bpy.app.driver_namespace.pop("probe", None); bpy.ops.window.probe("INVOKE_DEFAULT")')
    act()
    return window.until('bpy.app.driver_namespace.get("probe")')


def test_extension_is_enabled_from_the_zip(window):
    assert window.run('result = "bl_ext.user_default.motion_signal" in bpy.context.preferences.addons')


def test_click_arrives_where_it_was_aimed(window):
    x, y = window.screen(700, 300)
    assert probe(window, lambda: window.click(x, y)) == ["LEFTMOUSE", 700, 300]


def test_key_arrives(window):
    assert probe(window, lambda: window.key("Escape"))[0] == "ESC"


def test_drag_turns_into_a_selection_and_undo_takes_it_back(window):
    window.run('bpy.ops.object.select_all(action="DESELECT"); bpy.ops.ed.undo_push(message="Nothing selected")')
    x0, y0 = window.place("VIEW_3D", "WINDOW", 0.15, 0.15)
    x1, y1 = window.place("VIEW_3D", "WINDOW", 0.75, 0.75)
    window.drag(x0, y0, x1, y1)
    window.until("bpy.context.view_layer.objects[:] and any(o.select_get() for o in bpy.context.view_layer.objects)")
    window.key("ctrl+z")
    window.until("not any(o.select_get() for o in bpy.context.view_layer.objects)")


def test_picture_shows_the_region(window, tmp_path):
    region = window.region("VIEW_3D")
    picture = window.picture(tmp_path / "view.png", region)
    header = picture.read_bytes()[16:24]
    assert [int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")] == list(region[2:])


def test_error_inside_blender_reaches_the_test(window):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        window.run("1 / 0")
