// The machine: preset or topology, size, ports, placement, and what a click on the network sets.

import * as api from "./api.js";
import { element, fill, make, option } from "./dom.js";
import { explain, refuse, removed, textOf } from "./fields.js";
import { faultOf, readFaults, readNoise, toggled, writeFaults, writeNoise } from "./faults.js";
import { MOST_CONTROLS, NetworkView } from "./network.js";
import { PARAMETERS, Sliders } from "./sliders.js";
import { readValue } from "./units.js";

/** The keys of a question that decide which machine is drawn. */
const KEYS = ["machine", "nodes", "shape", "ports", "placement"];
/** The keys that decide which nodes are sources, where the operation has sources. */
const SOURCE_KEYS = ["operation", "distribution", "sources"];
const OTHER = "other";
/** The machine of a study that names none. */
const DEFAULT = "paragon:10x10";

/** The pattern of a size from its shape, such as `[PLANESx]ROWSxCOLUMNS`, where `..` is anything. */
function patternOf(shape) {
  const patterns = { "[": "(", "]": ")?", "..": ".*", "MB/S": "[0-9.]+", "+": "\\+" };
  const parts = shape.match(/MB\/S|[A-Z]+|\.\.|./g) ?? [];
  return parts.map((part) => patterns[part] ?? (/[A-Z]/.test(part) ? "[1-9][0-9]*" : part)).join("");
}

const isTime = (text) => readValue(text, "us") >= 0;

export class Machine {
  constructor(state, facts) {
    Object.assign(this, { state, facts, shown: null, drawn: "" });
    this.request = new api.Latest();
    this.network = new NetworkView(
      element("network"),
      (rank) => this.node(rank),
      (name) => this.link(name),
    );
    this.sliders = new Sliders(state);
    this.fillNames();
    this.listen();
  }

  fillNames() {
    const select = element("machine-name");
    for (const [kind, label] of [
      ["preset", "Machines"],
      ["topology", "Topologies"],
    ]) {
      const group = make("optgroup", { label }, select);
      this.facts.machines.filter((one) => one.kind === kind).forEach((one) => option(one.name, one.name, group));
    }
    option(OTHER, "other, as text", select);
  }

  listen() {
    const changes = (id, call) => element(id).addEventListener("change", call);
    changes("machine-name", (event) => {
      const found = this.named(event.target.value);
      if (found) return this.choose(found.example, true);
      this.showSize(undefined, this.text());
      return element("machine-size").focus();
    });
    changes("machine-size", (event) => this.size(event.target));
    changes("machine-ports", ({ target }) => {
      if (refuse(target, target.checkValidity() ? "" : "Give a whole number from 1 to 64, or nothing."))
        this.state.change({ ports: target.value || undefined });
    });
    changes("machine-placement", (event) => this.state.change({ placement: textOf(event.target) || undefined }));
    changes("modes", () => this.mark());
    changes("fault", (event) => this.state.change({ fault: textOf(event.target) || undefined }));
    changes("fault-at", () => this.hasInstant());
    element("fault-none").addEventListener("click", () => this.state.change({ fault: undefined }));
    for (const id of ["noise-on", "noise-interval", "noise-length", "noise-distribution", "noise-seed"])
      changes(id, () => this.noise());
    // On narrow screens the sliders would push question and answer out of sight.
    element("parameters").open = window.matchMedia("(min-width: 1000px)").matches;
  }

  /** The facts of a machine; `undefined` if the name is not in the list. */
  named(name) {
    return this.facts.machines.find((one) => one.name === name);
  }

  /** Takes the size of the machine, or the machine as text. */
  size(field) {
    const text = textOf(field);
    field.value = text;
    const found = this.named(element("machine-name").value);
    const given = text === "" ? "Nothing" : `\`${text}\``;
    const wrong = found
      ? `${given} is not a size of ${found.name}: give ${found.shape}, such as ${found.example.slice(found.name.length + 1)}.`
      : `${given} is not a machine: give a name and a size, such as ${DEFAULT}.`;
    if (refuse(field, text !== "" && field.checkValidity() ? "" : wrong))
      this.choose(found ? `${found.name}:${text}` : text, !found);
  }

  /** Shows what the server says against the machine. */
  fail(text) {
    explain(text, element("machine-error"));
    element("machine-error").hidden = text === "";
  }

