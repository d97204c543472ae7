import { listed } from "../units.js";
import { exactTime, extremes, time } from "./check.js";

const [ROWS, COLUMNS] = [8, 8];
const AT = 2048;

/** The ranks of the nodes of the mesh for which `is(row, column)` holds. */
const where = (is) =>
  Array.from({ length: ROWS * COLUMNS }, (_, rank) => rank).filter((rank) => is(Math.floor(rank / COLUMNS), rank % COLUMNS));

/** Places of sources. */
const NODE = where((row, column) => row === 0 && column === 0);
const TWO_ROWS = where((row) => row % 4 === 0);
const TWO_COLUMNS = where((_, column) => column % 4 === 0);
const BLOCK = where((row, column) => row < 4 && column < 4);
const DIAGONALS = where((row, column) => row % 4 === column % 4);
const CROSS = where((row, column) => row === 0 || column === 0);

const PLACES = [
  ["rows", "two rows", TWO_ROWS],
  ["columns", "two columns", TWO_COLUMNS],
  ["block", "a block of 4 x 4", BLOCK],
  ["diagonals", "two diagonals", DIAGONALS],
];

const from = (sources, algorithm, bytes = "64..16K") => ({
  operation: "s-to-p",
  machine: `paragon:${ROWS}x${COLUMNS}`,
  bytes,
  distribution: `list:${sources.join("+")}`,
  algorithm,
});
const of = (sources, ...algorithm) => from(sources, algorithm, "2K");

/** For each round of halving, how many nodes have data after it, and how many sources' data its longest message has. */
function rounds(sources) {
  const nodes = ROWS * COLUMNS;
  // The order of the halving is a snake: rows alternately from left to right and from right to left.
  const place = (rank) => (Math.floor(rank / COLUMNS) % 2 === 0 ? rank : rank - (rank % COLUMNS) + COLUMNS - 1 - (rank % COLUMNS));
  let held = new Array(nodes).fill(0);
  for (const rank of sources) held[place(rank)] = 1;
  const found = [];
  for (let far = nodes / 2; far >= 1; far /= 2) {
    const longest = Math.max(...held);
    held = held.map((own, at) => own + held[at ^ far]);
    found.push({ longest, nodes: held.filter((pieces) => pieces > 0).length });
  }
  return found;
}

const growth = (sources) =>
  rounds(sources)
    .map((round) => round.nodes)
    .join(", ");

/** The longest message of each round, and their sum. */
function longest(sources) {
  const pieces = rounds(sources).map((round) => round.longest);
  return `${pieces.join(" + ")} = ${pieces.reduce((sum, one) => sum + one, 0)}`;
}

const HINT = PLACES.map(([, name, sources]) => `${name} ${longest(sources).split(" = ")[0]}`);

