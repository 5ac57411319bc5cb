# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls: what of a body can be told where a rig's constraints and drivers move some of its bones.

Where those bones are only Blender knows. A foot that they lead is told by the loose bone that they follow, its control.
"""

from dataclasses import replace

from .refusal import Refusal


def known(roles, skeleton):
    """Roles without hands whose place only Blender can tell, as constraints or drivers move them; a Refusal if such are
    the feet or the pelvis, which are needed."""
    table = roles.table()
    for role in ("left_foot", "right_foot", "pelvis"):
        bone = led(skeleton, table[role]) if table[role] else ""
        if bone:
            raise Refusal(f"bone {bone} is moved by constraints or drivers: bake the motion to its bones, or say in the "
                          f"table of body parts which bone controls the {role.replace('_', ' ')}")
    unknown = [hand for hand in ("left_hand", "right_hand") if table[hand] and led(skeleton, table[hand])]
    return replace(roles, **dict.fromkeys(unknown, ""))


def led(skeleton, name):
    """The first of a bone and what it hangs on that constraints or drivers move, or nothing."""
    chain = (skeleton.bones[place] for place in reversed(skeleton.chain(skeleton.index(name))))
    return next((bone.name for bone in chain if bone.led), "")


def hangs_on(skeleton, upper, lower, tip):
    """Whether a foot or hand is the end of a limb, not a control."""
    chain = [skeleton.bones[place].name for place in skeleton.chain(skeleton.index(tip))]
    return upper in chain and lower in chain
