# SPDX-License-Identifier: GPL-3.0-or-later
"""Report: what a motion is like in numbers, so that before and after an edit can be held against each other.

Slide is how far a heel or ball gets, along the ground, from its median place while it is planted; that, penetration and
smoothness are what motion editing is judged by (Kenwright, section 3; Molnos 2010, 4.5 and 5.3). Numbers that need feet
are None where there are none.
"""

import numpy as np

from ..motion.clip import Clip
from ..motion.skeleton import Skeleton, sub_skeleton
from ..numeric import rotation
from ..numeric.height_field import HeightField
from ..numeric.rotation import EULER_ORDERS
from ..numeric.vectors import dot, length, median
from .contacts import check_contacts, events, stand, stretches, uncut
from .figure import FEET, known_legs
from .roles import Roles, find_roles
from .turning import rotations, turning_of
from .upright import on_its_ground

MILLIMETRES, DEGREES = 1000.0, 180.0 / np.pi
TOLERANCE = 0.01  # degrees over a limit that are none
SHORTEST, LONGEST = 0.2, 3.0  # metres of a leg
LEGS = 0.5  # of the height of a figure, about


def report(
    clip: Clip,
    skeleton: Skeleton,
    roles: Roles | None = None,
    contacts: dict[str, list[list[int]]] | None = None,
    ground: float | None = None,
    keys: int | None = None,
    surface: HeightField | None = None,
) -> dict[str, float | None]:
    """Measure a motion: slide, penetration, smoothness, flips, loop, limits, keys and gait as {name_unit: number}.

    What was planted and where the ground is are found unless they are given: give the original's to measure an edit of it.
    On a `surface`, that is what feet sink into.
    """
    clip.check()
    skeleton = on_its_ground(skeleton, clip)
    roles = roles or find_roles(skeleton)
    stands = any(roles.table()[foot] for foot in FEET)
    numbers: dict[str, float | None] = {"frames": clip.frames, "seconds": (clip.frames - 1) / clip.fps, "keys": keys}
    numbers |= footing(clip, known_legs(skeleton, roles), contacts, ground, surface) if stands else dict.fromkeys(FOOTING)
    numbers |= smoothness(clip, skeleton, [name for name in roles.table().values() if name])
    turning = turning_of(clip)
    gaps = {"loop_pose_gap_deg": turning.pose_gap, "loop_velocity_gap_deg_s": turning.velocity_gap}
    return numbers | {"flips": turning.flips} | gaps | limits(skeleton, clip)


FOOTING = (
    "leg_m",
    "contacts",
    "ground_m",
    "slide_worst_mm",
    "slide_mean_mm",
    "penetration_worst_mm",
    "penetration_mean_mm",
    "speed_m_s",
    "cadence_steps_min",
    "cycle_s",
)


def footing(clip, figure, contacts, ground, surface=None):
    """How far planted points slide, how deep feet sink into the ground, how fast the pelvis travels, and the steps."""
    places, pelvis = figure.places(clip)
    if contacts is None or ground is None:
        found = stand(clip, figure, places, pelvis)
        contacts = found[0] if contacts is None else check_contacts(contacts, clip)
        ground = found[1] if ground is None else ground
    slides = slides_of(places, figure, contacts, clip.first_frame)
    moving = [rows for rows in uncut(places, pelvis, clip.fps, figure.leg) if rows.stop - rows.start > 1]
    deep = depths(places[:, figure.on_foot], ground, surface).max(axis=1).clip(0.0)
    depth = np.concatenate([deep[rows] for rows in moving]) if moving else []
    travel = [np.linalg.norm(np.gradient(pelvis[rows, :2], axis=0), axis=1) * clip.fps for rows in moving]
    sizes = [scaled(measure, each) for each in (slides, depth) for measure in (np.max, np.mean)]
    speed = float(np.median(np.concatenate(travel))) if travel else None
    return dict(zip(FOOTING, (float(figure.leg), len(slides), ground, *sizes, speed, *gait(clip, contacts))))


def depths(places, ground, surface=None):
    """How deep places (..., 3) are under a surface, or under level ground."""
    return (ground if surface is None else surface.heights(places[..., :2])[0]) - places[..., 2]


def slides_of(places, figure, contacts, first_frame):
    """How far points (frames, points, 3) of a figure get from where they stand, in metres, a number for every contact."""
    columns = dict(zip(figure.points, np.moveaxis(places, 1, 0)))
    return [
        strayed(columns[point][first - first_frame : last - first_frame + 1, :2])
        for point, intervals in contacts.items()
        if point in columns
        for first, last in intervals
    ]


def strayed(places):
    """The largest distance from the median place."""
    away = places - median(places)
    return np.sqrt(np.einsum("fi,fi->f", away, away).max())


def scaled(measure, sizes):
    return float(MILLIMETRES * measure(sizes)) if len(sizes) else None


def gait(clip, contacts):
    """How many steps a minute, and how many seconds until the same foot strikes again."""
    steps = events(contacts, clip)
    strikes = np.sort([frame for foot in steps.values() for frame in foot["strikes"]])
    cycles = [end - start for foot in steps.values() for start, end in foot["cycles"]]
    return (
        float(60.0 * clip.fps / max(1.0, np.median(np.diff(strikes)))) if len(strikes) > 1 else None,
        float(np.median(cycles) / clip.fps) if cycles else None,
    )


