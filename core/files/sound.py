# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound files: .wav as samples, without Blender."""

from pathlib import Path

import numpy as np

from ..numeric import scipy
from ..numeric.refusal import Refusal


def read_wav(path: str | Path) -> tuple[np.ndarray, float]:
    """Samples (samples,) or (samples, channels), and how many there are a second."""
    path = Path(path)
    if not path.is_file():
        raise Refusal(f"sound: there is no file {path}")
    if path.suffix.lower() != ".wav":
        raise Refusal(f"sound: {path.name} is no .wav; find its beats in Blender, which reads others, or type the tempo")
    try:
        rate, samples = scipy.io.wavfile.read(path)
    except (ValueError, EOFError, OSError) as error:
        raise Refusal(f"sound: {path.name} cannot be read ({error})") from None
    return samples, float(rate)
