# SPDX-License-Identifier: GPL-3.0-or-later
"""Retarget at the desk: which armature the take is from, which bone follows which, and the button that brings it over."""

from pathlib import Path

import bpy

from ...core.numeric.refusal import Refusal
from ...core.retargeting.bone_map import BoneMap, named_map
from ...core.techniques.several_takes.retarget import RetargetParams
from ..bridge.refuse import refusing
from ..live import preview
from ..live.at_hand import paused, take_up
from ..run.recipe import follow_end
from ..settings.properties import annotations
from .retarget_live import touched

ARMS = (
    ("FK", "FK", "Arms of a control rig are turned by their FK controls"),
    ("IK", "IK", "Arms of a control rig reach for their IK controls"),
)


def bringing():
    """What brings takes over, loaded when it is first asked for: Blender's start need not wait for it."""
    from ..run import retarget

    return retarget


def is_other_armature(settings, subject):
    """Whether an object can be where a take comes from."""
    return subject.type == "ARMATURE" and subject != settings.id_data


class MOTION_SIGNAL_PG_retarget_bone(bpy.types.PropertyGroup):
    """A bone of the figure, and the one of the take's figure that it follows."""

    name: bpy.props.StringProperty(name="Bone")
    source: bpy.props.StringProperty(
        name="Follows",
        description="Bone of the take's armature; empty leaves this one at rest",
        update=lambda self, context: touched(self.id_data.motion_signal_retarget, context),
    )


def declared(*names, update=None):
    """A class that has parameters of the technique as properties."""
    found = annotations(RetargetParams, update)
    return type("Declared", (), {"__annotations__": {name: found[name] for name in names}})


class MOTION_SIGNAL_PG_retarget(
    declared("plant", "hands", "travel", update=lambda declaration: touched), bpy.types.PropertyGroup
):
    """What is asked of retargeting onto an armature, kept with it."""

    source: bpy.props.PointerProperty(
        name="From",
        type=bpy.types.Object,
        poll=is_other_armature,
        description="Armature that has the take",
        update=touched,
    )
    arms: bpy.props.EnumProperty(name="Arms", items=ARMS, description="How arms of a control rig are keyed", update=touched)
    few: bpy.props.BoolProperty(
        name="Few Keys", description="Leave out keys that change less than the tolerance", update=touched
    )
    millimetres: bpy.props.FloatProperty(
        name="Tolerance (mm)",
        default=1.0,
        min=0.01,
        max=100.0,
        description="How far anything may be off, in millimetres",
        update=touched,
    )
    live: bpy.props.BoolProperty(
        name="Preview", description="Show it on the figure while it is asked for; Retarget makes it", update=touched
    )
    bones: bpy.props.CollectionProperty(type=MOTION_SIGNAL_PG_retarget_bone)
    active: bpy.props.IntProperty()

    def map_text(self):
        """The map that the table shows, as JSON; nothing where it is not shown."""
        return BoneMap({row.name: row.source for row in self.bones}).text() if self.bones else ""

    def fill(self, bones):
        """Show a map, {bone: bone}."""
        with paused():
            self.bones.clear()
            for name, source in bones.items():
                row = self.bones.add()
                row.name, row.source = name, source
        touched(self, bpy.context)


class MOTION_SIGNAL_OT_retarget(declared("take", "map", "plant", "hands", "travel"), bpy.types.Operator):
    """Bring a take of another figure onto this one. Makes a new action and leaves the take as it is"""

    bl_idname = "motion_signal.retarget"
    bl_label = "Retarget"
    bl_options = {"REGISTER", "UNDO"}

    source: bpy.props.StringProperty(
        name="From", options={"SKIP_SAVE"}, description="Armature object that has the take; empty for the other selected one"
    )
    filepath: bpy.props.StringProperty(
        name="File", options={"SKIP_SAVE"}, subtype="FILE_PATH", description="Motion file to take it from instead"
    )
    object: bpy.props.StringProperty(
        name="Object", options={"SKIP_SAVE"}, description="Armature object to bring it onto; empty for the active one"
    )
    result: bpy.props.StringProperty(name="Name", options={"SKIP_SAVE"}, description="Name of the new action")
    arms: bpy.props.EnumProperty(name="Arms", items=ARMS, description="How arms of a control rig are keyed")
    few: bpy.props.BoolProperty(name="Few Keys", description="Leave out keys that change less than the tolerance")
    millimetres: bpy.props.FloatProperty(name="Tolerance (mm)", default=1.0, min=0.01, max=100.0)

    def as_the_panel_says(self, settings):
        """Take from the panel what is not given, as long as nobody says where the take is from."""
        given = {"source": settings.source.name, "map": settings.map_text()}
        given |= {name: getattr(settings, name) for name in ("plant", "hands", "travel", "arms", "few", "millimetres")}
        for name, value in given.items():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)

    @refusing
    def execute(self, context):
        preview.end()
        scene, target = context.scene, target_of(self, context)
        with paused():
            target.motion_signal_retarget.live = False
        if target.motion_signal_retarget.source and not self.source and not self.filepath:
            self.as_the_panel_says(target.motion_signal_retarget)
        fps = scene.render.fps / scene.render.fps_base
        if self.filepath:
            take = bringing().take_of_file(bpy.path.abspath(self.filepath), fps)
        else:
            subject = source_of(self, context, target)
            played = bpy.data.actions.get(self.take) if self.take else None
            if self.take and played is None:
                raise Refusal(f"take: there is no {self.take}")
            take = bringing().take_of_object(subject, fps, played)
        params = RetargetParams(map=self.map, plant=self.plant, hands=self.hands, travel=self.travel)
        ended = round(max(scene.frame_end, take.clip.last_frame))
        name = self.result or (self.take or take.figure)
        brought = bringing().retarget_onto(take, target, params, self.arms, self.few, self.millimetres, name)
        if self.result:
            brought.action.name = self.result
        follow_end(scene, scene.frame_end if ended == scene.frame_end else -1, brought.action)
        scene.frame_set(scene.frame_current)
        if target == context.object:
            take_up(context, target, "OBJECT")
        context.window_manager.motion_signal.report = brought.words if target == context.object else ""
        self.report({"INFO"}, f"{brought.action.name}: {brought.words}")


