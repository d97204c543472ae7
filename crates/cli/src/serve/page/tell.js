// What makes the same page and the same numbers again: address, study file, SVG, CSV, command line, Python.

import * as api from "./api.js";
import { element, later, make } from "./dom.js";
import { chosen } from "./question.js";

/** Saves a text as a file. */
function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: address, download: name }, document.body);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Copies a text; without access to the clipboard it selects it. */
async function copy(field) {
  const text = field.value ?? field.textContent;
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    if (field.select) field.select();
    else getSelection().selectAllChildren(field);
    return document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard.";
  }
}

export class Tell {
  constructor(state) {
    this.state = state;
    this.request = new api.Latest();
    this.told = null;
    for (const button of document.querySelectorAll("[data-copy]")) {
      button.addEventListener("click", async () => this.say(await copy(element(button.dataset.copy))));
    }
    const saves = (id, work) => element(id).addEventListener("click", () => this.save(work));
    saves("save-study", async () => save("study.toml", "application/toml", (await api.tell(this.question())).study));
    saves("save-svg", async () => save("study.svg", "image/svg+xml", await api.chart(this.question())));
    saves("save-csv", async () => save("study.csv", "text/csv", await api.csv(this.question())));
    element("print").addEventListener("click", () => window.print());
    // On paper nothing can be opened.
    let opened = [];
    window.addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("#table-part, #parameters")].filter((part) => !part.open);
      for (const part of opened) part.open = true;
    });
    window.addEventListener("afterprint", () => opened.forEach((part) => (part.open = false)));
    this.soon = later(400, () => this.load());
  }

  question() {
    return { ...this.state.question, algorithm: chosen(this.state.question) };
  }

  say(text) {
    element("tell-said").textContent = text;
  }

  async save(work) {
    this.say("Computing ..");
    try {
      await work();
      this.say("Saved.");
    } catch (error) {
      this.say(error.message);
    }
  }

  update() {
    element("address").value = this.state.address();
    const key = JSON.stringify(this.question());
    if (key !== this.told) {
      this.request.cancel();
      this.tell({ command: "", python: "" });
    }
    this.told = key;
    this.soon();
  }

  /** Shows the texts of the question; empty ones cannot be copied. */
  tell(texts) {
    for (const [id, text] of Object.entries(texts)) {
      element(id).textContent = text;
      document.querySelector(`[data-copy="${id}"]`).disabled = text === "";
    }
  }

  async load() {
    if (chosen(this.state.question).length === 0) return;
    try {
      const told = await this.request.run((signal) => api.tell(this.question(), signal));
      if (!told) return;
      this.tell({ command: told.command, python: told.python });
      this.say("");
    } catch (error) {
      this.tell({ command: "", python: "" });
      this.say(error.message);
    }
  }
}
