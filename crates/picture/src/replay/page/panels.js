// The panels, each with the pictures of one run at the time of the clock.

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
    // The keys of a focused picture are its own; a screen reader does not take them.
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-describedby", "keys");
    return new View(canvas);
  });
  const note = make("p", { className: "small" }, box);
  const delayed = make("div", { className: "delayed" }, box);
  const panel = { box, select, about, status, note, delayed, network: views[0], diagram: views[1], shown: -1, light: DARK };
  select.addEventListener("change", () => {
    show(panels.map((panel) => (panel.select.value === "" ? -1 : Number(panel.select.value))));
    remember();
  });
  addGestures(panel.diagram);
  for (const view of views) addPointing(panel, view);
  panels.push(panel);
}

/** Shows runs by their indices, one per panel; -1 for an empty panel. */
function show(numbers) {
  end = Math.max(1, ...numbers.filter((number) => number >= 0).map((number) => models[number].end));
  range.limit(end);
  element("panels").classList.toggle("two", (numbers[1] ?? -1) >= 0);
  panels.forEach((panel, nth) => {
    const number = numbers[nth];
    if (number !== panel.shown) [hovered, held] = [null, null];
    panel.isNew = number !== panel.shown;
    panel.shown = number;
    panel.select.value = number < 0 ? "" : number;
    panel.isShown = number >= 0;
    for (const part of [panel.about, panel.status, panel.note, panel.delayed, panel.network.canvas, panel.diagram.canvas]) {
      part.hidden = !panel.isShown;
    }
  });
  // A separate loop: canvases have their widths only after all panels are shown or hidden.
  const shown = panels.filter((panel) => panel.isShown);
  const lanes = Math.max(...shown.map((panel) => models[panel.shown].lanes));
  const heaviest = Math.max(0, ...shown.flatMap((panel) => models[panel.shown].busyParts().map(([, part]) => part)));
  element("heaviest").textContent = `${Number((100 * heaviest).toPrecision(3))} %`;
  for (const panel of shown) {
    const model = models[panel.shown];
    panel.about.textContent = model.about;
    panel.network.show(model, heaviest);
    panel.diagram.show(model, lanes);
    panel.status.hidden = shown.length < 2;
    panel.note.textContent = noteOf(model);
    if (panel.isNew) listDelayed(panel);
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

/** Colours links by what moves over them now, or by their total load. */
function showLinks(total) {
  document.body.classList.toggle("total", total);
  element("now").setAttribute("aria-pressed", !total);
  element("total").setAttribute("aria-pressed", total);
  for (const { network } of panels) [network.heat, network.isStale] = [total, true];
}

let isAsked = false;

/** Draws in the next frame, once for all changes until then. */
function redraw() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    draw();
  });
}

function draw() {
  const shown = panels.filter((panel) => panel.isShown);
  aim();
  const says = shown.map((panel) => {
    const model = models[panel.shown], status = model.status(time);
    for (const view of [panel.network, panel.diagram]) {
      if (view.isStale) view.still();
      view.isStale = false;
      view.draw(time, panel.light);
    }
    if (panel.status.textContent !== status) panel.status.textContent = status;
    return shown.length > 1 ? `${model.title}: ${status}` : status;
  });
  element("status").textContent = says.join("; ");
  element("status").hidden = shown.length > 1;
  element("scrub").value = Math.round((time / end) * 100000);
  element("time").textContent = exact(Math.round(time));
  tellPointed();
}

