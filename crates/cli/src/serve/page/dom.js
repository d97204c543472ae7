// Making and finding elements.

export const element = (id) => document.getElementById(id);

/** Makes an HTML element with properties; appends it to `parent` if there is one. */
export function make(name, properties = {}, parent = null) {
  const { aria = {}, data = {}, ...rest } = properties;
  const made = Object.assign(document.createElement(name), rest);
  for (const [key, value] of Object.entries(aria)) made.setAttribute(key === "role" ? key : `aria-${key}`, value);
  Object.assign(made.dataset, data);
  parent?.append(made);
  return made;
}

/** Makes an SVG element with attributes. */
export function draw(name, attributes = {}, parent = null, text = null) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  parent?.append(made);
  return made;
}

/** Makes an option of a select. */
export const option = (value, text, parent) => make("option", { value, textContent: text }, parent);

// A field with a text that the user has begun and not yet confirmed.
let edited = null;
document.addEventListener("input", (event) => (edited = event.target), true);
document.addEventListener("change", () => (edited = null), true);
document.addEventListener("focusout", () => (edited = null), true);

/** Sets the value of a field unless the user is typing in it. */
export function fill(field, value) {
  // Of a text that is no number, a field of numbers says that it is empty.
  if (field !== edited && (field.value !== String(value) || field.validity.badInput)) field.value = value;
}

/** Says something to screen readers, at most once for each text. */
export function say(text) {
  const said = element("said");
  if (said.textContent !== text) said.textContent = text;
}

/** Calls a function once after a time without further calls, in milliseconds. */
export function later(wait, call) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(call, wait);
  };
}

/** Adds text to an element; what stands between backticks is code. */
export function write(text, parent) {
  text.split("`").forEach((part, nth) => (nth % 2 === 1 ? make("code", { textContent: part }, parent) : parent.append(part)));
  return parent;
}
