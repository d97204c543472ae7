// The clock of the page, its controls, and the panels that show runs at the time of the clock.

/** The duration of playback of the longest run shown, at speed 1, in seconds. */
const WHOLE = 12;
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

const element = (id) => document.getElementById(id);
const read = JSON.parse(element("data").textContent);
const models = read.runs.map((run) => new Model(run, read.networks));
const panels = [];
let [time, end, speed, playing, before, events] = [0, 1, 1, false, 0, [0]];
// The time stamps of the frames of the last second of playback, in milliseconds.
let frames = [];

function make(name, properties, parent) {
  const made = Object.assign(document.createElement(name), properties);
  parent.append(made);
  return made;
}

/** Makes a panel for one run; the second panel may be empty. */
function makePanel(side, isSecond) {
  const box = make("section", { className: "panel" }, element("panels"));
  box.setAttribute("aria-label", `Run on the ${side}`);
  const select = make("select", { id: side }, box);
  select.setAttribute("aria-label", `Run on the ${side}`);
  select.hidden = models.length < 2;
  if (isSecond) make("option", { value: "", textContent: "no other run" }, select);
  models.forEach((model, nth) => make("option", { value: nth, textContent: model.title }, select));
  const about = make("p", { className: "about" }, box);
  const status = make("p", { id: `status-${side}` }, box);
  const views = [NetworkView, DiagramView].map((View) => {
    const canvas = make("canvas", { tabIndex: 0, className: View === DiagramView ? "diagram" : "network" }, box);
    canvas.setAttribute("role", "img");
    return new View(canvas);
  });
  const note = make("p", { className: "small" }, box);
  const panel = { box, select, about, status, note, network: views[0], diagram: views[1], shown: -1 };
  select.addEventListener("change", () => {
    show(panels.map((panel) => (panel.select.value === "" ? -1 : Number(panel.select.value))));
    remember();
  });
  const seeks = (event) => replay.seek(views[1].time(event.offsetX));
  views[1].canvas.addEventListener("pointerdown", seeks);
  views[1].canvas.addEventListener("pointermove", (event) => event.buttons === 1 && seeks(event));
  for (const view of views) {
    view.canvas.addEventListener("pointermove", (event) => point(view, event));
    view.canvas.addEventListener("pointerdown", (event) => point(view, event));
    view.canvas.addEventListener("pointerleave", () => point(null));
  }
  panels.push(panel);
}

/** Shows runs by their indices, one per panel; -1 for an empty panel. */
function show(numbers) {
  end = Math.max(1, ...numbers.filter((number) => number >= 0).map((number) => models[number].end));
  element("panels").classList.toggle("two", (numbers[1] ?? -1) >= 0);
  panels.forEach((panel, nth) => {
    const number = numbers[nth];
    panel.shown = number;
    panel.select.value = number < 0 ? "" : number;
    panel.isShown = number >= 0;
    for (const part of [panel.about, panel.status, panel.note, panel.network.canvas, panel.diagram.canvas]) {
      part.hidden = !panel.isShown;
    }
  });
  // A separate loop: canvases have their widths only after all panels are shown or hidden.
  const shown = panels.filter((panel) => panel.isShown);
  const lanes = Math.max(...shown.map((panel) => models[panel.shown].lanes));
  for (const panel of shown) {
    const model = models[panel.shown];
    panel.about.textContent = model.about;
    panel.network.show(model);
    panel.diagram.show(model, end, lanes);
    panel.status.hidden = shown.length < 2;
    panel.note.textContent = noteOf(model);
    panel.diagram.canvas.setAttribute("aria-label", `Space-time diagram of ${model.title}; a click goes to a time`);
  }
  const all = shown.flatMap((panel) => models[panel.shown].events);
  events = Float64Array.from(new Set(all)).sort();
  time = Math.min(time, end);
  tellRate();
  draw();
}

function noteOf(model) {
  const rule = model.rule === "reach"
    ? "Colour: fraction of all ranks whose data messages may have brought so far, directly or over other ranks (no call of " +
      "the run records what its messages contain)."
    : "Colour: fraction of this operation's data received so far; of combined blocks each rank's version counts.";
  return [`Drawn as ${model.network.shape}.`, rule, ...model.notes].join(" ");
}

