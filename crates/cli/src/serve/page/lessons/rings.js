import { lengthWords } from "../units.js";
import { exactTime } from "./check.js";

const reduce = (keys = {}) => ({
  operation: "all-reduce",
  machine: "ring:16",
  bytes: "8..1M",
  algorithm: ["doubling", "long"],
  ...keys,
});
const fewer = { alpha: "13us" };

/** The first length at which the ring is the fastest; null if there is none. */
const first = (results) => results.ranges().find((range) => range.name === "long")?.from ?? null;

export const lesson = {
  title: "Why rings win for long vectors",
  about:
    "An all-reduce adds up vectors of all nodes, element by element, and brings the sum to all of them. Training " +
    "of neural networks does this all the time.",
  steps: [
    {
      text:
        "16 nodes in a ring. With `doubling` each node exchanges its whole vector with partners at distances " +
        "1, 2, 4 and 8. After 4 rounds all have the sum. Few start-ups: the fastest for short vectors.",
      question: reduce({ algorithm: ["doubling"] }),
      page: { at: "8" },
    },
    {
      text:
        "`long` is the ring algorithm: the vector is cut into 16 pieces, and each node sends one piece to its " +
        "neighbour, 30 times. Many start-ups: for 8 bytes it is much slower.",
      question: reduce(),
      page: { at: "8", left: "doubling", right: "long" },
    },
    {
      text:
        "For 1 MiB it is the other way round. Every node sends less than two whole vectors with the ring, but four " +
        "with doubling. The ring is near the lower bound.",
      question: reduce(),
      page: { at: "1048576", left: "doubling", right: "long" },
    },
    {
      text:
        "There is a second reason: partners of doubling are up to 8 links away, so messages share links. Ring " +
        "neighbours never share one. On a complete network, where every pair has its own link, doubling loses less.",
      question: reduce({ machine: "complete:16" }),
      page: { at: "1048576", left: "doubling", right: "long" },
    },
    {
      text:
        "The ring circle on the chart is the crossover: to its left few start-ups count, to its right few bytes. " +
        "Where is it on the ring of 16 nodes?",
      question: reduce(),
      page: { at: "8192" },
    },
  ],
  ask: {
    text:
      "A faster network interface makes alpha ten times smaller (13 us), beta stays. From which lengths on does the " +
      "ring algorithm then win?",
    options: [
      ["shorter", "already from shorter vectors on"],
      ["same", "from the same length on"],
      ["longer", "only from longer vectors on"],
    ],
    async check(given, compute) {
      const [usual, small] = await Promise.all([compute(reduce()), compute(reduce(fewer))]);
      const [before, after] = [first(usual), first(small)];
      const right = before === null || after === null || before === after ? "same" : after < before ? "shorter" : "longer";
      const from = (length) => (length === null ? "no length" : lengthWords(length));
      return {
        isRight: given === right,
        text:
          `With the usual alpha it is the fastest from ${from(before)} on, with a tenth from ${from(after)} on. The ring pays 30 start-ups to save bytes: cheaper start-ups make that worth it earlier. ` +
          `At 1 MiB: ${exactTime(usual, 1048576, "long")} and ${exactTime(small, 1048576, "long")}.`,
      };
    },
  },
};