export const lesson = {
  title: "Recursive halving and s-to-p",
  about:
    "In an s-to-p broadcast, s of the p nodes have a message each, and all p nodes want all of them. Where the " +
    "sources are matters.",
  steps: [
    {
      text:
        "One source, the green node: this is a broadcast. `2-step` gathers all messages at node 0 and broadcasts them; " +
        "with one source at node 0 there is nothing to gather.",
      cases: [["Show this step", from(NODE, ["2-step"]), { at: String(AT) }]],
      tell: async (compute) => `2 KiB (2048 bytes): ${time(await compute(of(NODE, "2-step")), AT, "2-step")}.`,
    },
    {
      text:
        "16 sources in two rows. Node 0 must now receive 15 messages, and then each message of the broadcast carries " +
        "all 16: node 0 is a bottleneck.",
      cases: [
        ["One source", from(NODE, ["2-step"]), { at: String(AT) }],
        ["Two rows", from(TWO_ROWS, ["2-step"]), { at: String(AT) }],
      ],
      async tell(compute) {
        const [one, many] = await Promise.all([compute(of(NODE, "2-step")), compute(of(TWO_ROWS, "2-step"))]);
        return `2 KiB from each source: ${time(one, AT, "2-step")} for one source, ${time(many, AT, "2-step")} for 16.`;
      },
    },
    {
      text:
        "`br-lin` is recursive halving: a node of the first half and its partner in the second half exchange what " +
        "they have; then each half does the same by itself, until halves are single nodes. No node must gather " +
        "everything first.",
      cases: [["Show this step", from(TWO_ROWS, ["2-step", "br-lin"]), { at: String(AT), left: "2-step", right: "br-lin" }]],
      async tell(compute) {
        const results = await compute(of(TWO_ROWS, "2-step", "br-lin"));
        return `2 KiB each: \`2-step\` ${time(results, AT, "2-step")}, \`br-lin\` ${time(results, AT, "br-lin")}.`;
      },
    },
    {
      text:
        "A round takes as long as its longest message, and a node sends all that it has. If two partners both have data, " +
        "messages grow, but no new node has data. In the first round the partner is four rows below, in the same " +
        "column: with two rows both partners are sources, with the block only one is.",
      plays: true,
      cases: [
        ["Two rows", from(TWO_ROWS, ["br-lin"]), { at: String(AT), left: "br-lin", right: "none" }],
        ["A block of 4 x 4", from(BLOCK, ["br-lin"]), { at: String(AT), left: "br-lin", right: "none" }],
      ],
      async tell(compute) {
        const [rows, block] = await Promise.all([compute(of(TWO_ROWS, "br-lin")), compute(of(BLOCK, "br-lin"))]);
        const one = (name, sources, results) =>
          `${name}: ${time(results, AT, "br-lin")}. Nodes with data after each round: ${growth(sources)}. Longest message of each ` +
          `round, in sources: ${longest(sources)}.`;
        return [one("Two rows", TWO_ROWS, rows), one("Block", BLOCK, block)];
      },
    },
    {
      text:
        "Messages can also be moved to good places first (`repos-br-lin`). That costs a message more, and pays only " +
        "where the places are bad. Click other nodes on the machine to choose your own sources.",
      cases: [
        ["A cross", CROSS],
        ["Two rows", TWO_ROWS],
      ].map(([name, sources]) => [
        name,
        from(sources, ["br-lin", "repos-br-lin"]),
        { at: String(AT), left: "br-lin", right: "repos-br-lin" },
      ]),
      async tell(compute) {
        const [cross, rows] = await Promise.all(
          [CROSS, TWO_ROWS].map((sources) => compute(of(sources, "br-lin", "repos-br-lin"))),
        );
        const pair = (results) => `${time(results, AT, "br-lin")}, moved first ${time(results, AT, "repos-br-lin")}`;
        return `2 KiB each. Row and column that cross at node 0: ${pair(cross)}. Two rows: ${pair(rows)}.`;
      },
    },
  ],
  ask: {
    text: `16 sources, 2 KiB each, on paragon:${ROWS}x${COLUMNS}: for which places is \`br-lin\` the slowest?`,
    options: PLACES.map(([value, name]) => [value, name]),
    hint: `Longest message of each round, in sources: ${HINT.join("; ")}. Add them up.`,
    repeat: 4,
    async check(given, compute) {
      const all = await Promise.all(PLACES.map(([, , sources]) => compute(of(sources, "br-lin"))));
      const taken = PLACES.map(([value, name, sources], nth) => ({ value, name, sources, results: all[nth] }));
      const { least, most } = extremes(taken, (one) => one.results.time(AT, "br-lin"));
      const why = taken.map(
        ({ name, sources, results }) => `${name} ${exactTime(results, AT, "br-lin")} (longest messages ${longest(sources)})`,
      );
      return {
        isRight: given === most.value,
        text:
          `${listed(why)}. The slowest is ${most.name}: after the rounds ${growth(most.sources)} nodes have data, with ` +
          `${least.name} ${growth(least.sources)}. Where few nodes have data, the messages of the others are longer.`,
      };
    },
  },
};
