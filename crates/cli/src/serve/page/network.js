// The network as SVG. Up to 256 nodes are single controls, one of which is in the order of the Tab key (roving tabindex).

import { draw } from "./dom.js";

export const MOST_CONTROLS = 256;
const MOST_LINKS = 2500;
/** Neighbours in a drawing are this number of pixels apart, for fingers, if it is then not wider than `MOST_WIDTH`. */
const APART = 24;
const MOST_WIDTH = 2400;

/** Physical links of a network: both directions of a pair of vertices are one, `a-b`; a link of one direction is `a->b`. */
function physical(network, nameOf) {
  const { links, closing } = network;
  const closes = new Map();
  for (let nth = 0; nth < closing.length; nth += 3) closes.set(closing[nth], [closing[nth + 1], closing[nth + 2]]);
  const found = new Map();
  for (let link = 0; link < links.length / 2; link++) {
    const [from, to] = [links[2 * link], links[2 * link + 1]];
    const back = found.get(`${to} ${from}`);
    if (back) back.isBoth = true;
    else if (!found.has(`${from} ${to}`)) found.set(`${from} ${to}`, { from, to, closing: closes.get(link), isBoth: false });
  }
  return [...found.values()].map((link) => ({
    ...link,
    name: `${nameOf(link.from)}${link.isBoth ? "-" : "->"}${nameOf(link.to)}`,
  }));
}

/** The least distance of two places. */
function closest(places) {
  let least = Infinity;
  places.forEach(([x, y], nth) => {
    for (let other = 0; other < nth; other++) {
      const far = Math.hypot(places[other][0] - x, places[other][1] - y);
      if (far > 0 && far < least) least = far;
    }
  });
  return least;
}

export class NetworkView {
  /** `onNode` is called with a rank, `onLink` with a name such as `3-4`. */
  constructor(svg, onNode, onLink) {
    Object.assign(this, { svg, onNode, onLink, network: null, controls: [], focused: null });
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("click", (event) => this.use(event.target.closest("[data-name]")));
  }

  nameOf(vertex) {
    const { nodes, switches } = this.network;
    return vertex < nodes ? String(vertex) : `s${switches[vertex - nodes]}`;
  }

  /** Draws a network. */
  show(network) {
    this.network = network;
    this.links = physical(network, (vertex) => this.nameOf(vertex));
    this.hasControls = network.nodes <= MOST_CONTROLS;
    this.hasLinks = this.hasControls && this.links.length <= MOST_LINKS;
    const { places } = network;
    this.at = Array.from({ length: places.length / 2 }, (_, nth) => [places[2 * nth], places[2 * nth + 1]]);
    const margin = network.nearest * (network.closing.length > 0 ? 0.9 : 0.5);
    const ends = (axis) => {
      const values = this.at.map((place) => place[axis]);
      return [Math.min(...values) - margin, Math.max(...values) + margin];
    };
    const [[left, right], [top, bottom]] = [ends(0), ends(1)];
    // Neighbours in a drawing need not be linked.
    const near = Math.min(network.nearest, closest(this.at));
    this.radius = Math.min(network.nearest * 0.27, near * 0.45);
    this.svg.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
    this.svg.style.maxWidth = `${Math.max(160, ((right - left) / this.radius) * 16)}px`;
    const least = ((right - left) / near) * APART;
    const isRoomy = this.hasControls && least <= MOST_WIDTH;
    this.svg.style.minWidth = isRoomy ? `${least}px` : "";
    this.svg.style.minHeight = isRoomy ? `${((bottom - top) / near) * APART}px` : "";
    this.svg.setAttribute("role", this.hasControls ? "group" : "img");
    this.svg.replaceChildren();
    if (this.hasControls) this.drawControls();
    else this.drawWhole();
  }

  pieces(link) {
    const [[x, y], [toX, toY]] = [this.at[link.from], this.at[link.to]];
    if (!link.closing) return `M${x} ${y}L${toX} ${toY}`;
    const [dx, dy] = link.closing.map((part) => part * 0.8);
    return `M${x} ${y}l${dx} ${dy}M${toX} ${toY}l${-dx} ${-dy}`;
  }

  /** Draws a large network without controls. */
  drawWhole() {
    draw("path", { class: "links", d: this.links.map((link) => this.pieces(link)).join("") }, this.svg);
    this.at.forEach(([x, y], vertex) =>
      draw("circle", { class: "vertex", cx: x, cy: y, r: this.radius, "data-vertex": vertex }, this.svg),
    );
    this.controls = [];
  }

