# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender window that a test drives: Python inside, mouse and keyboard outside.

    with Window() as window:
        window.run("bpy.context.scene.frame_current = frame", frame=20)
        x, y = window.place("VIEW_3D", "WINDOW", 0.5, 0.5)
        window.click(x, y)
        assert window.run("result = bpy.context.scene.frame_current") == 20

Needs a screen, `blender`, xdotool and ImageMagick, and the zip that `make build` packs. Positions are pixels of the
screen from its top left, as the mouse counts them; Blender counts from the bottom left, and `place` and `screen`
convert.

A Blender that was started without arguments is not closed after its `with`: the next window gets it, with a new file in it.
"""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
HEADER = 28  # pixels from one closed panel to the next
STEP, CONTROLS = 125, 171  # from the top of the sidebar to the first step of the rack, and to its first row when it is open
FOUND, ROW = 46, 21  # from a button to the first of the list that it opens, and to the next
ADD_STEP, BESIDE = 384, 30  # from the top of the sidebar to Add Step of an empty rack, and from its right to lists beside it
AFTER_ONE = 151  # from the top of the sidebar to Add Step of a rack with one closed step
GRASP = 0.5  # seconds before a drag begins: Blender asks where the mouse is when it comes to the press, which may be late
PAUSE = 0.06  # seconds between two inputs, so that Blender sees each one

INSTALL = """
import sys, bpy
bpy.ops.extensions.package_install_files(filepath=sys.argv[-1], repo="user_default", enable_on_install=True)
preferences = bpy.context.preferences
preferences.view.show_splash = False
preferences.view.use_save_prompt = False
preferences.use_preferences_save = False
preferences.system.viewport_aa = "OFF"  # without a graphics card, smooth edges are most of the work of a view that is redrawn
bpy.ops.wm.save_userpref()
if "bl_ext.user_default.motion_signal" not in preferences.addons:
    sys.exit("the extension was not enabled")
"""

MENUS = """
import sys
menus = next(module for name, module in sys.modules.items() if name.endswith('motion_signal.panels.menus'))
result = {intent: [technique for technique, _ in techniques] for intent, techniques in menus.INTENTS.items()}
"""

TOUCHED = (
    "next(module for name, module in __import__('sys').modules.items() "
    "if name.endswith('motion_signal.operators.live.at_hand')).AtHand.touched"
)

CLEARED = """
for other in list(bpy.context.window_manager.windows)[1:]:
    with bpy.context.temp_override(window=other):
        bpy.ops.wm.window_close()