  /** Chooses a machine. What names nodes of the old one is removed; on another machine also changed parameters. */
  choose(machine, isOther) {
    const keys = { machine, nodes: undefined, shape: undefined, fault: undefined, root: undefined };
    if (String(this.state.question.distribution ?? "").startsWith("list:")) keys.distribution = undefined;
    if (isOther) for (const key of [...PARAMETERS, "ports", "placement"]) keys[key] = undefined;
    const note = removed(this.state.question, keys);
    this.state.change(keys);
    element("machine-note").textContent = note;
  }

  /** The machine of the question as text. */
  text() {
    const { machine, nodes, shape } = this.state.question;
    return String(machine ?? (nodes === undefined && shape === undefined ? DEFAULT : "paragon"));
  }

  /** Shows the size of a machine of the list, or any machine as text. */
  showSize(found, text) {
    fill(element("machine-name"), found?.name ?? OTHER);
    element("machine-size-label").textContent = found ? "Size" : "Machine as text";
    const size = element("machine-size");
    fill(size, text);
    if (found) size.pattern = patternOf(found.shape);
    else size.removeAttribute("pattern");
    size.title = found?.shape ?? "";
    element("machine-shape").textContent = found
      ? `${found.name}: ${found.about}. Size: ${found.shape}, such as ${found.example}.`
      : "A machine with its size, such as paragon:8x8.";
  }

  /** Shows the question's machine. */
  async update() {
    const { question } = this.state;
    element("machine-note").textContent = "";
    const text = this.text();
    const found = text.includes(":") ? this.named(text.split(":")[0]) : undefined;
    this.showSize(found, found ? text.slice(found.name.length + 1) : text);
    fill(element("machine-ports"), question.ports ?? "");
    fill(element("machine-placement"), question.placement ?? "");
    fill(element("fault"), question.fault ?? "");
    this.showNoise(readNoise(question.noise));
    this.hasInstant();
    this.showSources(found?.sources ?? []);
    element("mode-root").textContent = this.rooted() ? "root" : this.hasSources() ? "sources" : "nothing (no root)";
    const keys = this.hasSources() ? [...KEYS, ...SOURCE_KEYS] : KEYS;
    const asked = Object.fromEntries(keys.filter((key) => key in question).map((key) => [key, question[key]]));
    const key = JSON.stringify(asked);
    if (key !== this.drawn) await this.load(asked, key);
    else {
      this.fail("");
      this.mark();
    }
    this.sliders.update(this.operation());
  }

  async load(asked, key) {
    this.drawn = key;
    try {
      const machine = await this.request.run((signal) => api.machine(asked, signal));
      if (!machine) return;
      // A drawing that is made again would lose the focus.
      if (JSON.stringify(machine.network) !== JSON.stringify(this.shown?.network)) this.network.show(machine.network);
      this.shown = { ...machine, key };
      this.fail("");
    } catch (failure) {
      this.fail(failure.message);
      this.drawn = "";
      return;
    }
    element("machine-ports").placeholder = this.shown.ports ?? "";
    this.sliders.show(this.shown.parameters);
    this.mark();
  }

  operation() {
    return this.facts.operations.find((one) => one.name === (this.state.question.operation ?? "broadcast"));
  }

  rooted() {
    return this.operation()?.axes.includes("root") ?? false;
  }

  hasSources() {
    return this.operation()?.axes.includes("distribution") ?? false;
  }

  /** The ranks of the sources: those of a list, or what the server says about a distribution. */
  sources() {
    const text = String(this.state.question.distribution ?? "");
    if (text.startsWith("list:")) return text.slice(5).split("+").filter(Boolean).map(Number);
    return this.shown?.key === this.drawn ? (this.shown.sources ?? []) : [];
  }

  get mode() {
    return document.querySelector("#modes input:checked").value;
  }

  node(rank) {
    if (this.mode === "node") this.fault({ kind: "node", place: String(rank) });
    else if (this.rooted()) this.state.change({ root: rank === 0 ? undefined : String(rank) });
    else if (this.hasSources()) {
      const old = this.sources();
      const sources = old.includes(rank) ? old.filter((other) => other !== rank) : [...old, rank].sort((a, b) => a - b);
      if (sources.length > 0) this.state.change({ distribution: `list:${sources.join("+")}`, sources: undefined });
      else element("machine-note").textContent = "At least one node is a source.";
    }
  }

