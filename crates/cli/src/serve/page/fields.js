// Fields whose text is not a value. One rule: a message at the field, and what stands below is marked as not updated until it is mended.

import { element, make } from "./dom.js";

const refused = new Set();
let listener = () => {};

/** Calls a function with whether some field is refused, whenever that may have changed. */
export const onRefused = (call) => (listener = call);

/** Says what is wrong with a field; nothing is if the text is empty. Returns whether the field is good. */
export function refuse(field, text) {
  const id = field.dataset.error ?? `${field.id}-error`;
  if (text !== "" || element(id)) {
    const host = field.closest("label, .slider");
    const place = element(id) ?? make("span", { id, className: "error", aria: { role: "alert" } }, host);
    place.textContent = text;
    place.hidden = text === "";
  }
  field.setAttribute("aria-invalid", String(text !== ""));
  refused[text === "" ? "delete" : "add"](field);
  listener(refused.size > 0);
  return text === "";
}

// A field of numbers does not say that it has changed from nothing to a text that is no number.
document.addEventListener("focusout", ({ target }) => {
  if (target.validity?.badInput) target.dispatchEvent(new Event("change", { bubbles: true }));
});

/** Forgets all refusals: the question has changed, and all fields show it again. */
export const acceptAll = () => [...refused].forEach((field) => refuse(field, ""));

/** The text of a field without blanks. */
export const textOf = (field) => field.value.replace(/\s+/g, "");

/** What a change of keys removes from a question, as one sentence; empty if nothing. */
export function removed(question, keys) {
  const gone = Object.keys(keys).filter((key) => keys[key] === undefined && question[key] !== undefined);
  return gone.length === 0 ? "" : `Removed: ${gone.map((key) => `${key} ${question[key]}`).join(", ")}.`;
}

/** Shows a text; what follows its first sentence, such as a list of known names, is folded. */
export function explain(text, host) {
  const [, first, rest] = /^(.*?[.:;]) (Known: .*)$/s.exec(text) ?? [null, text, ""];
  host.replaceChildren(first);
  if (rest) make("details", {}, host).append(make("summary", { textContent: "Known names" }), rest);
}
