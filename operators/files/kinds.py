# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kinds of motion files there are, by their endings. Needs no Blender."""

from ...core.numeric.refusal import Refusal

READABLE = (".bvh", ".fbx", ".glb", ".gltf", ".blend")
WRITABLE = (".bvh", ".fbx", ".glb", ".blend")


def check_readable(path):
    """A Refusal of a file that is of no kind that can be read."""
    if path.suffix.lower() not in READABLE:
        raise Refusal(f"{path}: cannot read {path.suffix or 'a file without an ending'}; can read {', '.join(READABLE)}")


def check_ending(path):
    """A Refusal of a file that is of no kind that can be written."""
    if path.suffix.lower() not in WRITABLE:
        raise Refusal(f"{path}: cannot write {path.suffix or 'a file without an ending'}; can write {', '.join(WRITABLE)}")
