// The answer: sentence, chart, bars for one length, notes and table; hidden until a prediction is made if the page asks for one.

import { Chart, COLOURS } from "./chart.js";
import { Computation } from "./compute.js";
import { element, fill, make, option, say } from "./dom.js";
import { explain } from "./fields.js";
import { Predict } from "./predict.js";
import { chosen } from "./question.js";
import { Results } from "./results.js";
import { cellText, showTable } from "./table.js";
import { counted, lengthText, lengthWords, listed, readLengths, timeText } from "./units.js";

/** What lower bounds count (`plan::Reason`). */
const REASONS = {
  "start-up": "start-ups, one after the other, until the last node has heard from the first",
  gossip: "start-ups, until all nodes have heard from all",
  intake: "bytes that some node must receive through its ports",
  output: "bytes that some node must send through its ports",
  "start-up and bytes": "start-ups, and then the bytes of the last node that hears",
  traffic: "bytes that some node must send or receive through its ports",
  "both ways": "bytes that some node must send and receive together: the duplex limit",
  combining: "combining of elements",
  bisection: "bytes that must cross a straight cut through the network",
  submesh: "bytes that must enter or leave a part of the network",
  trees: "bytes along trees, with prices of ports and links",
  paths: "bytes along paths, with prices of ports and links",
};

/** A slider that has not moved for this time, in milliseconds, is at rest. */
const REST = 400;

/** A computation that takes longer than this, in milliseconds, is announced to screen readers. */
const SLOW = 1500;

/** The length nearest to a given one. */
function nearest(lengths, bytes) {
  const far = (other) => Math.abs(Math.log2((other + 1) / (bytes + 1)));
  return lengths.reduce((best, other) => (best === null || far(other) < far(best) ? other : best), null);
}

export class Answer {
  /** `onChange` is called when rows have come or another length is looked at. */
  constructor(state, onChange) {
    Object.assign(this, { state, onChange, shown: new Results(), isCoarse: false, isOld: false });
    Object.assign(this, { pointed: null, frame: 0, settling: 0 });
    this.computation = new Computation(
      (results, isCoarse) => this.take(results, isCoarse),
      (error, moving) => this.end(error, moving),
    );
    this.chart = new Chart(
      element("chart"),
      element("legend"),
      (at) => this.pick(at),
      (at) => this.point(at),
    );
    this.predict = new Predict(() => this.draw());
    element("at").addEventListener("change", (event) => this.pick(Number(event.target.value)));
    element("table-part").addEventListener("toggle", () => this.table());
    window.addEventListener("beforeprint", () => this.table(true));
  }

  get isBusy() {
    return this.computation.isBusy || this.settling !== 0;
  }

  /** The rows of the question; empty while they are computed. */
  rows() {
    return this.computation.hasAll ? this.computation.results.rows : [];
  }

  /** The lengths of the question, also of those whose rows have not come yet. */
  lengths() {
    return readLengths(this.state.question.bytes ?? "2K") ?? this.shown.lengths;
  }

  /** The length looked at: that of the page or, if it is not in the question, the nearest one. */
  at() {
    const lengths = this.lengths();
    const wanted = Number(this.state.page.at);
    if (lengths.length === 0) return null;
    return wanted >= 0 && this.state.page.at !== undefined ? nearest(lengths, wanted) : lengths[Math.floor(lengths.length / 2)];
  }

  pick(at) {
    this.pointed = null;
    this.state.turn({ at: String(at) });
  }

  point(at) {
    if (at === this.pointed) return;
    this.pointed = at;
    this.atLength();
  }

  /** Computes the question; while a slider is `moving` only coarsely, until it rests. */
  update(moving) {
    clearTimeout(this.settling);
    this.settling = moving ? setTimeout(() => this.update(false), REST) : 0;
    const { question } = this.state;
    this.predict.question(question);
    this.busy(true);
    // Until rows of this question come, those of the last one are faint.
    const key = JSON.stringify(question);
    if (key !== this.key) this.isOld = true;
    this.key = key;
    element("results").classList.toggle("old", this.isOld);
    element("answer-error").hidden = true;
    if (chosen(question).length === 0) {
      this.computation.cancel();
      this.end(new Error("No algorithm is chosen: choose at least one."), false);
      return;
    }
    this.computation.start({ ...question, algorithm: chosen(question) }, this.at(), moving);
  }

  busy(isBusy) {
    clearTimeout(this.slow);
    if (isBusy) this.slow = setTimeout(() => say("Computing .."), SLOW);
    element("answer").setAttribute("aria-busy", String(isBusy));
    element("progress").textContent = isBusy ? "Computing .." : this.finished();
  }

  finished() {
    const { algorithms, lengths } = this.shown;
    const what = `${counted(algorithms.length, "algorithm")}, ${counted(lengths.length, "length")}`;
    if (lengths.length === 0) return "No time.";
    return this.isCoarse ? `${what}: coarse result while a slider moves.` : `${what}, complete.`;
  }

