# SPDX-License-Identifier: GPL-3.0-or-later
"""Path: bend a take along any curve, feet included (Gleicher 2001).

The take is seen from a smooth path through its ground track, and carried along another curve instead: every turn of the
curve turns the figure, every detail beside the path stays. Then planted feet are put where the path has taken them.
"""

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...body.contacts import events
from ...body.figure import FEET
from ...body.roles import find_roles
from ...declare.params import choice, flag, number, numbers, tree, whole, words
from ...declare.technique import Technique
from ...ik.foot_solver import Grip
from ...motion.clip import FEWEST_FRAMES
from ...numeric.frozen import frozen
from ...numeric.refusal import Refusal
from ...paths.curve import read_curve, spline
from ...paths.feet import WalkingFeet
from ...paths.fit import MOST, fit
from ...paths.follow import PathFollower, whole_roots
from ...paths.repeat_steps import StepLoop
from ...paths.slope import Slope, ribbon

TOLERANCE = 0.1  # metres from the track that a path with as few control points as possible may be
REACHED = 1e-6  # metres


@frozen
class PathParams:
    """Where to go, how fast, and how feet follow."""

    curve: str = words("", "Curve object to go along", names="curve")
    path: dict = tree(
        "Curve to go along, as JSON: {'control': [[x, y, z], ...]} for control points of a smooth curve, "
        "{'points': [[x, y, z], ...]} for points on it; none leaves the take on its own path",
        label="New Path",
    )
    original: dict = tree("Path of the take itself, as JSON of the same kind; none finds it", label="Own Path")
    control_points: int = whole(
        0,
        "How many control points the path that is found has; 0 for as few as keep it within 10 cm "
        "of the way that the figure goes",
        0,
        MOST,
    )
    progress: tuple = numbers(
        "How far along its own path the take is, at even moments from first to last frame, for figures "
        "to stay together; none finds it",
        "How far along, from 0 to 1",
        0.0,
        1.0,
        item=0.0,
    )
    timing: str = choice(
        "SPEED",
        "How fast the figure goes along the curve",
        (
            ("SPEED", "Own Speed", "As fast as in the take, so that a longer curve takes longer"),
            ("KEEP", "Stretch", "From end to end in the time of the take: where control points are farther apart it is faster"),
        ),
    )
    slide: float = number(0.0, "How far along the curve the take begins", unit="m", slider_range=(-5.0, 5.0))
    ends: str = choice(
        "STOP",
        "What happens at its own speed where the curve and the take do not end together",
        (
            ("STOP", "Stop", "End where the curve ends or the take does"),
            ("ON", "Go On", "Go on straight where the curve ends"),
            ("FILL", "Repeat Steps", "Repeat the take's cycle of steps until the curve ends"),
        ),
        label="Curve's End",
    )
    height: str = choice(
        "FLAT",
        "Whether the figure goes up and down with the curve",
        (
            ("FLAT", "Flat", "Keep to the ground of the take"),
            ("FOLLOW", "Follow", "Go as much higher or lower as the curve is above or below the take's own path"),
        ),
    )
    plant: bool = flag(True, "Put planted feet where the path takes them, and keep them there", label="Plant Feet")
    instant: str = choice(
        "MIDDLE",
        "Moment of a plant at which the path decides where the foot stands",
        (("START", "Start", "When it comes down"), ("MIDDLE", "Middle", "Halfway"), ("END", "End", "Before it leaves")),
        label="Stand Where",
    )
    ease: float = number(
        0.25, "How long before and after a plant the change of a foot comes and goes", 0.0, 5.0, "s", slider_range=(0.0, 1.0)
    )
    contacts: dict = tree(
        "Planted frames, first and last, as JSON such as {'left_heel': [[10, 30]], 'left_toe': [[12, 38]]}; none finds them"
    )
    roles: dict = tree("Bones that are not found by themselves as JSON such as {'left_foot': 'Foot.L'}", label="Body Parts")


def path(clip, surroundings):
    """Bend a take along any curve and keep its steps and gestures.

    Everything but the new curve is looked at once, so that its points can be dragged.
    """
    skeleton, free = surroundings.skeleton, surroundings.feet == "FREE"
    opened = lru_cache(maxsize=2)(lambda known: Opened(clip, skeleton, *json.loads(known)))

    def process(params):
        process.surface = None
        if params.curve:
            drawn = surroundings.curves[params.curve]
            params = replace(
                params,
                path=drawn["path"],
                original=params.original or drawn["original"],
                progress=params.progress or tuple(drawn.get("progress", ())),
            )
        if not params.path and not params.slide:
            return clip
        contacts = params.contacts or surroundings.planted()
        known = [params.original, params.control_points, params.progress, params.height == "FLAT", params.roles]
        own = opened(json.dumps([*known, contacts]))
        result = own.followed(replace(params, plant=params.plant and not free))
        process.surface = own.surface
        return result

    return process


