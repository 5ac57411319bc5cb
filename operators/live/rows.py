# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of the panel for every step of the rack at hand: whether it is on and open, and how much of it there is.

Rows hold nothing but their index: they read and write the rack.
"""

from dataclasses import replace

import bpy

from ...core.declare import params as parameters
from ...core.declare.scope import ScopeParams
from ...core.numeric.refusal import Refusal
from . import preview
from .at_hand import AtHand, keep_soon, put, show_settings
from .steps import carry, change, opened, switched

MOST = 32  # rows that are there before there are more steps
FEET = parameters.declarations(ScopeParams)["feet"].options
FEET_ITEMS = tuple((option.name, option.label, option.text) for option in FEET)
NAMES = [option.name for option in FEET]


def step_of(row):
    rack = AtHand.rack
    return rack.steps[row.index] if rack is not None and row.index < len(rack.steps) else None


def said(put):
    """A setter whose refusal becomes the panel's notice."""

    def work(self, value):
        try:
            put(self, value)
        except Refusal as error:
            preview.notify(bpy.context.window_manager.motion_signal, str(error))

    return work


def get_on(self):
    step = step_of(self)
    return bool(step and step.on)


@said
def set_on(self, on):
    if step_of(self) and get_on(self) != on:
        change(bpy.context, switched(AtHand.rack, self.index), "Switch Step")
        preview.push_undo(bpy.context, "Switch Step")


def get_open(self):
    return AtHand.rack is not None and AtHand.rack.open == self.index


@said
def set_open(self, on):
    if step_of(self) and get_open(self) != on:
        change(bpy.context, opened(AtHand.rack, self.index), "Open Step")


def get_grip(self):
    return AtHand.carried == self.index


@said
def set_grip(self, on):
    """Blender sets a toggle when it is pressed, and then every one that the mouse comes over: so a step is dragged."""
    if step_of(self):
        carry(bpy.context, self.index)


def get_amount(self):
    step = step_of(self)
    return float(getattr(step.params, step.technique.principal)) if step and step.technique.principal else 0.0


@said
def set_amount(self, amount):
    """The step's principal parameter, within its range."""
    step = step_of(self)
    if step is None or not step.technique.principal:
        return
    name = step.technique.principal
    declaration = step.technique.parameters[name]
    amount = min(max(float(f"{amount:.7g}"), declaration.low), declaration.high)
    params = replace(step.params, **{name: round(amount) if declaration.kind == "whole" else amount})
    touch(AtHand.rack.with_step(replace(step, params=params), self.index), step.technique.label, self.index)


def get_count(self):
    return round(get_amount(self))


def touch(rack, label, index=None):
    """Another rack by a drag in the panel: shown at once, kept when the animator rests."""
    context = bpy.context
    put(rack, label)
    show_settings(context)
    keep_soon(context)
    if context.window_manager.motion_signal.live:
        preview.show_rack(context, index=index)


def get_feet(self):
    feet = next((step.scope.feet for step in AtHand.rack.steps if step.technique.plants), "TAKE") if AtHand.rack else "TAKE"
    return NAMES.index(feet)


@said
def set_feet(self, number):
    """What becomes of feet, in every step that leaves them to the scope."""
    if AtHand.rack is None or not AtHand.rack.steps:
        return
    steps = tuple(replace(step, scope=replace(step.scope, feet=NAMES[number])) for step in AtHand.rack.steps)
    change(bpy.context, replace(AtHand.rack, steps=steps), "Feet")
    preview.push_undo(bpy.context, "Feet")


class MOTION_SIGNAL_PG_row(bpy.types.PropertyGroup):
    """A step's row."""

    index: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})
    on: bpy.props.BoolProperty(name="On", get=get_on, set=set_on, description="Do this step, or leave it out")
    open: bpy.props.BoolProperty(name="Open", get=get_open, set=set_open, description="Show the controls of this step")
    grip: bpy.props.BoolProperty(
        name="Move",
        get=get_grip,
        set=set_grip,
        options={"SKIP_SAVE"},
        description="Drag up or down to do this step earlier or later",
    )
    amount: bpy.props.FloatProperty(
        name="Amount",
        get=get_amount,
        set=set_amount,
        soft_min=0.0,
        soft_max=2.0,
        precision=2,
        step=5,
        description="How much of this step there is",
    )
    count: bpy.props.IntProperty(
        name="Count",
        get=get_count,
        set=set_amount,
        soft_min=0,
        soft_max=20,
        description="How many of what this step makes there are",
    )


def fit_rows():
    """As many rows as there may be steps: panels must not make any while they draw."""
    rows = bpy.context.window_manager.motion_signal.rows
    steps = len(AtHand.rack.steps) if AtHand.rack else 0
    for index in range(len(rows), max(MOST, steps)):
        rows.add().index = index
