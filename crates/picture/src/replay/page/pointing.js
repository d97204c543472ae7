// Pointing: by a mouse or finger over a picture, or by keys and the list of delayed messages, which hold a target.

// Where the mouse or finger is: panel, view, position in the view and in the window; null if it is over no picture.
let hovered = null;
// What keys or the list hold: panel, target, and the view of the keys; null if they hold nothing.
let held = null;
// What is lit: panel and target, and a text that identifies both.
let pointed = null, pointedName = "";

/** Finds what is pointed at now, and lights it in all panels; returns whether it is another target than before. */
function aim() {
  const target = hovered && hovered.view.find(hovered.x, hovered.y, time, hovered.reach);
  pointed = target ? { panel: hovered.panel, target } : held;
  const runs = panels.map((panel) => panel.shown);
  const name = pointed ? [panels.indexOf(pointed.panel), pointed.target.kind, pointed.target.nth, ...runs].join() : "";
  if (name === pointedName) return false;
  pointedName = name;
  for (const panel of panels.filter((panel) => panel.isShown)) {
    panel.light = pointed ? lightOf(pointed.target, models[pointed.panel.shown], models[panel.shown]) : DARK;
  }
  return true;
}

function point(panel, view, event) {
  const reach = event.pointerType === "touch" ? 12 : 6;
  hovered = { panel, view, x: event.offsetX, y: event.offsetY, reach, left: event.clientX, top: event.clientY };
  if (aim()) redraw();
  tellPointed();
}

function pointAway() {
  hovered = null;
  if (aim()) redraw();
  tellPointed();
}

/** Holds a target until the pointer is over another one; or with null none. */
function hold(target) {
  held = target;
  if (target) hovered = null;
  if (aim()) redraw();
  tellPointed();
}

/** Holds the next target of a kind in a view, or the previous one, and says what it is. */
function walk(panel, view, kind, way) {
  const model = models[panel.shown];
  const list = kind === "message" ? view.messages(time) : kind === "node" ? view.nodes() : [...model.loads.keys()];
  if (list.length === 0) return;
  const isOfPanel = held?.panel === panel && held.target.kind === kind;
  const at = isOfPanel ? list.indexOf(held.target.nth) : -1;
  // The first message is one that has not arrived yet.
  const first = kind === "message" ? Math.max(0, list.findIndex((nth) => model.arrived[nth] > time)) : 0;
  const next = at >= 0 ? (at + way + list.length) % list.length : way > 0 ? first : list.length - 1;
  hold({ panel, view, target: { kind, nth: list[next] } });
  element("told").textContent = model.tell(held.target, time);
}

/** Shows the tooltip of what the pointer or a key points at. */
function tellPointed() {
  const tip = element("tip");
  const isHovered = hovered && pointed && pointed !== held;
  const place = isHovered ? [hovered.left, hovered.top] : placeOfHeld();
  tip.hidden = !pointed || !place;
  if (tip.hidden) return;
  tip.textContent = models[pointed.panel.shown].tell(pointed.target, time);
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(place[0] + 14, window.innerWidth - width - 8))}px`;
  const below = place[1] + 18;
  tip.style.top = `${below + height > window.innerHeight ? Math.max(4, place[1] - height - 10) : below}px`;
}

function placeOfHeld() {
  const place = held?.view?.where(held.target, time);
  if (!place) return null;
  const { left, top } = held.view.canvas.getBoundingClientRect();
  return [left + place[0], top + place[1]];
}

/** Lets the pointer and the keys M, N and L, with Shift backwards, point at what a view shows. */
function addPointing(panel, view) {
  const { canvas } = view;
  const points = (event) => point(panel, view, event);
  canvas.addEventListener("pointermove", points);
  canvas.addEventListener("pointerdown", points);
  // What a finger has touched stays lit when the finger is lifted.
  canvas.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && pointAway());
  canvas.addEventListener("blur", () => held?.view === view && hold(null));
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const kind = { m: "message", n: "node", l: "link" }[event.key.toLowerCase()];
    if (kind) walk(panel, view, kind, event.shiftKey ? -1 : 1);
    if (event.key === "Enter" && held?.target.kind === "message") replay.seek(models[panel.shown].entered[held.target.nth]);
  });
}

