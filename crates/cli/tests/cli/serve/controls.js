// Uses every control of the page once, and collects what did not do what it says.
const faults = [];
let checked = 0;
const expect = (what, is, shown) => {
  checked++;
  if (!is) faults.push(`${what}: ${JSON.stringify(shown ?? page.state())}`);
};
const question = () => page.state().question;
const rows = () => page.rows();
await idle();
expect("rows at once", rows().length === 30, rows().length);
expect("a curve", el("chart").querySelectorAll("path, polyline").length >= 3, el("chart").innerHTML.length);

// The machine.
click("5");
await idle();
expect("a click makes a root", question().root === "5");
expect("the root is told", el("network").querySelector('[data-name="5"]').getAttribute("aria-label").includes("root"));
document.querySelector("#modes input[value=dead]").click();
click("0-1");
await idle();
document.querySelector("#modes input[value=slow]").click();
click("1-2");
await idle();
expect("links are dead and slow", question().fault === "dead:0-1@0s+slow:1-2:0.5@0s");
expect("faults are run", rows().every((row) => row.faults && (row.time_us || row.restriction)), rows()[0]);
click("1-2");
await idle();
expect("a second click mends", question().fault === "dead:0-1@0s");
document.querySelector("#modes input[value=node]").click();
click("7");
await idle();
expect("nodes die", (question().fault ?? "").includes("node:7@0s"));
el("fault-none").click();
await idle();
expect("all faults are removed", question().fault === undefined);
el("noise-on").click();
await idle();
expect("noise", question().noise !== undefined && rows()[0].noise !== null, rows()[0]);
set("noise-length", "100us");
await idle();
expect("length of noise", question().noise.includes("100us"));
el("noise-on").click();
await idle();
expect("no noise", question().noise === undefined);
set("machine-ports", "2");
await idle();
expect("ports", question().ports === "2" && rows()[0].ports === 2, rows()[0]);
set("machine-ports", "");
set("machine-placement", "random:3");
await idle();
expect("placement", question().placement === "random:3" && rows()[0].placement === "random:3", rows()[0]);
set("machine-placement", "");
await idle();

// Parameters: every slider, its number, and the reset.
for (const range of document.querySelectorAll("#sliders input[type=range]")) {
  if (range.disabled || range.closest("[hidden]") || range.id.startsWith("gamma")) continue;
  const axis = range.id.replace(/-range$/, "");
  set(range, String(Number(range.value) + 4 * Number(range.step || 1)));
  await idle();
  expect(`slider of ${axis}`, question()[axis] !== undefined && rows().length > 0);
  el("reset").click();
  await idle();
  expect(`reset of ${axis}`, question()[axis] === undefined);
}
set("beta-value", "10");
await idle();
expect("number of beta", question().beta === "10ns/B" && rows()[0].beta_ns_per_byte === "10" || Number(rows()[0].beta_ns_per_byte) === 10, rows()[0]);
el("reset").click();
set("machine-name", "torus");
await idle();
expect("another machine", question().machine.startsWith("torus:") && rows().length > 0);
set("machine-size", "4x4");
await idle();
expect("its size", question().machine === "torus:4x4" && el("network").querySelectorAll("[role=button]").length >= 16);
set("machine-size", "0x");
await idle();
expect("a wrong size is told", el("machine-error").textContent.length > 10, el("machine-error").textContent);
set("machine-size", "4x4");
await idle();

