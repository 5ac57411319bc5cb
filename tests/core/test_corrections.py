# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator says of the body counts for every technique: names that mislead, put right in the table of body parts."""

import json
from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.body.mirror import Mirror
from motion_signal.core.body.roles import find_roles
from motion_signal.core.declare.params import build
from motion_signal.core.declare.technique import Surroundings
from motion_signal.core.mixing.mood import mood_of, to_data
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.motion.skeleton import Skeleton
from motion_signal.core.paths.fit import fit
from motion_signal.core.retargeting.foreign import Foreign
from motion_signal.core.techniques import TECHNIQUES
from motion_signal.core.techniques.character.style import STYLE, StyleParams
from motion_signal.core.techniques.time.cycle import CYCLE, CycleParams
from scipy.spatial.transform import Rotation

FPS, LIFTED = 60.0, Rotation.from_rotvec([-1.2, 0.0, 0.3])


def one_leg_up():
    """The walking figure with its left leg lifted at rest, so that its shape tells nothing of legs."""
    hip = gait.HEADS["thigh.L"]
    lift = np.eye(4)
    lift[:3, :3], lift[:3, 3] = LIFTED.as_matrix(), hip - LIFTED.apply(hip)
    leg = gait.FIGURE.below("thigh.L")
    return Skeleton(tuple(replace(bone, rest=lift @ bone.rest) if bone.name in leg else bone for bone in gait.FIGURE.bones))


FIGURE = one_leg_up()
ROLES = {role: name for role, name in find_roles(FIGURE).table().items() if name}
MEANINGLESS = {name: f"Bone.{index:03d}" for index, name in enumerate(gait.NAMES)}
ASKED = {  # of every technique something that it looks at the body for, if it does so at all
    "equalize": {"dc_gain": 0.9, "gains": (1.5,) * 12, "target": "POSITIONS"},
    "waveshape": {"points": ((0.0, 0.1), (1.0, 0.9))},
    "displace": {"displacement_keys": [{"frame": 40, "bones": {"hips": {"location": [0.0, 0.1, 0.0]}}}]},
    "fit_length": {"seconds": 3.0},
    "locomotion": {"path": {"points": [[0, 0, 0], [4, 0, 0]]}},
    "music": {"tempo": 100.0},
    "life": {"take": "fast"},
    "clean": {"sensitivity": 2.0, "slides": True, "knees": True, "floor": True},
    "timewarp": {"reference": "fast", "timing": 0.5, "pose": 0.5},
    "blend": {"takes": ({"weight": 0.5}, {"action": "fast", "weight": 0.5})},
    "between": {"takes": ({"action": "fast"},), "by_speed": True, "speed": 1.4},
    "join": {"take": "fast"},
    "lock": {"amount": 1.0},
    "path": {"path": {"control": [[0, 0, 0], [1, -2, 0], [-1, -4, 0], [0, -6, 0]]}},
    "pins": {"pins": [{"bone": "hips", "first": 40, "last": 60}]},
    "cycle": {"find": "SEARCH"},
    "harmonics": {"harmonics": 5},
    "network": {
        "points": ({"action": "fast cycle"}, {"y": 1.0}, {"x": 1.0, "mirror": True}),
        "puck_x": 0.3,
        "puck_y": 0.3,
        "lock": 1.0,
    },
    "speed": {"takes": ({"action": "fast"},), "speed": 1.4, "lock": 1.0},
    "wavelet_blend": {"take": "fast cycle", "amount": 0.5, "ends": "CYCLE"},
    "avatar": {"scale": 1.5, "lock": 1.0},
    "cartoon": {"strength": 0.5, "target": "POSITIONS"},
    "automate": {"automation": [{"band": 2, "keys": [[1, 1.0], [60, 2.0]]}]},
    "style": {"neutral": "slow", "styled": "fast"},
    "weight": {"balance": 1.0, "banking": 1.0},
    "reduce": {},
    "retarget": {"take": "stranger"},
}
CYCLIC = ("harmonics", "network", "wavelet_blend")


def walking(speed, seed):
    motion = gait.walk(240, FPS, speed, seed)
    hips = FIGURE.bones[0]
    channels = [Channel(hips.path + ".location", index, "LOCATION", hips.name) for index in range(3)]
    channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for bone in FIGURE.bones for index in range(4)]
    thigh = FIGURE.index("thigh.L")
    own = Rotation.from_matrix(gait.FIGURE.bones[thigh].rest[:3, :3])
    turns = own.inv() * LIFTED.inv() * own * Rotation.from_quat(motion.rotations[:, thigh], scalar_first=True)
    motion.rotations[:, thigh] = turns.as_quat(scalar_first=True)
    return Clip(np.hstack([motion.location, motion.rotations.reshape(240, -1)]), tuple(channels), FPS, 1)


