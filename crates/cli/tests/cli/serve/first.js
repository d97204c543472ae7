// The time to the first result and to a new curve, the width of the page, and the names of its controls.
await until(() => document.querySelector("#bars li"), "the first result");
const first_ms = Math.round(performance.now());
await idle();
page.set({ operation: "broadcast", machine: "paragon:8x8", bytes: "8..1M", algorithm: ["short", "long", "hybrid", "alternating", "tree", "pipeline", "chains", "bine"] });
await idle();
const range = el("beta-range"), times = [];
for (let nth = 1; nth <= 9; nth++) {
  const before = el("chart").innerHTML, begin = performance.now();
  range.value = String(nth * 3);
  range.dispatchEvent(new Event("input", { bubbles: true }));
  await until(() => el("chart").innerHTML !== before, "a new curve");
  times.push(performance.now() - begin);
  await wait(30);
}
range.dispatchEvent(new Event("change", { bubbles: true }));
await idle();
const slider_ms = Math.round(times.sort((one, other) => one - other)[4]);
const shown = (part) => part.offsetParent !== null && !part.closest("[hidden]");
const scrolls = (part) => part && (/(auto|scroll)/.test(getComputedStyle(part).overflowX) || scrolls(part.parentElement));
const wide = [...document.body.querySelectorAll("*")]
  .filter((part) => part instanceof HTMLElement && shown(part) && part.getBoundingClientRect().right > window.innerWidth + 1 && !scrolls(part))
  .map((part) => part.outerHTML.slice(0, 120));
const name = (part) =>
  part.textContent.trim() || part.getAttribute("aria-label") || part.labels?.length || part.title || part.getAttribute("aria-labelledby");
const unnamed = [...document.querySelectorAll("button, input, select, summary, [role=button], [role=slider], iframe")]
  .filter((part) => !part.closest("[hidden]") && !name(part))
  .map((part) => part.outerHTML.slice(0, 120));
return { first_ms, slider_ms, wide, unnamed };
