# SPDX-License-Identifier: GPL-3.0-or-later
"""The library panel's settings, and the operators that index a folder and look for something in it."""

from pathlib import Path

import bpy
import numpy as np

from ...core.declare.scope import ScopeParams
from ...core.library.features import features_of
from ...core.library.find import find_like, find_pose
from ...core.library.following import find_next
from ...core.library.store import Library, index_of
from ...core.library.ways import find_way
from ...core.library.words import find_words, told
from ...core.numeric.refusal import Refusal
from ...core.paths.curve import read_curve
from ..bridge.curves import curve_named, path_of
from ..bridge.refuse import refusing
from ..bridge.scope import active_object, gather
from ..live import preview
from .versions import action_at_hand

POINTS = 200  # of a curve that are looked at
_opened = {}  # the library that was looked at last, by its index and when that was written


class MOTION_SIGNAL_PG_found(bpy.types.PropertyGroup):
    """A stretch that was found."""

    path: bpy.props.StringProperty()
    figure: bpy.props.StringProperty()
    first: bpy.props.IntProperty()
    last: bpy.props.IntProperty()
    mirrored: bpy.props.BoolProperty()
    distance: bpy.props.FloatProperty()
    take: bpy.props.IntProperty()
    told: bpy.props.StringProperty()
    follows: bpy.props.BoolProperty()


class MOTION_SIGNAL_PG_library(bpy.types.PropertyGroup):
    """What the panel asks a library."""

    folder: bpy.props.StringProperty(
        name="Folder", subtype="DIR_PATH", description="Folder of motion files, and those below it"
    )
    words: bpy.props.StringProperty(
        name="Words", default="speed > 1.5, turn < 20", description="What is measured of the stretches that are looked for"
    )
    seconds: bpy.props.FloatProperty(
        name="Seconds",
        default=1.0,
        min=0.1,
        max=60.0,
        soft_max=5.0,
        unit="TIME_ABSOLUTE",
        description="How long a stretch from the current frame on is looked for, unless a preview range is set",
    )
    length: bpy.props.FloatProperty(
        name="Length",
        default=3.0,
        min=0.5,
        max=600.0,
        soft_max=20.0,
        unit="TIME_ABSOLUTE",
        description="How much of what could come next",
    )
    curve: bpy.props.StringProperty(name="Curve", description="Curve object along which stretches are to go")
    mirror: bpy.props.BoolProperty(name="Mirror", default=True, description="Look in the mirror too")
    found: bpy.props.CollectionProperty(type=MOTION_SIGNAL_PG_found)
    shown: bpy.props.IntProperty(default=-1)
    said: bpy.props.StringProperty()


def settings_of(context):
    return context.window_manager.motion_signal_library


def library_of(folder):
    """The library of a folder, opened anew when its index has changed, or a Refusal."""
    if not folder:
        raise Refusal("folder: choose the folder of the takes first")
    path = index_of(bpy.path.abspath(folder))
    try:
        status = path.stat()
    except OSError:
        status = None
    key = str(path), status and (status.st_mtime_ns, status.st_size)
    if key not in _opened:
        library = Library(path)
        _opened.clear()
        _opened[key] = library
    return _opened[key]


def take_at_hand(context):
    """The clip and the skeleton of the active object's action, or of what it gets back after a preview, or a Refusal."""
    subject = active_object(context)
    action = action_at_hand(subject)
    if action is None:
        raise Refusal("there is no active object with an action, so that nothing can be like it")
    scope = gather(context, ScopeParams(action=action.name), subject)
    if scope.skeleton is None:
        raise Refusal(f"{subject.name} is no armature, so that nothing can be like it")
    return scope.read().clip, scope.skeleton


def asked_frames(context, settings):
    scene = context.scene
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    rate = scene.render.fps / scene.render.fps_base
    return scene.frame_current, scene.frame_current + max(1, round(settings.seconds * rate))


def like_range(context, library, asked):
    return find_like(library, features_of(*take_at_hand(context)).between(asked.frame_start, asked.frame_end), **asked.common())


def like_pose(context, library, asked):
    frame = asked.frame_start
    return find_pose(library, features_of(*take_at_hand(context)).between(frame, frame), **asked.common())


def after_frame(context, library, asked):
    return find_next(library, features_of(*take_at_hand(context)), asked.frame_start, asked.length, **asked.common())


def along_curve(context, library, asked):
    curve = read_curve(asked.curve, path_of(curve_named(asked.curve)))
    return find_way(library, curve.evenly(np.linspace(0.0, 1.0, POINTS))[0], **asked.common())


def by_words(context, library, asked):
    return find_words(library, asked.words, asked.count)


WAYS = {"LIKE": like_range, "POSE": like_pose, "NEXT": after_frame, "CURVE": along_curve, "WORDS": by_words}


