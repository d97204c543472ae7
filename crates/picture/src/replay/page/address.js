// The view in the address: time, speed, runs, range of time, colours of links.

// Browsers limit the rate of address changes; minimum interval in milliseconds.
const LEAST_WAIT = 300;
let [written, waiting] = [-LEAST_WAIT, 0];

/** Writes the view into the address: at once, or when the minimum interval has passed. */
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
  const part = range.isWhole() ? "" : `&from=${range.from}&to=${range.to}`;
  const links = document.body.classList.contains("total") ? "&links=total" : "";
  const hash = `#t=${Math.round(time)}&speed=${speed}&runs=${runs}${part}${links}`;
  // The whole address, as a page within another one may have the base of that one.
  if (location.hash !== hash) history.replaceState(null, "", location.href.replace(/(#.*)?$/s, hash));
}

/** Writes the view into the address and, as text, into the elements for screen readers. */
function remember() {
  writeAddress();
  const told = `${exact(Math.round(time))}. ${element("status").textContent}`;
  element("told").textContent = told;
  element("scrub").setAttribute("aria-valuetext", told);
  for (const panel of panels.filter((panel) => panel.isShown)) {
    const { title } = models[panel.shown];
    panel.network.canvas.setAttribute("aria-label", `Network of ${title} at ${told}`);
    const part = `from ${exact(range.from)} to ${exact(range.to)}`;
    panel.diagram.canvas.setAttribute("aria-label", `Space-time diagram of ${title} ${part}; a click goes to a time`);
  }
}

/**
 * Shows the view of the address; missing or invalid fields give time 0, the current speed, the first runs, the whole run,
 * and links as they are now.
 */
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
  showLinks(fields.get("links") === "total");
  range.begin(...["from", "to"].map((name) => Number(fields.get(name) ?? NaN)));
  show(numbers);
}