  drawControls() {
    this.controls = [];
    for (const link of this.links) {
      const group = draw("g", { class: "link", "data-name": link.name, "data-kind": "link" }, this.svg);
      const d = this.pieces(link);
      draw("path", { class: "reach", d }, group);
      draw("path", { class: "seen", d }, group);
      const [[x, y], [toX, toY]] = [this.at[link.from], this.at[link.to]];
      const [dx, dy] = link.closing ?? [toX - x, toY - y];
      this.controls.push({ group, kind: "link", name: link.name, at: [x + dx / 2, y + dy / 2], title: draw("title", {}, group) });
    }
    this.at.forEach(([x, y], vertex) => {
      const isNode = vertex < this.network.nodes;
      const kind = isNode ? "node" : "switch";
      const group = draw("g", { class: kind, "data-name": this.nameOf(vertex), "data-kind": kind }, this.svg);
      const title = draw("title", {}, group, isNode ? `node ${vertex}` : `switch ${this.nameOf(vertex)}`);
      const r = this.radius;
      if (isNode) draw("circle", { class: "seen", cx: x, cy: y, r }, group);
      else draw("rect", { class: "seen", x: x - r * 0.8, y: y - r * 0.8, width: r * 1.6, height: r * 1.6 }, group);
      draw("path", { class: "cross", d: `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}` }, group);
      draw("text", { x, y, "font-size": r * (this.network.nodes > 100 ? 0.8 : 0.95) }, group, this.nameOf(vertex));
      if (isNode) this.controls.push({ group, kind, name: String(vertex), at: [x, y], title });
    });
  }

  /**
   * Shows marks: `about` (label of the drawing), `kind` of controls that a click means (`node` or `link`), and `node(rank)` and
   * `link(name)`, which return `{ state, text, pressed }`.
   */
  mark(marks) {
    this.svg.setAttribute("aria-label", marks.about);
    if (!this.network) return;
    if (!this.hasControls) {
      for (const circle of this.svg.querySelectorAll("circle")) {
        const vertex = Number(circle.dataset.vertex);
        circle.setAttribute("class", vertex < this.network.nodes ? `vertex ${marks.node(vertex).state}` : "vertex switch");
      }
      return;
    }
    this.kind = marks.kind === "link" && !this.hasLinks ? "" : marks.kind;
    for (const control of this.controls) {
      const { group, kind, name } = control;
      const mark = kind === "node" ? marks.node(Number(name)) : marks.link(name);
      const isLive = kind === this.kind;
      group.setAttribute("class", `${kind} ${mark.state}${isLive ? " live" : ""}`);
      const label = `${kind} ${name}${mark.text ? `, ${mark.text}` : ""}`;
      control.title.textContent = label;
      if (isLive) {
        group.setAttribute("role", "button");
        group.setAttribute("aria-label", label);
        group.setAttribute("aria-pressed", String(mark.pressed));
      } else {
        for (const attribute of ["role", "aria-label", "aria-pressed", "tabindex"]) group.removeAttribute(attribute);
      }
    }
    this.rove(this.focused?.kind === this.kind ? this.focused : this.live()[0]);
  }

  live() {
    return this.controls.filter((control) => control.kind === this.kind);
  }

  /** Puts one control into the order of the Tab key. */
  rove(chosen) {
    this.focused = this.live().includes(chosen) ? chosen : (this.live()[0] ?? null);
    for (const control of this.live()) control.group.setAttribute("tabindex", control === this.focused ? "0" : "-1");
  }

  use(group) {
    const control = this.live().find((one) => one.group === group);
    if (!control) return;
    this.rove(control);
    if (control.kind === "node") this.onNode(Number(control.name));
    else this.onLink(control.name);
  }

  key(event) {
    if (!this.focused) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.use(this.focused.group);
      return;
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const next = this.neighbour(way);
    if (!next) return;
    this.rove(next);
    next.group.focus();
  }

  /** The nearest control in a direction; distance across the direction counts twice. */
  neighbour([dx, dy]) {
    const [x, y] = this.focused.at;
    let [best, least] = [null, Infinity];
    for (const control of this.live()) {
      const [ahead, across] = [
        (control.at[0] - x) * dx + (control.at[1] - y) * dy,
        Math.abs((control.at[0] - x) * dy) + Math.abs((control.at[1] - y) * dx),
      ];
      if (ahead > 1 && across <= 2 * ahead && ahead + 2 * across < least) [best, least] = [control, ahead + 2 * across];
    }
    return best;
  }
}
