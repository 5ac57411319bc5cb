# SPDX-License-Identifier: GPL-3.0-or-later
"""Drivers in a circle: what Blender then shows depends on what it evaluates first, so that nothing can be measured."""

import re

BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)')
CHANNELS = {
    "LOC": ("location",),
    "ROT": ("rotation_quaternion", "rotation_euler", "rotation_axis_angle"),
    "SCALE": ("scale",),
}


def bones_in_circles(owner):
    """Names of the bones of an armature object whose channels drive themselves, over others or at once."""
    drivers = owner.animation_data.drivers if owner.animation_data else ()
    follows = {}
    for curve in drivers:
        driven = BONE.match(curve.data_path)
        if driven:
            follows.setdefault(driven.groups(), set()).update(read_by(curve.driver, owner))
    return {bone for bone, channel in follows if (bone, channel) in reached((bone, channel), follows)}


def read_by(driver, owner):
    """The channels (bone, channel) of an armature object that a driver reads."""
    for variable in driver.variables:
        for target in variable.targets:
            if target.id != owner:
                continue
            if variable.type == "SINGLE_PROP":
                read = BONE.match(target.data_path)
                yield from [read.groups()] if read else ()
            elif target.bone_target:
                kind = target.transform_type.split("_")[0] if variable.type == "TRANSFORMS" else ""
                for channels in (CHANNELS[kind],) if kind in CHANNELS else CHANNELS.values():
                    yield from ((target.bone_target, channel) for channel in channels)


def reached(start, follows):
    """All that something follows, over any number of others."""
    found, left = set(), [start]
    while left:
        fresh = follows.get(left.pop(), set()) - found
        found |= fresh
        left += fresh
    return found
