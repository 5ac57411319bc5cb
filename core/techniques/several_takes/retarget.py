# SPDX-License-Identifier: GPL-3.0-or-later
"""Retarget: a take of another figure on this one, whatever that is called, how it rests and how it is built.

Rotations are carried in the world, bone by bone, between stances that are held against each other (as the retarget poses of
HumanIK and of Unreal's IK Retargeter); feet and hands are then brought into place by inverse kinematics (Gleicher 1998).
"""

from dataclasses import replace

from ...declare.params import choice, flag, words
from ...declare.technique import Technique
from ...motion.match import matched
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...retargeting.bone_map import named_map
from ...retargeting.foreign import Brought


@frozen
class RetargetParams:
    """Which take is brought over, and what of it is kept."""

    take: str = words("", "Take of another figure that is brought onto this one", names="action")
    onto: str = words("", "File with the figure that takes are brought onto, in a batch", label="Onto")
    map: str = words("", "Bone map as JSON, or the file that has it; what it does not say is found", label="Bone Map")
    plant: bool = flag(
        True, "Plant feet where they are planted in the take, and keep them out of the ground", label="Plant Feet"
    )
    hands: bool = flag(False, "Keep hands where they touch each other, the head or the hips", label="Keep Touches")
    travel: str = choice(
        "STRIDES",
        "How far and how fast a figure of another size goes",
        (
            ("STRIDES", "Strides", "Strides as much longer as legs are, each in the time that it takes in the take"),
            ("SPEED", "Speed", "The same, played so much faster or slower that it goes as many metres a second as in the take"),
        ),
    )


def retarget(clip, surroundings):
    """Bring a take of another figure onto this one: names, rests, rolls, sizes and proportions may differ."""
    opened, others = {}, surroundings.takes
    takes = others if isinstance(others, Brought) else Brought(others, surroundings.skeleton, clip)

    def process(params):
        if params.onto:
            raise Refusal(f"onto: {params.onto} is for files in a batch; on a figure at hand, name the take that it is to do")
        if not params.take:
            return clip
        if params.take not in takes:
            raise Refusal(f"take: there is no {params.take}")
        take = takes.foreign(params.take)
        if take is None:
            raise Refusal(f"take: {params.take} is a take of this figure already; name one of another figure")
        if (params.take, params.map) not in opened:
            opened[params.take, params.map] = takes.carrier(take, params.take, named_map(params.map))
        carried = opened[params.take, params.map]
        result = carried(take.clip, params.plant, params.hands, params.travel)
        lacking = [channel for channel in result.channels if channel not in clip.channels]
        whole = clip.with_channels(lacking, [surroundings.skeleton.held(channel) for channel in lacking])
        process.told = f"{len(carried.pairs)} bones follow {take.figure or 'another figure'}"
        return replace(matched(whole, result)[0], first_frame=clip.first_frame)

    return process


RETARGET = Technique(
    "retarget",
    "Retarget",
    RetargetParams,
    retarget,
    needs=frozenset({"skeleton"}),
    retimes=True,
    waits="choose a take of another figure",
    wants=("take", "onto"),
)
