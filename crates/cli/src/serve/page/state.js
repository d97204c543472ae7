// The question and the state of the page, and both as the address of the page.

/** The keys of the page; all other keys of an address belong to the question. */
const PAGE_KEYS = ["at", "left", "right", "ask", "lesson"];

export const FIRST = {
  operation: "broadcast",
  machine: "paragon:8x8",
  bytes: "8..1M",
  algorithm: ["tree", "short", "long", "pipeline"],
};

/** Escapes what would end a key or a value; what is usual in questions stays readable. */
const escaped = (text) => encodeURIComponent(text).replace(/%(3A|2C|2F|40|2B|3D)/g, decodeURIComponent);

function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const joined = (value) => (Array.isArray(value) ? value.join(",") : String(value));

/** Reads a question and the state of the page from the hash of an address. */
export function readAddress(hash) {
  const [question, page] = [{}, {}];
  for (const field of hash.replace(/^#/, "").split("&").filter(Boolean)) {
    const cut = field.includes("=") ? field.indexOf("=") : field.length;
    const [key, value] = [unescaped(field.slice(0, cut)), unescaped(field.slice(cut + 1))];
    if (value === "") continue;
    if (PAGE_KEYS.includes(key)) page[key] = value;
    else question[key] = key === "algorithm" ? value.split(",").filter(Boolean) : value;
  }
  if (Object.keys(question).length === 0) return { question: structuredClone(FIRST), page };
  return { question, page };
}

/** Writes the hash of the address of a question and a state of the page. */
export function writeAddress(question, page) {
  const fields = [...Object.entries(question), ...PAGE_KEYS.map((key) => [key, page[key]])];
  const given = fields.filter(([, value]) => value !== undefined && value !== null && joined(value) !== "");
  return `#${given.map(([key, value]) => `${escaped(key)}=${escaped(joined(value))}`).join("&")}`;
}

/** The query of an address that has a question as parameters. */
export const query = (question) =>
  Object.entries(question)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(joined(value))}`)
    .join("&");

/** Browsers limit the rate of address changes; minimum interval in milliseconds. */
const LEAST_WAIT = 300;

export class State {
  constructor() {
    this.listeners = [];
    this.written = -LEAST_WAIT;
    this.waiting = 0;
    Object.assign(this, readAddress(location.hash));
    window.addEventListener("hashchange", () => this.recall());
  }

  /** Calls a function after each change with what has changed: `question`, `page`, and whether a slider is `moving`. */
  listen(listener) {
    this.listeners.push(listener);
  }

  tell(change) {
    for (const listener of this.listeners) listener(change);
  }

  /** The address that makes this page again. */
  address() {
    return location.origin + location.pathname + writeAddress(this.question, this.page);
  }

  recall() {
    clearTimeout(this.waiting);
    if (location.hash === writeAddress(this.question, this.page)) return;
    Object.assign(this, readAddress(location.hash));
    this.tell({ question: true, page: true, moving: false });
  }

  /** Replaces the question, and the given keys of the page; the browser can go back from it. */
  set(question, page = {}) {
    this.settle();
    this.question = structuredClone(question);
    this.merge(this.page, page);
    this.enter();
    this.tell({ question: true, page: true, moving: false });
  }

  /** Changes keys of the question; `undefined` removes a key. The browser can go back from another machine or operation. */
  change(keys, moving = false) {
    const isEntry = "machine" in keys || "operation" in keys;
    if (isEntry) this.settle();
    this.merge(this.question, keys);
    if (isEntry) this.enter();
    else this.remember();
    this.tell({ question: true, page: false, moving });
  }

  /** Changes keys of the page; `undefined` removes a key. */
  turn(keys) {
    this.merge(this.page, keys);
    this.remember();
    this.tell({ question: false, page: true, moving: false });
  }

  merge(object, keys) {
    for (const [key, value] of Object.entries(keys)) {
      if (value === undefined || value === "") delete object[key];
      else object[key] = value;
    }
  }

  /** Writes an address that still waits to be written. */
  settle() {
    this.written = -LEAST_WAIT;
    this.remember();
  }

  /** Makes an entry in the browser's history. */
  enter() {
    const hash = writeAddress(this.question, this.page);
    if (location.hash !== hash) history.pushState(null, "", hash);
  }

  /** Writes the address: at once, or when the minimum interval has passed. */
  remember() {
    clearTimeout(this.waiting);
    const wait = this.written + LEAST_WAIT - performance.now();
    if (wait > 0) {
      this.waiting = setTimeout(() => this.remember(), wait);
      return;
    }
    this.written = performance.now();
    const hash = writeAddress(this.question, this.page);
    if (location.hash !== hash) history.replaceState(null, "", hash);
  }
}
