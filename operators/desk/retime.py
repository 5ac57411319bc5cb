# SPDX-License-Identifier: GPL-3.0-or-later
"""Retiming in the graph: a section dragged over the curves, its speed as a bar with a handle, and the rest goes along.

Sections are moves of the timewarp: what its list and its marks show is the same.
"""

import bpy

from ...core.numeric.refusal import Refusal
from ...core.techniques.time.timewarp import TIMEWARP
from ...core.timing.sections import at_percent, dragged, fits, moves_of, sections_of, starts_of, with_section
from ..bridge.refuse import refusing
from ..draw.lanes import Lane, LaneBar, add_lane, remove_lane
from ..live import preview
from ..settings.lists import index_name, put_records, records_of

SLOWER, FASTER, DRAWN = (0.35, 0.65, 1.0, 0.9), (1.0, 0.62, 0.2, 0.9), (1.0, 1.0, 1.0, 0.35)
HALF = 50.0  # percent
DIGITS = {
    **{name: str(digit) for digit, name in enumerate("ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE".split())},
    **{f"NUMPAD_{digit}": str(digit) for digit in range(10)},
}
_drawn = []  # the stretch of frames that is being dragged


def settings_of(context):
    return context.window_manager.motion_signal.timewarp


def held(context):
    """How far the first move goes, and the sections."""
    return sections_of([(row["frame"], row["there"]) for row in records_of(settings_of(context), TIMEWARP, "moves")])


def put(context, shift, sections, chosen=None):
    """Let the timewarp have these sections."""
    settings, moves = settings_of(context), moves_of(shift, sections)
    index = None if chosen is None else [frame for frame, _ in moves].index(sections[chosen].start)
    put_records(settings, TIMEWARP, "moves", [{"frame": frame, "there": there} for frame, there in moves], index)
    preview.redraw()


def chosen_section(context, sections):
    """The section whose mark is active in the timewarp's list, or the last one; -1 if there is none."""
    settings = settings_of(context)
    rows, index = settings.moves_rows, getattr(settings, index_name("moves"))
    frame = rows[index].frame if 0 <= index < len(rows) else None
    at = [index for index, section in enumerate(sections) if frame in (section.start, section.end)]
    return at[-1] if at else len(sections) - 1


def bars(context):
    shown = preview.shown(context, TIMEWARP.name)
    if shown is None or settings_of(context).reference:
        return [LaneBar(*sorted(_drawn), DRAWN)] if _drawn else []
    shift, sections = held(context)
    chosen = chosen_section(context, sections)
    found = [
        LaneBar(
            first,
            first + section.lasts,
            SLOWER if section.percent < 100.0 else FASTER,
            index == chosen,
            f"{section.percent:.0f} %",
        )
        for index, (first, section) in enumerate(zip(starts_of(shift, sections), sections))
    ]
    return [*found, *([LaneBar(*sorted(_drawn), DRAWN)] if _drawn else [])]


def move(context, index, first, last):
    """A bar's end sets its speed, the bar itself and its start go no farther than its neighbours."""
    shift, sections = held(context)
    if index >= len(sections):
        return False
    changed = dragged(sections, index, starts_of(shift, sections)[index], first, last)
    clip = preview.session().take.clip
    if not fits(changed, clip.first_frame, clip.last_frame) or any(each.lasts == each.end - each.start for each in changed):
        return False
    put(context, shift, changed, index)
    return True


def choose(context, index):
    _, sections = held(context)
    rows = [row.frame for row in settings_of(context).moves_rows]
    if index < len(sections):
        setattr(settings_of(context), index_name("moves"), rows.index(sections[index].start))


def remove(context, index):
    shift, sections = held(context)
    put(context, shift, at_percent(sections, index, 100.0))


LANE = Lane("Speed", bars, move, choose, remove)