  link(name) {
    this.fault(this.mode === "slow" ? { kind: "slow", place: name, factor: "0.5" } : { kind: "dead", place: name });
  }

  /** Whether the instant of faults by clicks is one. */
  hasInstant() {
    const field = element("fault-at");
    return refuse(field, textOf(field) === "" || isTime(textOf(field)) ? "" : "Give a time, such as 0s or 2ms.");
  }

  fault(fault) {
    if (!this.hasInstant()) return;
    const at = textOf(element("fault-at")) || "0s";
    const faults = toggled(readFaults(this.state.question.fault), { ...fault, at });
    this.state.change({ fault: writeFaults(faults) });
  }

  noise() {
    const value = (id) => textOf(element(id));
    if (!element("noise-on").checked) {
      this.state.change({ noise: undefined });
      return;
    }
    const good = ["interval", "length"].map((part) =>
      refuse(element(`noise-${part}`), readValue(value(`noise-${part}`), "us") > 0 ? "" : "Give a time, such as 50us."),
    );
    const seed = element("noise-seed");
    good.push(refuse(seed, seed.value !== "" && seed.checkValidity() ? "" : "Give a whole number."));
    if (good.includes(false)) return;
    const parts = { interval: value("noise-interval"), length: value("noise-length") };
    if (value("noise-distribution") !== "fixed") parts.distribution = value("noise-distribution");
    if (value("noise-seed") !== "1") parts.seed = value("noise-seed");
    this.state.change({ noise: writeNoise(parts) });
  }

  showNoise(noise) {
    element("noise-on").checked = noise !== null;
    if (!noise) return;
    element("noise").open = true;
    for (const key of ["interval", "length", "distribution", "seed"]) if (noise[key]) fill(element(`noise-${key}`), noise[key]);
  }

  showSources(sources) {
    const host = element("sources");
    host.replaceChildren();
    if (sources.length === 0) return;
    const details = make("details", {}, host);
    make("summary", { textContent: "Sources of this machine's figures" }, details);
    const list = make("ul", { className: "small" }, details);
    for (const one of sources) make("li", { textContent: `${one.parameters}: ${one.value} (${one.sure}). ${one.source}` }, list);
  }

  /** Marks root, sources and faults on the network. */
  mark() {
    if (!this.shown) return;
    const faults = readFaults(this.state.question.fault);
    const root = this.rooted() ? Number(this.state.question.root ?? 0) : null;
    const sources = new Set(this.hasSources() ? this.sources() : []);
    const { network, topology } = this.shown;
    const isOnNodes = this.mode === "node" || this.mode === "root";
    const isUseless = this.mode === "root" && !this.rooted() && !this.hasSources();
    const asks = this.mode === "node" ? "dead" : this.rooted() ? "the root" : "a source";
    this.network.mark({
      about: `Network ${topology}, ${network.nodes} nodes. ${isUseless ? "" : `Arrow keys go to the next ${isOnNodes ? "node" : "link"}, Enter sets it.`}`,
      kind: isUseless ? "" : isOnNodes ? "node" : "link",
      node: (rank) => {
        const isDead = faultOf(faults, ["node"], String(rank)) !== undefined;
        const is = [
          [isDead, "dead", "dead"],
          [rank === root, "root", "root"],
          [sources.has(rank), "source", "source"],
        ].filter((one) => one[0]);
        const pressed = this.mode === "node" ? isDead : rank === root || sources.has(rank);
        return { state: is.map((one) => one[1]).join(" "), text: is.map((one) => one[2]).join(", "), pressed };
      },
      link: (name) => {
        const kind = faultOf(faults, ["dead", "slow"], name)?.kind ?? "";
        return { state: kind, text: kind, pressed: kind === this.mode };
      },
    });
    const size =
      network.nodes > MOST_CONTROLS ? ` More than ${MOST_CONTROLS} nodes are drawn without controls: use the text fields.` : "";
    const links =
      !this.network.hasControls || this.network.hasLinks ? "" : " So many links have no controls: use the field of faults.";
    const use = isUseless
      ? " This operation has no root."
      : size
        ? ""
        : isOnNodes
          ? ` A click makes a node ${asks}.`
          : ` A click makes a link ${this.mode}.`;
    element("network-note").textContent =
      `${topology}: ${network.nodes} nodes, ${this.shown.directed_links} directed links.${use}${size}${links}`;
  }
}
