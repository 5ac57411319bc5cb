# SPDX-License-Identifier: GPL-3.0-or-later
"""What a batch is asked: takes, a recipe, where results go, and how it is done."""

from ...core.numeric.frozen import frozen

LIMIT = 3600.0  # seconds for a take, unless told otherwise


@frozen
class Order:
    """What a batch is asked: a recipe, takes as files and folders, a folder (for one a file) for results, and how."""

    recipe: object
    takes: tuple
    output: str
    exact: tuple = ()  # parameters that are refused where they do not fit a take, instead of made to fit
    others: tuple = ()  # files with takes and curves that the recipe names
    object: str = ""  # name of the object to work on; empty for every animated armature
    action: str = ""  # name of the action to work on; empty for the one that the object has
    ending: str = ""  # of all results; empty for that of their takes
    include: tuple = ()  # patterns of takes to be done; none for all
    exclude: tuple = ()  # patterns of takes not to be done
    shard: tuple = (1, 1)  # which part of how many
    jobs: int = 1
    scheduler: str = ""  # address of a cluster's; empty for this machine
    limit: float | None = None  # seconds for a take
    unit: float | None = None  # metres in a unit of .bvh files; None to have it guessed
    dry_run: bool = False
    said: str = "takes"  # how much is said of it: "nothing", "takes" or "everything"
    log_json: bool = False  # whether that is a line of JSON a take
