// Lessons: steps, each of which sets a state of the page and tells rows computed at that moment, and a question that rows answer.

import * as api from "./api.js";
import { element, make, write } from "./dom.js";
import { Ask } from "./lessons/ask.js";
import { lesson as allToAll } from "./lessons/bisection.js";
import { lesson as contention } from "./lessons/contention.js";
import { lesson as machines } from "./lessons/machines.js";
import { lesson as rings } from "./lessons/rings.js";
import { lesson as sources } from "./lessons/sources.js";
import { lesson as trees } from "./lessons/trees.js";
import { WORDS } from "./lessons/words.js";
import { Results } from "./results.js";

const LESSONS = [trees, rings, contention, sources, allToAll, machines];

const known = new Map();

/** Computes the rows of a question, once. */
function compute(question) {
  const key = JSON.stringify(question);
  if (!known.has(key)) {
    const results = new Results();
    const all = api.rows(question, undefined, (rows) => results.add(rows)).then(() => results);
    known.set(key, all);
    all.catch(() => known.delete(key));
  }
  return known.get(key);
}

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export class Lessons {
  /** A lesson stands above the answer, so that its text and the picture are seen together. */
  constructor(state) {
    Object.assign(this, { state, shown: 0, step: 0 });
    LESSONS.forEach((lesson, nth) => {
      const button = make("button", { type: "button", textContent: `${nth + 1}. ${lesson.title}` }, element("lesson-list"));
      button.addEventListener("click", () => this.choose(nth + 1));
    });
    element("back").addEventListener("click", () => {
      element("answer").scrollIntoView({ block: "start" });
      this.next.focus({ preventScroll: true });
    });
  }

  /** The number of the lesson of the page, from 1; 0 without a lesson. */
  number() {
    const number = Number(this.state.page.lesson);
    return Number.isInteger(number) && number >= 1 && number <= LESSONS.length ? number : 0;
  }

  /** Begins a lesson, or ends the one that is shown. */
  choose(number) {
    if (this.number() === number) return this.state.turn({ lesson: undefined });
    this.state.turn({ lesson: String(number) });
    this.go(0);
    const { top } = element("lesson").getBoundingClientRect();
    if (top < 0 || top > window.innerHeight / 2) element("answer").scrollIntoView({ block: "start" });
    return element("lesson").querySelector("h3").focus({ preventScroll: true });
  }

  update() {
    const number = this.number();
    [...element("lesson-list").children].forEach((button, nth) =>
      button.setAttribute("aria-pressed", String(nth + 1 === number)),
    );
    this.place(number > 0);
    if (number !== this.shown) {
      this.shown = number;
      if (number > 0) this.show(LESSONS[number - 1]);
    }
    if (number > 0) this.press();
  }

  /** During a lesson the question stands below, so that machine, lesson, answer and replay follow each other. */
  place(isTaught) {
    element("lesson").hidden = !isTaught;
    const main = document.querySelector("main");
    if (main.classList.contains("taught") === isTaught) return;
    main.classList.toggle("taught", isTaught);
    if (isTaught) element("look").after(element("question"));
    else element("side").before(element("question"));
  }

  /** Makes what is the same for all steps; an address is of the step whose question it has. */
  show(lesson) {
    this.lesson = lesson;
    const host = element("lesson");
    host.replaceChildren();
    const nav = make("div", { className: "buttons", aria: { role: "group", label: "Steps of the lesson" } }, host);
    this.title = make("h3", { tabIndex: -1 }, nav);
    this.previous = make("button", { type: "button", id: "lesson-previous", textContent: "Previous" }, nav);
    this.next = make("button", { type: "button", id: "lesson-next" }, nav);
    this.previous.addEventListener("click", () => this.go(this.step - 1));
    this.next.addEventListener("click", () => this.go(this.step + 1));
    this.words(nav);
    this.text = make("p", { id: "lesson-text" }, host);
    this.cases = make("div", { className: "buttons", id: "lesson-cases", aria: { role: "group", label: "Show on the page" } }, host);
    this.play = make("button", { type: "button", textContent: "Play the messages" });
    this.play.addEventListener("click", () => {
      element("play").click();
      element("look").scrollIntoView({ block: "start" });
    });
    this.told = make("div", { id: "lesson-told", aria: { role: "status" } }, host);
    this.ask = new Ask(lesson.ask, host, compute, (step) => this.go(step - 1));
    const found = lesson.steps.findIndex((step) => step.cases.some(([, question]) => isSame(question, this.state.question)));
    this.write(Math.max(0, found));
  }

  words(host) {
    const words = make("details", { className: "small" }, host);
    make("summary", { textContent: "Words" }, words);
    const list = make("ul", {}, words);
    for (const [word, meaning] of WORDS) {
      const item = make("li", {}, list);
      make("b", { textContent: word }, item);
      item.append(`: ${meaning}`);
    }
  }

  /** Goes to a step, and shows its last case; after the steps comes the question. */
  go(nth) {
    const { steps } = this.lesson;
    const had = document.activeElement;
    this.write(nth);
    if (nth < steps.length) this.showCase(steps[nth].cases[steps[nth].cases.length - 1]);
    if (had?.disabled || had?.hidden || had?.closest("form")) this.title.focus({ preventScroll: true });
    if (element("lesson").getBoundingClientRect().top < 0) element("answer").scrollIntoView({ block: "start" });
  }

  write(nth) {
    const { title, about, steps } = this.lesson;
    const step = steps[nth];
    this.step = nth;
    this.title.textContent = `${title}, ${step ? `${nth + 1} of ${steps.length}` : "question"}`;
    this.previous.disabled = nth === 0;
    this.next.hidden = !step;
    this.next.textContent = nth + 1 === steps.length ? "Question" : "Next";
    this.ask.form.hidden = Boolean(step);
    this.text.hidden = this.told.hidden = !step;
    for (const part of [this.text, this.told, this.cases]) part.replaceChildren();
    if (!step) return this.press();
    write(nth === 0 ? `${about} ${step.text}` : step.text, this.text);
    for (const one of step.cases) {
      const button = make("button", { type: "button", textContent: one[0] }, this.cases);
      button.addEventListener("click", () => this.showCase(one));
    }
    if (step.plays) this.cases.append(this.play);
    this.press();
    return this.tell(step);
  }

  /** Writes the numbers of a step, one or several lines, when they have been computed. */
  async tell(step) {
    this.told.textContent = "Computing ..";
    const told = await step.tell(compute).catch((error) => error.message);
    if (this.lesson.steps[this.step] !== step) return;
    this.told.replaceChildren();
    for (const line of [told].flat()) write(line, make("p", {}, this.told));
  }

  showCase([, question, page]) {
    this.state.set(question, { left: undefined, right: undefined, ask: undefined, ...page });
  }

  /** Marks the case that the page shows; if a step has only this one, there is nothing to choose. */
  press() {
    const { page, question } = this.state;
    const cases = this.lesson.steps[this.step]?.cases ?? [];
    const isShown = ([, asked, wanted]) => isSame(asked, question) && wanted.at === page.at;
    cases.forEach((one, nth) => this.cases.children[nth].setAttribute("aria-pressed", String(isShown(one))));
    if (cases.length === 1) this.cases.firstChild.hidden = isShown(cases[0]);
  }
}
