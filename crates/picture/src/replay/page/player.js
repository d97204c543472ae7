// The clock of the page, its controls, and the panels that show runs at the time of the clock.

/** The duration of playback of the longest run shown, at speed 1, in seconds. */
const WHOLE = 12;
/** The least time between frames for readers who prefer reduced motion, in milliseconds. */
const REDUCED_WAIT = 1000;
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

/** Sets the time, and moves the range of the diagrams if the time leaves it. */
function goTo(t) {
  time = Math.max(0, Math.min(end, t));
  if (range.cover(time)) panels.forEach((panel) => (panel.diagram.isStale = true));
}

function frame(now) {
  if (!playing) return;
  // For readers who want less motion, playback is a sequence of pictures.
  if (now - before < REDUCED_WAIT && window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
    requestAnimationFrame(frame);
    return;
  }
  frames.push(now);
  while (frames[0] < now - 1000) frames.shift();
  const spent = now - frames[0];
  if (spent > 200) {
    replay.fps = Math.round(((frames.length - 1) * 10000) / spent) / 10;
    element("fps").textContent = `${replay.fps} frames per second.`;
  }
  goTo(time + ((now - before) / 1000) * perSecond());
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
    goTo(Number(t) || 0);
    draw();
    if (!playing) remember();
  },
  play() {
    if (playing) return;
    if (time >= end) goTo(0);
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
  /** Shows a range of time in the diagrams; without arguments the whole run. */
  zoom(from = 0, to = end) {
    changeRange(() => range.set(Number(from) || 0, Number(to) || end));
  },
  /** Colours links by what moves over them `now`, or by their `total` load. */
  links(mode) {
    showLinks(mode === "total");
    redraw();
    remember();
  },
  /** Lights a `message`, `node` or `link` of the run on the left (0) or right (1), by its number; without arguments nothing. */
  light(side, kind, nth) {
    hold(panels[side]?.isShown ? { panel: panels[side], target: { kind, nth } } : null);
  },
  /** Who slowed a message of the run on the left (0) or right (1): each bottleneck with the other messages and their times on it. */
  slowed(side, nth) {
    const model = models[panels[side].shown];
    return slowedBy(model, nth).map(({ place, shared }) => ({ place: model.places[place][1], shared }));
  },
  state() {
    const shown = panels.filter((panel) => panel.isShown);
    const runs = shown.map((panel) => ({ title: models[panel.shown].title, ...models[panel.shown].informed(time) }));
    const lit = shown.map((panel) => panel.light);
    const { from, to } = range;
    return { time, end, from, to, speed, playing, fps: replay.fps, events: events.length, runs, lit };
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
    Escape: () => {
      pointAway();
      hold(null);
    },
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
  make("span", { className: `key bar ${name}` }, list).style.background = `var(--${name})`;
  list.append(` ${name}`);
});
element("play").addEventListener("click", () => (playing ? replay.pause() : replay.play()));
element("back").addEventListener("click", () => replay.step(-1));
element("forth").addEventListener("click", () => replay.step(1));
element("speed").addEventListener("change", (event) => replay.speed(event.target.value));
element("scrub").addEventListener("input", (event) => replay.seek((event.target.value / 100000) * end));
element("now").addEventListener("click", () => replay.links("now"));
element("total").addEventListener("click", () => replay.links("total"));
for (const [id, change] of Object.entries(CHANGES)) element(id).addEventListener("click", change);
document.addEventListener("keydown", key);
// A finger that touches something else than a picture points at nothing.
document.addEventListener("pointerdown", (event) => event.target.tagName !== "CANVAS" && pointAway());
window.addEventListener("hashchange", recall);
const again = () => show(panels.map((panel) => panel.shown));
let room = window.innerWidth;
window.addEventListener("resize", () => {
  // On phones scrolling changes the height; only changes of the width matter.
  if (window.innerWidth === room) return;
  room = window.innerWidth;
  again();
});
for (const query of ["(prefers-color-scheme: dark)", "print"]) window.matchMedia(query).addEventListener("change", again);
window.replay = replay;
recall();
remember();
