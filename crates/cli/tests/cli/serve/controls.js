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
