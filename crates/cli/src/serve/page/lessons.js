// Lessons: a list of steps, each of which sets a state of the page, and a question that rows answer which are computed at that moment.

import * as api from "./api.js";
import { element, make, write } from "./dom.js";
import { Results } from "./results.js";
import { lesson as allToAll } from "./lessons/bisection.js";
import { lesson as contention } from "./lessons/contention.js";
import { lesson as machines } from "./lessons/machines.js";
import { lesson as rings } from "./lessons/rings.js";
import { lesson as sources } from "./lessons/sources.js";
import { lesson as trees } from "./lessons/trees.js";

const LESSONS = [trees, rings, contention, sources, allToAll, machines];

/** Computes the rows of a question. */
async function compute(question) {
  const results = new Results();
  await api.rows(question, undefined, (rows) => results.add(rows));
  return results;
}

export class Lessons {
  constructor(state) {
    Object.assign(this, { state, shown: 0 });
    LESSONS.forEach((lesson, nth) => {
      const button = make("button", { type: "button", textContent: `${nth + 1}. ${lesson.title}` }, element("lesson-list"));
      button.addEventListener("click", () => state.turn({ lesson: this.number() === nth + 1 ? undefined : String(nth + 1) }));
    });
    element("back").addEventListener("click", () => this.goBack());
  }

  /** Goes back to the step that was shown last. */
  goBack() {
    const button = document.querySelector("#lesson li.now button") ?? element("lesson-list").firstElementChild;
    button.scrollIntoView({ block: "center" });
    button.focus();
  }

  /** The number of the lesson of the page, from 1; 0 without a lesson. */
  number() {
    const number = Number(this.state.page.lesson);
    return Number.isInteger(number) && number >= 1 && number <= LESSONS.length ? number : 0;
  }

  update() {
    const number = this.number();
    [...element("lesson-list").children].forEach((button, nth) =>
      button.setAttribute("aria-pressed", String(nth + 1 === number)),
    );
    document.querySelector("main").classList.toggle("taught", number > 0);
    element("lesson").hidden = number === 0;
    if (number === this.shown) return;
    this.shown = number;
    if (number > 0) this.show(LESSONS[number - 1]);
  }

  show(lesson) {
    const host = element("lesson");
    host.replaceChildren();
    make("h3", { textContent: lesson.title }, host);
    make("p", { textContent: lesson.about }, host);
    const steps = make("ol", {}, host);
    lesson.steps.forEach((step, nth) => {
      const item = make("li", {}, steps);
      write(step.text, make("p", {}, item));
      if (!step.question) return;
      const label = `Show step ${nth + 1} on the page`;
      const button = make("button", { type: "button", textContent: "Show", aria: { label } }, item);
      button.addEventListener("click", () => {
        for (const other of steps.children) other.classList.toggle("now", other === item);
        this.state.set(step.question, { left: undefined, right: undefined, ask: undefined, ...step.page });
        // On narrow screens the answer is far below.
        const answer = element("answer").getBoundingClientRect();
        if (answer.top > window.innerHeight || answer.bottom < 0) element("answer").scrollIntoView({ block: "start" });
      });
    });
    this.ask(lesson.ask, host);
  }

  /** Makes the form of a question: a choice, or a number with a tolerance. */
  ask(ask, host) {
    const form = make("form", { noValidate: false }, host);
    make("h3", { textContent: "Question" }, form);
    let answer;
    if (ask.options) {
      const set = make("fieldset", {}, form);
      write(ask.text, make("legend", {}, set));
      for (const [value, text] of ask.options) {
        const label = make("label", { className: "check" }, make("div", {}, set));
        make("input", { type: "radio", name: "lesson-answer", value, required: true }, label);
        label.append(text);
      }
      answer = () => form.querySelector("input:checked").value;
    } else {
      const label = make("label", {}, form);
      write(ask.text, make("p", {}, label));
      const field = make("input", { type: "number", id: "lesson-number", min: 0, step: "any", required: true }, label);
      label.append(` ${ask.unit}`);
      answer = () => field.valueAsNumber;
    }
    make(
      "p",
      {
        className: "small",
        textContent: ask.options
          ? "The page computes the answer when you check."
          : `Right within ${ask.tolerance * 100} %. The page computes the answer when you check.`,
      },
      form,
    );
    make("button", { type: "submit", textContent: "Check" }, form);
    const verdict = make("p", { id: "lesson-verdict", aria: { role: "status" } }, form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (form.dataset.busy) return;
      form.dataset.busy = "yes";
      verdict.className = "";
      verdict.textContent = "Computing ..";
      try {
        const { isRight, text } = await ask.check(answer(), compute);
        verdict.className = isRight ? "right" : "wrong";
        verdict.textContent = `${isRight ? "Right." : "Not yet."} ${text}`;
      } catch (error) {
        verdict.className = "error";
        verdict.textContent = error.message;
      }
      delete form.dataset.busy;
    });
  }
}