  take(results, isCoarse) {
    this.shown = results;
    this.isCoarse = isCoarse;
    this.isOld = false;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  end(error, moving) {
    const field = element("answer-error");
    field.hidden = error === null;
    explain(error?.message ?? "", field);
    if (error !== null || !moving) Object.assign(this, { shown: this.computation.results, isCoarse: false });
    this.isOld = false;
    this.busy(false);
    if (error) {
      const rows = this.shown.rows.filter((row) => row.time_us !== null);
      element("progress").textContent = rows.length > 0 ? `Incomplete: ${counted(rows.length, "row")} before the error.` : "";
    }
    this.draw();
    if (!moving)
      say(
        error
          ? error.message
          : this.predict.isHiding(this.state.page)
            ? "The answer is ready: predict first."
            : this.shown.sentence(),
      );
  }

  /** Draws everything from the rows that there are. */
  draw() {
    const results = this.shown;
    const at = this.at();
    this.predict.update(this.state.page, results, at);
    const isHidden = this.predict.isHiding(this.state.page);
    element("results").hidden = isHidden;
    element("results").classList.toggle("old", this.isOld);
    element("sentence").textContent = results.sentence();
    this.chart.draw(results, at);
    const select = element("at");
    const lengths = this.lengths();
    if (select.dataset.lengths !== lengths.join()) {
      select.dataset.lengths = lengths.join();
      select.replaceChildren();
      lengths.forEach((bytes) => option(bytes, lengthWords(bytes), select));
    }
    this.atLength();
    this.notes();
    this.table();
    this.onChange(results, at, isHidden);
  }

  /** Shows the bars of the length under the pointer or looked at. */
  atLength() {
    const at = this.pointed !== null && this.shown.lengths.includes(this.pointed) ? this.pointed : this.at();
    if (at === null) {
      element("bars").replaceChildren();
      element("bound").textContent = "";
      return;
    }
    fill(element("at"), String(at));
    this.chart.mark(at);
    this.bars(at);
  }

  bars(at) {
    const results = this.shown;
    const host = element("bars");
    const names = results.ranked(at);
    const bound = results.bound(at);
    const most = Math.max(...names.map((name) => results.time(at, name)), bound?.bound_us ?? 0);
    const width = (time) => `${most > 0 ? (100 * time) / most : 0}%`;
    host.replaceChildren();
    for (const name of names) {
      const row = results.at(at, name);
      const item = make("li", { data: { algorithm: name } }, host);
      const facts = row.ratio === null ? [] : [`${row.ratio.toFixed(2)} x lower bound`];
      // Auto is not ranked: it is one of the algorithms, not only of those that are compared here.
      const isLeftOut = name === "auto" && results.hasAutoBeside;
      if (row.chosen && row.chosen !== name) facts.push(name === "auto" ? `chose ${row.chosen}` : row.chosen);
      if (isLeftOut) facts.push("not ranked");
      if (isLeftOut) item.className = "left-out";
      make("span", { className: "name", textContent: name }, item);
      make(
        "span",
        { className: "figure", textContent: `${cellText(row, "time_us")} us`, title: `${timeText(row.time_us)}` },
        item,
      );
      make(
        "span",
        { className: "small", textContent: facts.join("; ") },
        item,
      );
      const bar = make(
        "span",
        { className: `bar c${results.algorithms.indexOf(name) % COLOURS}`, aria: { hidden: "true" } },
        item,
      );
      make("span", { className: "fill" }, bar).style.width = width(row.time_us);
      if (bound) make("span", { className: "limit" }, bar).style.left = width(bound.bound_us);
    }
    element("bound").textContent = bound
      ? `Lower bound ${cellText(bound, "bound_us")} us, decided by ${bound.decided_by}: ${REASONS[bound.decided_by] ?? "see the timing model"}.`
      : "";
  }

  notes() {
    const host = element("notes");
    host.replaceChildren();
    if (this.shown.varies)
      make(
        "li",
        { textContent: "More than the length varies: chart and bars show the first case of each length, the table shows all." },
        host,
      );
    for (const { algorithms, lengths, text } of this.shown.restrictions()) {
      const where =
        lengths.length === this.shown.lengths.length || lengths[0] === null
          ? ""
          : ` for ${lengths.slice(0, 3).map(lengthText).join(", ")}${lengths.length > 3 ? ", .." : ""}`;
      const names = listed(algorithms);
      explain(`${names} ${algorithms.length === 1 ? "has" : "have"} no time${where}: ${text}`, make("li", {}, host));
    }
    const isIncomplete = this.shown.rows.some((row) => row.complete === false) && !this.isCoarse;
    if (isIncomplete)
      make(
        "li",
        { textContent: "The search for the fastest variant stopped early in some cases; a higher effort tries more variants." },
        host,
      );
  }

  /** Fills the table if it is open, or for print. */
  table(isForced = false) {
    const rows = this.computation.results.rows;
    element("table-count").textContent = counted(rows.length, "row");
    // While rows arrive, a long table would be built again and again.
    if (this.isBusy && rows.length > 200) return;
    if (element("table-part").open || isForced) showTable(element("table"), rows, this.at());
  }
}
