import { listed } from "../units.js";
import { exactTime } from "./check.js";

const NAMES = ["tree", "short", "long", "pipeline", "edst", "blocks"];
const MACHINES = ["hockney:8x8", "paragon:8x8", "ethernet:64"];
const broadcast = (machine) => ({ operation: "broadcast", machine, bytes: "1K..1M", algorithm: NAMES });
const AT = 1048576;

export const lesson = {
  title: "One machine's best is another's worst",
  about:
    "Six ways to broadcast, 64 nodes, 1 MiB, three machines. No algorithm is the best everywhere: a library has " +
    "to know its machine.",
  steps: [
    {
      text:
        "hockney is a textbook machine: a mesh with equal links and simple costs. `pipeline` cuts the data into " +
        "hundreds of chunks, which follow each other from node to node. It is near the lower bound.",
      question: broadcast("hockney:8x8"),
      page: { at: String(AT) },
    },
    {
      text:
        "The Paragon of 1993 is a mesh as well, but its links are five times faster than its ports. `edst` sends " +
        "along several trees at once, whose messages share links; here that costs little, and it is as fast.",
      question: broadcast("paragon:8x8"),
      page: { at: String(AT), left: "pipeline", right: "edst" },
    },
    {
      text:
        "A cluster on 100 Gb/s Ethernet: each message crosses switches, and neighbours in rank order are no nearer " +
        "than others. Look where `pipeline` is now.",
      question: broadcast("ethernet:64"),
      page: { at: String(AT) },
    },
    {
      text:
        "Why? Its chain has 63 steps, and a byte takes 350 times less time here than on the Paragon, while a " +
        "start-up is only about 100 times faster. So start-ups count more, and a chain has the most of them. " +
        "Compare alpha and beta of both machines.",
      question: broadcast("ethernet:64"),
      page: { at: "65536" },
    },
  ],
  ask: {
    text: "Which of the six is the slowest for 1 MiB on one of the three machines, and the fastest on another one?",
    options: [...NAMES.map((name) => [name, name]), ["none", "none of them"]],
    async check(given, compute) {
      const all = await Promise.all(MACHINES.map((machine) => compute({ ...broadcast(machine), bytes: "1M" })));
      const ranks = all.map((results) => results.ranked(AT));
      const [best, worst] = [ranks.map((names) => names[0]), ranks.map((names) => names[names.length - 1])];
      const both = NAMES.filter((name) => best.includes(name) && worst.includes(name));
      const told = MACHINES.map(
        (machine, nth) =>
          `${machine}: fastest ${best[nth]} (${exactTime(all[nth], AT, best[nth])}), slowest ${worst[nth]} (${exactTime(all[nth], AT, worst[nth])})`,
      );
      return {
        isRight: both.length > 0 ? both.includes(given) : given === "none",
        text: `${listed(told)}. That is ${listed(both) || "none of them"}.`,
      };
    },
  },
};