// The question.
set("operation", "s-to-p");
await idle();
document.querySelector("#modes input[value=root]").click();
for (const name of ["3", "0", "7"]) click(name);
await idle();
expect("clicks choose sources", /^list:/.test(question().distribution ?? "") && rows()[0].sources >= 2, rows()[0]);
set("distribution", "square-block");
set("sources-number", "4");
await idle();
expect("distributions", question().distribution === "square-block" && rows()[0].sources === 4, rows()[0]);
set("operation", "all-to-all");
await idle();
set("fan-out", "3");
set("skew", "1/4");
await idle();
expect("all-to-all", question()["fan-out"] === "3" && question().skew === "1/4" && rows().length > 0);
set("operation", "all-reduce");
await idle();
expect("keys of other operations go", question().skew === undefined && question().distribution === undefined);
set("gamma-value", "1");
await idle();
expect("gamma", Number(rows()[0].gamma_us) === 1, rows()[0]);
set("operation", "broadcast");
await idle();
set("bytes-from", "64");
set("bytes-to", "1K");
await idle();
expect("lengths", question().bytes === "64..1K" && new Set(rows().map((row) => row.bytes)).size === 5);
set("bytes", "abc");
await idle();
expect("wrong lengths are told", el("bytes-error").textContent.length > 5 && question().bytes === "64..1K");
set("bytes", "1K,3000");
await idle();
expect("lengths as text", new Set(rows().map((row) => row.bytes)).size === 2);
set("effort", "quick");
await idle();
expect("effort", rows()[0].effort === "quick", rows()[0]);
el("algorithms-none").click();
await idle();
expect("no algorithm is told", el("answer-error").textContent.length > 5);
el("algorithms-usual").click();
await idle();
expect("usual algorithms", rows().length >= 4);
const more = [...document.querySelectorAll("#algorithms input")].find((box) => !box.checked);
more.click();
await idle();
expect("one more algorithm", question().algorithm.includes(more.value));

// The answer.
page.set({ operation: "broadcast", machine: "paragon:4x4", bytes: "8..4K", algorithm: ["linear", "short", "tree"] }, { at: "64" });
await idle();
el("chart").focus();
el("chart").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
await wait(200);
expect("arrows choose a length", page.state().page.at === "128");
set("at", "1024");
await wait(200);
expect("a list chooses a length", page.state().page.at === "1024" && el("bars").children.length >= 3);
el("table-part").open = true;
await wait(200);
const cells = [...document.querySelectorAll('#table td[data-column="time_us"]')].map((cell) => cell.textContent);
const fastest = rows().filter((row) => row.bytes === 1024).sort((one, other) => one.time_us - other.time_us)[0].algorithm;
expect("the fastest is first", el("bars").firstElementChild.textContent.includes(fastest), el("bars").textContent);
el("ask").click();
await idle();
expect("an asked answer is hidden", el("results").hidden && !el("predict").hidden);
[...el("predict").querySelectorAll("input[type=radio]")].find((choice) => choice.value === fastest).click();
el("guess-time").value = "5";
el("predict").requestSubmit();
await wait(200);
expect("a prediction reveals it", !el("results").hidden && el("verdict").textContent.includes(fastest), el("verdict").textContent);
el("ask").click();
await idle();

// The look: the replay of both, in its frame.
set("left", "linear");
set("right", "tree");
el("play").click();
await until(() => el("replay").contentWindow?.replay, "the replay");
const replay = el("replay").contentWindow.replay;
expect("both are played", replay.state().runs.length === 2, replay.state());
const end = Math.max(...rows().filter((row) => row.bytes === 1024 && ["linear", "tree"].includes(row.algorithm)).map((row) => row.time_us));
expect("their time is the answer's", Math.abs(replay.state().end / 1e6 - end) < 1e-9, [replay.state().end, end]);

// Tell.
const shown = page.state();
await until(() => el("command").textContent.includes("multicomputer study"), "the command");
expect("the command", el("command").textContent.includes("--machine paragon:4x4"), el("command").textContent);
expect("Python", el("python").textContent.includes("mc.study("), el("python").textContent);
await until(() => el("address").value === location.href, "the address");
for (const id of ["save-study", "save-svg", "save-csv"]) {
  el("tell-said").textContent = "";
  el(id).click();
  await until(() => el("tell-said").textContent !== "", id);
  expect(id, !/error|fail/i.test(el("tell-said").textContent), el("tell-said").textContent);
}

