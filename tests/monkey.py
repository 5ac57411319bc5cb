# SPDX-License-Identifier: GPL-3.0-or-later
"""A monkey at the rack: whatever it presses, no take changes or is lost, nothing lent stays, and settings are the rack's.

Deterministic by its seed. It needs a Blender in which the extension is enabled under the name that `modules` gives.
"""

import json
import random
from pathlib import Path

import bpy
import numpy as np

MARK = "motion_signal_preview"
TECHNIQUES = ("equalize", "waveshape", "cartoon", "lock", "cycle", "style", "timewarp", "avatar", "blend", "reduce")
GOALS = ("sadder", "happier", "heavier", "bigger", "calm_jitter", "lock_feet", "loop", "retime", "few_keys")


class Monkey:
    """Two figures and one bare object in a scene, and random presses; `modules(name)` gives a module of the extension."""

    def __init__(self, seed, folder, modules):
        self.chance, self.folder, self.modules = random.Random(seed), Path(folder), modules
        self.log, self.saved = [], []
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        for seconds in (2.0, 3.0):
            bpy.ops.motion_signal.add_figure(seconds=seconds)
        bpy.ops.object.mode_set(mode="OBJECT") if bpy.context.mode != "OBJECT" else None
        bpy.context.collection.objects.link(bpy.data.objects.new("Bare", None))
        for action in bpy.data.actions:
            action.use_fake_user = True
        self.takes = {action.name: fingerprint(action) for action in bpy.data.actions}
        bpy.ops.ed.undo_push(message="Start")

    @property
    def settings(self):
        return bpy.context.window_manager.motion_signal

    @property
    def rack(self):
        return self.modules("operators.live.at_hand").AtHand.rack

    def press(self):
        """One random press; refusals are what an animator would read, anything else is a fault."""
        name = self.chance.choice(sorted(PRESSES))
        self.log.append(name)
        try:
            PRESSES[name](self)
        except RuntimeError as refusal:  # operators say so where there is nothing to do
            if "Traceback" in str(refusal):
                raise
        bpy.context.view_layer.update()
        self.check()

    def check(self):
        """What must be so after every press."""
        session = self.modules("operators.live.preview").session()
        there = {action.name: fingerprint(action) for action in bpy.data.actions if action.name in self.takes}
        assert there == self.takes, f"a take is another or gone: {sorted(self.takes)} and {sorted(there)}"
        lent = [action.name for action in bpy.data.actions if MARK in action]
        assert lent == ([session.action] if session else []), f"lent: {lent}, session: {session and session.action}"
        at_hand = self.modules("operators.live.at_hand").AtHand
        if at_hand.rack is not None and at_hand.rack.step is not None and not session_is_ahead(at_hand):
            step = at_hand.rack.step
            values = self.modules("operators.settings.properties").to_params(
                step.technique.params, getattr(self.settings, step.technique.name)
            )
            assert values == step.params, f"settings of {step.technique.name} are not its step's"


def session_is_ahead(at_hand):
    return at_hand.touched or at_hand.subject not in bpy.data.objects


def fingerprint(action):
    """All keys of an action and what it is called by."""
    rows = []
    for bag in action.layers[0].strips[0].channelbags:
        for curve in bag.fcurves:
            keys = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", keys)
            rows.append((curve.data_path, curve.array_index, hash(keys.tobytes())))
    return hash(tuple(rows)), action.use_fake_user


def add(monkey):
    bpy.ops.motion_signal.add_step("EXEC_DEFAULT", True, technique=monkey.chance.choice(TECHNIQUES))


def aim(monkey):
    bpy.ops.motion_signal.goal("EXEC_DEFAULT", True, goal=monkey.chance.choice(GOALS))


def drag(monkey):
    monkey.settings.equalize.gains_view[monkey.chance.randrange(3, 9)] = monkey.chance.uniform(0.0, 2.5)


def swing(monkey):
    monkey.settings.cartoon.strength = monkey.chance.uniform(0.0, 1.5)