function draw() {
  const shown = panels.filter((panel) => panel.isShown);
  const says = shown.map((panel) => {
    const model = models[panel.shown], status = model.status(time);
    panel.network.draw(time);
    panel.diagram.draw(time);
    if (panel.status.textContent !== status) panel.status.textContent = status;
    return shown.length > 1 ? `${model.title}: ${status}` : status;
  });
  element("status").textContent = says.join("; ");
  element("status").hidden = shown.length > 1;
  element("scrub").value = Math.round((time / end) * 100000);
  element("time").textContent = exact(Math.round(time));
  if (pointed) tellPointed();
}

// The canvas view under the pointer and the pointer's position; null if it is over no canvas.
let pointed = null;

function point(view, event) {
  pointed = view && { view, x: event.offsetX, y: event.offsetY, left: event.clientX, top: event.clientY };
  tellPointed();
}

function tellPointed() {
  const tip = element("tip");
  const text = pointed && pointed.view.tell(pointed.x, pointed.y, time);
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(pointed.left + 14, window.innerWidth - width - 8))}px`;
  const below = pointed.top + 18;
  tip.style.top = `${below + height > window.innerHeight ? Math.max(4, pointed.top - height - 10) : below}px`;
}

function frame(now) {
  if (!playing) return;
  frames.push(now);
  while (frames[0] < now - 1000) frames.shift();
  const spent = now - frames[0];
  if (spent > 200) {
    replay.fps = Math.round(((frames.length - 1) * 10000) / spent) / 10;
    element("fps").textContent = `${replay.fps} frames per second.`;
  }
  time = Math.min(end, time + ((now - before) / 1000) * perSecond());
  before = now;
  draw();
  if (time >= end) replay.pause();
  else requestAnimationFrame(frame);
}

/** The modeled time per second of playback, in picoseconds. */
const perSecond = () => (end / WHOLE) * speed;

function tellRate() {
  element("rate").textContent = `1 s of playback = ${rounded(perSecond())} of machine time.`;
}

// Browsers limit the rate of address changes; minimum interval in milliseconds.
const LEAST_WAIT = 300;
let [written, waiting] = [-LEAST_WAIT, 0];

/** Writes time, speed and runs into the address: at once, or when the minimum interval has passed. */
function writeAddress() {
  const wait = written + LEAST_WAIT - performance.now();
  if (wait > 0) {
    // A timer may fire a fraction of a millisecond early; this function then starts it again.
    waiting ||= setTimeout(() => {
      waiting = 0;
      writeAddress();
    }, wait);
    return;
  }
  clearTimeout(waiting);
  [written, waiting] = [performance.now(), 0];
  const runs = panels.map((panel) => (panel.shown < 0 ? "none" : panel.shown)).join(",");
  const hash = `#t=${Math.round(time)}&speed=${speed}&runs=${runs}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

/** Writes the view into the address and, as text, into the elements for screen readers. */
function remember() {
  writeAddress();
  const told = `${exact(Math.round(time))}. ${element("status").textContent}`;
  element("told").textContent = told;
  element("scrub").setAttribute("aria-valuetext", told);
  for (const panel of panels.filter((panel) => panel.isShown)) {
    panel.network.canvas.setAttribute("aria-label", `Network of ${models[panel.shown].title} at ${told}`);
  }
}

/** Shows the view of the address; missing or invalid fields give time 0, the current speed, and the first runs. */
function recall() {
  clearTimeout(waiting);
  waiting = 0;
  const fields = new URLSearchParams(location.hash.slice(1));
  const usual = panels.map((_, nth) => (nth < models.length ? nth : -1));
  const runs = (fields.get("runs") ?? "").split(",").map((text) => (/^\d+$/.test(text) ? Number(text) : -1));
  const isKnown = (number) => number >= 0 && number < models.length;
  const numbers = isKnown(runs[0]) ? panels.map((_, nth) => (isKnown(runs[nth]) ? runs[nth] : -1)) : usual;
  const given = Number(fields.get("speed"));
  if (given > 0 && Number.isFinite(given)) setSpeed(given);
  const at = Number(fields.get("t"));
  time = at > 0 ? at : 0;
  show(numbers);
}

