# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes in Blender's Asset Browser: a .blend of actions that are marked as assets, each with its picture, and their catalogs.

Pictures are drawn and tags are found from what is measured, as in the library's own list. The .blend and the catalogs appear
when they are whole; catalogs that others keep in the same folder stay.
"""

import uuid
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np

from ...core.library.find import Hit
from ...core.library.placed import cut_out
from ...core.library.words import PHRASES, find_words, told
from ...core.numeric.refusal import Refusal
from ..files.whole_files import whole, write_text
from .as_action import action_from
from .readable import take_from
from .stick_pictures import SIZE, pixels_of_stretch

CATALOGS = "blender_assets.cats.txt"
HEAD = "# Catalogs of Blender's Asset Browser; Motion Signal adds to them and takes none away.\n\nVERSION 1\n"
TOP = "Motion Signal"  # the catalog that all others are in
ENDING = ".motion_signal.blend"  # so that nobody else's file has the name
SPACE = uuid.UUID("5d6f5a4e-6d6f-4769-9f6e-5369676e616c")  # in which the names of catalogs are known by number
FASTEST = 30.0  # frames a second: who captures at 120 gets every fourth


class Asset(NamedTuple):
    """What is put into the Asset Browser: an action that is to be marked, and what is said of it."""

    action: object
    pixels: np.ndarray  # (SIZE, SIZE, 4), from the bottom up
    catalog: str  # its path, such as Motion Signal/Walks
    description: str = ""
    tags: tuple = ()


def put_takes(library, folder, target):
    """Write all takes of an indexed folder as assets into another; where they are, and what cannot be read, [(file, why)]."""
    folder, made, problems = Path(folder), [], []
    tags = tags_of(library)
    try:
        for index, entry in enumerate(library.entries):
            try:
                made.append(taken(library, folder, index, entry, tags.get(index, ())))
            except Refusal as refusal:
                problems.append((entry.path, str(refusal).removeprefix(f"{folder / entry.path}: ")))
        if not made:
            raise Refusal(f"{folder}: none of its takes can be read, so that there is nothing to put into the Asset Browser")
        return written(made, target, folder.resolve().name or "takes"), problems
    finally:
        bpy.data.batch_remove([asset.action for asset in made])


def taken(library, folder, index, entry, tags):
    """The asset of one take: at most so many frames a second, from frame 1 on."""
    clip, _ = take_from(folder / entry.path, entry.figure)
    part = cut_out(clip, entry.first_frame, clip.last_frame, min(clip.fps, FASTEST))
    several = sum(other.path == entry.path for other in library.entries) > 1
    name = f"{Path(entry.path).stem} {entry.figure}" if several else Path(entry.path).stem
    action, _ = action_from(part, name)
    whole_take = Hit(entry.path, entry.figure, entry.first_frame, clip.last_frame, False, 0.0, index)
    pixels = pixels_of_stretch(library.features(index), entry.first_frame, clip.last_frame)
    above = Path(entry.path).parent.as_posix()
    catalog = "/".join((TOP, folder.resolve().name or "takes", *([] if above == "." else [above])))
    return Asset(action, pixels, catalog, f"{told(library, whole_take)}; {part.fps:g} frames a second", tags)


def tags_of(library):
    """What takes do somewhere, in the words that a library is asked by, {number of the take: words}."""
    found = {}
    for words in PHRASES:
        for hit in find_words(library, words, 10**6):
            found.setdefault(hit.take, {})[words] = None
    return {index: tuple(words) for index, words in found.items()}


def written(assets, folder, name):
    """Mark actions as assets and write them and their catalogs into a folder; the path of the .blend."""
    used = {Path(asset.catalog) for asset in assets}
    numbers = catalogs(folder, sorted(each.as_posix() for path in used for each in (path, *path.parents[:-1])))
    for asset in assets:
        mark(asset, numbers[asset.catalog])
    path = Path(folder) / f"{name}{ENDING}"

    def write(unfinished):
        bpy.data.libraries.write(str(unfinished), {asset.action for asset in assets}, fake_user=True, compress=True)

    with whole(path, write):
        pass
    return path


def mark(asset, catalog):
    """Make an asset of an action, with its picture."""
    asset.action.asset_mark()
    data = asset.action.asset_data
    data.catalog_id, data.description = str(catalog), asset.description
    for word in asset.tags:
        data.tags.new(word, skip_if_exists=True)
    picture = asset.action.preview_ensure()
    picture.image_size = SIZE, SIZE
    picture.image_pixels_float.foreach_set(asset.pixels.ravel())


def catalogs(folder, paths):
    """The numbers of catalogs by their paths; those that the folder does not know yet are added to its list."""
    path = Path(folder) / CATALOGS
    try:
        text = path.read_text("utf-8") if path.exists() else HEAD
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path}: cannot be read ({error})") from None
    lines = [line.strip() for line in text.splitlines()]
    version = next((line.split()[1] for line in lines if line.startswith("VERSION ")), "")
    if version != "1":
        raise Refusal(f"{path}: it is of version {version or 'none'}, and catalogs of version 1 can be added to")
    rows = [line.split(":", 2) for line in lines if line.count(":") >= 1 and not line.startswith("#")]
    known = {row[1]: row[0] for row in rows}
    added = {each: str(uuid.uuid5(SPACE, each)) for each in dict.fromkeys(paths) if each not in known}
    if added:
        more = "".join(f"{number}:{each}:{each.replace('/', '-')}\n" for each, number in added.items())
        write_text(path, text.rstrip("\n") + "\n" + more)
    return known | added
