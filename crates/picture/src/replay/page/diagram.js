// The space-time diagram on a canvas: drawn once on a separate canvas, and in each frame copied from there, with a cursor over it.

const KINDS = ["computing", "overhead", "sending", "receiving", "waiting"];

const LABELS = 48;
const LANE = 13;

class DiagramView {
  constructor(canvas) {
    this.canvas = canvas;
    this.sheet = document.createElement("canvas");
  }

  /** Shows a run. `end` (in picoseconds) and `lanes` (of phases and steps) are the maxima over all runs shown. */
  show(model, end, lanes) {
    this.model = model;
    this.lanes = lanes;
    this.end = Math.max(1, end);
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
    return LABELS + ((this.width - LABELS - 8) * t) / this.end;
  }

  time(x) {
    return Math.max(0, Math.min(this.end, ((x - LABELS) / (this.width - LABELS - 8)) * this.end));
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
    this.drawBands(context, colour);
    this.drawTicks(context, colour);
    const height = pitch > 3 ? pitch * 0.6 : pitch;
    KINDS.forEach((name, kind) => {
      context.fillStyle = colour(name);
      this.ranks.forEach((rank, row) => {
        const { kinds, starts, ends } = model.bars[rank];
        kinds.forEach((other, nth) => {
          if (other !== kind) return;
          const from = this.x(starts[nth]);
          context.fillRect(from, this.middle(row) - height / 2, Math.max(0.2, this.x(ends[nth]) - from), height);
        });
      });
    });
    context.strokeStyle = colour("message");
    context.lineWidth = pitch > 6 ? 0.8 : 0.4;
    context.beginPath();
    const line = (nth) => {
      const [from, to] = [model.messages.from[nth], model.messages.to[nth]];
      if (from === to) return;
      context.moveTo(this.x(model.entered[nth]), this.place(from));
      context.lineTo(this.x(model.arrived[nth]), this.place(to));
    };
    if (model.lines.length > 0) model.lines.forEach(line);
    else model.entered.forEach((_, nth) => line(nth));
    context.stroke();
    context.strokeStyle = colour("path");
    context.lineWidth = 1.8;
    context.beginPath();
    for (let nth = 0; nth < model.path.length; nth += 2) {
      context.lineTo(this.x(model.path[nth + 1]), this.place(model.path[nth]));
    }
    context.stroke();
  }

  drawBands(context, colour) {
    context.textAlign = "left";
    for (const [nth, [name, start, end, lane]] of this.model.bands.entries()) {
      const [from, length] = [this.x(start), this.x(end) - this.x(start)];
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
    const least = (this.end * 90) / Math.max(90, this.width - LABELS);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, power * [1, 2, 5, 10].find((factor) => power * factor >= least));
    context.textAlign = "center";
    context.font = "10px sans-serif";
    const foot = this.middle(this.ranks.length - 0.5);
    for (let at = 0; at <= this.end; at += step) {
      context.fillStyle = colour("line");
      context.fillRect(this.x(at), this.top, 0.5, foot - this.top + 4);
      context.fillStyle = colour("faint");
      context.fillText(at === 0 ? "0" : rounded(at), Math.min(this.x(at), this.width - 24), foot + 12);
    }
  }

  draw(t) {
    const { context } = this;
    context.clearRect(0, 0, this.width, this.height);
    context.drawImage(this.sheet, 0, 0, this.width, this.height);
    context.fillStyle = this.colour("cursor");
    context.fillRect(this.x(t) - 0.75, 0, 1.5, this.height - 16);
  }

  /** The text of the tooltip at a position, or null. */
  tell(x, y) {
    const { model } = this;
    if (y < this.top) {
      const found = model.bands.find(([, start, end, lane]) =>
        lane === Math.floor(y / LANE) && x >= this.x(start) && x <= this.x(end));
      return found ? `${found[0]}: from ${exact(found[1])} to ${exact(found[2])}, over all nodes` : null;
    }
    const row = Math.floor((y - this.top) / this.pitch);
    return x >= LABELS && this.ranks[row] !== undefined ? model.tellNode(this.ranks[row], this.time(x)) : null;
  }
}

