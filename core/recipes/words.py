# SPDX-License-Identifier: GPL-3.0-or-later
"""What steps did, in words for whoever applied them: what changed, and what became of the feet."""

import numpy as np

from ..body.contacts import LEG, stand
from ..body.figure import known_legs
from ..body.report import scaled, size_words, slides_of
from ..body.trust import trust_words
from ..declare.scope import scope_words
from ..motion.compare import changed_channels
from ..numeric.refusal import Refusal
from .whole import choice

STILL = 1e-5  # what an object's keys differ by, in metres and radians, without moving it


def run_words(run, fewer=""):
    """What happened, in words: of the last step, and to the feet by all of them; `fewer` is what came of leaving keys out."""
    done = run.done[-1]
    unchanged = idle(done) and ("nothing has changed" if done.told else f"nothing has changed: {idle(done)}")
    body = "" if unchanged else body_words(run)
    said = (step_words(done, run.before), done.told, unchanged, fewer, feet_words(run), body, held_words(done.held))
    return "; ".join(filter(None, said))


def lost_words(run, ending):
    """What of a result a file with such an ending cannot hold, in words."""
    stretched = ending.lower() == ".bvh" and any(
        channel.kind == "SCALE" for channel in changed_channels(run.whole.clip, run.before.clip)
    )
    return "bones that stretch keep their length in the file: .bvh holds no stretch, .fbx, .glb and .blend do" * stretched


def step_words(done, whole):
    """What a step could change, in words."""
    scope, technique = done.step.scope, done.step.technique
    wanted, keyed = choice(scope), [channel for channel in done.channels if channel not in whole.held]
    first, last = done.frames
    if scope.frames != "WHOLE":
        first, last = max(first, scope.frame_start), min(last, scope.frame_end)
    staying = sum(wanted(channel) for channel in whole.staying)
    bones = {channel.owner for channel in keyed} - {""}
    return scope_words(len(bones), len(keyed), (first, last), staying, len(done.switches), technique.retimes)


def idle(done):
    """What is to be done first, if a step changed nothing."""
    technique = done.step.technique
    return "" if done.changed or (technique.keys or done.step.scope.keys) == "BODY" else technique.waits


def held_words(held):
    """What came of ends that were to be held, in words; nothing if none were."""
    return held.words() if held and held.names else ""


def body_words(run):
    """What all steps together made worse that an animator would see at once; nothing where there is no body to look at."""
    skeleton = run.figure.skeleton
    if skeleton is None or skeleton.led or any(map(carried_about, (run.before.clip, run.whole.clip))):
        return ""
    try:
        roles = run.figure.roles
        return (
            trust_words(run.before.clip, run.whole.clip, skeleton, roles, run.footing[1], run.surface, bool(run.moves))
            if roles.left_foot or roles.right_foot
            else ""
        )
    except Refusal:  # what could not be looked at is said where it is asked for
        return ""


def feet_words(run):
    """How far feet slide while they are planted, after the steps and before them, in millimetres; nothing without feet."""
    legs = legs_of(run)
    if legs is None:
        return ""
    if any(map(carried_about, (run.before.clip, run.whole.clip))):
        return "planted feet are not measured: keys move the object itself, and them with it"
    was, now = slides(run, legs)
    if None in (was, now):
        return ""
    return "; ".join(filter(None, (f"planted feet slide {now:.0f} mm, they slid {was:.0f} mm before", size_words(legs.leg))))


def feet_slides(run):
    """How far planted feet slide in millimetres, before the steps and after them; None where that cannot be said.

    A figure that is no size of a body, as files in other units are, is measured as if it were one.
    """
    legs = legs_of(run)
    if legs is None or any(map(carried_about, (run.before.clip, run.whole.clip))):
        return None
    found, size = slides(run, legs), LEG / legs.leg if size_words(legs.leg) else 1.0
    return None if None in found else tuple(float(size * each) for each in found)


def legs_of(run):
    """The legs of a run's figure, or None where it has none that move and could be measured."""
    if run.figure.skeleton is None:
        return None
    try:
        legs = known_legs(run.figure.skeleton, run.figure.roles)
    except Refusal:
        return None
    names = {bone.name for bone in legs.skeleton.bones}
    moves = any(channel.owner in names for channel in run.before.clip.channels if channel not in run.before.held)
    return legs if moves else None


def slides(run, legs):
    """How far planted feet slide before the steps and after them, either None where nothing is planted.

    What is planted is what the animator keeps of it, or else is found in the take; where frames were moved in time, what was
    planted where they are from; in another length of which that is not known, what is found there.
    """
    return slide(legs, run.before.clip, run.stood_before), slide(legs, run.whole.clip, run.standing)


def slide(legs, clip, contacts=None):
    """How far feet get from where they stand, on average, in millimetres; what is planted is found unless it is given."""
    points, pelvis = legs.places(clip)
    contacts = contacts or stand(clip, legs, points, pelvis)[0]
    return scaled(np.mean, slides_of(points, legs, contacts, clip.first_frame))


def carried_about(clip):
    """Whether the object itself moves, and its bones with it; keys that all say the same, as FBX files have, move nothing."""
    own = [column for column, channel in enumerate(clip.channels) if not channel.owner and channel.kind != "VALUE"]
    return bool(own) and bool((np.ptp(clip.values[:, own], axis=0) > STILL).any())