bpy.ops.wm.read_homefile()
"""

REGION = """
area = next(area for area in window.screen.areas if area.type == area_type)
region = next(region for region in area.regions if region.type == region_type)
result = [region.x, region.y, region.width, region.height]
"""


class Window:
    """Blender with its window, the extension installed from dist/, and a line to its main thread."""

    idle: list["Window"] = []  # one that nobody drives now, ready for the next

    def __init__(self, *arguments: str):
        self.arguments = arguments
        if not arguments and self.idle:
            self.__dict__ = self.idle.pop().__dict__
            return
        self.folder = tempfile.TemporaryDirectory(prefix="window_")
        self.log = Path(self.folder.name) / "log"
        self.size = tuple(map(int, xdotool("getdisplaygeometry").split()))
        address = str(Path(self.folder.name) / "line")
        geometry = ["--window-geometry", "0", "0", *map(str, self.size)]
        with self.log.open("a") as log:  # each line at its end, wherever that is
            self.process = subprocess.Popen(
                ["blender", *geometry, *arguments, "--python", __file__, "--", address],
                env=os.environ | {"BLENDER_USER_RESOURCES": installed()},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.line = self._connect(address)
        self.run("pass")
        time.sleep(1)  # the first drawing of everything

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind, *_) -> None:
        if kind or self.arguments or self.idle or not self.cleared():
            self.quit()
        else:
            self.idle.append(self)

    def cleared(self) -> bool:
        """Whether it is as if it had just been started: a new file, no list open, nothing pressed, nothing printed."""
        try:
            xdotool("mouseup", 1)
            for _ in range(2):
                self.key("Escape")
            self.run(CLEARED, timeout=30)
            self.run("pass", timeout=30)
            self.settle()
        except (RuntimeError, TimeoutError):  # it ended, or was ended as it did not answer
            return False
        os.truncate(self.log, 0)
        return True

    def _connect(self, address: str, timeout: float = 60) -> Connection:
        """Wait until Blender listens."""
        end = time.monotonic() + timeout
        while self.process.poll() is None and time.monotonic() < end:
            try:
                return Client(address)
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(PAUSE)
        self.process.kill()
        raise RuntimeError(f"Blender did not start:\n{self.output()}")

    def run(self, code: str, timeout: float = 120, **values):
        """Run Python in Blender's main thread with these values as its variables, and return its `result`.

        `bpy` and `window`, Blender's first one, are there. Every call starts with new variables: references to
        Blender's data die on undo.
        """
        try:
            self.line.send_bytes(json.dumps([code, values]).encode())
            if not self.line.poll(timeout):
                self.process.kill()  # a late answer must not be taken for the next one
                raise TimeoutError(f"Blender did not answer within {timeout} s:\n{self.output()}")
            result, error = json.loads(self.line.recv_bytes())
        except (EOFError, ConnectionError):
            raise RuntimeError(f"Blender ended:\n{self.output()}") from None
        if error:
            raise RuntimeError(f"in Blender: {error}")
        return result

    def until(self, expression: str, timeout: float = 10, **values):
        """Wait until an expression is true in Blender, and return its value."""
        end = time.monotonic() + timeout
        while not (value := self.run(f"result = {expression}", **values)):
            if time.monotonic() > end:
                raise TimeoutError(f"still {value!r} after {timeout} s: {expression}")
            time.sleep(PAUSE)
        return value

    def output(self) -> str:
        """The last lines that Blender printed."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-30:])

    def region(self, area_type: str, region_type: str = "WINDOW") -> tuple[int, int, int, int]:
        """A region of the first area of a type: left, top, width, height on the screen."""
        x, y, width, height = self.run(REGION, area_type=area_type, region_type=region_type)
        left, bottom = self.screen(x, y)
        return left, bottom - height + 1, width, height

    def place(self, area_type: str, region_type: str, across: float, up: float) -> tuple[int, int]:
        """The point in a region, as fractions of its width and of its height from the bottom."""
        left, top, width, height = self.region(area_type, region_type)
        return left + round(across * (width - 1)), top + round((1 - up) * (height - 1))

    def screen(self, x: float, y: float) -> tuple[int, int]:
        """The point on the screen of a point in Blender's window, such as region.x + x, region.y + y."""
        return round(x), self.size[1] - 1 - round(y)

    def move(self, x: int, y: int) -> None:
        """Move the mouse there."""
        xdotool("mousemove", x, y)
        time.sleep(PAUSE)

    def click(self, x: int, y: int, button: int = 1) -> None:
        """Click there: 1 is the left, 3 the right button."""
        self.drag(x, y, x, y, steps=0, button=button)

    def drag(self, x0: int, y0: int, x1: int, y1: int, steps: int = 10, button: int = 1) -> None:
        """Press at one point, go to the other in equal steps, release."""
        self.move(x0 - 1, y0)  # a button press alone does not tell Blender where the mouse is
        self.move(x0, y0)
        xdotool("mousedown", button)
        time.sleep(GRASP if steps else PAUSE)
        self.run("pass")  # it has come to the press
        for step in range(1, steps + 1):
            self.move(round(x0 + (x1 - x0) * step / steps), round(y0 + (y1 - y0) * step / steps))
        xdotool("mouseup", button)
        time.sleep(PAUSE)

    def choose(self, across: int, down: int, name: str = "", entry: int = 0) -> None:
        """Press a button that opens a list to search, and take from it what a typed name finds, or one of its entries."""
        left, top, _, _ = self.region("GRAPH_EDITOR", "UI")
        x, y = left + across, top + down
        self.click(x, y)
        self.settle()
        if name:
            self.type(name)
            self.settle()  # the list is searched anew
            self.key("Return")
        else:
            self.click(x + 60, y + FOUND + ROW * entry)
        self.settle()

    def settle(self) -> None:
        """Wait until Blender has dealt with all input, however long that takes, and has drawn what came of it."""
        for _ in range(4):  # it answers once a round: events, then drawing
            time.sleep(PAUSE)
            self.run("pass")

    def rest(self) -> None:
        """Wait until what was touched in the rack is an undo step."""
        self.until(f"not {TOUCHED}", timeout=60)

    def arrange(self, *codes: str, step: str = "") -> None:
        """Run code after code, and then add a step for a technique to the rack, if one is named: its controls are open then."""
        for code in codes:
            self.run(code)
            self.settle()
        if step:
            self.add_step(step)

    def add_step(self, technique: str) -> None:
        """Add a step to the rack, as its menu does."""
        self.run("bpy.ops.motion_signal.add_step('EXEC_DEFAULT', True, technique=technique)", technique=technique)
        self.settle()

    def add_by_mouse(self, intent: str, technique: str, down: int = ADD_STEP) -> None:
        """Add a step to the rack in the Graph Editor as an animator does: the menu Add Step, what it is for, its name."""
        lists = self.run(MENUS)
        left, top, width, _ = self.region("GRAPH_EDITOR", "UI")
        x, y = left + 100, top + down
        self.click(x, y)
        self.settle()
        y += ROW + 3 + ROW * list(lists).index(intent)
        self.move(x, y)
        self.click(x, y)  # its list opens beside it, beginning where the mouse is
        self.settle()
        self.move(left + width + BESIDE, y)
        y += ROW * lists[intent].index(technique)
        self.move(left + width + BESIDE, y)
        self.click(left + width + BESIDE, y)
        self.settle()

    def press(self, across: int, down: int) -> None:
        """Click something in the sidebar of the Graph Editor, so far from its upper left corner."""
        left, top, _, _ = self.region("GRAPH_EDITOR", "UI")
        self.click(left + across, top + down)
        self.settle()

    def press_button(self, operator: str, across: int, down: int, area: str = "GRAPH_EDITOR") -> int:
        """Press the button of an operator that is in a column of the sidebar, nearest to so far down, and say how far it is."""
        left, top, _, height = self.region(area, "UI")
        for row in sorted(range(0, height - 1, 9), key=lambda row: abs(row - down)):
            self.move(left + across, top + row)
            self.key("ctrl+c")  # over a button, it copies what that would run
            if self.run("result = bpy.context.window_manager.clipboard").startswith(f"bpy.ops.{operator}"):
                self.click(left + across, top + row)
                self.settle()
                return row
        raise LookupError(f"there is no button of {operator}")

    def key(self, name: str) -> None:
        """Press a key or a chord over the region under the mouse: Escape, Return, ctrl+z, n."""
        xdotool("key", name)
        time.sleep(PAUSE)

    def type(self, text: str) -> None:
        """Type text, for example into a field that a double click opened."""
        xdotool("type", "--delay", 40, text)
        time.sleep(PAUSE)

    def picture(self, path: str | Path, region: tuple[int, int, int, int] | None = None) -> Path:
        """Save what the screen shows, or the part of it that `region` returned."""
        crop = ["-crop", "{2}x{3}+{0}+{1}".format(*region), "+repage"] if region else []
        subprocess.run(["import", "-window", "root", *crop, str(path)], check=True)
        return Path(path)

    def quit(self) -> None:
        """Close Blender, saving nothing."""
        try:
            self.line.send_bytes(json.dumps(["bpy.ops.wm.quit_blender()", {}]).encode())
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.line.close()


