// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a batch at work: sorting, finding, saving, and stick figures that play.
const motions = {}, find = name => document.getElementById(name)
const motionSignal = (target, figures) => { motions[target] = figures }

for (const button of document.querySelectorAll("th button")) button.onclick = () => {
  const head = button.parentNode, table = head.closest("table"), place = head.cellIndex
  const ways = head.className ? ["descending", "ascending"] : ["ascending", "descending"]
  const way = ways[Number(head.getAttribute("aria-sort") == ways[0])], sign = way == "ascending" ? 1 : -1
  const value = row => row.cells[place].dataset.value
  const compare = (one, other) => isNaN(one - other) ? one.localeCompare(other) : one - other
  const known = [...table.tBodies[0].rows].filter(row => value(row) !== undefined)
  known.sort((one, other) => sign * compare(value(one), value(other)))
  table.tBodies[0].prepend(...known)
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort")
  head.setAttribute("aria-sort", way)
}

// Which takes are shown
const rows = [...document.querySelectorAll("tbody tr")]
const narrow = () => {
  const words = find("search").value.toLowerCase(), kind = find("kind").value
  let shown = 0
  for (const row of rows) {
    const named = row.cells[0].dataset.value.toLowerCase().includes(words)
    const apart = row.closest("section").classList.contains("failed")
    const fits = !kind || (kind == "failed" ? apart : kind == "look" ? !row.classList.contains("fine") : row.classList.contains(kind))
    row.classList.toggle("hidden", !(named && fits))
    shown += named && fits
  }
  for (const section of document.querySelectorAll("section"))
    section.classList.toggle("hidden", !section.querySelector("tbody tr:not(.hidden)"))
  find("count").textContent = shown == rows.length ? "" : `${shown} of ${rows.length}`
}
find("search").oninput = find("kind").onchange = narrow

find("csv").onclick = () => {
  const quoted = text => `"${String(text).replaceAll('"', '""')}"`
  const table = document.querySelector(".done table"), heads = [...table.tHead.rows[0].cells]
  const columns = heads.map((head, place) => place).filter(place => place != 1)
  const lines = [[...columns.map(place => heads[place].innerText.replace(/\s+/g, " ").trim()), "Why"].map(quoted).join(",")]
  for (const row of table.tBodies[0].rows) if (!row.classList.contains("hidden")) {
    const why = [...row.querySelectorAll(".score li")].map(item => item.innerText).join("; ")
    lines.push([...columns.map(place => row.cells[place].dataset.value ?? ""), why].map(quoted).join(","))
  }
  const link = document.createElement("a")
  link.href = "data:text/csv;charset=utf-8," + encodeURIComponent(lines.join("\r\n") + "\r\n")
  link.download = "report.csv"
  link.click()
}

// A take that plays
const stage = find("stage"), pen = stage.getContext("2d"), player = find("player")
let shown = null, turn = 0.6, tilt = 0.2, zoom = 1, timer = 0

const unpack = (text, motion) => {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0)), numbers = new Uint16Array(bytes.buffer)
  return Float32Array.from(numbers, (number, index) => number * motion.scale + motion.low[index % 3])
}

const load = (row, then) => {
  const target = row.dataset.target
  if (motions[target]) return then()
  const script = document.createElement("script")
  script.src = row.dataset.motion
  script.onload = then
  script.onerror = () => { find("played").textContent = `${target}: ${row.dataset.motion} is not beside this page` }
  document.body.append(script)
}

const open = (row, frame) => load(row, () => {
  const motion = motions[row.dataset.target][row.dataset.figure], moments = JSON.parse(row.dataset.moments)
  const points = { take: motion.take && unpack(motion.take, motion), result: unpack(motion.result, motion) }
  shown = { motion, points, count: points.result.length / 3 / motion.frames.length, size: extent(points.result) }
  zoom = 1
  find("played").textContent = row.cells[0].dataset.value
  find("frame").max = motion.frames.length - 1
  find("moments").replaceChildren(...moments.filter(([moment]) => moment !== null).map(([moment, words]) => {
    const button = document.createElement("button")
    button.textContent = `${words}, frame ${moment}`
    button.onclick = () => { stop(); show(nearest(moment)) }
    return button
  }))
  if (!player.open) player.showModal()
  const worst = frame ?? moments.find(([moment]) => moment !== null)?.[0] ?? motion.frames[0]
  stop()
  show(nearest(worst))
})

const nearest = frame => shown.motion.frames.reduce((best, each, index, all) =>
  Math.abs(each - frame) < Math.abs(all[best] - frame) ? index : best, 0)

const extent = points => {
  let low = Infinity, high = -Infinity
  for (let index = 2; index < 3 * 60 && index < points.length; index += 3) { low = Math.min(low, points[index]); high = Math.max(high, points[index]) }
  return Math.max(high - low, 1e-3)
}

