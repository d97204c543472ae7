import { isNear } from "./check.js";

const exchange = (machine, algorithm = ["pairwise"]) => ({ operation: "all-to-all", machine, bytes: "1K..1M", algorithm });
const AT = 1048576;

export const lesson = {
  title: "All-to-all and bisection",
  about:
    "In an all-to-all every node has a different piece of data for every other node. Transposing a matrix does " +
    "this. It is the hardest test of a network.",
  steps: [
    {
      text:
        "16 nodes, every pair with its own link. Each node sends 1 MiB in total. `pairwise` has 15 rounds; in each " +
        "round everybody sends to one node and receives from one. It reaches the lower bound: the ports of the " +
        "nodes are busy all the time.",
      question: exchange("complete:16"),
      page: { at: String(AT) },
    },
    {
      text:
        "The same on a line. Cut the line in the middle: half of all data must cross this one link. The lower bound " +
        "says so: it is decided by the bisection, and no algorithm can do better.",
      question: exchange("line:16"),
      page: { at: String(AT) },
    },
    {
      text:
        "A ring has two links in the middle, a 4 x 4 mesh four, a 4 x 4 torus eight. The more links cross the " +
        "middle, the less time it takes.",
      question: exchange("mesh:4x4"),
      page: { at: String(AT) },
    },
    {
      text:
        "A hypercube of 16 nodes has eight links across every such cut: enough. The lower bound is decided by the " +
        "traffic of the ports again.",
      question: exchange("hypercube:16", ["pairwise", "bruck"]),
      page: { at: String(AT), left: "pairwise", right: "bruck" },
    },
    {
      text:
        "For short messages start-ups count, not links. `bruck` packs data for several nodes into one message, and " +
        "forwards it: fewer messages, more bytes. Look at 1 KiB.",
      question: exchange("line:16", ["pairwise", "bruck"]),
      page: { at: "1024", left: "pairwise", right: "bruck" },
    },
  ],
  ask: {
    text:
      "64 nodes, 1 MiB from each node. A mesh of 8 x 8 and one of 4 x 16 are cut in the middle of their longer " +
      "side. How many times as long is the lower bound on 4 x 16?",
    unit: "times",
    tolerance: 0.1,
    async check(given, compute) {
      const [square, long] = await Promise.all(
        ["mesh:8x8", "mesh:4x16"].map((machine) => compute({ ...exchange(machine), bytes: "1M" })),
      );
      const [one, other] = [square.bound(AT), long.bound(AT)];
      const right = other.bound_us / one.bound_us;
      return {
        isRight: isNear(given, right, 0.1),
        text:
          `${right.toFixed(2)} times as long: the lower bounds are ${one.exact.bound_us} us on 8 x 8, decided by ` +
          `${one.decided_by}, and ${other.exact.bound_us} us on 4 x 16, decided by ${other.decided_by}. ` +
          "8 links cross the middle of 8 x 8, 4 that of 4 x 16, and the same bytes must cross. pairwise takes " +
          `${square.at(AT, "pairwise").exact.time_us} us and ${long.at(AT, "pairwise").exact.time_us} us.`,
      };
    },
  },
};
