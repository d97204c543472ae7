// A slider and a field for each parameter of the machine. Sliders are logarithmic; the preset's value is in the middle, with a tick.

import { element, fill, make } from "./dom.js";
import { refuse } from "./fields.js";
import { plain, readValue } from "./units.js";

export const PARAMETERS = [
  "alpha",
  "send-overhead",
  "receive-overhead",
  "exchange-overhead",
  "latency",
  "hop",
  "beta",
  "link-excess",
  "gamma",
];
/** The parts of alpha: a question has them or alpha. */
const PARTS = ["send-overhead", "receive-overhead", "latency"];

/** Steps of a slider for a factor of 10, and steps on each side of the preset. */
const DECADE = 40;
const SIDE = 80;
/** The least value above 0 on the slider of a parameter whose preset is 0, by unit. */
const LEAST = { us: 0.01, "ns/B": 0.001, "": 0.1 };
/** A parameter with the preset 0 has a slider over so many factors of 10. */
const DECADES = 6;

const three = (value) => Number(value.toPrecision(3));

/** The value at a position of a slider. */
export function valueAt(position, preset, unit) {
  if (preset > 0) return position === 0 ? preset : three(preset * 10 ** (position / DECADE));
  return position === 0 ? 0 : three(LEAST[unit] * 10 ** ((position - 1) / DECADE));
}

function positionOf(value, preset, unit) {
  if (preset > 0) return value > 0 ? Math.round(Math.log10(value / preset) * DECADE) : -SIDE;
  return value > 0 ? Math.max(1, Math.round(Math.log10(value / LEAST[unit]) * DECADE) + 1) : 0;
}

export class Sliders {
  constructor(state) {
    this.state = state;
    this.rows = new Map();
    this.parameters = [];
    element("reset").addEventListener("click", () => state.change(Object.fromEntries(PARAMETERS.map((key) => [key, undefined]))));
  }

  /** Makes the sliders of a machine. */
  show(parameters) {
    const key = JSON.stringify(parameters);
    if (key === this.made) return;
    this.made = key;
    this.parameters = parameters.filter((one) => typeof one.preset === "number");
    const host = element("sliders");
    const focused = document.activeElement?.id;
    host.replaceChildren();
    this.rows.clear();
    const order = (one) => PARAMETERS.indexOf(one.axis);
    for (const parameter of [...this.parameters].sort((one, other) => order(one) - order(other))) this.add(parameter, host);
    if (focused && host.querySelector(`#${CSS.escape(focused)}`)) element(focused).focus();
    this.update(this.operation);
  }

  add(parameter, host) {
    const { axis, symbol, name, unit, preset, meaning, sure, source } = parameter;
    const box = make("div", { className: "slider", data: { axis } }, host);
    const words = unit ? `${name} ${symbol} in ${unit}` : `${name} ${symbol}`;
    const label = make("label", { htmlFor: `${axis}-value` }, box);
    make("b", { textContent: symbol }, label);
    if (name !== symbol) label.append(` ${name}`);
    make("span", { className: "small", textContent: ` ${meaning}` }, label);
    const [least, most] = preset > 0 ? [-SIDE, SIDE] : [0, DECADES * DECADE + 1];
    const range = make(
      "input",
      { type: "range", id: `${axis}-range`, min: least, max: most, step: 1, aria: { label: words } },
      box,
    );
    const ticks = make("datalist", { id: `${axis}-ticks` }, box);
    make("option", { value: 0 }, ticks);
    range.setAttribute("list", ticks.id);
    const field = make("input", { type: "number", id: `${axis}-value`, min: 0, step: "any", aria: { label: words } }, box);
    make("span", { className: "unit", textContent: unit }, box);
    const reset = make(
      "button",
      { type: "button", textContent: "Reset", aria: { label: `Reset ${name} to ${plain(preset)} ${unit}` } },
      box,
    );
    const known = [`Preset ${plain(preset)} ${unit}`.trim(), sure].filter(Boolean).join(", ");
    make("p", { className: "small", textContent: source ? `${known}: ${source}` : known }, box);
    range.addEventListener("input", () => this.set(parameter, valueAt(range.valueAsNumber, preset, unit), true));
    range.addEventListener("change", () => this.set(parameter, valueAt(range.valueAsNumber, preset, unit), false));
    field.addEventListener("change", () => {
      const isGood = field.value !== "" && field.checkValidity();
      if (refuse(field, isGood ? "" : `Give a number of at least 0${unit && `, in ${unit}`}.`))
        this.set(parameter, field.valueAsNumber, false);
    });
    reset.addEventListener("click", () => this.set(parameter, preset, false));
    this.rows.set(axis, { box, range, field, reset });
  }

  /** Sets a parameter. Alpha sets its parts, so a question has either. */
  set(parameter, value, moving) {
    const { axis, unit, preset } = parameter;
    const keys = { [axis]: value === preset ? undefined : `${plain(value)}${unit}` };
    for (const other of axis === "alpha" ? PARTS : PARTS.includes(axis) ? ["alpha"] : []) {
      if (this.state.question[other] === undefined) continue;
      // A part that alpha has set keeps its value when another part is moved.
      keys[other] = undefined;
      if (other === "alpha") this.keepParts(keys, axis);
    }
    this.state.change(keys, moving);
  }

  keepParts(keys, axis) {
    for (const part of this.parameters.filter((one) => PARTS.includes(one.axis) && one.axis !== axis)) {
      const value = this.value(part);
      if (value !== part.preset) keys[part.axis] = `${plain(value)}${part.unit}`;
    }
  }

  /** The value of a parameter in the question, or what follows from the others; `NaN` if it is not one value. */
  value({ axis, unit, preset }) {
    const { question } = this.state;
    if (question[axis] !== undefined) return readValue(question[axis], unit);
    const presetOf = (name) => this.parameters.find((one) => one.axis === name)?.preset ?? 0;
    if (axis === "alpha" && PARTS.some((part) => question[part] !== undefined)) {
      const parts = PARTS.map((part) => (question[part] === undefined ? presetOf(part) : readValue(question[part], "us")));
      return Number(parts.reduce((sum, part) => sum + part, 0).toPrecision(12));
    }
    if (PARTS.includes(axis) && question.alpha !== undefined && presetOf("alpha") > 0) {
      return Number(((preset / presetOf("alpha")) * readValue(question.alpha, "us")).toPrecision(12));
    }
    return preset;
  }

  /** Shows the values of the question; `gamma` only where the operation combines. */
  update(operation) {
    this.operation = operation;
    for (const parameter of this.parameters) {
      const { box, range, field, reset } = this.rows.get(parameter.axis);
      const value = this.value(parameter);
      box.hidden = parameter.axis === "gamma" && operation?.axes.includes("gamma") === false;
      // A disabled button would lose the focus.
      reset.setAttribute("aria-disabled", String(value === parameter.preset));
      if (Number.isNaN(value)) {
        fill(field, "");
        field.placeholder = String(this.state.question[parameter.axis]);
        continue;
      }
      fill(field, plain(value));
      const position = String(positionOf(value, parameter.preset, parameter.unit));
      if (range.value !== position) range.value = position;
      range.setAttribute("aria-valuetext", `${plain(value)} ${parameter.unit}`.trim());
    }
  }
}
