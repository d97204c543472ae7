import { exactTime } from "./check.js";

const reduce = (machine, keys = {}) => ({
  operation: "all-reduce",
  machine,
  bytes: "8..1M",
  algorithm: ["halving", "long"],
  ...keys,
});
const AT = 65536;
const EXCESS = [1, 2, 4, 8];
/** Times that differ by less than this fraction are called equal. */
const EQUAL = 0.01;

export const lesson = {
  title: "Contention on a mesh",
  about:
    "Nodes are joined by links. Two messages on the same link at the same time share its capacity, and both take " +
    "longer: contention.",
  steps: [
    {
      text:
        "A complete network: every pair of nodes has its own link, so there is no contention. `halving` exchanges " +
        "half of the vector with a neighbour, then a quarter with a partner at distance 2, an eighth at distance 4, " +
        "and so on, and then the results in the opposite order.",
      question: reduce("complete:16", { algorithm: ["halving"] }),
      page: { at: String(AT) },
    },
    {
      text:
        "The same algorithm with the same messages on a line: partners far from each other share links. At distance " +
        "8, eight messages cross the link in the middle at once. For 8 bytes nothing changes, for 64 KiB it takes " +
        "about twice as long.",
      question: reduce("line:16", { algorithm: ["halving"] }),
      page: { at: String(AT) },
    },
    {
      text:
        "`long` sends only to neighbours on the line. It needs more messages, but none of them shares a link: for " +
        "long vectors it is faster on the line. Press Play both under Look: links that are shared are orange.",
      question: reduce("line:16"),
      page: { at: String(AT), left: "halving", right: "long" },
    },
    {
      text: "A mesh has rows and columns, so there are more links and shorter routes: less contention.",
      question: reduce("mesh:4x4"),
      page: { at: String(AT), left: "halving", right: "long" },
    },
    {
      text:
        "Links may be faster than the ports of nodes: k is the capacity of a link over that of a port. With k = 2 " +
        "two messages share a link without loss. Turn k, and watch `halving` on the line.",
      question: reduce("line:16", { "link-excess": "2" }),
      page: { at: String(AT) },
    },
  ],
  ask: {
    text:
      "On line:16, which is the smallest of these k at which halving for 64 KiB is as fast as on the complete " +
      "network (within 1 %)?",
    options: EXCESS.map((k) => [String(k), `k = ${k}`]),
    async check(given, compute) {
      const of = (machine, keys) => compute(reduce(machine, { bytes: "64K", algorithm: ["halving"], ...keys }));
      const [free, ...lines] = await Promise.all([
        of("complete:16", {}),
        ...EXCESS.map((k) => of("line:16", { "link-excess": String(k) })),
      ]);
      const least = free.time(AT, "halving");
      const right = EXCESS.find((_, nth) => lines[nth].time(AT, "halving") <= least * (1 + EQUAL));
      const told = EXCESS.map((k, nth) => `${exactTime(lines[nth], AT, "halving")} with k = ${k}`).join(", ");
      return {
        isRight: given === String(right),
        text:
          `Complete network: ${exactTime(free, AT, "halving")}. Line: ${told}. ` +
          (right === undefined
            ? "None of them is enough."
            : `k = ${right} is enough: then the most messages that share a link at once fit onto it.`),
      };
    },
  },
};