def target_of(operator, context):
    """The armature that a take is brought onto."""
    target = bpy.data.objects.get(operator.object) if operator.object else context.object
    if target is None or target.type != "ARMATURE":
        raise Refusal("no armature is active: click the one that the take is to be on")
    return target


def source_of(operator, context, target):
    """The armature that a take is from: as is said, or the other one that is selected, or the only other that plays one."""
    if operator.source:
        subject = bpy.data.objects.get(operator.source)
        if subject is None or subject.type != "ARMATURE":
            raise Refusal(f"source: there is no armature {operator.source}")
        if subject == target:
            raise Refusal(f"source: {subject.name} has the take already; choose another armature to take it from")
        return subject
    selected = [each for each in context.selected_objects if each.type == "ARMATURE" and each != target]
    playing = [each for each in context.scene.objects if each.type == "ARMATURE" and each != target and plays(each)]
    found = selected if len(selected) == 1 else playing
    if len(found) != 1:
        raise Refusal("choose under From which armature has the take, or select that as well")
    return found[0]


def plays(subject):
    """Whether an object has an action."""
    return bool(subject.animation_data and subject.animation_data.action)


class MOTION_SIGNAL_OT_retarget_bones(bpy.types.Operator):
    """List which bone follows which, as found, to be corrected"""

    bl_idname = "motion_signal.retarget_bones"
    bl_label = "Show Bones"
    bl_options = {"UNDO", "INTERNAL"}

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        settings.fill(bringing().found_map(settings.source, context.object))


class MOTION_SIGNAL_OT_retarget_forget(bpy.types.Operator):
    """Forget corrections: which bone follows which is found again"""

    bl_idname = "motion_signal.retarget_forget"
    bl_label = "Forget Bones"
    bl_options = {"UNDO", "INTERNAL"}

    def execute(self, context):
        settings = context.object.motion_signal_retarget
        settings.bones.clear()
        touched(settings, context)
        return {"FINISHED"}


class MapFile:
    """An operator that asks for a file with a map."""

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})

    def invoke(self, context, event):
        self.filepath = self.filepath or "map.json"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


class MOTION_SIGNAL_OT_retarget_save_map(MapFile, bpy.types.Operator):
    """Write which bone follows which into a file, for other takes and other people"""

    bl_idname = "motion_signal.retarget_save_map"
    bl_label = "Save Map"

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        if not settings.bones:
            settings.fill(bringing().found_map(settings.source, context.object))
        path = Path(bpy.path.abspath(self.filepath)).with_suffix(".json")
        path.write_text(settings.map_text() + "\n", "utf-8")
        self.report({"INFO"}, f"{path.name} written")


class MOTION_SIGNAL_OT_retarget_load_map(MapFile, bpy.types.Operator):
    """Read from a file which bone follows which; what it does not say is found"""

    bl_idname = "motion_signal.retarget_load_map"
    bl_label = "Load Map"
    bl_options = {"UNDO"}

    @refusing
    def execute(self, context):
        settings = settings_of(context)
        given = named_map(bpy.path.abspath(self.filepath))
        for name in given.bones:
            if name not in context.object.data.bones:
                raise Refusal(f"map: {context.object.name} has no bone {name!r}")
        settings.fill({**bringing().found_map(settings.source, context.object), **given.bones})


def settings_of(context):
    """What is asked of the active armature; a Refusal as long as nothing is chosen to take from."""
    settings = getattr(context.object, "motion_signal_retarget", None)
    if settings is None or settings.source is None:
        raise Refusal("choose under From which armature has the take")
    return settings


CLASSES = (
    MOTION_SIGNAL_PG_retarget_bone,
    MOTION_SIGNAL_PG_retarget,
    MOTION_SIGNAL_OT_retarget,
    MOTION_SIGNAL_OT_retarget_bones,
    MOTION_SIGNAL_OT_retarget_forget,
    MOTION_SIGNAL_OT_retarget_save_map,
    MOTION_SIGNAL_OT_retarget_load_map,
)


def register():
    bpy.types.Object.motion_signal_retarget = bpy.props.PointerProperty(type=MOTION_SIGNAL_PG_retarget)


def unregister():
    del bpy.types.Object.motion_signal_retarget
