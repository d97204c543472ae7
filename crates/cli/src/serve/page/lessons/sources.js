import { listed } from "../units.js";
import { exactTime, extremes } from "./check.js";

const s = (sources, distribution, algorithm) => ({
  operation: "s-to-p",
  machine: "paragon:8x8",
  bytes: "64..16K",
  sources: String(sources),
  distribution,
  algorithm,
});
const AT = 2048;
const PLACES = ["row", "column", "square-block", "right-diagonal"];

export const lesson = {
  title: "Recursive halving and s-to-p",
  about:
    "In an s-to-p broadcast, s of the p nodes have a message each, and all p nodes want all of them. Where the " +
    "sources are matters.",
  steps: [
    {
      text:
        "One source: this is a broadcast. `2-step` gathers all messages at node 0 and broadcasts them; with one " +
        "source at node 0 there is nothing to gather.",
      question: s(1, "row", ["2-step"]),
      page: { at: String(AT) },
    },
    {
      text: "16 sources in two rows. Node 0 must now receive 15 messages, and then send all 16 in every step: it is a bottleneck.",
      question: s(16, "row", ["2-step"]),
      page: { at: String(AT) },
    },
    {
      text:
        "`br-lin` is recursive halving: a node of the first half and its partner in the second half exchange what " +
        "they have; then each half does the same by itself. No node must gather everything first.",
      question: s(16, "row", ["2-step", "br-lin"]),
      page: { at: String(AT), left: "2-step", right: "br-lin" },
    },
    {
      text:
        "Halving works best if the number of nodes with data grows quickly. If two partners both have data, an " +
        "exchange makes messages longer, but no new node has data. Look at sources in a column, and play both.",
      question: s(16, "column", ["br-lin", "br-xy-source"]),
      page: { at: String(AT), left: "br-lin", right: "br-xy-source" },
    },
    {
      text:
        "Sources can also be moved to good places first (`repos-br-lin`). That costs a message more. Click other " +
        "nodes on the machine to choose your own sources.",
      question: s(16, "right-diagonal", ["br-lin", "br-xy-source", "repos-br-lin"]),
      page: { at: String(AT), left: "br-lin", right: "repos-br-lin" },
    },
  ],
  ask: {
    text: "16 sources, 2 KiB each, on paragon:8x8: for which distribution is br-lin the slowest?",
    options: PLACES.map((name) => [name, name]),
    async check(given, compute) {
      const all = await Promise.all(PLACES.map((name) => compute({ ...s(16, name, ["br-lin"]), bytes: "2K" })));
      const of = (name) => all[PLACES.indexOf(name)];
      const { least, most } = extremes(PLACES, (name) => of(name).time(AT, "br-lin"));
      return {
        isRight: given === most,
        text:
          `${listed(PLACES.map((name) => `${name} ${exactTime(of(name), AT, "br-lin")}`))}. ` +
          `${most} is the slowest, ${least} the fastest: the same algorithm and the same bytes, only the places differ.`,
      };
    },
  },
};