// What is not valid is told at its field, and what is shown is marked until it is mended.
page.set({ operation: "broadcast", machine: "paragon:4x4", bytes: "8..4K", algorithm: ["auto", "linear", "short"] }, { at: "64" });
await idle();
for (const [id, wrong, good] of [
  ["machine-size", "", " 4 x 4 "],
  ["machine-ports", "0", ""],
  ["machine-ports", "1.5", ""],
  ["alpha-value", "-1", el("alpha-value").value],
  ["alpha-value", "", el("alpha-value").value],
  ["fault-at", "abc", "0s"],
  ["fault-at", "-1s", "0s"],
  ["bytes-from", "0", "8"],
  ["root", "x", ""],
]) {
  set(id, wrong);
  const told = el(el(id).dataset.error ?? `${id}-error`);
  const lines = [...document.querySelectorAll(".stale-line")].map((line) => line.textContent);
  expect(`${id} ${wrong} is told`, told.textContent.length > 10 && !told.hidden && lines.length === 3 && lines.every((line) => line.includes("paragon:4x4")), lines);
  set(id, good);
  await idle();
  expect(`${id} ${good} mends it`, document.querySelector("main.stale, .stale-line:not(:empty)") === null && question().machine === "paragon:4x4");
}
set("machine-name", "other");
expect("a machine as text", el("machine-size-label").textContent === "Machine as text" && el("machine-size").value === "paragon:4x4");
set("machine-size", "mesh:3x7");
await idle();
expect("the text is taken", question().machine === "mesh:3x7" && el("machine-name").value === "mesh" && el("machine-size").value === "3x7");
set("alpha-value", "20");
set("root", "5");
set("machine-name", "cm5");
expect("what is removed is told", /root 5.*alpha 20us/.test(el("machine-note").textContent), el("machine-note").textContent);
set("bytes", "");
expect("the length without lengths is told", el("question-note").textContent.includes("2K"));
await idle();
location.hash = "#operation=broadcast";
await idle();
expect("the default machine", el("machine-name").value === "paragon" && el("machine-size").value === "10x10" && rows()[0].machine === "paragon:10x10");

// Going back undoes a change of the machine and of the operation.
set("machine-name", "torus");
await idle();
set("operation", "scan");
await idle();
for (const [key, value] of [["operation", "broadcast"], ["machine", undefined]]) {
  const last = location.hash;
  history.back();
  await until(() => location.hash !== last, "the last address");
  await idle();
  expect(`back to the ${key}`, question()[key] === value);
}

