# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the Clean step: a list that goes to each, fixes or ignores it, and a lane of bars above the curves.

What is found is the open step's own. Blender's list shows rows of data, so that these follow it as soon as it was drawn.
"""

import bpy

from ...core.faults.findings import in_short
from ...core.numeric.refusal import Refusal
from ...core.techniques.figure.clean import CLEAN
from ..bridge.refuse import refusing
from ..draw.lanes import Lane, LaneBar, add_lane, remove_lane
from ..live import preview
from ..settings.lists import put_records, records_of

COLORS = {"fixed": (0.35, 0.75, 0.4, 0.9), "ignored": (0.5, 0.5, 0.5, 0.7), "": (1.0, 0.5, 0.25, 0.95)}
LISTS = {"FIX": "fix", "IGNORE": "ignore"}


def found(context):
    """Findings of the step that is open, with their states; nothing where another is."""
    shown = preview.shown(context, CLEAN.name)
    return getattr(shown.process, "findings", ()) if shown else ()


def go_to(self, context):
    """Stand at the frame of the row that was clicked."""
    findings = found(context)
    if 0 <= self.finding_index < len(findings):
        bar = findings[self.finding_index]
        context.scene.frame_set(round(bar.first))
        chosen(context, bar.bone)


def chosen(context, bone):
    """Let the bone of a finding be the active one, so that its curves are seen."""
    subject = context.object
    if subject and subject.type == "ARMATURE" and bone in subject.data.bones:
        subject.data.bones.active = subject.data.bones[bone]


def rows_shown(context):
    """How many rows the list has, once they follow what was found; they are written a moment after it was drawn."""
    rows, wanted = context.window_manager.motion_signal_findings.rows, tuple(map(row_of, found(context)))
    if tuple((row.name, row.state) for row in rows) != wanted and not bpy.app.timers.is_registered(follow):
        bpy.app.timers.register(follow, first_interval=0.0)
    return len(wanted)


def row_of(bar):
    return in_short(bar), bar.state


def follow():
    """Let the rows say what was found."""
    listed = bpy.context.window_manager.motion_signal_findings
    wanted = [row_of(bar) for bar in found(bpy.context)]
    while len(listed.rows) > len(wanted):
        listed.rows.remove(len(listed.rows) - 1)
    while len(listed.rows) < len(wanted):
        listed.rows.add()
    for row, (name, state) in zip(listed.rows, wanted):
        row.name, row.state = name, state
    preview.redraw()


def mark(context, index, how):
    """Fix a finding, ignore it, or let it be as its kind is; said again it is taken back."""
    settings, findings = context.window_manager.motion_signal.clean, found(context)
    if not 0 <= index < len(findings):
        raise Refusal("no finding is chosen: click one in the list")
    bar, before = findings[index], {}
    own = {"kind": bar.label, "bone": bar.bone, "frame": round(bar.first)}
    for name in LISTS.values():
        before[name] = records_of(settings, CLEAN, name)
    wanted = {name: [row for row in rows if not same(row, bar)] for name, rows in before.items()}
    if bar.state != {"FIX": "fixed", "IGNORE": "ignored"}[how]:
        wanted[LISTS[how]].append(own)
    elif how == "FIX":  # fixed because its kind is
        wanted["ignore"].append(own)
    with preview.paused():
        for name in LISTS.values():
            put_records(settings, CLEAN, name, wanted[name])
    preview.touched(context, CLEAN)
    rows_shown(context)


def same(row, bar):
    return (row.get("kind", "spike"), row.get("bone", "")) == (bar.label, bar.bone) and bar.first <= row["frame"] <= bar.last


class MOTION_SIGNAL_PG_finding(bpy.types.PropertyGroup):
    """A row: `name` says what was found"""

    state: bpy.props.StringProperty(options={"SKIP_SAVE"})


class MOTION_SIGNAL_PG_findings(bpy.types.PropertyGroup):
    rows: bpy.props.CollectionProperty(type=MOTION_SIGNAL_PG_finding, options={"SKIP_SAVE"})
    finding_index: bpy.props.IntProperty(
        name="Finding", default=-1, options={"SKIP_SAVE"}, update=go_to, description="Finding that is looked at"
    )


class Finding:
    """What the buttons of a finding share."""

    bl_options = {"INTERNAL"}
    index: bpy.props.IntProperty(options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return bool(found(context))


class MOTION_SIGNAL_OT_finding_go(Finding, bpy.types.Operator):
    """Go to the frame of this finding"""

    bl_idname = "motion_signal.finding_go"
    bl_label = "Go To"

    def execute(self, context):
        context.window_manager.motion_signal_findings.finding_index = self.index
        return {"FINISHED"}


class MOTION_SIGNAL_OT_finding_mark(Finding, bpy.types.Operator):
    """Mend this finding, or leave it as it is, whatever is done with others of its kind"""

    bl_idname = "motion_signal.finding_mark"
    bl_label = "Fix or Ignore"

    how: bpy.props.EnumProperty(items=(("FIX", "Fix", "Mend it"), ("IGNORE", "Ignore", "Leave it")), options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return {
            "FIX": "Mend this finding; again to leave it",
            "IGNORE": "Leave this finding as it is; again to have it back",
        }[properties.how]

    @refusing
    def execute(self, context):
        mark(context, self.index, self.how)


def bars(context):
    index = context.window_manager.motion_signal_findings.finding_index
    return [
        LaneBar(bar.first, bar.last, COLORS[bar.state], at == index, f"{bar.label} {bar.bone}")
        for at, bar in enumerate(found(context))
    ]


def choose(context, index):
    context.window_manager.motion_signal_findings.finding_index = index


def ignore(context, index):
    mark(context, index, "IGNORE")


LANE = Lane("Findings", bars, lambda context, index, first, last: False, choose, ignore)
CLASSES = (
    MOTION_SIGNAL_PG_finding,
    MOTION_SIGNAL_PG_findings,
    MOTION_SIGNAL_OT_finding_go,
    MOTION_SIGNAL_OT_finding_mark,
)


def register():
    bpy.types.WindowManager.motion_signal_findings = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_findings)
    add_lane(LANE)


def unregister():
    remove_lane(LANE)
    if bpy.app.timers.is_registered(follow):
        bpy.app.timers.unregister(follow)
    del bpy.types.WindowManager.motion_signal_findings
