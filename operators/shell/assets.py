# SPDX-License-Identifier: GPL-3.0-or-later
"""The command assets: the takes of a library in a .blend for Blender's Asset Browser."""

import sys

from ...core.declare.version import TYPED
from ..library.put_assets import put


def add_assets(below):
    one = below.add_parser(
        "assets",
        help="Put the takes of a folder that was indexed into Blender's Asset Browser",
        description="Write the takes of a folder that was indexed as actions into a .blend, marked as assets, each with its "
        "picture and tags, and their catalogs beside it. Needs Blender.",
    )
    one.set_defaults(work=make_assets)
    one.add_argument("folder", help="folder that was indexed")
    one.add_argument("-o", "--output", required=True, help="folder that the assets are written into")


def make_assets(chosen):
    """Write them, and say where; 1 where takes could not be read."""
    path, count, problems = put(chosen.folder, chosen.output)
    for name, why in problems:
        print(f"{TYPED}: {name}: {why}", file=sys.stderr)
    print(f"{path}: {count} takes as assets")
    return 1 if problems else 0
