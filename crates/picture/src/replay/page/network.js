// The network on a canvas: the idle links are drawn once on a separate canvas, everything else in each frame.

class NetworkView {
  constructor(canvas) {
    this.canvas = canvas;
    this.sheet = document.createElement("canvas");
  }

  /** Shows a run. `heaviest` is the largest fraction of time in which a link is busy, over all runs shown. */
  show(model, heaviest) {
    this.model = model;
    this.heaviest = heaviest;
    this.resize();
  }

  resize() {
    const { network } = this.model;
    const across = column(network.places, 2, 0), down = column(network.places, 2, 1);
    const margin = network.closing.length > 0 ? 900 : 500;
    const least = (all) => all.reduce((one, other) => Math.min(one, other), Infinity) - margin;
    const most = (all) => all.reduce((one, other) => Math.max(one, other), -Infinity) + margin;
    const [left, top, right, bottom] = [least(across), least(down), most(across), most(down)];
    const room = Math.max(200, this.canvas.clientWidth);
    const scale = Math.min(room / (right - left), 520 / (bottom - top), 72 / network.nearest);
    this.height = Math.max(60, (bottom - top) * scale);
    const aside = (room - (right - left) * scale) / 2;
    this.at = across.map((x, nth) => [aside + (x - left) * scale, (down[nth] - top) * scale]);
    const nearest = network.nearest * scale;
    this.radius = Math.min(14, Math.max(1, nearest * 0.24));
    this.thick = Math.min(5, Math.max(1, nearest * 0.09));
    this.width = room;
    this.canvas.style.height = `${this.height}px`;
    this.context = sized(this.canvas, room, this.height);
    const closing = new Map();
    for (let nth = 0; nth < network.closing.length; nth += 3) {
      closing.set(network.closing[nth], [network.closing[nth + 1] * scale, network.closing[nth + 2] * scale]);
    }
    // Each link is one segment, or two halves of a wraparound link, on the right-hand side of its direction.
    this.stretches = [];
    for (let link = 0; link < network.links.length / 2; link++) {
      const [from, to] = [this.at[network.links[2 * link]], this.at[network.links[2 * link + 1]]];
      const way = closing.get(link);
      const pieces = way
        ? [[from, [from[0] + 0.7 * way[0], from[1] + 0.7 * way[1]]], [[to[0] - 0.7 * way[0], to[1] - 0.7 * way[1]], to]]
        : [[from, to]];
      this.stretches.push(pieces.map((piece) => this.aside(piece)));
    }
    this.still();
  }

  aside([[x, y], [toX, toY]]) {
    const length = Math.hypot(toX - x, toY - y) || 1;
    const [dx, dy] = [(-(toY - y) / length) * this.thick * 0.6, ((toX - x) / length) * this.thick * 0.6];
    return [x + dx, y + dy, toX + dx, toY + dy];
  }

  /** Draws on the separate canvas the links, the critical path, and with `heat` the total load; computes the colours of nodes. */
  still() {
    const colour = colours();
    this.colour = colour;
    this.shades = Array.from({ length: 65 }, (_, nth) => between(colour("none"), colour("all"), nth / 64));
    const context = sized(this.sheet, this.width, this.height);
    context.strokeStyle = colour("line");
    context.lineWidth = 0.6;
    context.beginPath();
    for (const pieces of this.stretches) this.trace(context, pieces);
    context.stroke();
    // The critical path is two edges, between which a link has its own colour.
    this.stroke(context, this.model.pathLinks, colour("path"), this.thick * 1.5 + 3);
    this.stroke(context, this.model.pathLinks, colour("ground"), this.thick * 1.5);
    if (!this.heat) return;
    for (const [link, part] of this.model.busyParts()) {
      const load = part / Math.max(1e-12, this.heaviest);
      this.stroke(context, [link], between(colour("light"), colour("heavy"), load), this.thick * (0.4 + 1.1 * load));
    }
  }

