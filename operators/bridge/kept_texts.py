# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator says of an armature or an action, kept so that it is there when the file is opened again.

It is kept with the thing itself if that is this file's own. What is linked, or overridden, comes anew from its library with
every load, and a property that the library does not have is lost: what is said of that is kept with a scene of this file.
"""

import json

import bpy

from ...core.numeric.refusal import Refusal

LINKED = "motion_signal_linked"  # of a scene: texts by name, by the full name of what they are about in its library


def is_own(data):
    """Whether something is this file's, and keeps what is written to it."""
    return data.library is None and data.override_library is None


def kept(data, name):
    """The text that is kept of something under a name, or nothing: what was said in this file, else what came with it."""
    if not is_own(data):
        for scene in own_scenes():
            if name in (texts := texts_in(scene).get(full_name(data), {})):
                return texts[name]
    return str(data.get(name, ""))


def keep(data, name, text):
    """Keep a text of something, or a Refusal if this file has no place for it."""
    if is_own(data):
        data[name] = text
        return
    scenes = own_scenes()
    if not scenes:
        raise Refusal(f"{data.name} is linked, and so is every scene: make a local scene, or an own copy of {data.name}, first")
    scene = next((scene for scene in scenes if full_name(data) in texts_in(scene)), scenes[0])
    texts = texts_in(scene)
    scene[LINKED] = json.dumps({**texts, full_name(data): {**texts.get(full_name(data), {}), name: text}})


def full_name(data):
    """A name that tells something in a library from all else, whether it is linked or overridden."""
    return (data.override_library.reference if data.override_library else data).name_full


def own_scenes():
    """The scenes that are saved with this file, the one at hand first."""
    return sorted((scene for scene in bpy.data.scenes if is_own(scene)), key=lambda scene: scene != bpy.context.scene)


def texts_in(scene):
    try:
        texts = json.loads(scene.get(LINKED, "{}"))
    except json.JSONDecodeError:
        return {}
    return {name: held for name, held in texts.items() if isinstance(held, dict)} if isinstance(texts, dict) else {}
