# SPDX-License-Identifier: GPL-3.0-or-later
"""Music in Blender: beats found in a sound file or in the scene's sound strips, doubled, halved, tapped, and dragged in a lane.

Blender's own audio module reads the sound. What is found is a proposal: it becomes numbers of the Music step, which can be set.
"""

import time
from pathlib import Path

import bpy
import numpy as np

from ...core.files.sound import read_wav
from ...core.numeric.refusal import Refusal
from ...core.rhythm.beats import doubled, find_beats, halved, tapped
from ...core.techniques.time.music import MUSIC, beats_of
from ..bridge.refuse import refusing
from ..draw.lanes import Lane, LaneBar, add_lane, remove_lane
from ..live import preview
from ..settings.properties import readable, to_params

BEAT, STRUCK = (0.95, 0.75, 0.3, 0.95), (0.35, 0.75, 0.95, 0.95)
SIGNS = (b"RIFF", b"ID3", b"OggS", b"fLaC", b"FORM", b"ftyp", b"\x1aE\xdf\xa3")  # how files with sound in them begin
FORGOTTEN = 3.0  # seconds after which a tap begins anew
_taps = []


def settings_of(context):
    return context.window_manager.motion_signal.music


def heard(path):
    """Samples (samples, channels) of a sound file, and how many there are a second."""
    if Path(path).suffix.lower() == ".wav" or not Path(path).is_file():
        return read_wav(path)
    with open(path, "rb") as file:
        begins = file.read(12)
    if not any(sign in begins for sign in SIGNS) and begins[:1] != b"\xff":  # Blender 4.5 ends where its reader is at a loss
        raise Refusal(f"sound: {Path(path).name} cannot be read: it is no sound file")
    return by_blender(path)


def by_blender(path):
    """The same of whatever Blender reads."""
    import aud

    try:
        sound = aud.Sound(str(path))
        samples, rate = sound.data(), float(sound.specs[0])
    except Exception as error:  # aud.error is no exception that can be named before it is loaded
        raise Refusal(f"sound: {Path(path).name} cannot be read ({error})") from None
    return samples, rate


def strips(scene):
    """The sound strips of a scene, from the first on."""
    editor = scene.sequence_editor
    if editor is None:
        return []
    there = editor.strips if hasattr(editor, "strips") else editor.sequences
    return sorted((strip for strip in there if strip.type == "SOUND"), key=lambda strip: strip.frame_final_start)


def put(context, **values):
    """Let the Music step have these values, in one go."""
    settings = settings_of(context)
    with preview.paused():
        for name, value in values.items():
            setattr(settings, name, value)
    preview.touched(context, MUSIC)
    preview.redraw()


def beats_text(seconds):
    return "[" + ", ".join(f"{second:.4f}" for second in seconds) + "]"


def own_beats(context):
    return list(readable(settings_of(context), "beats", MUSIC.parameters["beats"]))


class MOTION_SIGNAL_OT_music_find(bpy.types.Operator):
    """Find the beats of a sound file, or of the first sound strip of the scene"""

    bl_idname = "motion_signal.music_find"
    bl_label = "Find Beats"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"}, description="Sound file; none for the strip")

    def invoke(self, context, event):
        if settings_of(context).sound or strips(context.scene):
            return self.execute(context)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @refusing
    def execute(self, context):
        path, start = bpy.path.abspath(self.filepath or settings_of(context).sound), settings_of(context).sound_start
        if not path:
            there = strips(context.scene)
            if not there:
                raise Refusal("sound: choose a sound file, or add a sound strip in the Video Sequencer")
            path, start = bpy.path.abspath(there[0].sound.filepath), round(there[0].frame_start)
        found = find_beats(*heard(path))
        put(context, beats=beats_text(found.beats), tempo=0.0, sound_start=start, sound=path)
        self.report({"INFO"}, f"{Path(path).name}: {found.tempo:.1f} beats a minute, {len(found.beats)} beats")


