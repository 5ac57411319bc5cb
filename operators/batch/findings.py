# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result has that its take has not, and that somebody should look at: how much, whose, and in which frame.

A finding is {"what", "size", "owner", "frame"}; sizes are degrees, and millimetres in a figure of its true size.
"""

import numpy as np

from ...core.body.contacts import stand
from ...core.body.figure import FEET, known_legs
from ...core.body.report import MILLIMETRES
from ...core.body.t_pose import leading_t_pose
from ...core.body.trust import knee_beyond, turns_beyond
from ...core.body.turning import turning_of
from ...core.numeric.refusal import Refusal
from ...core.numeric.vectors import median

USUAL_RATE = 120.0  # frames a second: at fewer, more turn in a frame is usual
PUT_BEFORE = 3  # frames of a T-pose that nobody stood in
LEG_BONES = ("upper_leg", "lower_leg", "foot")


def findings(before, after):
    """Findings of a result (Measured) against its take, the largest of each kind; nothing of takes whose frames were moved,
    nor of T-poses before the motion."""
    if before is None or before.clip.frames != after.clip.frames or after.moved is not None:
        return []
    start = put_before(before)
    table = after.roles.table()
    legs = {table[f"{side}_{bone}"] for side in ("left", "right") for bone in LEG_BONES} - {""}
    found = turns(before.clip, after.clip, legs, body_of(after.skeleton, table), start)
    if any(table[foot] for foot in FEET):
        try:
            found += on_the_ground(before, after, known_legs(after.skeleton, after.roles), table, start)
        except Refusal:  # feet that cannot be measured
            pass
    return [finding for finding in found if finding["size"] > 0.0]


def put_before(measured):
    """How many rows of T-pose were put before a motion: some, or else somebody stood in it."""
    clip = measured.clip
    count = leading_t_pose(clip.with_values(clip.values[: 2 * PUT_BEFORE + 2]), measured.skeleton)
    return count if count <= PUT_BEFORE else 0


def finding(what, size, owner, frame):
    return {"what": what, "size": round(float(size), 2), "owner": owner, "frame": int(frame)}


def body_of(skeleton, table):
    """Names of bones whose flips count: all but those that hang on hands."""
    fingers = {name for hand in ("left_hand", "right_hand") if table[hand] for name in skeleton.below(table[hand])}
    return {bone.name for bone in skeleton.bones} - (fingers - set(table.values()))


def turns(before, after, legs, body, start):
    """A bone that turns in a frame farther than its take does around there, from a row on: a leg pops, another flips."""
    worst = {"pop": finding("pop", 0.0, "", 0), "flip": finding("flip", 0.0, "", 0)}
    share = min(after.fps, USUAL_RATE) / USUAL_RATE
    known = {owner for owner, _ in turning_of(before).turns}
    for owner, beyond in zip(*turns_beyond(before, after, start=start)):
        if owner not in body or owner not in known or not len(beyond):
            continue
        row, kind = int(beyond.argmax()), "pop" if owner in legs else "flip"
        if share * beyond[row] > worst[kind]["size"]:
            worst[kind] = finding(kind, share * beyond[row], owner, after.first_frame + start + row + 1)
    return list(worst.values())


def on_the_ground(before, after, figure, table, start):
    """From a row on: knees past straight, feet that sink in, feet that slide while they are planted, a start that has moved."""
    knees = [
        knee_beyond(before.clip, after.clip, after.skeleton, table, side, start)
        for side in ("left", "right")
        if all(table[f"{side}_{bone}"] for bone in LEG_BONES)
    ]
    found = [finding("knee", knee.size, knee.owner, knee.frame) for knee in knees]
    found = [max(found, key=lambda each: each["size"])] if found else []
    (places, pelvis), (now, moved) = figure.places(before.clip), figure.places(after.clip)
    known = before.ground is not None
    contacts, ground = (before.contacts, before.ground) if known else stand(before.clip, figure, places, pelvis)
    first = before.clip.first_frame
    found.append(depth(places[start:], now[start:], figure, ground, first + start))
    found.append(slide(places, now, figure, cut(contacts or {}, first + start), first))
    found.append(finding("start", MILLIMETRES * np.linalg.norm(moved[start] - pelvis[start]), table["pelvis"], first + start))
    return found


def cut(contacts, first):
    """Contacts from a frame on."""
    return {point: [[max(a, first), b] for a, b in rows if b > first] for point, rows in contacts.items()}


def depth(was, now, figure, ground, first):
    """The point of a foot that gets deeper into the ground than any does in the take."""
    deeper = ground - now[:, figure.on_foot, 2] - max(0.0, (ground - was[:, figure.on_foot, 2]).max())
    row, column = np.unravel_index(deeper.argmax(), deeper.shape)
    feet = [point for point, foot in zip(figure.points, figure.on_foot) if foot]
    return finding("depth", MILLIMETRES * deeper[row, column], feet[column].replace("_", " "), first + row)


def slide(was, now, figure, contacts, first):
    """The planted point that strays farthest from its place beyond what it does in the take."""
    worst = finding("slide", 0.0, "", 0)
    for column, point in enumerate(figure.points):
        for start, end in contacts.get(point, ()):
            rows = slice(start - first, end - first + 1)
            strayed = [np.linalg.norm(each[rows, column, :2] - median(each[rows, column, :2]), axis=1) for each in (was, now)]
            beyond = MILLIMETRES * (strayed[1].max() - strayed[0].max()) if len(strayed[1]) else 0.0
            if beyond > worst["size"]:
                worst = finding("slide", beyond, point.replace("_", " "), start + int(strayed[1].argmax()))
    return worst
