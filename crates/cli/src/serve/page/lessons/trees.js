import { timeText } from "../units.js";
import { exactTime, isNear } from "./check.js";

const broadcast = (machine, algorithm) => ({ operation: "broadcast", machine, bytes: "8..64K", algorithm });

export const lesson = {
  title: "Why trees",
  about:
    "A parallel computer is a set of nodes, each with its own memory. Nodes share data only by messages. A " +
    "broadcast brings data of one node, the root, to all.",
  steps: [
    {
      text:
        "Two nodes: one message is the whole broadcast. Its time is a start-up, called alpha, plus the number of " +
        "bytes times beta, the time per byte. " +
        "For 8 bytes nearly all of the time is alpha; for 64 KiB nearly all is bytes times beta.",
      question: broadcast("paragon:1x2", ["linear"]),
      page: { at: "8" },
    },
    {
      text:
        "64 nodes: with `linear` the root sends to each of the 63 others itself, one after the other. Every message " +
        "keeps the root busy, so the time grows with the number of nodes.",
      question: broadcast("paragon:8x8", ["linear"]),
      page: { at: "8" },
    },
    {
      text:
        "With `short` each node that has the data helps. In each round every such node sends to one that lacks " +
        "it, so the number of nodes with data doubles: 1, 2, 4, .. 64. Six rounds are enough. " +
        "This is a binomial tree.",
      question: broadcast("paragon:8x8", ["linear", "short"]),
      page: { at: "8", left: "linear", right: "short" },
    },
    {
      text:
        "Does a node have to wait until its message has arrived before it sends the next one? No: it is busy for " +
        "the send overhead o_s only, half of alpha here. `tree` is the tree that uses this best. " +
        "For 8 bytes it is very near the lower bound, the dashed line that no algorithm can beat. Press Play both " +
        "under Look to compare the messages.",
      question: broadcast("paragon:8x8", ["linear", "short", "tree"]),
      page: { at: "8", left: "short", right: "tree" },
    },
    {
      text:
        "Turn alpha: with a tenth of it, short messages are faster, but for 64 KiB little changes. Trees save " +
        "start-ups, not bytes: each round sends the whole message again.",
      question: { ...broadcast("paragon:8x8", ["linear", "short", "tree"]), alpha: "18.4us" },
      page: { at: "8" },
    },
  ],
  ask: {
    text:
      "On paragon:8x8 (64 nodes), `short` takes 6 rounds for 8 bytes. How long does it take on paragon:8x16, which " +
      "has 128 nodes?",
    unit: "us",
    tolerance: 0.05,
    async check(given, compute) {
      const [small, large] = await Promise.all(
        ["paragon:8x8", "paragon:8x16"].map((machine) =>
          compute({ operation: "broadcast", machine, bytes: "8", algorithm: ["short", "linear"] }),
        ),
      );
      const right = large.time(8, "short");
      const more = right - small.time(8, "short");
      return {
        isRight: isNear(given, right, 0.05),
        text:
          `It takes ${exactTime(large, 8, "short")}, against ${exactTime(small, 8, "short")} on 64 nodes: twice the nodes need one round more, about ${timeText(more, 3)}. ` +
          `With linear the time doubles: ${exactTime(small, 8, "linear")} and ${exactTime(large, 8, "linear")}.`,
      };
    },
  },
};