@pytest.fixture(scope="module", params=["misleading", "meaningless"])
def names(request):
    """Other names for bones: every limb's bones called as some other bone of a limb is, or none called anything."""
    if request.param == "meaningless":
        return MEANINGLESS
    limbs = [name for role, name in ROLES.items() if role.startswith(("left", "right"))]
    order = np.random.default_rng(4).permutation(len(limbs))
    while any(index == other for index, other in enumerate(order)):
        order = np.roll(order, 1)
    return {limbs[index]: limbs[other] for index, other in enumerate(order)}


@pytest.fixture(scope="module")
def takes():
    slow, fast = walking(1.1, 1), walking(1.5, 2)
    cycles = {
        f"{name} cycle": CYCLE.run(take, CycleParams(find="SEARCH"), Surroundings(FIGURE))
        for name, take in (("slow", slow), ("fast", fast))
    }
    return {"slow": slow, "fast": fast, **cycles, "stranger": Foreign(fast, FIGURE, "stranger")}


def called(name, names):
    return names.get(name, name)


def misnamed(skeleton, names):
    """The skeleton under other names, put right in the table of body parts."""
    bones = [
        replace(bone, name=called(bone.name, names), path=f'pose.bones["{called(bone.name, names)}"]')
        for bone in skeleton.bones
    ]
    return replace(skeleton, bones=tuple(bones), corrections={role: called(name, names) for role, name in ROLES.items()})


def renamed(clip, names):
    channels = [
        replace(
            channel,
            owner=called(channel.owner, names),
            path=channel.path.replace(f'"{channel.owner}"', f'"{called(channel.owner, names)}"'),
        )
        for channel in clip.channels
    ]
    return replace(clip, channels=tuple(channels))


def test_every_technique_is_asked_something():
    assert ASKED.keys() == {entry.name for entry in TECHNIQUES}


@pytest.mark.parametrize("entry", TECHNIQUES, ids=[entry.name for entry in TECHNIQUES])
def test_a_technique_does_the_same_to_a_body_that_the_animator_has_put_right(entry, takes, names):
    clip = takes["slow cycle" if entry.name in CYCLIC else "slow"]
    params = build(entry.params, ASKED[entry.name])
    wanted = entry.run(clip, params, Surroundings(FIGURE, takes=takes))
    params = build(entry.params, json.loads(json.dumps(ASKED[entry.name]).replace('"hips"', json.dumps(called("hips", names)))))
    others = {name: take if isinstance(take, Foreign) else renamed(take, names) for name, take in takes.items()}
    result = entry.run(renamed(clip, names), params, Surroundings(misnamed(FIGURE, names), takes=others))
    assert result.channels == renamed(wanted, names).channels
    assert result.frames == wanted.frames and np.abs(result.values - wanted.values).max() < 1e-6
    same = wanted.values.shape == clip.values.shape and np.abs(wanted.values - clip.values).max() < 1e-3
    assert same == (entry.name in ("reduce", "clean"))


def test_mirror_and_path_go_by_the_table_too(takes, names):
    figure, back = misnamed(FIGURE, names), {other: name for name, other in names.items()}
    partners = {called(name, back): called(other, back) for name, other in Mirror(figure).partners.items()}
    assert partners == Mirror(FIGURE).partners
    assert np.allclose(fit(renamed(takes["slow"], names), figure), fit(takes["slow"], FIGURE), atol=1e-9)


def test_a_mood_of_another_figure_is_worn_by_the_bones_of_the_table(takes):
    mood = to_data(mood_of(takes["slow"], takes["fast"], Surroundings(FIGURE)))
    wanted = STYLE.run(takes["slow"], StyleParams(style=mood), Surroundings(FIGURE))
    clip, figure = renamed(takes["slow"], MEANINGLESS), misnamed(FIGURE, MEANINGLESS)
    result = STYLE.run(clip, StyleParams(style=mood), Surroundings(figure))
    for role in ROLES.values():
        columns = [column for column, channel in enumerate(takes["slow"].channels) if channel.owner == role]
        assert np.abs(result.values[:, columns] - wanted.values[:, columns]).max() < 1e-6
