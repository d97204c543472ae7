// A run: sequences of times in ascending order, searched by bisection.

const PARTS = 1e9;

/** The number of elements of an ascending array that are less than or equal to a value. */
function countUpTo(array, value, from = 0, to = array.length) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (array[middle] <= value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Running sums: decodes times that are stored as differences. */
function summed(steps) {
  let sum = 0;
  return Float64Array.from(steps, (step) => (sum += step));
}

/** The column `first` of a flat list of rows with `width` numbers each. */
const column = (figures, width, first) => figures.filter((_, at) => at % width === first);

class Model {
  constructor(run, networks) {
    Object.assign(this, { title: run.title, about: run.about, end: run.end, rule: run.rule, totals: run.totals });
    this.network = networks[run.network];
    this.nodes = this.network.nodes;
    this.routes = run.routes;
    this.places = run.places;
    this.shares = run.shares;
    this.path = run.path;
    this.bands = run.bands;
    this.rows = run.rows;
    this.lines = run.lines;
    this.notes = run.notes;
    this.lanes = run.bands.reduce((most, band) => Math.max(most, band[3] + 1), 0);
    this.finished = run.finished;
    this.loads = new Map(run.links.map((link) => [link[0], link]));
    const messages = run.messages;
    this.messages = messages;
    this.entered = summed(messages.entered);
    this.left = this.entered.map((at, nth) => at + messages.leaving[nth]);
    this.arrived = this.left.map((at, nth) => at + messages.flying[nth]);
    // The running maximum of arrival times bounds the search for messages in transit.
    let latest = 0;
    this.latest = this.arrived.map((at) => (latest = Math.max(latest, at)));
    this.levels = run.levels.map((levels) => ({
      at: summed(column(levels, 4, 0)),
      call: column(levels, 4, 1),
      bytes: column(levels, 4, 2),
      parts: column(levels, 4, 3),
    }));
    this.bars = run.bars.map((bars) => {
      let at = 0;
      const starts = [], ends = [], kinds = [];
      for (let nth = 0; nth < bars.length; nth += 3) {
        kinds.push(bars[nth]);
        starts.push((at += bars[nth + 1]));
        ends.push((at += bars[nth + 2]));
      }
      return { kinds, starts: Float64Array.from(starts), ends: Float64Array.from(ends) };
    });
    const changes = [this.entered, this.left, this.arrived, this.finished, ...this.levels.map((levels) => levels.at)];
    this.events = [...new Set([0, this.end, ...changes.flatMap((times) => [...times])])];
    this.busy = new Uint16Array(this.network.links.length / 2);
    // The messages of each sender and receiver, in the order in which they entered the network.
    this.pairs = new Map();
    messages.from.forEach((from, nth) => {
      const pair = `${from} ${messages.to[nth]}`;
      if (!this.pairs.has(pair)) this.pairs.set(pair, []);
      this.pairs.get(pair).push(nth);
    });
    this.pathLinks = new Set(this.pathMessages().flatMap((nth) => this.routeOf(nth)));
  }

  routeOf(nth) {
    return this.routes[this.messages.route[nth]];
  }

  /** The message of another run with the same sender, receiver and occurrence; -1 if there is none. */
  twin(nth, other) {
    const pair = `${this.messages.from[nth]} ${this.messages.to[nth]}`;
    return other.pairs.get(pair)?.[this.pairs.get(pair).indexOf(nth)] ?? -1;
  }

  /** The messages along which the critical path moves. */
  pathMessages() {
    const found = [];
    for (let nth = 0; nth < this.path.length; nth += 4) {
      const [from, start, to, end] = this.path.slice(nth, nth + 4);
      if (from === to) continue;
      const all = this.pairs.get(`${from} ${to}`) ?? [];
      found.push(...all.filter((other) => this.entered[other] <= start && this.arrived[other] >= end).slice(0, 1));
    }
    return found;
  }

  /** The fraction of the run's time in which each link is busy, of the links that carried a message. */
  busyParts() {
    return [...this.loads].map(([link, [, , , busy]]) => [link, busy / Math.max(1, this.end)]);
  }

  /** Whether the bytes of a message move over a link. */
  crosses(nth, link) {
    return this.messages.leaving[nth] > 0 && this.routeOf(nth).includes(link);
  }

  /** The messages in transit at an instant: they have entered the network and have not arrived yet. */
  underWay(t) {
    const found = [];
    for (let nth = countUpTo(this.entered, t) - 1; nth >= 0 && this.latest[nth] > t; nth--) {
      if (this.arrived[nth] > t) found.push(nth);
    }
    return found.reverse();
  }

  /** The messages whose bytes move within a period. */
  moving(start, end) {
    const found = [];
    for (let nth = countUpTo(this.entered, end) - 1; nth >= 0 && this.latest[nth] > start; nth--) {
      if (this.entered[nth] < end && this.left[nth] > start) found.push(nth);
    }
    return found.reverse();
  }

  /** The fraction of a message's bytes that has left the sender, its rate in bytes/s, and the index of its bottleneck (-1: none). */
  progress(nth, t) {
    const since = t - this.entered[nth], all = this.messages.leaving[nth];
    if (all === 0) return { part: Math.min(1, since / Math.max(1, this.messages.flying[nth])), rate: 0, place: -1 };
    const shares = this.shares[nth];
    if (since >= all) return { part: 1, rate: 0, place: -1 };
    let [start, gone, end, next, place] = [0, 0, all, PARTS, -1];
    for (let at = 0; shares && at < shares.length; at += 3) {
      [end, next, place] = shares.slice(at, at + 3);
      if (since < end) break;
      [start, gone] = [end, next];
    }
    const part = (gone + ((next - gone) * (since - start)) / Math.max(1, end - start)) / PARTS;
    const rate = ((next - gone) / PARTS) * this.messages.bytes[nth] * (1e12 / Math.max(1, end - start));
    return { part: Math.min(1, part), rate, place };
  }

  /** Counts the messages that move over each link, in `busy`; returns the messages in transit. */
  load(t) {
    this.busy.fill(0);
    const found = this.underWay(t);
    for (const nth of found) {
      if (t >= this.left[nth]) continue;
      for (const link of this.routeOf(nth)) this.busy[link]++;
    }
    return found;
  }

  /** The bytes and parts that a node has held in its last call, the totals of the call, and the fraction of the totals. */
  held(rank, t) {
    const levels = this.levels[rank];
    const nth = countUpTo(levels.at, t) - 1;
    if (nth < 0) return { share: 0, bytes: 0, parts: 0, all: [0, 0] };
    const all = this.totals[levels.call[nth]], bytes = levels.bytes[nth], parts = levels.parts[nth];
    const share = all[0] > 0 ? bytes / all[0] : all[1] > 0 && this.rule === "reach" ? parts / all[1] : 0;
    return { share, bytes, parts, all };
  }

  /** The number of nodes that hold all data, of nodes that hold some, and of all nodes. */
  informed(t) {
    let all = 0, some = 0;
    for (let rank = 0; rank < this.nodes; rank++) {
      const { share } = this.held(rank, t);
      if (share >= 1) all++;
      else if (share > 0) some++;
    }
    return { all, some, nodes: this.nodes };
  }

  status(t) {
    const { all, some, nodes } = this.informed(t);
    if (this.rule !== "reach") return `${all} of ${nodes} nodes have all${some > 0 ? `, ${some} have some` : ""}`;
    if (all === 0) return `${some} of ${nodes} nodes may hold data from some ranks; none from all`;
    return `${all} of ${nodes} nodes may hold data from all ranks${some > 0 ? `, ${some} from some` : ""}`;
  }

  doing(rank, t) {
    const bars = this.bars[rank];
    const nth = countUpTo(bars.starts, t) - 1;
    return nth >= 0 && t < bars.ends[nth] ? nth : -1;
  }

  nameOf(vertex) {
    return vertex < this.nodes ? `node ${vertex}` : `switch ${this.network.switches[vertex - this.nodes]}`;
  }

  nameOfMessage(nth) {
    return `${this.messages.from[nth]} to ${this.messages.to[nth]}`;
  }

  /** The text about a target (see `light.js`) at an instant. */
  tell({ kind, nth, at }, t) {
    if (kind === "message") return this.tellMessage(nth, t);
    if (kind === "link") return this.tellLink(nth, t);
    if (kind === "band") return this.tellBand(nth);
    return nth < this.nodes ? this.tellNode(nth, at ?? t) : this.nameOf(nth);
  }

  tellBand(nth) {
    const [name, start, end] = this.bands[nth];
    return `${name}: from ${exact(start)} to ${exact(end)}, over all nodes`;
  }

  tellNode(rank, t) {
    const { share, bytes, parts, all } = this.held(rank, t);
    const percent = Number((100 * share).toPrecision(4));
    const has = this.rule === "reach"
      ? `may hold data from ${parts} of ${counted(all[1], "node")}`
      : `has received ${parts} of ${counted(all[1], "block")}, ${bytes} of ${counted(all[0], "byte")}`;
    const bar = this.doing(rank, t), bars = this.bars[rank];
    const does = bar >= 0
      ? `${KINDS[bars.kinds[bar]]} from ${exact(bars.starts[bar])} to ${exact(bars.ends[bar])}`
      : t >= this.finished[rank] ? `finished at ${exact(this.finished[rank])}` : "idle";
    return `node ${rank}: ${has} (${percent} %)\n${does}`;
  }

  tellMessage(nth, t) {
    const { bytes, lost, blocks } = this.messages;
    const { part, rate, place } = this.progress(nth, t);
    const carries = blocks[nth] > 0 ? ` in ${counted(blocks[nth], "block")}` : "";
    const lines = [
      `${this.nameOfMessage(nth)}: ${counted(bytes[nth], "byte")}${carries}`,
      `send began at ${exact(this.entered[nth])}, left completely at ${exact(this.left[nth])}, arrived at ` +
        exact(this.arrived[nth]),
    ];
    if (t < this.left[nth]) {
      const kept = place < 0 ? "" : `, limited by ${this.places[place][1]}`;
      lines.push(`${Math.round(part * bytes[nth])} bytes have left, ${Number(rate.toPrecision(4))} B/s${kept}`);
    }
    if (lost[nth] > 0) lines.push(`delayed by ${exact(lost[nth])} in total`, ...tellSlowed(this, nth));
    return lines.join("\n");
  }

  tellLink(link, t) {
    const [from, to] = this.network.links.slice(2 * link, 2 * link + 2);
    const [, bytes, messages, busy, shared] = this.loads.get(link) ?? [link, 0, 0, 0, 0];
    const now = this.load(t).filter((nth) => t < this.left[nth] && this.crosses(nth, link));
    const names = now.map((nth) => this.nameOfMessage(nth));
    const percent = Number(((100 * busy) / Math.max(1, this.end)).toPrecision(4));
    return `${this.nameOf(from)} to ${this.nameOf(to)}: ${names.length === 0 ? "idle" : listed(names)}\n` +
      `in total ${counted(bytes, "byte")} in ${counted(messages, "message")}, busy ${exact(busy)} (${percent} % of the run), ` +
      `shared ${exact(shared)}`;
  }
}
