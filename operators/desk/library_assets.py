# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes of a library, or the actions of this file, put into Blender's Asset Browser."""

from pathlib import Path

import bpy

from ...core.numeric.refusal import Refusal
from ..bridge.refuse import refusing
from ..bridge.scope import active_object
from ..live.preview import MARK
from .library import library_of, settings_of
from .version_pictures import pixels_of


def put_actions(context, folder):
    """Write copies of the actions that the active figure can play as assets into a folder; the .blend, and how many."""
    from ..library import assets  # with all that reads files, for which Blender's start need not wait

    subject = active_object(context)
    if not Path(folder).is_dir():
        raise Refusal(f"{folder}: there is no such folder to put assets into")
    if subject is None or subject.type != "ARMATURE" or not subject.animation_data:
        raise Refusal("assets: select the armature first whose actions are to be put into the Asset Browser")
    file = Path(bpy.data.filepath).stem or "untitled"
    own = [action for action in bpy.data.actions if MARK not in action and not action.library and plays(subject, action)]
    if not own:
        raise Refusal(f"assets: {subject.name} has no actions in this file")
    made = []
    try:
        for action in own:
            copy = action.copy()
            copy.name = f"{file} {action.name}"  # two of one name there cannot be, not even for a moment
            pixels = pixels_of(context, subject, action.name, False)
            made.append(assets.Asset(copy, pixels, f"{assets.TOP}/{file}", f"Of {subject.name}"))
        return assets.written(made, folder, file), len(made)
    finally:
        bpy.data.batch_remove([asset.action for asset in made])


def plays(subject, action):
    """Whether an action moves bones that a figure has."""
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    paths = {curve.data_path for bag in bags for curve in bag.fcurves}
    return any(f'pose.bones["{bone.name}"]' in path for bone in subject.pose.bones for path in paths)


def show_in_browser(context, folder):
    """Let Blender's Asset Browser look into a folder, unless it does already."""
    libraries, folder = context.preferences.filepaths.asset_libraries, Path(folder).resolve()
    if all(Path(bpy.path.abspath(each.path)).resolve() not in (folder, *folder.parents) for each in libraries if each.path):
        libraries.new(name=folder.name, directory=str(folder))


class MOTION_SIGNAL_OT_library_assets(bpy.types.Operator):
    """Put takes into Blender's Asset Browser, with their pictures: a .blend of actions and their catalogs, in a folder"""

    bl_idname = "motion_signal.library_assets"
    bl_label = "To Asset Browser"
    bl_options = {"REGISTER"}

    what: bpy.props.EnumProperty(
        name="What",
        items=(
            ("LIBRARY", "Takes of the Library", "All takes of the folder that is indexed"),
            ("FILE", "Actions of This File", "Copies of the actions that move the active armature"),
        ),
    )
    directory: bpy.props.StringProperty(
        name="Folder", subtype="DIR_PATH", options={"SKIP_SAVE"}, description="Folder that the assets are written into"
    )
    folder: bpy.props.StringProperty(
        name="Library", subtype="DIR_PATH", options={"SKIP_SAVE"}, description="Folder of takes; the panel's, if empty"
    )
    show: bpy.props.BoolProperty(
        name="Show in Asset Browser", default=True, description="Add the folder to the asset libraries of the preferences"
    )

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @refusing
    def execute(self, context):
        if not self.directory:
            raise Refusal("directory: choose the folder that the assets are written into")
        folder, problems = bpy.path.abspath(self.directory), ()
        from ..library.put_assets import put  # with all that processes of their own need

        if self.what == "FILE":
            path, count = put_actions(context, folder)
        else:
            takes = self.folder or settings_of(context).folder
            library_of(takes)  # there is one, or it is said
            path, count, problems = put(bpy.path.abspath(takes), folder)
        if self.show:
            show_in_browser(context, folder)
        left = "".join(f"; {name}: {why}" for name, why in problems[:3])
        self.report({"WARNING"} if problems else {"INFO"}, f"{path}: {count} takes as assets{left}")


CLASSES = (MOTION_SIGNAL_OT_library_assets,)
