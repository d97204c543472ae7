// The question: operation, root or sources, lengths, algorithms, effort.

import { element, fill, make, option, write } from "./dom.js";
import { refuse, removed, textOf } from "./fields.js";
import { counted, lengthText, readLength, readLengths } from "./units.js";

/** Axes that only some operations have. */
const OWN_AXES = ["root", "distribution", "sources", "fan-out", "skew", "gamma"];

/** The usual algorithms of an operation, in this order; algorithms that the operation does not have are left out. */
const USUAL = {
  "s-to-p": ["br-lin", "br-xy-source", "2-step", "repos-br-lin", "spread", "auto"],
  "all-to-all": ["pairwise", "balanced", "bruck", "levels", "two-stage", "auto"],
  scan: ["doubling", "halving", "pipeline", "auto"],
};
const USUAL_OF_OTHERS = ["tree", "short", "long", "doubling", "halving", "hybrid", "pipeline", "auto"];
const MOST_USUAL = 6;

/** At most six algorithms that show the main ideas of an operation. */
export function usual(operation) {
  const names = operation.algorithms.map((one) => one.name);
  const known = (USUAL[operation.name] ?? USUAL_OF_OTHERS).filter((name) => names.includes(name));
  return (known.length > 0 ? known : names).slice(0, MOST_USUAL);
}

/** The algorithms of a question as a list. */
export const chosen = (question) =>
  Array.isArray(question.algorithm) ? question.algorithm : question.algorithm ? String(question.algorithm).split(",") : ["auto"];

export class Question {
  constructor(state, facts) {
    Object.assign(this, { state, facts, listed: "", others: new Set() });
    facts.operations.forEach((one) => option(one.name, one.name, element("operation")));
    option("", "row (usual)", element("distribution"));
    facts.distributions.forEach((name) => option(name, name, element("distribution")));
    option("text", "a list or another text", element("distribution"));
    this.listen();
  }

  operation() {
    return this.facts.operations.find((one) => one.name === (this.state.question.operation ?? "broadcast"));
  }

  listen() {
    const changes = (id, call) =>
      element(id).addEventListener("change", (event) => call(textOf(event.target) || undefined));
    changes("operation", (name) => this.choose(name));
    for (const [id, key] of [
      ["root", "root"],
      ["sources-number", "sources"],
      ["fan-out", "fan-out"],
    ]) {
      changes(id, (text) => {
        const isGood = text === undefined || readLengths(text) !== null;
        if (refuse(element(id), isGood ? "" : "Give a whole number, or nothing.")) this.state.change({ [key]: text });
      });
    }
    changes("distribution", (name) =>
      name === "text" ? element("distribution-text").focus() : this.state.change({ distribution: name }),
    );
    changes("distribution-text", (distribution) =>
      this.state.change(distribution?.startsWith("list:") ? { distribution, sources: undefined } : { distribution }),
    );
    changes("skew", (skew) => this.state.change({ skew }));
    changes("bytes", (bytes) => this.lengths(bytes));
    changes("bytes-from", () => this.range());
    changes("bytes-to", () => this.range());
    changes("effort", (effort) => this.state.change({ effort: effort === "normal" ? undefined : effort }));
    element("algorithms").addEventListener("change", () => {
      const names = [...element("algorithms").querySelectorAll("input:checked")].map((box) => box.value);
      this.state.change({ algorithm: names });
    });
    const all = () => this.operation().algorithms.map((one) => one.name);
    for (const [id, names] of [
      ["usual", () => usual(this.operation())],
      ["all", all],
      ["none", () => []],
    ]) {
      element(`algorithms-${id}`).addEventListener("click", () => this.state.change({ algorithm: names() }));
    }
    element("ask").addEventListener("change", (event) => this.state.turn({ ask: event.target.checked ? "1" : undefined }));
  }

  /** Chooses an operation with its usual algorithms; axes that it does not have are removed. */
  choose(name) {
    const operation = this.facts.operations.find((one) => one.name === name);
    const keys = { operation: name, algorithm: usual(operation) };
    for (const axis of OWN_AXES) if (!operation.axes.includes(axis)) keys[axis] = undefined;
    const note = removed(this.state.question, keys);
    this.state.change(keys);
    element("question-note").textContent = note;
  }

  lengths(text) {
    const isGood = text === undefined || readLengths(text) !== null;
    const wrong = `${text} is not a list of lengths: give a length 64K, a list 1K,4K or a doubling range 8..1M.`;
    if (!refuse(element("bytes"), isGood ? "" : wrong)) return;
    this.state.change({ bytes: text });
    if (text === undefined) element("question-note").textContent = "Without lengths the length is 2K.";
  }