const show = index => {
  find("frame").value = index
  const { motion } = shown
  find("now").textContent = `frame ${motion.frames[index]}, ${((motion.frames[index] - motion.frames[0]) / motion.fps).toFixed(2)} s`
  draw(index)
}

const draw = index => {
  const { motion, points, count, size } = shown, style = getComputedStyle(document.documentElement)
  const from = 3 * count * (find("follow").checked ? index : 0), middle = [0, 0, 0], ground = lowest(points.take || points.result)
  for (let point = 0; point < count; point++) for (let axis = 0; axis < 3; axis++)
    middle[axis] += points.result[from + 3 * point + axis] / count
  const scale = zoom * stage.height / (1.7 * size), [cosine, sine] = [Math.cos(turn), Math.sin(turn)]
  const seen = (x, y, z) => {
    [x, y, z] = [x - middle[0], y - middle[1], z - middle[2]]
    const along = cosine * x + sine * y, away = cosine * y - sine * x
    return [stage.width / 2 + scale * along, stage.height / 2 - scale * (Math.cos(tilt) * z + Math.sin(tilt) * away)]
  }
  const line = (a, b) => { pen.moveTo(...a); pen.lineTo(...b) }
  pen.clearRect(0, 0, stage.width, stage.height)
  pen.lineCap = "round"
  pen.beginPath()
  pen.strokeStyle = style.getPropertyValue("--line")
  pen.lineWidth = 1
  const step = size / 2, [column, row] = [Math.round(middle[0] / step) * step, Math.round(middle[1] / step) * step]
  for (let place = -6; place <= 6; place++) {
    line(seen(column + place * step, row - 6 * step, ground), seen(column + place * step, row + 6 * step, ground))
    line(seen(column - 6 * step, row + place * step, ground), seen(column + 6 * step, row + place * step, ground))
  }
  pen.stroke()
  for (const [name, width] of [["take", 7], ["result", 4]]) if (points[name]) {
    const first = 3 * count * Math.min(index, points[name].length / 3 / count - 1)
    const at = point => seen(...points[name].subarray(first + 3 * point, first + 3 * point + 3))
    pen.beginPath()
    pen.strokeStyle = style.getPropertyValue(`--${name}`)
    pen.lineWidth = width
    for (const [a, b] of motion.lines) line(at(a), at(b))
    pen.stroke()
  }
}

const lowest = points => {
  if (shown.ground === undefined) {
    shown.ground = Infinity
    for (let index = 2; index < points.length; index += 3) shown.ground = Math.min(shown.ground, points[index])
  }
  return shown.ground
}

const stop = () => { cancelAnimationFrame(timer); timer = 0; find("play").textContent = "▶" }
const play = () => {
  const { motion } = shown, last = motion.frames.length - 1
  let index = Number(find("frame").value), begun = null
  if (index >= last) index = 0
  const start = motion.frames[index]
  find("play").textContent = "❚❚"
  const next = now => {
    begun ??= now
    const frame = start + (now - begun) / 1000 * motion.fps * Number(find("speed").value)
    while (index < last && motion.frames[index + 1] <= frame) index++
    show(index)
    if (index < last) timer = requestAnimationFrame(next)
    else stop()
  }
  timer = requestAnimationFrame(next)
}

find("play").onclick = () => timer ? stop() : play()
find("frame").oninput = () => { stop(); show(Number(find("frame").value)) }
find("follow").onchange = () => draw(Number(find("frame").value))
find("speed").onchange = () => { if (timer) { stop(); play() } }
find("close").onclick = () => player.close()
player.onclose = stop
player.onkeydown = event => {
  const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  if (event.key == " " && event.target.tagName != "BUTTON") { event.preventDefault(); find("play").click() }
  if (steps && event.target != find("frame")) { stop(); show(Math.min(shown.motion.frames.length - 1, Math.max(0, Number(find("frame").value) + steps))) }
}
stage.onpointerdown = event => stage.setPointerCapture(event.pointerId)
stage.onpointermove = event => {
  if (!event.buttons) return
  turn += event.movementX / 150
  tilt = Math.max(-1.5, Math.min(1.5, tilt + event.movementY / 150))
  draw(Number(find("frame").value))
}
stage.onwheel = event => {
  event.preventDefault()
  zoom *= Math.exp(-event.deltaY / 500)
  draw(Number(find("frame").value))
}
for (const row of document.querySelectorAll("[data-motion]")) row.onclick = event => {
  if (event.target.tagName != "A") open(row, event.target.dataset.frame && Number(event.target.dataset.frame))
}
if (document.body.dataset.running == "true") setInterval(() => {
  if (!player.open && !find("search").value && !find("kind").value) location.reload()
}, 10000)