function setSpeed(given) {
  speed = Math.min(100, Math.max(0.001, given));
  const select = element("speed");
  if (![...select.options].some((option) => Number(option.value) === speed)) {
    make("option", { value: speed, textContent: `${speed} x` }, select);
  }
  select.value = speed;
  tellRate();
}

/** The public interface, for buttons, keys and tests. */
const replay = {
  fps: 0,
  seek(t) {
    time = Math.max(0, Math.min(end, Number(t) || 0));
    draw();
    if (!playing) remember();
  },
  play() {
    if (playing) return;
    if (time >= end) time = 0;
    [playing, before, frames] = [true, performance.now(), []];
    element("play").textContent = "Pause";
    requestAnimationFrame(frame);
  },
  pause() {
    playing = false;
    element("play").textContent = "Play";
    remember();
  },
  /** Goes to the next event, or with a negative number to the previous one. */
  step(way) {
    if (playing) replay.pause();
    const upTo = countUpTo(events, time);
    const next = way > 0 ? upTo : upTo - (events[upTo - 1] === time ? 2 : 1);
    replay.seek(events[Math.max(0, Math.min(events.length - 1, next))]);
  },
  speed(given) {
    setSpeed(Number(given) || 1);
    remember();
  },
  /** Shows runs by their indices; -1 for none on the right. */
  show(left, right = -1) {
    show(panels.map((_, nth) => [left, right][nth]));
    remember();
  },
  state() {
    const shown = panels.filter((panel) => panel.isShown);
    const runs = shown.map((panel) => ({ title: models[panel.shown].title, ...models[panel.shown].informed(time) }));
    return { time, end, speed, playing, fps: replay.fps, events: events.length, runs };
  },
};

function key(event) {
  const name = event.target.tagName;
  if (event.ctrlKey || event.metaKey || event.altKey || name === "SELECT") return;
  const turn = (way) => {
    const faster = way > 0 ? SPEEDS.find((other) => other > speed) : SPEEDS.findLast((other) => other < speed);
    replay.speed(faster ?? speed);
  };
  const doings = {
    " ": () => (playing ? replay.pause() : replay.play()),
    ArrowRight: () => replay.step(1),
    ArrowLeft: () => replay.step(-1),
    Home: () => replay.seek(0),
    End: () => replay.seek(end),
    "+": () => turn(1),
    "-": () => turn(-1),
  };
  // On a focused button the browser itself handles the space bar.
  if (!doings[event.key] || (event.key === " " && name === "BUTTON")) return;
  event.preventDefault();
  doings[event.key]();
}

makePanel("left", false);
if (models.length > 1) makePanel("right", true);
SPEEDS.forEach((value) => make("option", { value, textContent: `${value} x` }, element("speed")));
setSpeed(1);
KINDS.forEach((name) => {
  const list = document.querySelector("#legend .bars");
  make("span", { className: "key bar" }, list).style.background = `var(--${name})`;
  list.append(` ${name}`);
});
element("play").addEventListener("click", () => (playing ? replay.pause() : replay.play()));
element("back").addEventListener("click", () => replay.step(-1));
element("forth").addEventListener("click", () => replay.step(1));
element("speed").addEventListener("change", (event) => replay.speed(event.target.value));
element("scrub").addEventListener("input", (event) => replay.seek((event.target.value / 100000) * end));
document.addEventListener("keydown", key);
window.addEventListener("hashchange", recall);
const again = () => show(panels.map((panel) => panel.shown));
let room = window.innerWidth;
window.addEventListener("resize", () => {
  // On phones scrolling changes the height; only changes of the width matter.
  if (window.innerWidth === room) return;
  room = window.innerWidth;
  again();
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
window.replay = replay;
recall();
remember();
