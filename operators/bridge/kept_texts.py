# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator says of an armature or an action, kept so that it is there when the file is opened again.

It is kept with the thing itself if that is this file's own. What is linked, or overridden, comes anew from its library with
every load, and a property that the library does not have is lost: what is said of that is kept with a scene of this file.
"""

import json

import bpy

from ...core.motion.bars import CONTACT, bars_from_json, bars_to_json, contact_bars, contacts_from, in_order
from ...core.numeric.refusal import Refusal

CONTACTS, BARS = "motion_signal_contacts", "motion_signal_bars"  # of an action: what is planted when; all other bars
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


def contacts_of(action, name=CONTACTS):
    """The contacts kept with an action, as they are."""
    try:
        held = json.loads(kept(action, name) or "{}") if action else {}
    except json.JSONDecodeError:
        return {}
    return held if isinstance(held, dict) else {}


def bars_of(action, kind):
    """The bars of a kind that are kept with an action, in the time of the take."""
    if kind == CONTACT:
        return contact_bars(contacts_of(action))
    return tuple(bar for bar in all_bars(action) if bar.kind == kind)


def keep_bars(action, kind, bars):
    """Keep these bars of a kind with an action, in place of those that were kept."""
    if kind == CONTACT:
        keep(action, CONTACTS, json.dumps(contacts_from(bars)))
        return
    keep(action, BARS, bars_to_json(in_order([*(bar for bar in all_bars(action) if bar.kind != kind), *bars])))


def all_bars(action):
    """All bars that are kept with an action apart from contacts; none where they cannot be read."""
    try:
        return bars_from_json(kept(action, BARS)) if action else ()
    except Refusal:
        return ()


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
