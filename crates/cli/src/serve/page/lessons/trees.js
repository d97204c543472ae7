import { exactTime, isNear, micros, time, times } from "./check.js";

const broadcast = (machine, algorithm, keys = {}) => ({ operation: "broadcast", machine, bytes: "8..64K", algorithm, ...keys });
const TWO = broadcast("paragon:1x2", ["linear"]);
const MANY = broadcast("paragon:8x8", ["linear", "short", "tree"]);
const TENTH = { alpha: "18.4us" };
const LONG = 65536;

/** The question for the two lengths that steps compare. */
const ends = (question) => ({ ...question, bytes: "8,64K" });

export const lesson = {
  title: "Why trees",
  about:
    "A parallel computer is a set of nodes, each with its own memory. Nodes share data only by messages. A " +
    "broadcast brings data of one node, the root, to all.",
  steps: [
    {
      text:
        "Two nodes: one message is the whole broadcast. Its time is a fixed part, called start-up or alpha, plus the " +
        "number of bytes times beta, the time per byte.",
      cases: [
        ["8 bytes", TWO, { at: "8" }],
        ["64 KiB", TWO, { at: String(LONG) }],
      ],
      async tell(compute) {
        const results = await compute(ends(TWO));
        const row = results.at(8, "linear");
        return (
          `8 bytes take ${time(results, 8, "linear")} (us: millionths of a second), of which alpha is ` +
          `${micros(row.alpha_us)}: nearly all. 64 KiB (65536 bytes) take ${time(results, LONG, "linear")}: nearly all is ` +
          `bytes times beta. No algorithm can beat the lower bound; what decides it, here ${row.decided_by}, is the reason of its ` +
          "proof (some node must receive the message, alpha included), not the longest part of the time."
        );
      },
    },
    {
      text:
        "64 nodes: with `linear` the root sends to each of the 63 others itself, one after the other. Every message " +
        "keeps the root busy, so the time grows with the number of nodes.",
      cases: [["Show this step", broadcast("paragon:8x8", ["linear"]), { at: "8" }]],
      async tell(compute) {
        const [two, many] = await Promise.all([compute(ends(TWO)), compute(ends(MANY))]);
        return `8 bytes: ${time(many, 8, "linear")} for 64 nodes, ${time(two, 8, "linear")} for two.`;
      },
    },
    {
      text:
        "With `short` each node that has the data helps. In each round every such node sends to one that lacks " +
        "it, so the number of nodes with data doubles: 1, 2, 4, .. 64. Six rounds are enough. " +
        "This is a binomial tree.",
      cases: [["Show this step", broadcast("paragon:8x8", ["linear", "short"]), { at: "8", left: "linear", right: "short" }]],
      async tell(compute) {
        const [two, many] = await Promise.all([compute(ends(TWO)), compute(ends(MANY))]);
        const ratio = times(many.time(8, "short"), two.time(8, "linear"));
        return `8 bytes: \`short\` ${time(many, 8, "short")}, which is ${ratio} one message, and \`linear\` ${time(many, 8, "linear")}.`;
      },
    },
    {
      text:
        "Does a node have to wait until its message has arrived before it sends the next one? No: it is busy for " +
        "the send overhead o_s only, half of alpha here (the other half is work of the receiver). `tree` is the tree that " +
        "uses this best. Behind its bar stands (overlapped): a node starts its next message while earlier ones are " +
        "under way.",
      plays: true,
      cases: [["Show this step", MANY, { at: "8", left: "short", right: "tree" }]],
      async tell(compute) {
        const results = await compute(ends(MANY));
        return (
          `8 bytes: \`short\` ${time(results, 8, "short")}, \`tree\` ${time(results, 8, "tree")}; lower bound, the dashed line: ` +
          `${micros(results.bound(8).bound_us)}.`
        );
      },
    },
    {
      text:
        "Make alpha ten times smaller: short messages gain, long ones hardly. Trees save start-ups, not bytes: each " +
        "round sends the whole message again.",
      cases: [
        ["Usual alpha", MANY, { at: "8" }],
        ["A tenth of alpha", { ...MANY, ...TENTH }, { at: "8" }],
      ],
      async tell(compute) {
        const [usual, tenth] = await Promise.all([compute(ends(MANY)), compute({ ...ends(MANY), ...TENTH })]);
        const change = (bytes) => `${time(usual, bytes, "short")} becomes ${time(tenth, bytes, "short")}`;
        return `\`short\`, 8 bytes: ${change(8)}. 64 KiB: ${change(LONG)}. Turn alpha yourself under Machine.`;
      },
    },
  ],
  ask: {
    text:
      "On paragon:8x8 (64 nodes), `short` takes 6 rounds for 8 bytes. How long does it take on paragon:8x16, which " +
      "has 128 nodes?",
    unit: "us (microseconds)",
    tolerance: 0.05,
    hint: "In each round the number of nodes with data doubles. How many rounds do 128 nodes need, and how long is a round?",
    repeat: 3,
    async check(given, compute) {
      const [small, large] = await Promise.all(
        ["paragon:8x8", "paragon:8x16"].map((machine) => compute(broadcast(machine, ["short", "linear"], { bytes: "8" }))),
      );
      const right = large.time(8, "short");
      return {
        isRight: isNear(given, right, 0.05),
        text:
          `It takes ${exactTime(large, 8, "short")}, against ${exactTime(small, 8, "short")} on 64 nodes: twice the nodes need ` +
          `one round more, about ${micros(right - small.time(8, "short"))}. ` +
          `With linear the time doubles: ${exactTime(small, 8, "linear")} and ${exactTime(large, 8, "linear")}.`,
      };
    },
  },
};