class Opened:
    """A take with its own path, ready to be put on others."""

    def __init__(self, clip, skeleton, original, control_points, progress, flat, roles, contacts):
        skeleton = skeleton.corrected(roles) if skeleton else None
        clip = whole_roots(clip, skeleton)
        self.clip, self.flat, self.stands, self.surface = clip, flat, has_feet(skeleton), None
        self.walk = PathFollower(clip, skeleton, own_curve(clip, skeleton, original, control_points, flat), progress)
        self.feet = lru_cache(1)(lambda: WalkingFeet(clip, skeleton, self.walk.ground, contacts))
        self.loop = lru_cache(1)(lambda: StepLoop(self.walk, skeleton, self.feet().contacts))
        self.body = lru_cache(2)(lambda looped: self.feet().body((self.loop() if looped else self.walk).aside.values))

    def followed(self, params):
        """The take on the new curve."""
        curve = read_curve("path", params.path, self.flat) if params.path else self.walk.curve
        self.surface = None if self.flat else ribbon(curve, -self.walk.curve.at(np.zeros(1))[0][0, 2])
        rows, distances = TIMINGS[params.timing](self, curve, params)
        looped = len(rows) > self.clip.frames or rows.max() >= self.clip.frames
        aside = self.loop().taken(rows, self.clip.channels) if looped else self.walk.aside.at(rows)
        result, way = self.walk.put_on(aside, curve, distances, rows % self.clip.frames)
        if not (params.plant and self.stands) or not looped and self.walk.only_moved(way):
            return result
        ground = self.walk.ground
        slope = None if self.flat else Slope(curve, distances, self.walk.world, ground.up)
        grip = Grip(instant=params.instant, ease=params.ease, hands=False)
        return self.feet().planted(self.body(looped), result, rows, way, grip, slope)

    def stretched(self, curve, params):
        """All rows, and where they are on a curve that is gone along in the time of the take."""
        own, gone = self.walk.curve, self.walk.gone
        parameters = own.parameters(gone)
        return np.arange(self.clip.frames), params.slide + gone * own.length + curve.along(parameters) - own.along(parameters)

    def at_own_speed(self, curve, params):
        """The rows that are gone through, and how far along the curve they are, at the speed of the take."""
        rows, distances = np.arange(self.clip.frames), params.slide + np.cumsum(self.walk.aside.steps)
        missing = curve.length - distances[-1]
        if params.ends == "FILL" and missing > REACHED:
            if not self.stands:
                raise Refusal("ends: there are no feet whose steps could be repeated to fill the path; stop where it ends")
            loop = self.loop()
            rows = loop.rows(loop.fill(missing))
            distances = params.slide + np.cumsum(loop.aside.steps[rows])
        if params.ends != "ON":
            kept = int(np.searchsorted(distances, curve.length + REACHED, side="right"))
            if kept < len(rows):
                self._refuse_short(curve, kept)
            rows, distances = rows[:kept], distances[:kept]
        return rows, distances

    def _refuse_short(self, curve, kept):
        """Refuse a path on which nothing of the take is left."""
        first = FEWEST_FRAMES
        if self.stands:
            strikes = [frame for foot in events(self.feet().contacts, self.clip).values() for frame in foot["strikes"]]
            first = max(first, min(strikes, default=first) - self.clip.first_frame)
        if kept < first:
            raise Refusal(f"path: the curve ends after {curve.length:.2f} m, before the take's first step")


def own_curve(clip, skeleton, original, control_points, flat):
    """The path of the take itself: as given, or as it is found."""
    if original:
        return read_curve("original", original, flat)
    control = fit(clip, skeleton, **({"points": control_points} if control_points else {"tolerance": TOLERANCE}))
    return spline(control * (1.0, 1.0, 0.0 if flat else 1.0))


def has_feet(skeleton):
    return skeleton is not None and any(find_roles(skeleton).table()[foot] for foot in FEET)


TIMINGS = {"SPEED": Opened.at_own_speed, "KEEP": Opened.stretched}


PATH = Technique(
    "path",
    "Path",
    PathParams,
    path,
    needs=frozenset({"skeleton", "contacts"}),
    retimes=True,
    waits="make a path from the take, bend the one that is there, or choose a curve",
    wants=("curve", "path", "slide"),
)
