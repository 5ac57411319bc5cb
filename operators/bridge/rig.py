# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig understood: what leads each bone, which bones are controls, and which control carries which part of the body.

What shows is what deforms. From there the way is followed back, constraint by constraint as they act now, over mechanism bones
that nobody touches, to the controls that the animator moves.
"""

import re
from functools import cached_property

from ...core.numeric.frozen import frozen
from ...core.numeric.refusal import Refusal

NEAR = 1e-3  # of a bone's length: a control stands where the bone is that it turns
MOST = 0.5  # influence: what acts with less leads nobody
PLACING = ("COPY_TRANSFORMS", "COPY_LOCATION", "CHILD_OF", "ARMATURE")  # constraints that bring a bone to another
TURNING = ("COPY_TRANSFORMS", "COPY_ROTATION", "CHILD_OF", "ARMATURE")  # constraints that turn a bone as another
BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)')
TRANSFORMS = {
    "LOC": ("location",),
    "ROT": ("rotation_quaternion", "rotation_euler", "rotation_axis_angle"),
    "SCALE": ("scale",),
}  # of drivers
CHANNELS = (".location", ".rotation_quaternion", ".rotation_euler", ".rotation_axis_angle", ".scale")


@frozen
class Leading:
    """A constraint that acts on a bone: whom it follows, (bone or nothing, whether that is there) by weight."""

    name: str
    kind: str
    influence: float
    targets: tuple
    tail: bool  # of inverse kinematics: the tail of the bone reaches, not its head
    length: int  # of the chain that they turn, 0 for all
    plain: bool  # it acts in the world or in the pose: what is in a space of its own only adds to what the parent does
    pole: str = ""  # of inverse kinematics: the bone that the chain points at


def leading(pose, owner):
    """The constraints that act on a bone of an evaluated armature."""
    for constraint in pose.constraints:
        if constraint.enabled and constraint.influence > 0.0:
            entries = list(getattr(constraint, "targets", ())) or ([constraint] if hasattr(constraint, "target") else [])
            weighed = [entry for entry in entries if getattr(entry, "weight", 1.0) > 0.0]
            if entries and not weighed:  # an Armature constraint without any weight leaves the bone where it is
                continue
            targets = tuple(
                (entry.subtarget if entry.target and entry.target.original == owner else "", entry.target is not None)
                for entry in sorted(weighed, key=lambda entry: -getattr(entry, "weight", 1.0))
            )
            reach = getattr(constraint, "use_tail", False), getattr(constraint, "chain_count", 0)
            spaces = {getattr(constraint, space, "WORLD") for space in ("owner_space", "target_space")}
            pole = getattr(constraint, "pole_subtarget", "")
            plain = spaces <= {"WORLD", "POSE"}
            yield Leading(constraint.name, constraint.type, constraint.influence, targets, *reach, plain, pole)


class Rig:
    """How the bones of an armature object hang together as it stands; `keyed` are the names of bones that are animated.

    `evaluated` is the object as Blender evaluates it, in which drivers have set what acts.
    """

    def __init__(self, owner, evaluated, keyed=()):
        self.owner, self.keyed = owner, frozenset(keyed)
        self.poses = {pose.name: pose for pose in owner.pose.bones}
        self.acting = {pose.name: tuple(leading(pose, owner)) for pose in evaluated.pose.bones}
        self.chains = {each for name in self.poses for each in self._chain(name)}
        self.shaped = any(pose.custom_shape for pose in self.poses.values())

    @cached_property
    def driven(self):
        """Paths of channels that drivers move."""
        drivers = self.owner.animation_data.drivers if self.owner.animation_data else ()
        return {curve.data_path for curve in drivers if curve.data_path.endswith(CHANNELS)}

    @cached_property
    def circling(self):
        """Names of bones that drive themselves."""
        return bones_in_circles(self.owner)

    @cached_property
    def led(self):
        """Names of bones whose place constraints, inverse kinematics or drivers say."""
        return {name for name in self.poses if self.acting[name] or name in self.chains or self._is_driven(name)}

    @cached_property
    def follows(self):
        """Which bones have a say in where each is, {name: names}: what it hangs on, and all that constraints follow which move
        it, however little."""
        found = {name: {pose.parent.name} if pose.parent else set() for name, pose in self.poses.items()}
        for name, constraints in self.acting.items():
            leaders = {constraint.pole for constraint in constraints}
            leaders |= {bone for constraint in constraints for bone, _ in constraint.targets}
            for moved in (name, *self._chain(name)):
                found[moved] |= leaders & self.poses.keys()
        return found

    def source(self, name):
        """The bone that says where another is: what it is brought to, what its limb reaches for, or its parent; or nothing."""
        for constraint in reversed(self.acting[name]):
            if constraint.kind in PLACING and constraint.plain and constraint.influence >= MOST:
                return self._target(constraint, name)
        parent = self.poses[name].parent
        if parent is None:
            return ""
        reaching = [each for each in self.acting[parent.name] if each.kind == "IK" and each.influence >= MOST and each.tail]
        return self._target(reaching[-1], parent.name) if reaching else parent.name

    def turns(self, control, name):
        """Whether a bone turns as a control does."""
        passed = set()
        while name and name not in passed:
            if name == control:
                return True
            passed.add(name)
            turning = [each for each in self.acting[name] if each.kind in TURNING and each.plain and each.influence >= MOST]
            if not turning and name in self.chains:
                return False
            parent = self.poses[name].parent
            name = self._target(turning[-1], name) if turning else parent and parent.name
        return False

    def way(self, name):
        """The names of a bone and of what leads it, one after the other, up to what nothing leads."""
        found = []
        while name:
            if name in found:
                raise Refusal(f"bone {name} follows itself in a circle of constraints: open that circle first")
            if name in self.circling:
                raise Refusal(f"bone {name} follows itself in a circle of drivers: open that circle first")
            found.append(name)
            name = self.source(name)
        return found

    def carriers(self, name):
        """The controls that carry a bone, the innermost first."""
        return [each for each in self.way(name) if self.is_control(each)]

    def is_control(self, name):
        """Whether the animator moves a bone: it is keyed, or has a shape to be taken hold of, and nothing else leads it."""
        pose = self.poses[name]
        if name in self.keyed:
            return True
        stuck = all((*pose.lock_location, *pose.lock_rotation)) or name in self.led
        return not stuck and bool(pose.custom_shape if self.shaped else not pose.bone.use_deform)

    def limb(self, upper, lower, end, trunk):
        """How a limb is moved: its three controls if these are turned (FK), or one alone that it reaches for; or nothing.

        `trunk` are the controls that carry the pelvis.
        """
        above = [name for name in self.carriers(upper) if name not in trunk]
        middle = [name for name in self.carriers(lower) if name not in (*trunk, *above)]
        own = [name for name in self.carriers(end) if name not in trunk]
        bent = set(above) & set(own)  # what turns the limb where it begins turns its end along
        last = [name for name in own if name not in (*above, *middle)]
        if bent:
            turning = [self._standing(names, bone) for names, bone in zip((above, middle, last), (upper, lower, end))]
            return tuple(map(self._chosen, turning)) if all(turning) else ()
        return (self._chosen(own),) if own else ()

    def mover(self, pelvis, ends):
        """The control that carries the body and not its feet, the outermost; or, of those that carry all, one that is keyed."""
        carriers = self.carriers(pelvis)
        shared = {name for end in ends for name in self.carriers(end)}
        own = [name for name in carriers if name not in shared]
        return own[-1] if own else self._chosen(carriers) if carriers else ""

    def _standing(self, names, bone):
        """Those of controls that stand where a bone does."""
        bones = self.owner.data.bones
        near = NEAR * max(bones[bone].length, NEAR)
        return [name for name in names if (bones[name].head_local - bones[bone].head_local).length < near]

    def _chosen(self, names):
        """The outermost of controls that are keyed, or of all."""
        return next((name for name in reversed(names) if name in self.keyed), names[-1])

    def _chain(self, name):
        """The names of the bones that inverse kinematics of a bone turn."""
        for constraint in self.acting[name]:
            if constraint.kind == "IK" and constraint.influence >= MOST:
                pose = self.poses[name] if constraint.tail else self.poses[name].parent
                for _ in range(constraint.length or len(self.poses)):
                    if pose is None:
                        break
                    yield pose.name
                    pose = pose.parent

    def _target(self, constraint, name):
        """The bone that a constraint follows, or nothing if that is none of this armature's."""
        subtarget, there = constraint.targets[0] if constraint.targets else ("", False)
        if not there:
            raise Refusal(f"bone {name}: its constraint {constraint.name} has no target; give it one, or mute it")
        if subtarget and subtarget not in self.poses:
            raise Refusal(f"bone {name}: its constraint {constraint.name} follows {subtarget!r}, which is gone")
        return subtarget

    def _is_driven(self, name):
        path = self.poses[name].path_from_id()
        return any(path + channel in self.driven for channel in CHANNELS)


