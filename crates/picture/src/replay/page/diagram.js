// The space-time diagram of a range of time on a canvas: drawn once on a separate canvas, and in each frame copied from there,
// with a cursor and what is lit over it.

const KINDS = ["computing", "overhead", "sending", "receiving", "waiting"];

const LABELS = 48;
const LANE = 13;
const MARGIN = 8;

class DiagramView {
  constructor(canvas) {
    this.canvas = canvas;
    this.sheet = document.createElement("canvas");
  }

  /** Shows a run; `lanes` (of phases and steps) is the maximum over all runs shown. */
  show(model, lanes) {
    this.model = model;
    this.lanes = lanes;
    this.resize();
  }

  resize() {
    const { model } = this;
    const rows = model.rows.length;
    this.ranks = model.rows;
    this.rowOf = new Map(this.ranks.map((rank, row) => [rank, row]));
    this.pitch = Math.max(1.5, Math.min(18, 380 / rows));
    this.top = this.lanes * LANE + 4;
    this.width = Math.max(200, this.canvas.clientWidth);
    this.height = this.top + rows * this.pitch + 20;
    this.canvas.style.height = `${this.height}px`;
    this.context = sized(this.canvas, this.width, this.height);
    this.still();
  }

  x(t) {
    return LABELS + (this.room() * (t - range.from)) / (range.to - range.from);
  }

  time(x) {
    const part = Math.max(0, Math.min(1, (x - LABELS) / this.room()));
    return range.from + part * (range.to - range.from);
  }

  /** The width of the range. */
  room() {
    return this.width - LABELS - MARGIN;
  }

  middle(row) {
    return this.top + (row + 0.5) * this.pitch;
  }

  /** The vertical position of a rank: the middle of its row, or, without a row, a position between the rows of its neighbours. */
  place(rank) {
    const row = this.rowOf.get(rank);
    if (row !== undefined) return this.middle(row);
    const next = countUpTo(this.ranks, rank), [low, high] = [this.ranks[next - 1], this.ranks[next]];
    if (low === undefined || high === undefined) return this.middle(low === undefined ? -0.5 : next - 0.5);
    return this.middle(next - 1 + (rank - low) / (high - low));
  }

  /** Draws everything except the cursor on the separate canvas. */
  still() {
    const { model, pitch } = this;
    const colour = colours();
    this.colour = colour;
    const context = sized(this.sheet, this.width, this.height);
    context.font = `${Math.max(7, Math.min(11, pitch))}px sans-serif`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = colour("faint");
    const every = Math.ceil(11 / pitch);
    this.ranks.forEach((rank, row) => {
      if (row % every === 0) context.fillText(rank, LABELS - 5, this.middle(row));
    });
    this.drawTicks(context, colour);
    this.clip(context);
    this.drawBands(context, colour);
    KINDS.forEach((name, kind) => {
      context.fillStyle = colour(name);
      // Bars of waiting are lower, so that they do not differ by their colour only.
      const height = (pitch > 3 ? pitch * 0.6 : pitch) * (name === "waiting" ? 0.4 : 1);
      this.ranks.forEach((rank, row) => {
        const { kinds, starts, ends } = model.bars[rank];
        kinds.forEach((other, nth) => {
          if (other !== kind || ends[nth] < range.from || starts[nth] > range.to) return;
          const from = this.x(Math.max(range.from, starts[nth])), to = this.x(Math.min(range.to, ends[nth]));
          context.fillRect(from, this.middle(row) - height / 2, Math.max(0.2, to - from), height);
        });
      });
    });
    context.strokeStyle = colour("message");
    context.lineWidth = pitch > 6 ? 0.8 : 0.4;
    context.beginPath();
    this.segments = this.messages().map((nth) => [nth, this.segment(...this.line(nth))]);
    for (const [, segment] of this.segments) this.trace(context, segment);
    context.stroke();
    context.strokeStyle = colour("path");
    context.lineWidth = 1.8;
    context.beginPath();
    for (let nth = 0; nth < model.path.length; nth += 4) {
      const [from, start, to, end] = model.path.slice(nth, nth + 4);
      this.trace(context, this.segment(start, this.place(from), end, this.place(to)));
    }
    context.stroke();
    context.restore();
  }

  /** Restricts drawing to the range, until `restore`. */
  clip(context) {
    context.save();
    context.beginPath();
    context.rect(LABELS, 0, this.room() + 1, this.height);
    context.clip();
  }

  /** The line of a message: two instants, each with a vertical position. */
  line(nth) {
    const { model } = this;
    return [model.entered[nth], this.place(model.messages.from[nth]), model.arrived[nth], this.place(model.messages.to[nth])];
  }

