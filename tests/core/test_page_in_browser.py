# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a batch in a real browser, where there is one that is called chromium: it finds, plays, scrubs and turns."""

import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from motion_signal.core.body import walking_figure as gait
from motion_signal.core.motion.clip import Channel, Clip
from motion_signal.core.recipes.measured import Measured
from motion_signal.operators.batch import report
from motion_signal.operators.batch.figure_record import figure_record
from motion_signal.operators.batch.motion import script
from motion_signal.operators.batch.plan import motion_of
from motion_signal.operators.files.whole_files import write_text

BROWSER = shutil.which("chromium")
POP = 100  # the frame in which a knee pops
DRIVER = """<script>
const seen = {}, ink = () => {
  const data = pen.getImageData(0, 0, stage.width, stage.height).data
  let sum = 0
  for (let index = 0; index < data.length; index += 4) if (data[index + 3]) sum += index % 9973
  return sum
}
setTimeout(() => {
  seen.rows = [...document.querySelectorAll(".done tbody tr")].map(row => row.cells[0].dataset.value)
  document.querySelector("[data-motion]").click()
  setTimeout(() => {
    seen.open = player.open; seen.now = find("now").textContent; seen.first = ink()
    stage.dispatchEvent(new PointerEvent("pointermove", { buttons: 1, movementX: 90, movementY: 20 })); seen.turned = ink()
    find("frame").value = 3; find("frame").dispatchEvent(new Event("input"))
    seen.scrubbed = ink(); seen.then = find("now").textContent
    player.close(); find("search").value = "WALK1"; find("search").dispatchEvent(new Event("input"))
    seen.found = find("count").textContent
    find("search").value = ""; find("kind").value = "pop"; find("kind").dispatchEvent(new Event("change"))
    seen.pops = find("count").textContent
    const made = document.createElement; let saved = ""
    document.createElement = name => Object.assign(made.call(document, name), { click() { saved = this.href } })
    find("csv").click(); seen.csv = decodeURIComponent(saved).split("\\r\\n").length
    document.title = JSON.stringify(seen)
  }, 500)
}, 200)
</script></body>"""


def measured(pop):
    """A walk, and the same with a knee that pops in one frame."""
    motion = gait.walk(240, 60.0, 1.3)
    values = [motion.location]
    channels = [Channel(gait.FIGURE.bones[0].path + ".location", index, "LOCATION", "hips") for index in range(3)]
    for number, bone in enumerate(gait.FIGURE.bones):
        values.append(motion.rotations[:, number])
        channels += [Channel(bone.rotation_path, index, "QUATERNION", bone.name) for index in range(4)]
    clip = Clip(np.hstack(values), tuple(channels), 60.0, 1)
    shin = next(index for index, channel in enumerate(channels) if channel.owner == "shin.L")
    changed = clip.values.copy()
    if pop:
        changed[POP - 1, shin : shin + 4] = np.array([0.5, 0.87, 0.0, 0.0])
    return Measured(clip, gait.FIGURE, 0, {}), Measured(replace(clip, values=changed), gait.FIGURE, 0, {})


@pytest.mark.skipif(BROWSER is None, reason="there is no chromium here")
@pytest.mark.parametrize("room", (report.INSIDE, 0), ids=("inside the page", "beside it"))
def test_a_click_plays_a_take_at_its_worst_moment_and_takes_are_found(tmp_path, monkeypatch, room):
    monkeypatch.setattr(report, "INSIDE", room)
    records = []
    for number in range(3):
        figure = figure_record("", lambda pop=number == 1: measured(pop))
        name = f"walk{number}.bvh"
        write_text(tmp_path / motion_of(name), script(name, {"walk": figure.pop("motion")}))
        records.append(
            {"source": name, "target": name, "status": "done", "reason": "", "seconds": 1.0, "figures": {"walk": figure}}
        )
    report.write_report(tmp_path, records, None, 3.0)
    page = (tmp_path / "report.html").read_text("utf-8").replace("</body>", DRIVER)
    (tmp_path / "driven.html").write_text(page, "utf-8")
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    command = [BROWSER, *flags, "--virtual-time-budget=4000", (tmp_path / "driven.html").as_uri()]
    dumped = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    seen = json.loads(re.search(r"<title>(\{.*?\})</title>", dumped)[1])
    assert seen["rows"][0] == "walk1.bvh" and seen["open"]
    assert re.match(f"frame ({POP}|{POP + 1}),", seen["now"]) and seen["then"].startswith("frame 7,")  # there or back again
    assert seen["first"] > 0 and len({seen["first"], seen["turned"], seen["scrubbed"]}) == 3
    assert seen["found"] == "1 of 3" and seen["pops"] == "1 of 3" and seen["csv"] == 3
