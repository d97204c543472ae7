// Predict, then reveal: the answer is hidden until the fastest algorithm and its time have been guessed.

import { element, make, option } from "./dom.js";
import { lengthWords, listed, timeText } from "./units.js";

const UNITS = [
  ["us", 1],
  ["ms", 1e3],
  ["s", 1e6],
];

/** How far a guess is from a time, in words. */
export function distance(guess, time) {
  const ratio = Math.max(guess / time, time / guess);
  const way = guess < time ? "too short" : "too long";
  if (ratio <= 1.1) return "within 10 %: very close";
  if (ratio <= 2) return `${Math.round((ratio - 1) * 100)} % ${way}: close`;
  return `${Number(ratio.toPrecision(2))} times ${way}`;
}

export class Predict {
  constructor(onReveal) {
    Object.assign(this, { onReveal, key: "", revealed: null, made: "", results: null, at: null });
    this.form = element("predict");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.reveal();
    });
  }

  /** A new question is asked again. */
  question(question) {
    const key = JSON.stringify(question);
    if (key !== this.key) this.revealed = null;
    this.key = key;
  }

  isHiding(page) {
    return page.ask === "1" && this.revealed === null;
  }

  update(page, results, at) {
    const isHiding = this.isHiding(page);
    this.form.hidden = !isHiding;
    // A verdict belongs to its length.
    element("verdict").hidden = page.ask !== "1" || isHiding || this.revealed.at !== at;
    Object.assign(this, { results, at });
    if (!isHiding || at === null) return;
    this.list(results, at);
    this.form.querySelector("button").disabled = !results.compared.includes(at);
  }

  /** Lists the algorithms in the form. */
  list(results, at) {
    const names = results.algorithms.filter((name) => name !== "auto" || results.algorithms.length === 1);
    const made = JSON.stringify([names, at]);
    if (made === this.made) return;
    this.made = made;
    this.form.replaceChildren();
    make("p", { textContent: `Predict first: ${lengthWords(at)} on this machine.` }, this.form);
    const set = make("fieldset", {}, this.form);
    make("legend", { textContent: "Which algorithm is the fastest?" }, set);
    for (const name of names) {
      const label = make("label", { className: "check" }, set);
      make("input", { type: "radio", name: "guess", value: name, required: true }, label);
      label.append(` ${name}`);
    }
    const label = make("label", { textContent: "Its time " }, this.form);
    make("input", { type: "number", id: "guess-time", min: 0, step: "any", required: true }, label);
    const unit = make("select", { id: "guess-unit", aria: { label: "Unit of the time" } }, this.form);
    UNITS.forEach(([name]) => option(name, name, unit));
    make("button", { type: "submit", textContent: "Reveal the answer" }, this.form);
  }

  reveal() {
    const { results, at } = this;
    const name = this.form.querySelector("input:checked").value;
    const guess = element("guess-time").valueAsNumber * UNITS.find(([unit]) => unit === element("guess-unit").value)[1];
    const [first, ...others] = results.rankedByName(at);
    const time = results.time(at, name);
    const best = [first, ...others.filter((other) => results.time(at, other) === results.time(at, first))];
    const isRight = best.includes(name);
    const says = isRight
      ? `Right: ${name} is the fastest.`
      : first
        ? `${name} is not the fastest: ${listed(best)}, ${timeText(results.time(at, first))}.`
        : "No algorithm has a time.";
    const close =
      time > 0 && guess > 0
        ? ` ${name} takes ${timeText(time)}; your guess of ${timeText(guess)} is ${distance(guess, time)}.`
        : time === null
          ? ` ${name} has no time here.`
          : ` ${name} takes ${timeText(time)}.`;
    this.revealed = { at };
    const verdict = element("verdict");
    verdict.textContent = `For ${lengthWords(at)}: ${says}${close}`;
    verdict.className = isRight ? "right" : "wrong";
    this.onReveal();
    verdict.tabIndex = -1;
    verdict.focus();
  }
}
