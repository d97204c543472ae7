// The form of a lesson's question: a hint after the first wrong answer, the solution after the second one or on request.

import { make, write } from "../dom.js";

export class Ask {
  /** `goTo` is called with the number of a step to repeat. */
  constructor(ask, host, compute, goTo) {
    Object.assign(this, { ask, compute, goTo, wrong: 0, asked: 0 });
    this.form = make("form", { hidden: true }, host);
    if (ask.options) this.choices();
    else this.number();
    make("p", { className: "small", textContent: this.about() }, this.form);
    const buttons = make("p", { className: "buttons" }, this.form);
    make("button", { type: "submit", textContent: "Check" }, buttons);
    this.repeat = make("button", { type: "button", textContent: `Repeat step ${ask.repeat}`, hidden: true }, buttons);
    this.solution = make("button", { type: "button", id: "lesson-solution", textContent: "Show the answer", hidden: true }, buttons);
    this.verdict = make("p", { id: "lesson-verdict", aria: { role: "status" } }, this.form);
    this.repeat.addEventListener("click", () => goTo(ask.repeat));
    this.solution.addEventListener("click", () => this.judge(NaN, true));
    this.form.addEventListener("input", () => this.say("", ""));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.judge(this.answer(), false);
    });
  }

  choices() {
    const set = make("fieldset", {}, this.form);
    write(this.ask.text, make("legend", {}, set));
    for (const [value, text] of this.ask.options) {
      const label = make("label", { className: "check" }, make("div", {}, set));
      make("input", { type: "radio", name: "lesson-answer", value, required: true }, label);
      label.append(text);
    }
    this.answer = () => this.form.querySelector("input:checked").value;
  }

  number() {
    const label = make("label", {}, this.form);
    write(this.ask.text, make("p", {}, label));
    const field = make("input", { type: "number", id: "lesson-number", min: 0, step: "any", required: true }, label);
    label.append(` ${this.ask.unit}`);
    this.answer = () => field.valueAsNumber;
  }

  about() {
    const { options, tolerance } = this.ask;
    return `${options ? "" : `Right within ${tolerance * 100} %. `}The page computes the answer when you check.`;
  }

  /** Writes the verdict; what is still computed for an earlier one is dropped. */
  say(className, text) {
    this.asked++;
    this.verdict.className = className;
    this.verdict.replaceChildren();
    write(text, this.verdict);
  }

  /** Judges an answer, or only shows the solution. */
  async judge(given, isShown) {
    this.say("", "Computing ..");
    const now = this.asked;
    const { isRight, text } = await this.ask.check(given, this.compute).catch((error) => ({ text: error.message }));
    if (this.asked !== now) return;
    if (isRight === undefined) this.say("error", text);
    else if (isShown) this.say("answer", `The answer: ${text}`);
    else if (isRight) this.say("right", `Right. ${text}`);
    else {
      this.wrong++;
      this.say("wrong", `Not yet. ${this.wrong === 1 ? `${this.ask.hint} Step ${this.ask.repeat} tells more.` : text}`);
      this.repeat.hidden = this.solution.hidden = false;
    }
  }
}
