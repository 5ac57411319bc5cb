# SPDX-License-Identifier: GPL-3.0-or-later
"""A small folder of takes, indexed, and the first of them on its figure."""

import shutil

import bpy
import rigs

WALK, RUN, TURN = "cmu_07_01_walk_normal.bvh", "cmu_16_36_run_jog.bvh", "cmu_16_18_walk_turn_left90.bvh"


def filled(takes, folder):
    """The folder, with a walk, a run and a turn in it."""
    for name in (WALK, RUN, TURN):
        shutil.copy(takes / name, folder)
    return folder


def indexed_walk(folder):
    """The walk on its figure, at its own frame rate, and the folder indexed."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = rigs.import_take(folder / WALK)
    assert bpy.ops.motion_signal.library_index(folder=str(folder)) == {"FINISHED"}
    return rig
