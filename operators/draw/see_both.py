# SPDX-License-Identifier: GPL-3.0-or-later
"""Before and after at once in the viewport: the other of the two as a translucent skeleton, footprints where feet stand, red
where they slide, and trails of hands and feet.

A redraw costs little: joints are worked out once for each clip, footprints are kept as they were drawn.
"""

import bpy
import numpy as np

from ...core.body.contacts import find_contacts
from ...core.body.figure import Legs
from ...core.body.footprints import footprints
from ...core.body.roles import find_roles, without_led_hands
from ...core.numeric.refusal import Refusal
from ..bridge.armatures import skeleton_of
from ..live import preview
from .handlers import ViewportDrawing
from .poses import poses_of, shown_bones
from .solids import lit, octahedra, segments, sole

SOURCE, RESULT = (0.75, 0.85, 1.0, 0.30), (1.0, 0.62, 0.2, 0.30)  # translucent
TRAILS = ((0.8, 0.88, 1.0, 0.55), (1.0, 0.62, 0.2, 1.0))  # before and after
STANDS, SLIDES = np.array((0.25, 0.8, 0.6, 0.45)), np.array((1.0, 0.15, 0.1, 0.75))
SEEN, MUCH = 0.008, 0.025  # of the leg: a slide that one begins to see, and one that is as red as can be
LIFT = 0.006  # of the leg: footprints are drawn so far above the ground
ENDS = ("left_hand", "right_hand", "left_foot", "right_foot")
_kept = {}  # what was worked out for the preview that is shown
_shaders, _lit = {}, {}


class MOTION_SIGNAL_PG_see_both(bpy.types.PropertyGroup):
    """What is drawn in the viewport beside the figure."""

    def changed(self, context):
        preview.redraw()

    skeleton: bpy.props.BoolProperty(
        name="Other Skeleton",
        default=True,
        update=changed,
        description="Show the motion as it was, or as it will be while that is shown, as a translucent skeleton",
    )
    footprints: bpy.props.BoolProperty(
        name="Footprints", default=True, update=changed, description="Show where feet stand; red where they slide"
    )
    trails: bpy.props.BoolProperty(
        name="Trails", update=changed, description="Show the ways of hands and feet, before and after"
    )
    compared: bpy.props.StringProperty(
        name="Compared", update=changed, options={"SKIP_SAVE"}, description="Action that stands beside the figure"
    )
    aside: bpy.props.FloatProperty(
        name="Aside",
        default=1.0,
        soft_min=-3.0,
        soft_max=3.0,
        subtype="DISTANCE",
        unit="LENGTH",
        update=changed,
        description="How far beside the figure the version stands that it is compared with",
    )
    seconds: bpy.props.FloatProperty(
        name="Trail Length",
        default=0.6,
        min=0.05,
        max=10.0,
        soft_max=2.0,
        subtype="TIME_ABSOLUTE",
        unit="TIME_ABSOLUTE",
        update=changed,
        description="How long before and after the current frame trails reach",
    )


class Both:
    """A take and what all steps make of it, ready to be drawn."""

    def __init__(self, current):
        self.skeleton = skeleton_of(current.owner)
        self.roles = without_led_hands(find_roles(self.skeleton), self.skeleton)
        self.before = current.run.before.clip
        self.run = self.after = None
        self.differs = False

    def show(self, current):
        """What became of the take now."""
        self.run, self.after, self.differs = current.run, current.run.whole.clip, current.changes

    def ends(self, clip):
        """Where hands and feet are (frames, ends, 3), in the armature."""
        names = [name for name in (self.roles.table()[end] for end in ENDS) if name]
        if not names:
            return None
        poses = poses_of(clip, self.skeleton, names)
        return poses, poses.heads[:, [poses.names.index(name) for name in names]]

    def prints(self):
        """Footprints of what became of the take, and how long its legs are: feet stand as they stood, or as they come down anew
        where that is not known."""
        try:
            figure = Legs(self.skeleton, self.roles)
            contacts = self.run.standing or find_contacts(self.after, self.skeleton, self.roles)
        except Refusal:  # no feet
            return [], 0.0
        return footprints(figure, figure.places(self.after)[0], contacts, self.after.first_frame), figure.leg