// The answer belongs to the question: what is old, coarse or incomplete is marked, and nothing is concluded from it.
page.set({ operation: "broadcast", machine: "paragon:4x4", bytes: "8..64K", algorithm: ["auto", "short", "long"] });
expect("old times are faint", el("results").className === "old" && el("answer").getAttribute("aria-busy") === "true");
expect("old commands are gone", el("command").textContent === "" && document.querySelector('[data-copy="python"]').disabled);
const seen = new Set();
while (page.busy) {
  seen.add(el("results").className === "old" ? "" : el("at").value);
  await wait(2);
}
await idle();
seen.delete("");
expect("the length stays while rows come", seen.size <= 1 && el("results").className === "", [...seen]);
expect("auto is left out of the sentence", /auto left out/.test(el("sentence").textContent) && !/auto \(/.test(el("sentence").textContent));
expect("auto is the last bar", /chose .*not ranked/.test(el("bars").lastElementChild.textContent), el("bars").textContent);
el("algorithms-none").click();
await idle();
expect("an error leaves no times", el("sentence").textContent + el("progress").textContent + el("bars").textContent === "" && el("chart").children.length === 0);
page.set({ operation: "broadcast", machine: "paragon:4x4", bytes: "8..64", algorithm: ["short", "long"], root: "99" });
await idle();
expect("the same error is told once", el("notes").children.length === 1 && el("notes").textContent.startsWith("short and long have no time"), el("notes").textContent);
const { explain } = await import("/fields.js");
const said = document.createElement("p");
explain("unknown machine `foo`. Known: one, another", said);
expect("lists of names are folded", said.querySelector("details")?.textContent.includes("another") && said.firstChild.textContent === "unknown machine `foo`.");
const { Results } = await import("/results.js");
const timed = (time_us, nth) => ({ bytes: nth < 3 ? 1 : 4, algorithm: "abc"[nth % 3], time_us, case: nth < 3 ? 0 : 1 });
const some = new Results().add([1, 100, 1.1, 100, 1].map(timed));
some.settle();
expect("lengths without all rows are not compared", some.sentence() === "Fastest: a (1).", some.sentence());
expect("no crossover above a third line", new Results().add([1, 100, 1.1, 100, 1, 1.1].map(timed)).crossovers().every((one) => !one.isLowest));

// A verdict belongs to its length.
page.set({ operation: "broadcast", machine: "paragon:4x4", bytes: "8..4K", algorithm: ["linear", "short"] }, { at: "64", ask: "1" });
await idle();
el("predict").querySelector("input").click();
el("guess-time").value = "5";
el("predict").requestSubmit();
expect("a verdict names its length", el("verdict").textContent.startsWith("For 64 bytes") && !el("verdict").hidden, el("verdict").textContent);
set("at", "128");
expect("and goes with it", el("verdict").hidden && !el("results").hidden);
el("ask").click();
await idle();

// The sources of any distribution are marked, and a click adds to them.
page.set({ operation: "s-to-p", machine: "paragon:4x4", bytes: "1K", algorithm: ["spread"], distribution: "cross", sources: "5" });
await idle();
const marked = () => [...document.querySelectorAll("#network .source")].map((node) => node.dataset.name);
await until(() => marked().length === 5, "the sources");
const added = [...document.querySelectorAll("#network .node:not(.source)")][0].dataset.name;
click(added);
await idle();
await until(() => marked().length === 6, "one more source");
expect("a click adds a source", question().distribution.startsWith("list:") && rows()[0].sources === 6 && marked().includes(added), question());

// Places and ways on the page.
el("lesson-list").children[0].click();
expect("a lesson stands above its answer, with the focus", el("answer").contains(document.activeElement), document.activeElement.outerHTML);
await idle();
el("lesson-list").children[0].click();
for (const id of ["answer", "look", "tell", "words"]) {
  const last = location.hash;
  document.querySelector(`nav a[href="#${id}"]`).click();
  expect(`a link to ${id}`, document.activeElement.id === id && location.hash === last);
}
window.scrollTo(0, document.body.scrollHeight);
await wait(100);
expect("the answer covers nothing", el("answer").getBoundingClientRect().bottom <= el("look").getBoundingClientRect().top);
page.set({ operation: "broadcast", machine: "fat-tree:64", bytes: "8", algorithm: ["short"] });
await idle();
await until(() => el("network-note").textContent.startsWith("fat-tree:64"), "the fat tree");
const [left, right] = ["0", "1"].map((name) => document.querySelector(`#network [data-name="${name}"] circle`).getBoundingClientRect().x);
expect("fingers fit", right - left >= 23.9, [left, right]);
expect("words", el("glossary").querySelectorAll("dt").length >= 15);
const algorithms = page.facts().operations.find((one) => one.name === "broadcast").algorithms;
expect("a cost is announced if there is one", [...document.querySelectorAll("#algorithms summary")].every((summary) => {
  const { cost } = algorithms.find((one) => one.name === summary.closest("li").querySelector("input").value);
  return summary.textContent.includes("cost") === (cost !== "");
}));
page.set(shown.question, shown.page);
await idle();

// The address makes the same page again.
const before = page.state();
const hash = location.hash;
location.hash = "#operation=scan&machine=cm5:16&bytes=1K&algorithm=doubling";
await idle();
expect("another address is another page", question().operation === "scan" && rows().length === 1);
location.hash = hash;
await idle();
expect("the address has everything", JSON.stringify(page.state()) === JSON.stringify(before), [before, page.state()]);
return { faults, checked, question: question(), times: cells };