class MOTION_SIGNAL_OT_library_index(bpy.types.Operator):
    """Read what the takes of the folder do, on all cores, and keep it in a file in it; only what has changed is read again"""

    bl_idname = "motion_signal.library_index"
    bl_label = "Index"
    bl_options = {"REGISTER"}

    folder: bpy.props.StringProperty(
        name="Folder", subtype="DIR_PATH", options={"SKIP_SAVE"}, description="The panel's, if empty"
    )

    @refusing
    def execute(self, context):
        from ..library.index import update  # with all that reads files, for which Blender's start need not wait

        settings = settings_of(context)
        settings.folder = self.folder or settings.folder
        if not settings.folder:
            raise Refusal("folder: choose the folder of the takes first")
        manager = context.window_manager
        manager.progress_begin(0, 100)
        try:
            done = update(
                bpy.path.abspath(settings.folder), progress=lambda count, total: manager.progress_update(100 * count // total)
            )
        finally:
            manager.progress_end()
        settings.said = done.words()
        settings.found.clear()
        settings.shown = -1
        self.report(
            {"WARNING"} if done.problems else {"INFO"}, settings.said + "".join(f"; {a}: {b}" for a, b in done.problems[:3])
        )


class MOTION_SIGNAL_OT_library_find(bpy.types.Operator):
    """Find stretches of the library"""

    bl_idname = "motion_signal.library_find"
    bl_label = "Find"
    bl_options = {"REGISTER"}

    what: bpy.props.EnumProperty(
        name="What",
        items=(
            ("LIKE", "Like These Frames", "The stretches most like the frames from the current one on, or the preview range"),
            ("POSE", "Like This Pose", "The moments at which a body is most like this one at the current frame"),
            (
                "NEXT",
                "What Next",
                "Stretches that could follow on the current frame, the most alike where they are entered first",
            ),
            ("CURVE", "Along the Curve", "The stretches whose way is most like the curve"),
            ("WORDS", "By Words", "The stretches of which it holds what the words say, the longest first"),
        ),
    )
    folder: bpy.props.StringProperty(
        name="Folder", subtype="DIR_PATH", options={"SKIP_SAVE"}, description="The panel's, if empty"
    )
    words: bpy.props.StringProperty(name="Words", options={"SKIP_SAVE"}, description="The panel's, if empty")
    curve: bpy.props.StringProperty(name="Curve", options={"SKIP_SAVE"}, description="The panel's, if empty")
    frame_start: bpy.props.IntProperty(
        name="First Frame", options={"SKIP_SAVE"}, description="Of the take; the panel's, if not set"
    )
    frame_end: bpy.props.IntProperty(
        name="Last Frame", options={"SKIP_SAVE"}, description="Of the take; the panel's, if not set"
    )
    length: bpy.props.FloatProperty(
        name="Length", default=3.0, min=0.5, max=600.0, description="Seconds of what could come next"
    )
    count: bpy.props.IntProperty(name="Count", default=12, min=1, max=200, description="How many are listed")
    mirror: bpy.props.BoolProperty(name="Mirror", default=True, description="Look in the mirror too")

    @classmethod
    def description(cls, context, properties):
        return cls.bl_rna.properties["what"].enum_items[properties.what].description

    def common(self):
        return {"count": self.count, "mirror": self.mirror}

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        settings.folder = self.folder or settings.folder
        given = self.properties.is_property_set
        self.words, self.curve = self.words or settings.words, self.curve or settings.curve
        self.length = self.length if given("length") else settings.length
        self.mirror = self.mirror if given("mirror") else settings.mirror
        first, last = asked_frames(context, settings)
        if self.what in ("POSE", "NEXT"):
            first = context.scene.frame_current
        self.frame_start = self.frame_start if given("frame_start") else first
        self.frame_end = self.frame_end if given("frame_end") else last
        library = library_of(settings.folder)
        hits = WAYS[self.what](context, library, self)
        preview.end()
        listed(settings, library, hits, self.what)
        self.report({"INFO"}, settings.said)


def listed(settings, library, hits, what):
    """Put hits into the panel's list."""
    settings.found.clear()
    settings.shown = -1
    for hit in hits:
        row = settings.found.add()
        for name, value in zip(("path", "figure", "first", "last", "mirrored", "distance", "take"), hit):
            setattr(row, name, value)
        row.told, row.follows = told(library, hit), what == "NEXT"
    settings.said = f"{len(hits)} found" if hits else "nothing is found"


def names_of(found):
    """What the panel's list says of a stretch: its take, and which frames and how they are."""
    how = f"{100.0 * found.distance:.1f} cm" if found.distance else found.told.split(", ")[-1]
    return Path(found.path).stem, f"{found.first}-{found.last}{' mirrored' if found.mirrored else ''}: {how}"


CLASSES = (MOTION_SIGNAL_PG_found, MOTION_SIGNAL_PG_library, MOTION_SIGNAL_OT_library_index, MOTION_SIGNAL_OT_library_find)


def register():
    bpy.types.WindowManager.motion_signal_library = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_library)


def unregister():
    _opened.clear()
    del bpy.types.WindowManager.motion_signal_library