def both(current):
    """The same for as long as the same is shown."""
    if _kept.get("take") is not current.open:
        _kept.clear()
        _kept.update(take=current.open, both=Both(current))
    made = _kept["both"]
    if made.run is not current.run:
        made.show(current)
        _kept.pop("prints", None)
    return made


def draw_both():
    context, current = bpy.context, preview.session()
    view = context.window_manager.motion_signal_see_both
    if current is None or current.run is None or not context.space_data.overlay.show_overlays:
        return
    owner = current.owner
    if not (view.skeleton or view.footprints or view.trails) or getattr(owner, "type", "") != "ARMATURE":
        return
    made = both(current)
    if made.skeleton.led:  # only Blender knows where such bones are, one frame at a time
        return
    import gpu

    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    if view.footprints:
        draw_prints(made)
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(owner.matrix_world)
        if view.skeleton and made.differs:
            clip, color = (made.before, SOURCE) if current.after else (made.after, RESULT)
            draw_skeleton(poses_of(clip, made.skeleton), owner, context.scene.frame_current, color)
        if view.trails:
            draw_trails(context, made, view.seconds)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def draw_skeleton(poses, owner, frame, color):
    bones = _kept.get("bones") or _kept.setdefault("bones", shown_bones(owner, poses.names))
    draw_octahedra(poses, bones, frame, color)


def draw_octahedra(poses, bones, frame, color):
    row, key = poses.row(frame), (color, len(bones))
    if key not in _lit:
        _lit[key] = lit(color, len(bones))
    points = octahedra(poses.axes[row, bones], poses.heads[row, bones], poses.lengths[bones])
    batch("SMOOTH_COLOR", "TRIS", points, _lit[key]).draw(shader("SMOOTH_COLOR"))


def draw_prints(made):
    if "prints" not in _kept:
        _kept["prints"] = print_batch(*made.prints())
    if _kept["prints"]:
        _kept["prints"].draw(shader("SMOOTH_COLOR"))


def print_batch(found, leg):
    if not found:
        return None
    points = np.concatenate([sole(each.heel, each.toe, LIFT * leg) for each in found])
    red = np.clip([(each.slide / leg - SEEN) / (MUCH - SEEN) for each in found], 0.0, 1.0)
    colors = np.repeat(STANDS + np.outer(red, SLIDES - STANDS), len(points) // len(found), axis=0)
    return batch("SMOOTH_COLOR", "TRIS", points, colors)


def draw_trails(context, made, seconds):
    import gpu

    lines, colors = [], []
    for clip, color in zip((made.before, made.after), TRAILS):
        found = made.ends(clip)
        if found:
            poses, ways = found
            drawn = segments(ways, color, poses.row(context.scene.frame_current), max(1, round(seconds * clip.fps)))
            lines.append(drawn[0])
            colors.append(drawn[1])
    if lines:
        polyline = shader("POLYLINE_SMOOTH_COLOR")
        polyline.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
        polyline.uniform_float("lineWidth", 2.0 * context.preferences.system.ui_scale)
        batch("POLYLINE_SMOOTH_COLOR", "LINES", np.concatenate(lines), np.concatenate(colors)).draw(polyline)


def shader(name):
    import gpu

    if name not in _shaders:
        _shaders[name] = gpu.shader.from_builtin(name)
    return _shaders[name]


def batch(name, kind, points, colors):
    from gpu_extras.batch import batch_for_shader

    attributes = {"pos": points.astype(np.float32, copy=False), "color": colors.astype(np.float32, copy=False)}
    return batch_for_shader(shader(name), kind, attributes)


CLASSES = (MOTION_SIGNAL_PG_see_both,)
DRAWING = ViewportDrawing(draw_both)


@bpy.app.handlers.persistent
def forget(*_):
    _kept.clear()


def register():
    bpy.types.WindowManager.motion_signal_see_both = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_see_both)
    bpy.app.handlers.load_post.append(forget)
    DRAWING.register()


def unregister():
    DRAWING.unregister()
    forget()
    _shaders.clear()
    bpy.app.handlers.load_post.remove(forget)
    del bpy.types.WindowManager.motion_signal_see_both