  range() {
    const fields = ["bytes-from", "bytes-to"].map(element);
    const [from, to] = fields.map(textOf);
    const [least, most] = [readLength(from), readLength(to)];
    const wrong = [
      least > 0 ? "" : `Lengths from ${from || "nothing"}: give a length of at least 1 byte, such as 8 or 4K.`,
      most >= least || !(least > 0)
        ? ""
        : `Lengths to ${to || "nothing"}: give a length that is not less than ${from}, such as 1M.`,
    ];
    // Both fields have one place for messages.
    const order = wrong[0] === "" ? [0, 1] : [1, 0];
    const good = order.map((nth) => refuse(fields[nth], wrong[nth]));
    if (!good.includes(false)) this.state.change({ bytes: least === most ? from : `${from}..${to}` });
  }

  /** Shows the question. */
  update() {
    const { question } = this.state;
    const operation = this.operation();
    element("question-note").textContent = "";
    fill(element("operation"), question.operation ?? "broadcast");
    element("operation-about").textContent = operation?.about ?? "";
    for (const label of document.querySelectorAll("#question [data-axis]"))
      label.hidden = !(operation?.axes.includes(label.dataset.axis) ?? false);
    fill(element("root"), question.root ?? "");
    const distribution = question.distribution ?? "";
    fill(element("distribution"), distribution === "" || this.facts.distributions.includes(distribution) ? distribution : "text");
    fill(element("distribution-text"), distribution);
    fill(element("sources-number"), question.sources ?? "");
    element("sources-number").disabled = distribution.startsWith("list:");
    fill(element("fan-out"), question["fan-out"] ?? "");
    fill(element("skew"), question.skew ?? "");
    this.showLengths(question.bytes ?? "2K");
    fill(element("effort"), question.effort ?? "normal");
    element("ask").checked = this.state.page.ask === "1";
    if (operation) this.showAlgorithms(operation, chosen(question));
  }

  showLengths(text) {
    fill(element("bytes"), text);
    const lengths = readLengths(text);
    element("bytes-about").textContent = lengths ? `${counted(lengths.length, "length")}.` : "";
    if (!lengths) return;
    fill(element("bytes-from"), lengthText(lengths[0]));
    fill(element("bytes-to"), lengthText(lengths[lengths.length - 1]));
  }

  showAlgorithms(operation, names) {
    const host = element("algorithms");
    const known = operation.algorithms.map((one) => one.name);
    // Algorithms that are compared only by name, an alias or a strategy such as 2x3x5:SSMCC.
    const others = names.filter((name) => name !== "all" && !known.includes(name));
    if (this.listed !== operation.name || others.some((name) => !this.others.has(name))) {
      this.others = new Set(this.listed === operation.name ? [...this.others, ...others] : others);
      this.listed = operation.name;
      this.listAlgorithms(operation, host);
    }
    const boxes = [...host.querySelectorAll("input")];
    for (const box of boxes) box.checked = names.includes(box.value) || (names.includes("all") && known.includes(box.value));
    element("algorithms-count").textContent = boxes.filter((box) => box.checked).length;
  }

  /** Lists all algorithms of an operation, the usual ones first. */
  listAlgorithms(operation, host) {
    host.replaceChildren();
    host.scrollTop = 0;
    const first = usual(operation);
    const rank = (one) => (first.includes(one.name) ? first.indexOf(one.name) : first.length);
    const order = [...operation.algorithms].sort((one, other) => rank(one) - rank(other));
    for (const name of this.others) this.addAlgorithm({ name, about: "compared by name" }, host);
    for (const algorithm of order) this.addAlgorithm(algorithm, host);
  }

  addAlgorithm({ name, about, source, cost, restrictions = [] }, host) {
    const item = make("li", {}, host);
    const label = make("label", { className: "check" }, item);
    make("input", { type: "checkbox", value: name, name: "algorithm" }, label);
    make("b", { textContent: name }, label);
    make("span", { className: "small", textContent: about }, label);
    const facts = [
      ["Cost", cost],
      ["Source", source],
      ["Restrictions", restrictions.join("; ")],
    ].filter((one) => one[1]);
    if (facts.length === 0) return;
    const details = make("details", { className: "small" }, item);
    const kinds = facts.map(([what]) => what.toLowerCase()).join(", ");
    make("summary", { textContent: kinds, aria: { label: `${name}: ${kinds}` } }, details);
    for (const [what, text] of facts) write(`${what}: ${text}`, make("p", {}, details));
  }
}
