# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs as other programs write them: every bone with a location of its own, bones that take up a share of a limb's twist."""

from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body.body import Body
from motion_signal.core.body.contacts import find_contacts
from motion_signal.core.body.figure import Legs
from motion_signal.core.body.report import slides_of
from motion_signal.core.body.roles import find_roles
from motion_signal.core.body.trust import trust
from motion_signal.core.declare.params import build
from motion_signal.core.declare.scope import ScopeParams
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.motion.clip import Channel
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.recipes.opened import opened
from motion_signal.core.techniques import technique
from technique_cases import FIGURE, loud, walking

LIMBS = ("thigh", "shin", "upper_arm", "forearm")


def as_it_is(skeleton, clip):
    return skeleton, clip


def with_locations(skeleton, clip):
    """As Mixamo writes them: each bone's head is keyed, where it is at rest."""
    bones = tuple(replace(bone, connected=False) for bone in skeleton.bones)
    known = {channel.owner for channel in clip.channels if channel.kind == "LOCATION"}
    added = [
        Channel(f"{bone.path}.location", i, "LOCATION", bone.name) for bone in bones if bone.name not in known for i in range(3)
    ]
    values = np.hstack([clip.values, np.zeros((clip.frames, len(added)))])
    return Skeleton(bones), replace(clip, values=values, channels=(*clip.channels, *added))


def with_lengths(skeleton, clip):
    """Locations that move: bones a little longer and shorter over time, as retargeting leaves them."""
    skeleton, clip = with_locations(skeleton, clip)
    values = clip.values.copy()
    for column, channel in enumerate(clip.channels):
        if channel.kind == "LOCATION" and channel.owner.startswith(LIMBS):
            values[:, column] = 0.002 * np.sin(0.13 * np.arange(clip.frames) + column)
    return skeleton, clip.with_values(values)


def with_twists(inline):
    """Limbs with a second bone half-way that twists, as Daz (`inline`: what follows hangs on it) and Unreal have it."""

    def made(skeleton, clip):
        bones, channels, values, renamed = [], list(clip.channels), [clip.values], {}
        for bone in skeleton.bones:
            parent = -1 if bone.parent < 0 else renamed[skeleton.bones[bone.parent].name]
            bones.append(replace(bone, parent=parent))
            renamed[bone.name] = len(bones) - 1
            if bone.name.startswith(LIMBS):
                rest = bone.rest.copy()
                rest[:3, 3] += 0.5 * bone.length * rest[:3, 1]
                name = bone.name.replace(".", "_twist.")
                path = f'pose.bones["{name}"]'
                bones.append(replace(bone, name=name, parent=len(bones) - 1, rest=rest, length=0.5 * bone.length, path=path))
                if inline:
                    renamed[bone.name] = len(bones) - 1
                angle = 0.04 * np.sin(0.1 * np.arange(clip.frames))
                twist = np.column_stack([np.cos(angle), 0 * angle, np.sin(angle), 0 * angle])
                channels += [Channel(f"{path}.rotation_quaternion", index, "QUATERNION", name) for index in range(4)]
                values.append(twist)
        return Skeleton(tuple(bones)), replace(clip, values=np.hstack(values), channels=tuple(channels))

    return made


RIGS = {
    "plain": as_it_is,
    "own locations": with_locations,
    "own locations that move": with_lengths,
    "twists in line": with_twists(True),
    "twists beside": with_twists(False),
}


@pytest.fixture(params=RIGS)
def rig(request):
    return RIGS[request.param](FIGURE, walking())


@pytest.mark.parametrize("feet", ["TAKE", "LOCKED"])
def test_feet_stand_after_a_strong_edit_and_nothing_breaks(rig, feet):
    skeleton, clip = rig
    assert {find_roles(skeleton).table()[foot] for foot in ("left_foot", "right_foot")} == {"foot.L", "foot.R"}
    figure, contacts = Legs(skeleton, find_roles(skeleton)), find_contacts(clip, skeleton)
    entry = technique("equalize")
    params = build(entry.params, {"gains": loud(1.0)})
    free, held = (opened(entry, clip, Surroundings(skeleton), ScopeParams(feet=how))(params) for how in ("FREE", feet))
    was, slid, now = (
        np.array(slides_of(figure.places(each)[0], figure, contacts, clip.first_frame)) for each in (clip, free, held)
    )
    assert slid.max() > 0.02
    if feet == "TAKE":
        assert (now - was).max() < 0.001
    else:
        assert now.mean() < 0.001
    found = trust(clip, held, skeleton)
    assert found["knee"].count == 0 and found["turn"].size < 20.0


def test_a_neutral_edit_changes_nothing(rig):
    skeleton, clip = rig
    entry = technique("equalize")
    result = opened(entry, clip, Surroundings(skeleton), ScopeParams())(build(entry.params, {}))
    assert np.array_equal(result.values, clip.values)


def test_keyed_locations_at_rest_are_as_none():
    """Their channels stay as they are, and feet are where they are without them."""
    results = []
    for make in (as_it_is, with_locations):
        skeleton, clip = make(FIGURE, walking())
        entry = technique("equalize")
        result = opened(entry, clip, Surroundings(skeleton), ScopeParams())(build(entry.params, {"gains": loud(1.0)}))
        results.append(Body(result, skeleton).places)
    assert np.abs(results[0] - results[1]).max() < 1e-6
