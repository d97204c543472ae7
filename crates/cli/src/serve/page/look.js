// Replay of two algorithms side by side, at the length looked at.

import { element, fill, option } from "./dom.js";
import { query } from "./state.js";
import { lengthText, lengthWords } from "./units.js";

/** The value of the page's `right` for one algorithm only. */
const NONE = "none";

export class Look {
  constructor(state) {
    Object.assign(this, { state, at: null, names: "" });
    for (const side of ["left", "right"]) {
      element(side).addEventListener("change", (event) => state.turn({ [side]: event.target.value }));
    }
    element("play").addEventListener("click", () => this.play());
  }

  /** The algorithms on both sides: those of the page, otherwise the fastest and the second. */
  sides() {
    const { left, right } = this.state.page;
    const ranked = this.results.rankedByName(this.at);
    const first = left ?? ranked.find((name) => name !== right) ?? "";
    return [first, right === NONE ? "" : (right ?? ranked.find((name) => name !== first) ?? "")];
  }

  /** Shows what can be played; `isHidden` while a prediction is asked for. */
  update(results, at, isHidden) {
    element("look").hidden = isHidden;
    Object.assign(this, { results, at });
    const names = at === null ? [] : results.ranked(at);
    const [left, right] = at === null ? ["", ""] : this.sides();
    const wanted = [...new Set([...names, left, right])].filter(Boolean);
    if (wanted.join() !== this.names) {
      this.names = wanted.join();
      for (const side of ["left", "right"]) {
        element(side).replaceChildren();
        if (side === "right" || wanted.length === 0) option(NONE, "none", element(side));
        wanted.forEach((name) => option(name, name, element(side)));
      }
    }
    fill(element("left"), left || NONE);
    fill(element("right"), right || NONE);
    element("play").textContent = right && right !== left ? "Play both" : "Play";
    element("play").disabled = left === "";
    element("look-about").textContent =
      at === null
        ? ""
        : `Plays the messages of ${[...new Set([left, right])].filter(Boolean).join(" and ")} for ${lengthWords(at)}.`;
    // What plays must be what is asked.
    if (this.playing && this.playing !== this.address()) this.stop();
  }

  address() {
    const { question } = this.state;
    const algorithm = [...new Set(this.sides().filter(Boolean))];
    return `/look?${query({ ...question, bytes: lengthText(this.at), algorithm })}`;
  }

  play() {
    const frame = element("replay");
    this.playing = this.address();
    frame.hidden = false;
    frame.src = this.playing;
  }

  stop() {
    this.playing = null;
    element("replay").hidden = true;
    element("replay").removeAttribute("src");
  }
}
