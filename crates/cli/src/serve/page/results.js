// The rows of a question, by length and algorithm.

import { lengthText, listed } from "./units.js";

export class Results {
  constructor() {
    this.rows = [];
    this.first = new Map();
    this.algorithms = [];
    this.lengths = [];
    /** The lengths of which all rows have come; null if these are all lengths. */
    this.settled = null;
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

  /** While rows come, case by case: the lengths of the last case are not settled. */
  settle() {
    const last = this.rows[this.rows.length - 1].case;
    const open = new Set([...this.first.values()].filter((row) => row.case === last).map((row) => row.bytes));
    this.settled = this.lengths.filter((bytes) => !open.has(bytes));
  }

  /** The lengths that can be compared. */
  get compared() {
    return this.settled ?? this.lengths;
  }

  /** These rows, and for lengths and algorithms without a row those of other results. */
  over(other) {
    const all = new Results().add(this.rows);
    all.add(other.rows.filter((row) => !this.first.has(`${row.bytes} ${row.algorithm}`)));
    all.settled = this.compared;
    return all;
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

  /**
   * The algorithms that have a time at a length, from the fastest to the slowest; equal ones in the order of the question. `auto`, which
   * is one of the others, is the last.
   */
  ranked(bytes) {
    const timed = this.algorithms.filter((name) => this.time(bytes, name) !== null);
    const rank = (name) => (name === "auto" ? Infinity : this.time(bytes, name));
    return timed.sort((one, other) => (rank(one) < rank(other) ? -1 : Number(rank(one) > rank(other))));
  }

  /** As `ranked`, without `auto` if another algorithm is compared. */
  rankedByName(bytes) {
    return this.ranked(bytes).filter((name) => !this.hasAutoBeside || name !== "auto");
  }

  /** Whether `auto` is compared beside others, and is therefore left out where the fastest is named. */
  get hasAutoBeside() {
    return this.algorithms.length > 1 && this.algorithms.includes("auto");
  }

  /** Ranges of lengths with the same fastest algorithm: `{ name, from, to }`. If several are equally fast, a range goes on. */
  ranges() {
    const ranges = [];
    for (const bytes of this.compared) {
      const [name] = this.rankedByName(bytes);
      const last = ranges[ranges.length - 1];
      if (name === undefined) continue;
      if (last && this.time(bytes, last.name) === this.time(bytes, name)) last.to = bytes;
      else ranges.push({ name, from: bytes, to: bytes });
    }
    return ranges;
  }

  /**
   * Where the fastest algorithm changes; `bytes` and `time` are where the lines of the chart meet, which `isLowest` if no third one is
   * below.
   */
  crossovers() {
    const ranges = this.ranges();
    return ranges.slice(1).map((after, nth) => {
      const before = ranges[nth];
      const meeting = this.meeting(before.name, after.name, before.to, after.from);
      const isBelow = (name) => this.between(name, before.to, after.from, meeting.bytes) < meeting.time;
      const others = this.rankedByName(after.from).filter((name) => name !== before.name && name !== after.name);
      const isLowest = !others.some(isBelow);
      return { before: before.name, after: after.name, from: before.to, to: after.from, ...meeting, isLowest };
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

  /** The straight line of an algorithm between two lengths on logarithmic axes, as a time at a length. */
  between(name, from, to, bytes) {
    const part = from > 0 ? Math.log(bytes / from) / Math.log(to / from) : 1;
    return (this.time(from, name) ?? NaN) ** (1 - part) * (this.time(to, name) ?? NaN) ** part;
  }

  /** The fastest algorithms in words. */
  sentence() {
    const ranges = this.ranges();
    if (ranges.length === 0) return "";
    const named = (range) => {
      const span = range.from === range.to ? lengthText(range.from) : `${lengthText(range.from)} to ${lengthText(range.to)}`;
      return `${range.name} (${span})`;
    };
    const without = this.hasAutoBeside ? ", auto left out" : "";
    if (ranges.length === 1) return `Fastest${without}: ${named(ranges[0])}.`;
    const changes = this.crossovers().map(
      (one) => `${one.before} to ${one.after} between ${lengthText(one.from)} and ${lengthText(one.to)}`,
    );
    return `Fastest by length${without}: ${listed(ranges.map(named))}. Crossovers, between measured lengths: ${listed(changes)}.`;
  }

  /** Why algorithms have no time, each text once for the same lengths: `{ algorithms, lengths, text }`. */
  restrictions() {
    const grouped = (items, keyOf, valueOf) => {
      const groups = new Map();
      for (const item of items) groups.set(keyOf(item), (groups.get(keyOf(item)) ?? new Set()).add(valueOf(item)));
      return [...groups];
    };
    const rows = this.rows.filter((one) => one.restriction);
    const single = grouped(
      rows,
      (row) => JSON.stringify([row.restriction, row.algorithm]),
      (row) => row.bytes,
    ).map(([key, lengths]) => [...JSON.parse(key), [...lengths]]);
    return grouped(
      single,
      ([text, , lengths]) => JSON.stringify([text, lengths]),
      ([, algorithm]) => algorithm,
    ).map(([key, algorithms]) => {
      const [text, lengths] = JSON.parse(key);
      return { algorithms: [...algorithms], lengths, text };
    });
  }
}