@atexit.register
def close_idle() -> None:
    """Close what waits for a next window that does not come."""
    while Window.idle:
        Window.idle.pop().quit()


def xdotool(*arguments: str | int) -> str:
    """Send input to the screen, or ask about it."""
    return subprocess.run(["xdotool", *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@functools.cache
def resources() -> tempfile.TemporaryDirectory:
    """The folder that holds preferences and extensions while the tests run."""
    return tempfile.TemporaryDirectory(prefix="blender_")


@functools.cache
def installed() -> str:
    """Install the zip from dist/ as a user would, once for all windows, and return Blender's folder."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))
    archive = ROOT / "dist" / "{id}-{version}-linux_x64.zip".format(**manifest)
    if not archive.exists():
        raise FileNotFoundError(f"{archive} is missing: make build PLATFORM=linux-x64")
    folder = resources().name
    subprocess.run(
        ["blender", "--background", "--python-exit-code", "1", "--python-expr", INSTALL, "--", archive],
        env=os.environ | {"BLENDER_USER_RESOURCES": folder},
        check=True,
    )
    return folder


def answer_calls(address: str) -> None:
    """Inside Blender: run what the test sends, between two events."""
    import bpy

    line = Listener(address).accept()

    def answer() -> float | None:
        try:
            if line.poll():
                code, values = json.loads(line.recv_bytes())
                line.send_bytes(json.dumps(execute(code, values)).encode())
        except (EOFError, OSError):  # the test has ended
            bpy.ops.wm.quit_blender()
        return 0.02

    def execute(code: str, values: dict) -> tuple:
        window = bpy.context.window_manager.windows[0]
        variables = {"bpy": bpy, "window": window, "result": None, **values}
        try:
            with bpy.context.temp_override(window=window):
                exec(code, variables)
            json.dumps(variables["result"])
            return variables["result"], None
        except Exception:  # whatever it is, `run` raises it again on the test's side
            return None, traceback.format_exc()

    bpy.app.timers.register(answer, persistent=True)


if __name__ == "__main__":
    answer_calls(sys.argv[-1])