  stroke(context, links, colour, width) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const link of links) this.trace(context, this.stretches[link]);
    context.stroke();
  }

  trace(context, pieces) {
    for (const [x, y, toX, toY] of pieces) {
      context.moveTo(x, y);
      context.lineTo(toX, toY);
    }
  }

  /** The position of a message at a fraction of its route. */
  place(nth, part) {
    const { model, at } = this;
    const route = model.routeOf(nth);
    if (route.length === 0) return at[model.messages.from[nth]];
    const along = Math.min(route.length - 1e-9, part * route.length);
    const pieces = this.stretches[route[Math.floor(along)]];
    const inside = (along % 1) * pieces.length;
    const [x, y, toX, toY] = pieces[Math.floor(inside)];
    return [x + (toX - x) * (inside % 1), y + (toY - y) * (inside % 1)];
  }

  draw(t, light) {
    const { context, model, radius, colour } = this;
    context.clearRect(0, 0, this.width, this.height);
    context.drawImage(this.sheet, 0, 0, this.width, this.height);
    const found = model.load(t);
    const [busy, shared] = [[], []];
    model.busy.forEach((messages, link) => messages > 0 && !this.heat && (messages > 1 ? shared : busy).push(link));
    this.stroke(context, busy, colour("busy"), this.thick);
    this.stroke(context, shared, colour("shared"), this.thick * 1.5);
    this.stroke(context, light.links, colour("lit"), this.thick * 1.5 + 1.5);
    this.drawNodes(t);
    const size = Math.max(2, Math.min(5, radius * 0.5));
    context.fillStyle = context.strokeStyle = colour("dot");
    context.lineWidth = 1.5;
    this.dots = [];
    for (const nth of found) {
      const [x, y] = this.place(nth, model.progress(nth, t).part);
      this.dots.push([x, y, nth]);
      context.beginPath();
      context.arc(x, y, size, 0, 2 * Math.PI);
      if (t < model.left[nth] || model.messages.leaving[nth] === 0) context.fill();
      else context.stroke();
    }
    const lit = new Set(light.messages);
    context.strokeStyle = colour("lit");
    context.lineWidth = 2.5;
    for (const [x, y, nth] of this.dots) if (lit.has(nth)) this.circle(x, y, size + 3);
    for (const vertex of light.nodes) this.circle(...this.at[vertex], radius + 2.5);
  }

  circle(x, y, radius) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.stroke();
  }

  drawNodes(t) {
    const { context, model, radius, colour, at } = this;
    const ring = colour("ring"), all = colour("all");
    context.font = `${Math.min(11, radius)}px sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let vertex = 0; vertex < at.length; vertex++) {
      const [x, y] = at[vertex];
      const isNode = vertex < model.nodes;
      const share = isNode ? model.held(vertex, t).share : 0;
      const shade = this.shades[share <= 0 ? 0 : Math.max(4, Math.floor(share * 64))];
      context.fillStyle = shade;
      context.strokeStyle = share >= 1 ? all : ring;
      context.lineWidth = share >= 1 ? Math.min(3, radius * 0.35) : 0.8;
      context.beginPath();
      if (isNode) context.arc(x, y, radius, 0, 2 * Math.PI);
      else context.rect(x - radius * 0.8, y - radius * 0.8, radius * 1.6, radius * 1.6);
      context.fill();
      if (radius >= 2) context.stroke();
      if (radius < 8) continue;
      context.fillStyle = legible(shade);
      context.fillText(isNode ? vertex : `s${model.network.switches[vertex - model.nodes]}`, x, y);
    }
  }

  /** The target at a position, or null. Dots and links are found up to `reach` pixels away. */
  find(x, y, t, reach) {
    const near = (place, far) => Math.hypot(place[0] - x, place[1] - y) <= far;
    const dot = (this.dots ?? []).findLast((place) => near(place, reach));
    if (dot) return { kind: "message", nth: dot[2] };
    const vertex = this.at.findIndex((place) => near(place, Math.max(5, this.radius)));
    if (vertex >= 0) return { kind: "node", nth: vertex };
    let [best, least] = [-1, reach];
    this.stretches.forEach((pieces, link) => {
      for (const piece of pieces) {
        const far = distance(x, y, piece);
        if (far < least) [best, least] = [link, far];
      }
    });
    return best < 0 ? null : { kind: "link", nth: best };
  }

  /** The position of a target. */
  where({ kind, nth }, t) {
    if (kind === "message") return this.place(nth, this.model.progress(nth, t).part);
    if (kind === "node") return this.at[nth];
    const [x, y, toX, toY] = this.stretches[nth][0];
    return [(x + toX) / 2, (y + toY) / 2];
  }

  /** The messages that can be pointed at by keys. */
  messages(t) {
    return this.model.underWay(t);
  }

  nodes() {
    return [...this.at.keys()];
  }
}

