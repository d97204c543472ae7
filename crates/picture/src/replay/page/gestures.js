// Zooming and moving the range of time in the diagrams: by wheel, fingers, a drag, keys and buttons.

const STEP = 2;

/** Changes the range by a function, and shows the change. */
function changeRange(change) {
  change(range);
  for (const panel of panels) panel.diagram.isStale = true;
  redraw();
  remember();
}

/** Zooms around the cursor, or if it is outside of the range around the middle of the range. */
function zoomBy(factor) {
  const isInside = time >= range.from && time <= range.to;
  changeRange(() => range.zoom(factor, isInside ? time : (range.from + range.to) / 2));
}

/** What keys and buttons do, by the identifiers of buttons. */
const CHANGES = {
  nearer: () => zoomBy(1 / STEP),
  farther: () => zoomBy(STEP),
  earlier: () => changeRange(() => range.pan(-0.25)),
  later: () => changeRange(() => range.pan(0.25)),
  whole: () => changeRange(() => range.set(0, range.end)),
};
const RANGE_KEYS = { z: "nearer", Z: "farther", ",": "earlier", ".": "later", 0: "whole" };

function addGestures(view) {
  const { canvas } = view;
  const part = (x) => (x - LABELS) / view.room();
  // The pointers that are down: where they are, and the instants at which they were put down.
  const down = new Map();

  canvas.addEventListener("wheel", (event) => {
    const pixels = event.deltaMode === 1 ? 20 : 1;
    if (event.ctrlKey || event.metaKey) {
      changeRange(() => range.zoom(Math.exp(event.deltaY * pixels * 0.005), view.time(event.offsetX)));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      changeRange(() => range.pan(((event.deltaX || event.deltaY) * pixels) / view.room()));
    } else return;
    event.preventDefault();
  }, { passive: false });

  canvas.addEventListener("pointerdown", (event) => {
    down.set(event.pointerId, { x: event.offsetX, at: view.time(event.offsetX) });
    for (const one of down.values()) one.at = view.time(one.x);
    if (!event.shiftKey && down.size === 1) replay.seek(view.time(event.offsetX));
  });
  canvas.addEventListener("pointermove", (event) => {
    const one = down.get(event.pointerId);
    if (!one) return;
    if (event.buttons !== 1) return down.delete(event.pointerId);
    one.x = event.offsetX;
    const [first, second] = [...down.values()];
    const length = range.to - range.from;
    if (second && (second.x - first.x) * (second.at - first.at) > 0) {
      // The instants stay under the fingers.
      const longer = (second.at - first.at) / (part(second.x) - part(first.x));
      changeRange(() => range.set(first.at - part(first.x) * longer, first.at + (1 - part(first.x)) * longer));
    } else if (!second && event.shiftKey) {
      changeRange(() => range.set(one.at - part(one.x) * length, one.at + (1 - part(one.x)) * length));
    } else if (!second) replay.seek(view.time(event.offsetX));
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
    canvas.addEventListener(name, (event) => down.delete(event.pointerId));
  }
  canvas.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) CHANGES[RANGE_KEYS[event.key]]?.();
  });
}

