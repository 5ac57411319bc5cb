# SPDX-License-Identifier: GPL-3.0-or-later
"""A library as libraries are: links, full disks, strange files and recipes, two runs at once, and no Blender at all."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.dev.motion_signal.core.body.t_pose import leading_t_pose
from bl_ext.dev.motion_signal.core.files.bvh_take import load, read_bvh
from bl_ext.dev.motion_signal.operators.batch import one_take, whole_report
