import { isNear, micros, time } from "./check.js";

const exchange = (machine, algorithm = ["pairwise"]) => ({ operation: "all-to-all", machine, bytes: "1K..1M", algorithm });
const LONG = 1048576;
const SHORT = 1024;
const long = (machine) => ({ ...exchange(machine), bytes: "1M" });
const at = { at: String(LONG) };

/** Networks of 16 nodes with the number of links that cross the middle, in one direction. */
const NETWORKS = [
  ["Line", "line:16", 1],
  ["Ring network", "ring:16", 2],
  ["Mesh", "mesh:4x4", 4],
  ["Torus", "torus:4x4", 8],
];

/** The time of `pairwise` and the lower bound with its reason. */
const told = (results) =>
  `${time(results, LONG, "pairwise")}, lower bound ${micros(results.bound(LONG).bound_us)} (${results.bound(LONG).decided_by})`;

export const lesson = {
  title: "All-to-all and bisection",
  about:
    "In an all-to-all every node has a different piece of data for every other node. Transposing a matrix does " +
    "this. It is the hardest test of a network. A bisection is a cut through the network into two equal halves.",
  steps: [
    {
      text:
        "16 nodes, every pair with its own link. Each node sends 1 MiB (1024 times 1024 bytes) in total. `pairwise` has " +
        "15 rounds; in each round everybody sends to one node and receives from one. It reaches the lower bound, which no " +
        "algorithm can beat: the ports, through which nodes send and receive, are busy all the time.",
      cases: [["Show this step", exchange("complete:16"), at]],
      tell: async (compute) => `1 MiB: ${told(await compute(long("complete:16")))}: \`traffic\` is that of the ports.`,
    },
    {
      text:
        "The same on a line. Cut the line in the middle: about half of all data must cross this one link. The lower " +
        "bound says so: it is decided by the bisection.",
      cases: [
        ["Complete network", exchange("complete:16"), at],
        ["Line", exchange("line:16"), at],
      ],
      async tell(compute) {
        const [complete, line] = await Promise.all(["complete:16", "line:16"].map((machine) => compute(long(machine))));
        return [`1 MiB, complete network: ${told(complete)}.`, `Line: ${told(line)}.`];
      },
    },
    {
      text:
        "A ring network has two links in the middle, a mesh of 4 x 4 four, a torus of 4 x 4 (a mesh whose rows and " +
        "columns are closed to rings) eight. The more links cross the middle, the less time it takes.",
      cases: NETWORKS.map(([name, machine]) => [name, exchange(machine), at]),
      async tell(compute) {
        const all = await Promise.all(NETWORKS.map(([, machine]) => compute(long(machine))));
        return NETWORKS.map(([name, , links], nth) => `${name}, ${links} in the middle: ${told(all[nth])}.`);
      },
    },
    {
      text:
        "A hypercube of 16 nodes links each node to four others, and eight links cross the middle. That is enough: the " +
        "lower bound is decided by the traffic of the ports again, and `pairwise` reaches it, because its messages do " +
        "not meet on the links of a hypercube.",
      cases: [["Show this step", exchange("hypercube:16"), at]],
      tell: async (compute) => `1 MiB: ${told(await compute(long("hypercube:16")))}.`,
    },
    {
      text:
        "For short messages start-ups count (the fixed cost of each message), not links. `bruck` packs data for several " +
        "nodes into one message, which is forwarded: fewer messages, more bytes. Behind its bar stands the radix: the " +
        "larger it is, the fewer bytes are forwarded and the more messages there are.",
      cases: [
        ["1 KiB", exchange("line:16", ["pairwise", "bruck"]), { at: String(SHORT), left: "pairwise", right: "bruck" }],
        ["1 MiB", exchange("line:16", ["pairwise", "bruck"]), { at: String(LONG), left: "pairwise", right: "bruck" }],
      ],
      async tell(compute) {
        const results = await compute({ ...exchange("line:16", ["pairwise", "bruck"]), bytes: "1K,1M" });
        const pair = (bytes) => `\`pairwise\` ${time(results, bytes, "pairwise")}, \`bruck\` ${time(results, bytes, "bruck")}`;
        return `Line, 1 KiB: ${pair(SHORT)}. 1 MiB: ${pair(LONG)}.`;
      },
    },
  ],
  ask: {
    text:
      "64 nodes, 1 MiB from each node. A mesh of 8 x 8 and one of 4 x 16 are cut in the middle of their longer " +
      "side. How many times as long is the lower bound on 4 x 16?",
    unit: "times",
    tolerance: 0.1,
    hint: "The same bytes must cross the middle. How many links cross that of 8 x 8, and how many that of 4 x 16?",
    repeat: 3,
    async check(given, compute) {
      const [square, thin] = await Promise.all(["mesh:8x8", "mesh:4x16"].map((machine) => compute(long(machine))));
      const [one, other] = [square.bound(LONG), thin.bound(LONG)];
      const right = other.bound_us / one.bound_us;
      return {
        isRight: isNear(given, right, 0.1),
        text:
          `${right.toFixed(2)} times as long: the lower bounds are ${one.exact.bound_us} us on 8 x 8, decided by ` +
          `${one.decided_by}, and ${other.exact.bound_us} us on 4 x 16, decided by ${other.decided_by}. ` +
          "8 links cross the middle of 8 x 8, 4 that of 4 x 16, and the same bytes must cross. pairwise takes " +
          `${square.at(LONG, "pairwise").exact.time_us} us and ${thin.at(LONG, "pairwise").exact.time_us} us.`,
      };
    },
  },
};