class MOTION_SIGNAL_OT_music_change(bpy.types.Operator):
    """Twice as many beats, or half of them, from the first or the second on"""

    bl_idname = "motion_signal.music_change"
    bl_label = "Change Beats"
    bl_options = {"INTERNAL"}

    how: bpy.props.EnumProperty(
        items=(
            ("DOUBLE", "x 2", "A beat between every two"),
            ("HALVE", "/ 2", "Every second beat"),
            ("OTHER", "Other Half", "Every second beat, from the second on"),
        ),
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, context, properties):
        return {"DOUBLE": "A beat between every two", "HALVE": "Every second beat", "OTHER": "Half a beat later"}[
            properties.how
        ]

    @refusing
    def execute(self, context):
        settings, beats = settings_of(context), own_beats(context)
        if settings.tempo:
            step = 60.0 / settings.tempo
            change = {
                "DOUBLE": {"tempo": 2.0 * settings.tempo},
                "HALVE": {"tempo": 0.5 * settings.tempo},
                "OTHER": {"first_beat": settings.first_beat + 0.5 * step},
            }[self.how]
        elif len(beats) > 2:
            between = 0.5 * (np.array(beats[1:]) + np.array(beats[:-1]))
            made = {"DOUBLE": doubled, "HALVE": halved, "OTHER": lambda _: between}[self.how](beats)
            change = {"beats": beats_text(made)}
        else:
            raise Refusal("there are no beats yet: find them, or type a tempo")
        put(context, **change)


class MOTION_SIGNAL_OT_music_tap(bpy.types.Operator):
    """Tap the beat: click this on at least three beats while the sound plays"""

    bl_idname = "motion_signal.music_tap"
    bl_label = "Tap"
    bl_options = {"INTERNAL"}

    @refusing
    def execute(self, context):
        now = time.monotonic()
        if _taps and not 0.0 <= now - _taps[-1] <= FORGOTTEN:
            _taps.clear()
        _taps.append(now)
        if len(_taps) >= 3:
            tempo, start = tapped(np.array(_taps) - _taps[0])
            scene = context.scene
            rate = scene.render.fps / scene.render.fps_base
            here = (scene.frame_current_final - settings_of(context).sound_start) / rate - (_taps[-1] - _taps[0]) + start
            put(context, tempo=tempo, first_beat=here % (60.0 / tempo))


def frames_shown(context):
    """Frames of beats around the take while the step is open."""
    shown = preview.shown(context, MUSIC.name)
    if shown is None:
        return []
    clip, params = shown.take.clip, to_params(MUSIC.params, settings_of(context))
    try:
        frames = beats_of(clip, params) if not MUSIC.waiting(params) else []
    except Refusal:  # the panel says why
        return []
    margin = clip.fps
    return [frame for frame in frames if clip.first_frame - margin <= frame <= clip.last_frame + margin]


def bars(context):
    return [LaneBar(frame, frame, BEAT) for frame in frames_shown(context)]


def move(context, index, first, last):
    """A beat that is dragged takes all others along: the bar line goes where it is put."""
    settings, frames = settings_of(context), frames_shown(context)
    fps = preview.session().take.clip.fps
    if not 0 <= index < len(frames):
        return False
    step = float(np.median(np.diff(frames))) if len(frames) > 1 else np.inf
    shift = first - frames[index]
    shift = (shift - step * round(shift / step)) / fps  # others have come into sight meanwhile
    if abs(shift) < 1e-9:
        return False
    if settings.tempo:
        put(context, first_beat=settings.first_beat + shift)
    else:
        put(context, beats=beats_text(np.array(own_beats(context)) + shift))
    return True


LANE = Lane("Beats", bars, move, lambda context, index: None, lambda context, index: None)
CLASSES = (MOTION_SIGNAL_OT_music_find, MOTION_SIGNAL_OT_music_change, MOTION_SIGNAL_OT_music_tap)


def register():
    add_lane(LANE)


def unregister():
    _taps.clear()
    remove_lane(LANE)
