// Time over length as SVG on logarithmic axes.

import { draw, make } from "./dom.js";
import { lengthText, lengthWords, timeText } from "./units.js";

/** Shapes of points, so that lines differ by more than their colour. */
const SHAPES = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => `M${x} ${y - 1.3 * r}l${1.2 * r} ${2.2 * r}h${-2.4 * r}z`,
  (x, y, r) => `M${x} ${y - 1.4 * r}l${1.4 * r} ${1.4 * r}l${-1.4 * r} ${1.4 * r}l${-1.4 * r} ${-1.4 * r}z`,
];
export const COLOURS = 8;
const MOST_POINTS = 40;
const HEIGHT = 330;
const SPACE = { left: 58, right: 14, top: 10, bottom: 40 };

const shapeOf = (nth) => SHAPES[(nth + Math.floor(nth / COLOURS)) % SHAPES.length];

export class Chart {
  /** `onPick` is called with a length that was chosen, `onPoint` with the length under the pointer, or null. */
  constructor(host, legend, onPick, onPoint) {
    Object.assign(this, { host, legend, onPick, onPoint, results: null, at: null });
    const under = (event) => this.lengthAt(event.clientX - host.getBoundingClientRect().left);
    host.addEventListener("pointermove", (event) => this.results && onPoint(under(event)));
    host.addEventListener("pointerleave", () => onPoint(null));
    host.addEventListener("click", (event) => this.results && onPick(under(event)));
    host.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.results && host.clientWidth !== this.width && this.draw(this.results, this.at)).observe(host);
  }

  key(event) {
    const lengths = this.results?.lengths ?? [];
    const now = lengths.indexOf(this.at);
    const next = {
      ArrowLeft: now - 1,
      ArrowDown: now - 1,
      ArrowRight: now + 1,
      ArrowUp: now + 1,
      Home: 0,
      End: lengths.length - 1,
    }[event.key];
    if (next === undefined || lengths.length === 0) return;
    event.preventDefault();
    this.onPick(lengths[Math.max(0, Math.min(lengths.length - 1, next))]);
  }

  lengthAt(x) {
    const far = (bytes) => Math.abs(this.x(bytes) - x);
    return this.results.lengths.reduce((best, bytes) => (best === null || far(bytes) < far(best) ? bytes : best), null);
  }

  /** Computes the scales. A length of 0 stands left of the least positive one. */
  scale() {
    const { lengths, rows } = this.results;
    const positive = lengths.filter((bytes) => bytes > 0);
    const least = positive[0] ?? 1;
    const log = (bytes) => Math.log2(bytes > 0 ? bytes : least / 2);
    const [from, to] = [log(lengths[0]), log(lengths[lengths.length - 1])];
    const across = this.width - SPACE.left - SPACE.right;
    this.x = (bytes) => SPACE.left + (to > from ? (log(bytes) - from) / (to - from) : 0.5) * across;
    const times = rows.flatMap((row) => [row.time_us, row.bound_us]).filter((time) => time > 0);
    const [low, high] = [Math.min(...times), Math.max(...times)].map(Math.log10);
    const pad = Math.max(0.05, (high - low) * 0.04);
    const down = HEIGHT - SPACE.top - SPACE.bottom;
    this.low = low - pad;
    this.high = high + pad;
    this.y = (time) => SPACE.top + ((this.high - Math.log10(time)) / (this.high - this.low)) * down;
    return times.length > 0;
  }

  draw(results, at) {
    this.results = results;
    this.at = at;
    this.width = this.host.clientWidth || 640;
    this.host.replaceChildren();
    if (results.lengths.length === 0 || !this.scale()) {
      this.legend.replaceChildren();
      return;
    }
    const svg = draw(
      "svg",
      { viewBox: `0 0 ${this.width} ${HEIGHT}`, width: this.width, height: HEIGHT, "aria-hidden": "true" },
      this.host,
    );
    this.axes(svg);
    this.bound(svg);
    results.algorithms.forEach((name, nth) => this.line(svg, name, nth));
    for (const { bytes, time, before, after } of results.crossovers().filter((one) => one.isLowest)) {
      const ring = draw("circle", { class: "crossover", cx: this.x(bytes), cy: this.y(time), r: 8 }, svg);
      draw("title", {}, ring, `${before} to ${after}`);
    }
    this.cursor = draw("line", { class: "cursor", y1: SPACE.top, y2: HEIGHT - SPACE.bottom }, svg);
    this.mark(at);
    this.names(results);
  }

  axes(svg) {
    const [right, bottom] = [this.width - SPACE.right, HEIGHT - SPACE.bottom];
    const decades = this.high - this.low;
    const parts = decades > 2.5 ? [1] : decades > 1 ? [1, 3] : [1, 2, 3, 5, 7];
    for (let power = Math.floor(this.low); power <= this.high; power++) {
      for (const part of parts) {
        const time = part * 10 ** power;
        if (Math.log10(time) < this.low || Math.log10(time) > this.high) continue;
        const y = this.y(time);
        draw("line", { class: "grid", x1: SPACE.left, x2: right, y1: y, y2: y }, svg);
        draw("text", { class: "tick", x: SPACE.left - 6, y: y + 4, "text-anchor": "end" }, svg, timeText(time, 2));
      }
    }
    const { lengths } = this.results;
    const every = Math.max(1, Math.ceil((lengths.length * 42) / (right - SPACE.left)));
    lengths.forEach((bytes, nth) => {
      const x = this.x(bytes);
      draw("line", { class: "grid", x1: x, x2: x, y1: bottom, y2: bottom + 4 }, svg);
      if (nth % every === 0) draw("text", { class: "tick", x, y: bottom + 17, "text-anchor": "middle" }, svg, lengthText(bytes));
    });
    draw("path", { class: "axis", d: `M${SPACE.left} ${SPACE.top}V${bottom}H${right}` }, svg);
    draw("text", { class: "tick", x: right, y: HEIGHT - 5, "text-anchor": "end" }, svg, "bytes");
  }

  path(points) {
    return points.map(([x, y], nth) => `${nth === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  }

  bound(svg) {
    const { results } = this;
    const bounds = results.lengths.map((bytes) => [bytes, results.bound(bytes)?.bound_us]).filter((one) => one[1] > 0);
    draw("path", { class: "bound", d: this.path(bounds.map(([bytes, time]) => [this.x(bytes), this.y(time)])) }, svg);
  }

  line(svg, name, nth) {
    const { results } = this;
    const timed = results.lengths.map((bytes) => [bytes, results.time(bytes, name)]);
    // Lengths without a time interrupt the line.
    const stretches = [[]];
    for (const [bytes, time] of timed) {
      if (time > 0) stretches[stretches.length - 1].push([this.x(bytes), this.y(time)]);
      else if (time !== 0 && stretches[stretches.length - 1].length > 0) stretches.push([]);
    }
    const group = draw("g", { class: `line c${nth % COLOURS}`, "data-algorithm": name }, svg);
    draw("path", { class: "stroke", d: stretches.map((one) => this.path(one)).join("") }, group);
    if (timed.length > MOST_POINTS) return;
    draw(
      "path",
      {
        class: "points",
        d: stretches
          .flat()
          .map(([x, y]) => shapeOf(nth)(x, y, 3.5))
          .join(""),
      },
      group,
    );
  }

  /** Marks a length. */
  mark(at) {
    this.at = at;
    if (!this.cursor || at === null) return;
    this.cursor.setAttribute("x1", this.x(at));
    this.cursor.setAttribute("x2", this.x(at));
    const { results, host } = this;
    const [fastest] = results.rankedByName(at);
    const told = fastest ? `${fastest} is the fastest, ${timeText(results.time(at, fastest))}` : "no algorithm has a time";
    host.setAttribute("aria-valuemin", 0);
    host.setAttribute("aria-valuemax", Math.max(0, results.lengths.length - 1));
    host.setAttribute("aria-valuenow", results.lengths.indexOf(at));
    host.setAttribute("aria-valuetext", `${lengthWords(at)}: ${told}`);
  }

  names(results) {
    this.legend.replaceChildren();
    results.algorithms.forEach((name, nth) => {
      const item = make("li", {}, this.legend);
      const key = draw("svg", { class: `line c${nth % COLOURS}`, width: 30, height: 14, "aria-hidden": "true" }, item);
      draw("path", { class: "stroke", d: "M0 7H30" }, key);
      draw("path", { class: "points", d: shapeOf(nth)(15, 7, 3.5) }, key);
      item.append(name);
    });
    const item = make("li", {}, this.legend);
    const key = draw("svg", { width: 30, height: 14, "aria-hidden": "true" }, item);
    draw("path", { class: "bound", d: "M0 7H30" }, key);
    item.append("lower bound");
  }
}
