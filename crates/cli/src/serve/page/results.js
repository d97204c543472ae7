// The rows of a question, by length and algorithm.

import { lengthText, listed } from "./units.js";

export class Results {
  constructor() {
    this.rows = [];
    this.first = new Map();
    this.algorithms = [];
    this.lengths = [];
  }

  add(rows) {
    for (const row of rows) {
      this.rows.push(row);
      const key = `${row.bytes} ${row.algorithm}`;
      if (!this.first.has(key)) this.first.set(key, row);
      if (!this.algorithms.includes(row.algorithm)) this.algorithms.push(row.algorithm);
      if (row.bytes !== null && !this.lengths.includes(row.bytes)) this.lengths.push(row.bytes);
    }
    this.lengths.sort((one, other) => one - other);
    return this;
  }

  /** These rows, and for lengths and algorithms without a row those of other results. */
  over(other) {
    const all = new Results().add(this.rows);
    return all.add(other.rows.filter((row) => !this.first.has(`${row.bytes} ${row.algorithm}`)));
  }

  /** Whether more than the length varies, so that a length and an algorithm have several rows. */
  get varies() {
    return this.first.size < this.rows.length;
  }

  /** The first row of a length and an algorithm. */
  at(bytes, algorithm) {
    return this.first.get(`${bytes} ${algorithm}`);
  }

  time(bytes, algorithm) {
    return this.at(bytes, algorithm)?.time_us ?? null;
  }

  /** A row of the length with a lower bound. */
  bound(bytes) {
    return this.algorithms.map((name) => this.at(bytes, name)).find((row) => typeof row?.bound_us === "number");
  }

  /** The length nearest to a given one. */
  nearest(bytes) {
    const far = (other) => Math.abs(Math.log2((other + 1) / (bytes + 1)));
    return this.lengths.reduce((best, other) => (best === null || far(other) < far(best) ? other : best), null);
  }

  /** The algorithms that have a time at a length, from the fastest to the slowest; equal ones in the order of the question. */
  ranked(bytes) {
    const timed = this.algorithms.filter((name) => this.time(bytes, name) !== null);
    return timed.sort((one, other) => this.time(bytes, one) - this.time(bytes, other));
  }

  /** As `ranked`, without `auto` if there is another algorithm: `auto` is one of the others. */
  rankedByName(bytes) {
    const names = this.ranked(bytes);
    const others = names.filter((name) => name !== "auto");
    return others.length > 0 ? others : names;
  }

  /** Ranges of lengths with the same fastest algorithm: `{ name, from, to }`. If several are equally fast, a range goes on. */
  ranges() {
    const ranges = [];
    for (const bytes of this.lengths) {
      const [name] = this.rankedByName(bytes);
      const last = ranges[ranges.length - 1];
      if (name === undefined) continue;
      if (last && this.time(bytes, last.name) === this.time(bytes, name)) last.to = bytes;
      else ranges.push({ name, from: bytes, to: bytes });
    }
    return ranges;
  }

  /** Where the fastest algorithm changes; `bytes` and `time` are where the lines of the chart meet. */
  crossovers() {
    const ranges = this.ranges();
    return ranges.slice(1).map((after, nth) => {
      const before = ranges[nth];
      const meeting = this.meeting(before.name, after.name, before.to, after.from);
      return { before: before.name, after: after.name, from: before.to, to: after.from, ...meeting };
    });
  }

  /** Where the straight lines of two algorithms between two lengths meet on logarithmic axes. */
  meeting(one, other, from, to) {
    const logs = [from, to].map((bytes) => [one, other].map((name) => Math.log(this.time(bytes, name))));
    const [[a, b], [c, d]] = logs;
    const part = (b - a) / (b - a + c - d);
    if (![a, b, c, d].every(Number.isFinite) || !(part >= 0 && part <= 1) || from === 0)
      return { bytes: to, time: this.time(to, other) };
    return { bytes: Math.exp(Math.log(from) + part * Math.log(to / from)), time: Math.exp(a + part * (c - a)) };
  }

  /** The fastest algorithms in words. */
  sentence() {
    const ranges = this.ranges();
    if (ranges.length === 0) return "";
    const named = (range) => {
      const span = range.from === range.to ? lengthText(range.from) : `${lengthText(range.from)} to ${lengthText(range.to)}`;
      return `${range.name} (${span})`;
    };
    if (ranges.length === 1) return `Fastest: ${named(ranges[0])}.`;
    const changes = this.crossovers().map(
      (one) => `${one.before} to ${one.after} between ${lengthText(one.from)} and ${lengthText(one.to)}`,
    );
    return `Fastest by length: ${listed(ranges.map(named))}. Crossovers: ${listed(changes)}.`;
  }

  /** Why algorithms have no time: `{ algorithm, lengths, text }`. */
  restrictions() {
    const found = new Map();
    for (const row of this.rows.filter((one) => one.restriction)) {
      const note = found.get(row.algorithm) ?? { algorithm: row.algorithm, lengths: [], text: row.restriction };
      if (!note.lengths.includes(row.bytes)) note.lengths.push(row.bytes);
      found.set(row.algorithm, note);
    }
    return [...found.values()];
  }
}
