# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion as a signal, without Blender: takes, skeletons, techniques, recipes and measures, for scripts and other programs.

Techniques are here by their names, and so are their parameters: `equalize` and `EqualizeParams`. What is named here is loaded
when it is first asked for. docs/api.md has examples.
"""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .body.contacts import ContactsParams, find_contacts
    from .body.report import report
    from .body.roles import Roles, find_roles
    from .declare.scope import ScopeParams
    from .declare.technique import Surroundings, Technique
    from .files.bvh_take import read_bvh, write_bvh
    from .motion.clip import Channel, Clip
    from .motion.skeleton import Bone, Skeleton
    from .numeric.height_field import HeightField
    from .numeric.refusal import Refusal
    from .recipes.recipe import Recipe, Step, read_recipe
    from .recipes.run import run
    from .techniques import TECHNIQUES, technique

HOMES = {
    "Bone": "motion.skeleton",
    "Channel": "motion.clip",
    "Clip": "motion.clip",
    "ContactsParams": "body.contacts",
    "HeightField": "numeric.height_field",
    "Recipe": "recipes.recipe",
    "Refusal": "numeric.refusal",
    "ScopeParams": "declare.scope",
    "Roles": "body.roles",
    "Skeleton": "motion.skeleton",
    "Step": "recipes.recipe",
    "Surroundings": "declare.technique",
    "TECHNIQUES": "techniques",
    "Technique": "declare.technique",
    "find_contacts": "body.contacts",
    "find_roles": "body.roles",
    "read_bvh": "files.bvh_take",
    "read_recipe": "recipes.recipe",
    "report": "body.report",
    "run": "recipes.run",
    "technique": "techniques",
    "write_bvh": "files.bvh_take",
}
ROOMS = [str(path.parent) for path in (Path(__file__).parent / "techniques").glob("*/__init__.py")]
NAMES = sorted(module.name for module in iter_modules(ROOMS))  # of techniques: their files'
PARAMS = {f"{name.title().replace('_', '')}Params": name for name in NAMES}

__all__ = sorted([*HOMES, *NAMES, *PARAMS])


def __getattr__(name: str) -> Any:
    """A public name, looked up where it is defined, and kept."""
    if name in HOMES:
        found = getattr(import_module(f".{HOMES[name]}", __name__), name)
    elif name in NAMES:
        found = import_module(".techniques", __name__).technique(name)
    elif name in PARAMS:
        found = import_module(".techniques", __name__).technique(PARAMS[name]).params
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
