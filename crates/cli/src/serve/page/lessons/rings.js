import { lengthWords } from "../units.js";
import { exactTime, micros, time, times } from "./check.js";

const reduce = (keys = {}) => ({
  operation: "all-reduce",
  machine: "ring:16",
  bytes: "8..1M",
  algorithm: ["doubling", "long"],
  ...keys,
});
const COMPLETE = { machine: "complete:16" };
const FEWER = { alpha: "13us" };
const LONG = 1048576;
const both = (keys = {}) => reduce({ ...keys, bytes: "8,1M" });
const sides = (at) => ({ at: String(at), left: "doubling", right: "long" });

/** The first length at which `long` is the fastest; null if there is none. */
const first = (results) => results.ranges().find((range) => range.name === "long")?.from ?? null;

export const lesson = {
  title: "Why rings win for long vectors",
  about:
    "A vector is a list of numbers. An all-reduce adds up vectors of all nodes, element by element, and brings the " +
    "sum to all of them. Training of neural networks does this all the time.",
  steps: [
    {
      text:
        "A ring network: 16 nodes, each linked to two neighbours. With the algorithm `doubling` each node exchanges " +
        "its whole vector with partners at distances 1, 2, 4 and 8. After 4 rounds all have the sum. So there are few " +
        "start-ups (the fixed cost of a message, alpha): good for short vectors.",
      cases: [["Show this step", reduce({ algorithm: ["doubling"] }), { at: "8" }]],
      async tell(compute) {
        const results = await compute(both());
        return (
          `8 bytes: ${time(results, 8, "doubling")}; lower bound, which no algorithm can beat: ` +
          `${micros(results.bound(8).bound_us)}. A start-up is ${micros(results.at(8, "doubling").alpha_us)}.`
        );
      },
    },
    {
      text:
        "`long` is called the ring algorithm, on any network: the vector is cut into 16 pieces, and each node sends " +
        "one piece to the next node, 30 times: 15 to add up, 15 to spread the sums. Many start-ups: slow for 8 bytes.",
      cases: [["Show this step", reduce(), sides(8)]],
      async tell(compute) {
        const results = await compute(both());
        return `8 bytes: \`doubling\` ${time(results, 8, "doubling")}, \`long\` ${time(results, 8, "long")}.`;
      },
    },
    {
      text:
        "For 1 MiB (1024 times 1024 bytes) it is the other way round. Every node sends less than two whole vectors with `long`, but " +
        "four with `doubling`.",
      cases: [["Show this step", reduce(), sides(LONG)]],
      async tell(compute) {
        const results = await compute(both());
        const bound = results.bound(LONG).bound_us;
        return (
          `1 MiB: \`doubling\` ${time(results, LONG, "doubling")}, \`long\` ${time(results, LONG, "long")}, which is ` +
          `${times(results.time(LONG, "long"), bound)} the lower bound.`
        );
      },
    },
    {
      text:
        "There is a second reason: on the ring network partners of `doubling` are up to 8 links away, so messages share " +
        "links. Neighbours never share one. On a complete network, where every pair has its own link, `doubling` " +
        "loses less.",
      cases: [
        ["Ring network", reduce(), sides(LONG)],
        ["Complete network", reduce(COMPLETE), sides(LONG)],
      ],
      async tell(compute) {
        const [ring, complete] = await Promise.all([compute(both()), compute(both(COMPLETE))]);
        const change = (name) => `\`${name}\` ${time(ring, LONG, name)} and ${time(complete, LONG, name)}`;
        return `1 MiB on the ring network and on the complete one: ${change("doubling")}, ${change("long")}.`;
      },
    },
    {
      text:
        "The circle on the chart is the crossover, where the lines meet: to its left few start-ups count, to its right " +
        "few bytes.",
      cases: [["Show this step", reduce(), { at: "8192" }]],
      async tell(compute) {
        const found = (await compute(reduce())).crossovers();
        const where = found.map(
          ({ before, after, from, to }) => `from \`${before}\` to \`${after}\` between ${lengthWords(from)} and ${lengthWords(to)}`,
        );
        return where.length > 0 ? `On the ring network it is ${where.join(", and ")}.` : "Here the lines do not meet.";
      },
    },
  ],
  ask: {
    text:
      "A faster network interface makes alpha ten times smaller (13 us), beta stays. From which lengths on does " +
      "`long` then win on the ring network?",
    options: [
      ["shorter", "already from shorter vectors on"],
      ["same", "from the same length on"],
      ["longer", "only from longer vectors on"],
    ],
    hint: "`long` pays 30 start-ups, `doubling` 4. Which of them gains more if a start-up costs less?",
    repeat: 2,
    async check(given, compute) {
      const [usual, small] = await Promise.all([compute(reduce()), compute(reduce(FEWER))]);
      const [before, after] = [first(usual), first(small)];
      const right = before === null || after === null || before === after ? "same" : after < before ? "shorter" : "longer";
      const from = (length) => (length === null ? "no length" : lengthWords(length));
      return {
        isRight: given === right,
        text:
          `With the usual alpha \`long\` is the fastest from ${from(before)} on, with a tenth from ${from(after)} on. It ` +
          "pays 30 start-ups to save bytes: cheaper start-ups make that worth it earlier. " +
          `At 1 MiB it takes ${exactTime(usual, LONG, "long")} and ${exactTime(small, LONG, "long")}.`,
      };
    },
  },
};