class MOTION_SIGNAL_OT_retime_section(bpy.types.Operator):
    """Make a section of the take slower or faster: drag over it in the graph, type a percentage if it is not 50. What comes
    after it goes along"""

    bl_idname = "motion_signal.retime_section"
    bl_label = "Retime a Section"
    bl_options = {"REGISTER", "INTERNAL"}

    frame_start: bpy.props.IntProperty(name="Start", default=1, options={"SKIP_SAVE"}, description="First frame of the section")
    frame_end: bpy.props.IntProperty(name="End", default=25, options={"SKIP_SAVE"}, description="Last frame of the section")
    percent: bpy.props.FloatProperty(
        name="Speed",
        default=HALF,
        min=1.0,
        max=10000.0,
        soft_max=400.0,
        subtype="PERCENTAGE",
        options={"SKIP_SAVE"},
        description="How fast the section is beside the take",
    )

    @classmethod
    def poll(cls, context):
        return context.object is not None

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        if settings.reference:
            raise Refusal(f"reference: frames go where {settings.reference} says; take it out to retime sections by hand")
        shift, sections = held(context)
        made = with_section(sections, self.frame_start, self.frame_end, self.percent)
        put(context, shift, made, [section.start for section in made].index(min(self.frame_start, self.frame_end)))

    def invoke(self, context, event):
        """In a Graph Editor the section is dragged, elsewhere it is the second from the current frame on."""
        area = context.area
        if area is None or area.type != "GRAPH_EDITOR":
            fps = context.scene.render.fps / context.scene.render.fps_base
            self.frame_start, self.frame_end = context.scene.frame_current, context.scene.frame_current + round(fps)
            return self.execute(context)
        self.region = next(region for region in area.regions if region.type == "WINDOW")
        self.typed, self.start = "", None
        self.say(context)
        context.window.cursor_modal_set("CROSSHAIR")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in ("ESC", "RIGHTMOUSE"):
            return self.done(context, {"CANCELLED"})
        if event.type in DIGITS and event.value == "PRESS":
            self.typed += DIGITS[event.type]
            self.say(context)
        elif event.type == "LEFTMOUSE" and event.value == "PRESS":
            self.start = self.frame_at(event)
            _drawn[:] = [self.start, self.start]
        elif event.type == "MOUSEMOVE" and self.start is not None:
            _drawn[1:] = [self.frame_at(event)]
            context.area.tag_redraw()
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE" and self.start is not None:
            self.frame_start, self.frame_end = sorted((self.start, self.frame_at(event)))
            if self.typed:
                self.percent = float(self.typed)
            return self.done(context, self.execute(context))
        return {"RUNNING_MODAL"}

    def frame_at(self, event):
        """The frame of the take under the mouse: the graph shows where frames have gone."""
        shown = round(self.region.view2d.region_to_view(event.mouse_x - self.region.x, 0.0)[0])
        shift, sections = held(bpy.context)
        for first, section in zip(starts_of(shift, sections), sections):
            if shown < first:
                break
            inside = min(shown - first, section.lasts)
            shift = first + inside - (section.start + round(inside * section.percent / 100.0))
        return shown - shift

    def say(self, context):
        context.area.header_text_set(
            f"Retime a Section: drag over it   |   Speed {self.typed or f'{HALF:.0f}'} % (type another)"
        )

    def done(self, context, result):
        _drawn.clear()
        context.area.header_text_set(None)
        context.window.cursor_modal_restore()
        context.area.tag_redraw()
        return result


class MOTION_SIGNAL_OT_retime_speed(bpy.types.Operator):
    """Give the chosen section this speed; at 100 % it goes as in the take"""

    bl_idname = "motion_signal.retime_speed"
    bl_label = "Speed of the Section"
    bl_options = {"INTERNAL"}

    percent: bpy.props.FloatProperty(name="Speed", default=HALF, min=1.0, max=10000.0, options={"SKIP_SAVE"})

    @refusing
    def execute(self, context):
        shift, sections = held(context)
        if not sections:
            raise Refusal("no section is retimed yet: drag one first")
        index = chosen_section(context, sections)
        changed = at_percent(sections, index, self.percent)
        put(context, shift, changed, index if len(changed) == len(sections) else None)


CLASSES = (MOTION_SIGNAL_OT_retime_section, MOTION_SIGNAL_OT_retime_speed)


def register():
    add_lane(LANE)


def unregister():
    _drawn.clear()
    remove_lane(LANE)
