// The machine: preset or topology, size, ports, placement, and what a click on the network sets.

import * as api from "./api.js";
import { element, fill, make, option } from "./dom.js";
import { faultOf, readFaults, readNoise, toggled, writeFaults, writeNoise } from "./faults.js";
import { MOST_CONTROLS, NetworkView } from "./network.js";
import { PARAMETERS, Sliders } from "./sliders.js";

/** The keys of a question that decide which machine is drawn. */
const KEYS = ["machine", "nodes", "shape", "ports", "placement"];
const OTHER = "other";

/** The pattern of a size from its shape, such as `[PLANESx]ROWSxCOLUMNS`, where `..` is anything. */
function patternOf(shape) {
  const patterns = { "[": "(", "]": ")?", "..": ".*", "MB/S": "[0-9.]+", "+": "\\+" };
  const parts = shape.match(/MB\/S|[A-Z]+|\.\.|./g) ?? [];
  return parts.map((part) => patterns[part] ?? (/[A-Z]/.test(part) ? "[1-9][0-9]*" : part)).join("");
}

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
      const found = this.facts.machines.find((one) => one.name === event.target.value);
      if (found) this.choose(found.example, true);
      else element("machine-size").focus();
    });
    changes("machine-size", (event) => {
      const field = event.target;
      const name = element("machine-name").value;
      const text = field.value.trim();
      if (text === "") return;
      if (!field.checkValidity())
        return this.refuse(`\`${text}\` is not a size of ${name}: give ${field.title}, such as ${this.example(name)}.`);
      this.choose(name === OTHER ? text : `${name}:${text}`, name === OTHER);
    });
    changes(
      "machine-ports",
      (event) => event.target.checkValidity() && this.state.change({ ports: event.target.value || undefined }),
    );
    changes("machine-placement", (event) => this.state.change({ placement: event.target.value.trim() || undefined }));
    changes("modes", () => this.mark());
    changes("fault", (event) => this.state.change({ fault: event.target.value.trim() || undefined }));
    element("fault-none").addEventListener("click", () => this.state.change({ fault: undefined }));
    for (const id of ["noise-on", "noise-interval", "noise-length", "noise-distribution", "noise-seed"])
      changes(id, () => this.noise());
    // On narrow screens the sliders would push question and answer out of sight.
    element("parameters").open = window.matchMedia("(min-width: 1000px)").matches;
  }

  /** The size of the example of a machine. */
  example(name) {
    const { example } = this.facts.machines.find((one) => one.name === name);
    return example.slice(name.length + 1);
  }

  refuse(text) {
    element("machine-error").textContent = text;
    element("machine-error").hidden = text === "";
  }

  /** Chooses a machine. What names nodes of the old one is removed; on another machine also changed parameters. */
  choose(machine, isOther) {
    const keys = { machine, nodes: undefined, shape: undefined, fault: undefined, root: undefined };
    if (String(this.state.question.distribution ?? "").startsWith("list:")) keys.distribution = undefined;
    if (isOther) for (const key of [...PARAMETERS, "ports", "placement"]) keys[key] = undefined;
    this.state.change(keys);
  }

  /** Shows the question's machine. */
  async update() {
    const { question } = this.state;
    const text = String(question.machine ?? "paragon");
    const name = text.split(":")[0];
    const found = this.facts.machines.find((one) => one.name === name);
    const isKnown = found !== undefined && text.includes(":");
    fill(element("machine-name"), isKnown ? name : OTHER);
    const size = element("machine-size");
    fill(size, isKnown ? text.slice(name.length + 1) : text);
    if (isKnown) size.pattern = patternOf(found.shape);
    else size.removeAttribute("pattern");
    size.title = isKnown ? found.shape : "";
    element("machine-shape").textContent = isKnown
      ? `Size: ${found.shape}, such as ${found.example}.`
      : "A machine as text, such as paragon:8x8.";
    fill(element("machine-ports"), question.ports ?? "");
    fill(element("machine-placement"), question.placement ?? "");
    fill(element("fault"), question.fault ?? "");
    this.showNoise(readNoise(question.noise));
    this.showSources(isKnown ? (found.sources ?? []) : []);
    element("mode-root").textContent = this.rooted() ? "root" : this.hasSources() ? "sources" : "nothing (no root)";
    const asked = Object.fromEntries(KEYS.filter((key) => key in question).map((key) => [key, question[key]]));
    const key = JSON.stringify(asked);
    if (key !== this.drawn) await this.load(asked, key);
    else {
      this.refuse("");
      this.mark();
    }
    this.sliders.update(this.operation());
  }

  async load(asked, key) {
    this.drawn = key;
    try {
      const machine = await this.request.run((signal) => api.machine(asked, signal));
      if (!machine) return;
      this.shown = machine;
      this.refuse("");
    } catch (failure) {
      this.refuse(failure.message);
      this.drawn = "";
      return;
    }
    element("machine-ports").placeholder = this.shown.ports ?? "";
    this.network.show(this.shown.network);
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

  /** The sources if they are a list. */
  sources() {
    const text = String(this.state.question.distribution ?? "");
    return text.startsWith("list:") ? text.slice(5).split("+").filter(Boolean).map(Number) : [];
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
      this.state.change({ distribution: sources.length > 0 ? `list:${sources.join("+")}` : undefined, sources: undefined });
    }
  }

  link(name) {
    this.fault(this.mode === "slow" ? { kind: "slow", place: name, factor: "0.5" } : { kind: "dead", place: name });
  }

  fault(fault) {
    const at = element("fault-at").value.trim() || "0s";
    const faults = toggled(readFaults(this.state.question.fault), { ...fault, at });
    this.state.change({ fault: writeFaults(faults) });
  }

  noise() {
    const value = (id) => element(id).value.trim();
    if (!element("noise-on").checked) {
      this.state.change({ noise: undefined });
      return;
    }
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