def smoothness(clip, skeleton, names):
    """The largest acceleration of a joint, when it is, and the usual jerk: of the body if it is known, without fingers."""
    skeleton = sub_skeleton(skeleton, names) if names else skeleton
    world = np.array(skeleton.world)[:3, :3]
    height = np.linalg.norm(np.ptp([world @ bone.rest[:3, 3] for bone in skeleton.bones], axis=0))
    far, apart, jerks = (np.concatenate(each, axis=-1) for each in zip(*changes(skeleton.in_stretches(clip), world)))
    between = stretches(far.T, apart.T, clip.fps, LEGS * height if height > 0 else np.inf)
    frames = np.concatenate([np.arange(rows.start, max(rows.start, rows.stop - 2)) for rows in between])
    peaks = apart[:-1].max(axis=0, initial=0.0)[frames] * clip.fps**2
    jerks = jerks[np.concatenate([np.arange(rows.start, max(rows.start, rows.stop - 3)) for rows in between])]
    return {
        "acceleration_peak_m_s2": float(peaks.max()) if len(peaks) else 0.0,
        "acceleration_peak_frame": int(clip.first_frame + 1 + frames[peaks.argmax()]) if len(peaks) else None,
        "jerk_rms_m_s3": float(np.sqrt(np.mean(jerks)) * clip.fps**3) if jerks.size else 0.0,
    }


def changes(posed, world):
    """For some frames at a time: how far joints, and last their middle, step, (points, frames), how much steps differ from the
    next, and how much joints jerk, squared and averaged over them, (frames,)."""
    last = np.empty((3, 0, 0))
    for _, joints in posed:
        there = seen(joints, world)
        there = np.concatenate([last.reshape(3, there.shape[1], -1), there], axis=-1)
        last = there[..., -3:].copy()
        steps = np.diff(there)
        differing = np.diff(steps)
        jerk = np.diff(differing[:, :-1])
        begun = min(2, there.shape[-1] - joints.shape[0])  # what was seen with the frames before
        yield length(steps)[:, begun:], length(differing)[:, max(0, begun - 1) :], dot(jerk, jerk).mean(axis=0)


def seen(joints, world):
    """Joints (frames, joints, 3) of an armature, and last their middle, in the world, (3, joints + 1, frames)."""
    x, y, z = np.moveaxis(joints, (2, 1), (0, 1))
    result = np.empty((3, len(x) + 1, x.shape[-1]))
    for row, axis in zip(result, world):
        np.add(axis[0] * x + axis[1] * y, axis[2] * z, out=row[:-1])
        row[:-1].mean(axis=0, out=row[-1])
    return result


def limits(skeleton, clip):
    """On how many frames some bone is beyond the limits that its rig gives it, and how far at most."""
    allowed = {bone.name: np.reshape(bone.limits, (3, 2)).T for bone in skeleton.bones if bone.limits}
    beyond = [np.zeros(1)]
    for mode, owners, _, q in rotations(clip) if allowed else ():
        for index, owner in enumerate(owners):
            if owner in allowed:
                order = mode if mode in EULER_ORDERS else "XYZ"
                angles = DEGREES * rotation.to_euler(q[:, :, [index]], order, np.zeros((3, q.shape[1], 1)))[..., 0]
                low, high = allowed[owner][..., None]
                beyond.append(np.maximum(low - angles, angles - high).max(axis=0).clip(0.0))
    worst = np.max(np.broadcast_arrays(*beyond), axis=0)
    return {"limits_frames": int(np.count_nonzero(worst > TOLERANCE)), "limits_worst_deg": float(worst.max())}


def compare(before, after):
    """Two reports side by side: {name: {"before": number, "after": number}}."""
    return {name: {"before": before[name], "after": after[name]} for name in before if name in after}


def words(numbers, before=None):
    """A report in one line; with another from before the edit, what the edit changed."""
    pieces = []
    for name, text, form in WORDS:
        now, was = (f"{report[name]:{form}}" if report and report.get(name) is not None else "" for report in (numbers, before))
        if now and (now != was if before else numbers[name]):
            pieces.append(text.format(now) + (f" ({was} before)" if was else ""))
    told = ", ".join(pieces) or ("nothing changed" if before else "nothing to report")
    return "; ".join(filter(None, (told, size_words(numbers["leg_m"]) if numbers.get("leg_m") else "")))


def size_words(leg):
    """That a figure is no size of a body, so that its millimetres are none either; nothing where it is one."""
    return (
        ""
        if SHORTEST < leg < LONGEST
        else (
            f"legs of {leg:.3g} m, so that these are no true millimetres: scale the "
            "object, or say by --unit how many metres a unit of the file is"
        )
    )


WORDS = (
    ("slide_worst_mm", "planted feet slide {} mm at worst", ".1f"),
    ("slide_mean_mm", "{} mm on average", ".1f"),
    ("penetration_worst_mm", "sink in {} mm", ".0f"),
    ("jerk_rms_m_s3", "jerk {} m/s³", ".0f"),
    ("acceleration_peak_m_s2", "acceleration up to {} m/s²", ".0f"),
    ("flips", "flips {}", "d"),
    ("limits_frames", "frames beyond limits {}", "d"),
    ("loop_pose_gap_deg", "loop gap {}°", ".1f"),
    ("gravity_worst_m_s2", "falls at {} m/s²", ".1f"),
    ("out_of_balance_percent", "out of balance in {} % of the frames", ".0f"),
    ("speed_m_s", "{} m/s", ".2f"),
    ("cadence_steps_min", "{} steps a minute", ".0f"),
    ("cycle_s", "cycle {} s", ".2f"),
    ("keys", "{} keys", "d"),
)