def bones_in_circles(owner):
    """Names of the bones of an armature object whose channels drive themselves, over others or at once."""
    drivers = owner.animation_data.drivers if owner.animation_data else ()
    follows = {}
    for curve in drivers:
        driven = BONE.match(curve.data_path)
        if driven:
            follows.setdefault(driven.groups(), set()).update(read_by(curve.driver, owner))
    return {bone for bone, channel in follows if (bone, channel) in reached((bone, channel), follows)}


def read_by(driver, owner):
    """The channels (bone, channel) of an armature object that a driver reads."""
    for variable in driver.variables:
        for target in variable.targets:
            if target.id != owner:
                continue
            if variable.type == "SINGLE_PROP":
                read = BONE.match(target.data_path)
                yield from [read.groups()] if read else ()
            elif target.bone_target:
                kind = target.transform_type.split("_")[0] if variable.type == "TRANSFORMS" else ""
                for channels in (TRANSFORMS[kind],) if kind in TRANSFORMS else TRANSFORMS.values():
                    yield from ((target.bone_target, channel) for channel in channels)


def reached(start, follows):
    """All that something follows, over any number of others."""
    found, left = set(), [start]
    while left:
        fresh = follows.get(left.pop(), set()) - found
        found |= fresh
        left += fresh
    return found