def bad_text(monkey):
    monkey.settings.equalize.gains = "[1, 2"
    monkey.settings.equalize.gains = ""


def amount(monkey):
    if monkey.rack and monkey.rack.steps:
        monkey.settings.rows[monkey.chance.randrange(len(monkey.rack.steps))].amount = monkey.chance.uniform(0.0, 1.5)


def switch(monkey):
    if monkey.rack and monkey.rack.steps:
        row = monkey.settings.rows[monkey.chance.randrange(len(monkey.rack.steps))]
        row.on = not row.on


def unfold(monkey):
    if monkey.rack and monkey.rack.steps:
        row = monkey.settings.rows[monkey.chance.randrange(len(monkey.rack.steps))]
        row.open = not row.open


def change(monkey):
    what = monkey.chance.choice(("UP", "DOWN", "COPY", "REMOVE", "REMOVE", "SWITCH", "OPEN"))
    bpy.ops.motion_signal.step_change("EXEC_DEFAULT", True, step=monkey.chance.randrange(-2, 3), change=what)


def scope(monkey):
    monkey.settings.scope.frames = monkey.chance.choice(("WHOLE", "RANGE", "PREVIEW"))
    monkey.settings.scope.frame_start, monkey.settings.scope.frame_end = 10, monkey.chance.choice((5, 40))


def feet(monkey):
    monkey.settings.feet = monkey.chance.choice(("TAKE", "LOCKED", "PATHS", "FREE"))


def live(monkey):
    monkey.settings.live = not monkey.settings.live


def undo(monkey):
    for _ in range(monkey.chance.randrange(1, 4)):
        bpy.ops.ed.undo()


def redo(monkey):
    bpy.ops.ed.redo()


def save(monkey):
    path = str(monkey.folder / f"{monkey.chance.randrange(2)}.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=monkey.chance.random() < 0.5)
    monkey.saved = sorted({*monkey.saved, path})


def load(monkey):
    if monkey.saved:
        bpy.ops.wm.open_mainfile(filepath=monkey.chance.choice(monkey.saved))
        bpy.ops.ed.undo_push(message="Loaded")


def play(monkey):
    for _ in range(3):
        bpy.context.scene.frame_set(monkey.chance.randrange(1, 70))


def other(monkey):
    bpy.context.view_layer.objects.active = monkey.chance.choice(list(bpy.data.objects))


def swap(monkey):
    """Assign another action by hand."""
    subject = bpy.context.object
    data = subject.animation_data if subject else None
    if data and data.action and MARK not in data.action:
        actions = [action for action in bpy.data.actions if MARK not in action]
        data.action = monkey.chance.choice(actions)
        data.action_slot = data.action.slots[0]


def operator(name, **values):
    def press(monkey):
        getattr(bpy.ops.motion_signal, name)("EXEC_DEFAULT", True, **values)

    return press


PRESSES = {
    "add": add,
    "aim": aim,
    "drag": drag,
    "drag again": drag,
    "swing": swing,
    "bad text": bad_text,
    "amount": amount,
    "switch": switch,
    "unfold": unfold,
    "change": change,
    "change again": change,
    "scope": scope,
    "feet": feet,
    "live": live,
    "undo": undo,
    "undo again": undo,
    "redo": redo,
    "save": save,
    "load": load,
    "play": play,
    "other": other,
    "swap": swap,
    "apply": operator("rack_apply"),
    "cancel": operator("preview_end"),
    "esc": operator("preview_pause"),
    "resume": operator("preview_resume"),
    "before": operator("preview_flip", after=False),
    "after": operator("preview_flip", after=True),
    "preset": operator("preset_load", technique="equalize", preset="exaggerate"),
    "reset": operator("reset", technique="equalize"),
    "fix": operator("feet_fix"),
    "throw away": operator("throw_away", which="UNUSED"),
    "applied at once": operator("equalize", gains=json.dumps([1, 1, 1, 1.5, 2, 1.2])),
}
