# SPDX-License-Identifier: GPL-3.0-or-later
"""The command report: numbers of motions in files and folders, or one report of what batches did."""

import json
import sys
from pathlib import Path

from ...core.body.report import report as numbers_of
from ...core.body.report import words
from ...core.body.unit import guessed_unit
from ...core.declare.version import TYPED
from ...core.faults.findings import listed
from ...core.faults.look import Look
from ...core.files.bvh_take import read_bvh, sized
from ...core.numeric.refusal import Refusal
from ...core.recipes.measured import compared
from ..batch.plan import HIDDEN, found
from ..batch.report import merged, summary
from ..files.kinds import check_readable
from ..files.whole_files import write_text


def report(chosen):
    """Measure files and print the numbers, or write them to one file; those that cannot be measured are named."""
    paths = [Path(name) for name in chosen.files]
    if all((path / HIDDEN).is_dir() for path in paths):
        return report_batches(paths, Path(chosen.output) if chosen.output else paths[0])
    target, numbers, wrong = Path(chosen.output or ""), {}, []
    takes = [take for path in paths for take in (found(path) if path.is_dir() else [path])]
    if not takes:
        raise Refusal(f"{paths[0]}: there are no motion files in it")
    if chosen.output and target.exists() and any(take.exists() and take.samefile(target) for take in takes):
        raise Refusal(f"{target}: a take would be written over")
    for take in takes:
        try:
            numbers[str(take)] = measured(take, chosen)
        except Refusal as error:
            wrong.append(error)
    if wrong and not numbers:
        raise wrong[0]
    for error in wrong:
        print(f"{TYPED}: {error}", file=sys.stderr)
    if chosen.output:
        write_text(target, json.dumps(numbers, indent=2) + "\n")
    return 1 if wrong else 0


def report_batches(folders, output):
    """One report of the folders of several runs; the exit code."""
    records = merged([folder.resolve() for folder in folders], output.resolve())
    print(summary(records, len(records), sum(record.get("seconds") or 0.0 for record in records), output))
    return 1 if any(record["status"] == "failed" for record in records) else 0


def measured(path, chosen):
    """The numbers of every figure in a file, printed."""
    check_readable(path)
    alone = path.suffix.lower() == ".bvh" and not chosen.object
    numbers = measured_alone(path, chosen.unit) if alone else through_blender(path, chosen)
    for name, each in numbers.items():
        print(f"{path}: {name}: {words(each)}")
        for finding in each["findings"]:
            print(f"  {finding['words']}")
    return numbers


def measured_alone(path, unit):
    """The same of a .bvh file, for which no Blender is needed."""
    if not path.is_file():
        raise Refusal(f"{path}: there is no such file")
    clip, skeleton = read_bvh(path)
    skeleton = sized(skeleton, unit or guessed_unit(skeleton)[0])
    numbers = numbers_of(clip, skeleton, keys=clip.values.size)
    return {path.stem: {**numbers, "findings": listed(Look(clip, skeleton).found)}}


def through_blender(path, chosen):
    """The same of any file."""
    try:
        import bpy
    except ImportError:
        raise Refusal(f"{path}: needs Blender, which is not here; pip install motion-signal[blender] brings it") from None
    from ..bridge.armatures import skeleton_of
    from ..files import files
    from ..run.measure import before_and_after

    files.load(path)
    subjects, numbers = files.animated_objects(chosen.object), {}
    skeleton = skeleton_of(subjects[0]) if path.suffix.lower() == ".bvh" else None
    unit = (chosen.unit or guessed_unit(skeleton)[0]) if skeleton else 1.0
    with files.sized(subjects, unit):
        for subject in subjects:
            bpy.context.view_layer.objects.active = subject
            before, after = before_and_after(bpy.context, subject.animation_data and subject.animation_data.action)
            found = listed(Look(after.clip, after.skeleton, after.contacts or None).found)
            numbers[subject.name] = {**compared(before, after)[0], "findings": found}
    return numbers
