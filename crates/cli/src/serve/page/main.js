// Connects the parts of the page: a change of the question or of the page goes to all of them.

import { Answer } from "./answer.js";
import * as api from "./api.js";
import { element } from "./dom.js";
import { acceptAll, onRefused } from "./fields.js";
import { Lessons } from "./lessons.js";
import { Look } from "./look.js";
import { Machine } from "./machine.js";
import { Question } from "./question.js";
import { State } from "./state.js";
import { Tell } from "./tell.js";

function fail(error) {
  element("trouble").textContent = error.message;
  element("trouble").hidden = false;
}

/** Links within the page, which must not change its address, and the place of the answer. */
function listen() {
  for (const link of document.querySelectorAll("a[href^='#']")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      if (link.hash === "#words") element("glossary").open = true;
      element(link.hash.slice(1)).focus();
    });
  }
  // An answer that is higher than the window stays with its end in sight.
  const answer = element("answer");
  const place = () => (answer.style.top = `${Math.min(0, window.innerHeight - answer.offsetHeight)}px`);
  new ResizeObserver(place).observe(answer);
  window.addEventListener("resize", place);
}

async function start() {
  const state = new State();
  const look = new Look(state);
  const answer = new Answer(state, (results, at, isHidden) => look.update(results, at, isHidden));
  // The first rows do not wait for the facts.
  answer.update(false);
  const facts = await api.facts();
  const [machine, question, tell, lessons] = [
    new Machine(state, facts),
    new Question(state, facts),
    new Tell(state),
    new Lessons(state),
  ];
  for (const { name, help } of facts.axes) {
    for (const field of document.querySelectorAll(`[data-help="${name}"]`)) {
      field.title ||= help;
      field.setAttribute("aria-description", help);
    }
  }
  element("version").textContent = `multicomputer ${facts.version}.`;

  const show = (change) => {
    acceptAll();
    machine.update().catch(fail);
    question.update();
    lessons.update();
    tell.update();
    if (change.question) answer.update(change.moving);
    else answer.draw();
  };
  state.listen(show);
  show({ question: false, page: true, moving: false });
  onRefused((isRefused) => {
    document.querySelector("main").classList.toggle("stale", isRefused);
    const shown = `${machine.text()}, ${state.question.operation ?? "broadcast"}`;
    for (const line of document.querySelectorAll(".stale-line"))
      line.textContent = isRefused ? `Not updated: shown for ${shown}, until the marked field is mended.` : "";
  });
  listen();

  /** The public interface, for tests. */
  window.page = {
    state: () => structuredClone({ question: state.question, page: state.page }),
    /** Replaces the question, and keys of the page. */
    set: (next, page = {}) => state.set(next, page),
    /** The rows of the question as the server sent them; empty while `busy`. */
    rows: () => structuredClone(answer.rows()),
    get busy() {
      return answer.isBusy;
    },
    address: () => state.address(),
    facts: () => structuredClone(facts),
  };
}

start().catch(fail);