  /** The part of a line within the range as a segment, or null: canvases are inexact far outside of their area. */
  segment(start, y, end, toY) {
    if (end < range.from || start > range.to) return null;
    const at = (t) => (end > start ? y + ((toY - y) * (t - start)) / (end - start) : toY);
    const from = Math.max(start, range.from), to = Math.min(end, range.to);
    return [this.x(from), from === start ? y : at(from), this.x(to), at(to)];
  }

  trace(context, segment) {
    if (!segment) return;
    context.moveTo(segment[0], segment[1]);
    context.lineTo(segment[2], segment[3]);
  }

  drawBands(context, colour) {
    context.textAlign = "left";
    for (const [nth, [name, start, end, lane]] of this.model.bands.entries()) {
      if (end < range.from || start > range.to) continue;
      const from = this.x(Math.max(range.from, start)), length = this.x(Math.min(range.to, end)) - from;
      context.globalAlpha = nth % 2 === 0 ? 0.35 : 0.6;
      context.fillStyle = colour("line");
      context.fillRect(from, lane * LANE, Math.max(0.5, length), LANE - 2);
      context.globalAlpha = 1;
      context.fillStyle = colour("ink");
      context.font = "10px sans-serif";
      const text = [name, name.replace(/^step /, "")].find((text) => context.measureText(text).width + 4 <= length);
      if (text) context.fillText(text, from + 2, lane * LANE + (LANE - 2) / 2);
    }
  }

  drawTicks(context, colour) {
    const least = ((range.to - range.from) * 90) / Math.max(90, this.room());
    const power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, power * [1, 2, 5, 10].find((factor) => power * factor >= least));
    context.textAlign = "center";
    context.font = "10px sans-serif";
    const foot = this.middle(this.ranks.length - 0.5);
    for (let nth = Math.ceil(range.from / step); nth * step <= range.to; nth++) {
      const x = this.x(nth * step);
      context.fillStyle = colour("line");
      context.fillRect(x, this.top, 0.5, foot - this.top + 4);
      context.fillStyle = colour("faint");
      context.fillText(nth === 0 ? "0" : exact(Math.round(nth * step)), Math.min(x, this.width - 32), foot + 12);
    }
  }

  draw(t, light) {
    const { context, pitch } = this;
    context.clearRect(0, 0, this.width, this.height);
    context.drawImage(this.sheet, 0, 0, this.width, this.height);
    context.strokeStyle = this.colour("lit");
    context.lineWidth = 2.5;
    this.clip(context);
    context.beginPath();
    for (const nth of light.messages) this.trace(context, this.segment(...this.line(nth)));
    context.stroke();
    context.restore();
    for (const rank of light.nodes.filter((rank) => this.rowOf.has(rank))) {
      const height = Math.max(4, pitch);
      context.strokeRect(1.5, this.place(rank) - height / 2, this.width - 3, height);
    }
    if (t < range.from || t > range.to) return;
    context.fillStyle = this.colour("cursor");
    context.fillRect(this.x(t) - 0.75, 0, 1.5, this.height - 16);
  }

  /** The target at a position, or null. Lines of messages are found up to half of `reach` pixels away. */
  find(x, y, t, reach) {
    const { model } = this;
    if (y < this.top) {
      const at = this.time(x), lane = Math.floor(y / LANE);
      const nth = model.bands.findIndex((band) => lane === band[3] && at >= band[1] && at <= band[2]);
      return nth < 0 || x < LABELS ? null : { kind: "band", nth };
    }
    let [best, least] = [-1, reach / 2];
    for (const [nth, segment] of x < LABELS ? [] : this.segments) {
      const far = distance(x, y, segment);
      if (far < least) [best, least] = [nth, far];
    }
    if (best >= 0) return { kind: "message", nth: best };
    const rank = this.ranks[Math.floor((y - this.top) / this.pitch)];
    return rank === undefined ? null : { kind: "node", nth: rank, at: x < LABELS ? t : this.time(x) };
  }

  /** The position of a target; null if it is not in the diagram. */
  where({ kind, nth }, t) {
    if (kind === "node") return [this.x(Math.max(range.from, Math.min(range.to, t))), this.place(nth)];
    const segment = kind === "message" && this.segment(...this.line(nth));
    return segment ? [(segment[0] + segment[2]) / 2, (segment[1] + segment[3]) / 2] : null;
  }

  /** The messages whose lines are drawn. */
  messages() {
    const { model } = this;
    const all = model.lines.length > 0 ? model.lines : [...model.entered.keys()];
    const is = (nth) => model.arrived[nth] >= range.from && model.entered[nth] <= range.to;
    return all.filter((nth) => model.messages.from[nth] !== model.messages.to[nth] && is(nth));
  }

  nodes() {
    return this.ranks;
  }
}

