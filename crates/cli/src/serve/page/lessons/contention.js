import { exactTime, time, times } from "./check.js";

const reduce = (machine, keys = {}) => ({
  operation: "all-reduce",
  machine,
  bytes: "8..1M",
  algorithm: ["halving", "long"],
  ...keys,
});
const HALVING = { algorithm: ["halving"] };
const AT = 65536;
const EXCESS = [1, 2, 4, 8];
/** Times that differ by less than this fraction are called equal. */
const EQUAL = 0.01;
const sides = { at: String(AT), left: "halving", right: "long" };
const both = (machine, keys = {}) => reduce(machine, { bytes: "8,64K", ...keys });
const faster = (k) => ({ "link-excess": String(k) });

export const lesson = {
  title: "Contention on a mesh",
  about:
    "Nodes are joined by links. Two messages on the same link at the same time share its capacity, and both take " +
    "longer: contention.",
  steps: [
    {
      text:
        "An all-reduce adds up vectors (lists of numbers) of all nodes and brings the sum to all. On a complete network " +
        "every pair of nodes has its own link, so there is no contention. `halving` exchanges " +
        "half of the vector with a neighbour, then a quarter with a partner at distance 2, an eighth at distance 4, " +
        "and so on, and then the results in the opposite order.",
      cases: [["Show this step", reduce("complete:16", HALVING), { at: String(AT) }]],
      tell: async (compute) => `64 KiB (64 times 1024 bytes): ${time(await compute(both("complete:16")), AT, "halving")}.`,
    },
    {
      text:
        "The same algorithm with the same messages on a line: partners far from each other share links. At distance " +
        "8, eight messages in each direction cross the link in the middle at once. That costs time if messages are long.",
      cases: [
        ["Complete network", reduce("complete:16", HALVING), { at: String(AT) }],
        ["Line", reduce("line:16", HALVING), { at: String(AT) }],
      ],
      async tell(compute) {
        const [complete, line] = await Promise.all(["complete:16", "line:16"].map((machine) => compute(both(machine))));
        const change = (bytes) => `${time(complete, bytes, "halving")} and ${time(line, bytes, "halving")}`;
        const ratio = times(line.time(AT, "halving"), complete.time(AT, "halving"));
        return `Complete network and line, 64 KiB: ${change(AT)}, ${ratio} as long. 8 bytes: ${change(8)}.`;
      },
    },
    {
      text:
        "`long` sends only to neighbours on the line. It needs more messages, but none of them shares a link: for " +
        "long vectors it is faster on the line. Played, links that are shared are orange.",
      plays: true,
      cases: [["Show this step", reduce("line:16"), sides]],
      async tell(compute) {
        const line = await compute(both("line:16"));
        const pair = (bytes) => `\`halving\` ${time(line, bytes, "halving")}, \`long\` ${time(line, bytes, "long")}`;
        return `64 KiB: ${pair(AT)}. 8 bytes: ${pair(8)}.`;
      },
    },
    {
      text:
        "A mesh has rows and columns, so there are more links and shorter routes: less contention. `long` has fewer " +
        "messages there: it works in rows, then in columns.",
      cases: [
        ["Line", reduce("line:16"), sides],
        ["Mesh", reduce("mesh:4x4"), sides],
      ],
      async tell(compute) {
        const [line, mesh] = await Promise.all(["line:16", "mesh:4x4"].map((machine) => compute(both(machine))));
        const change = (name) => `\`${name}\` ${time(line, AT, name)} and ${time(mesh, AT, name)}`;
        return `Line and mesh, 64 KiB: ${change("halving")}, ${change("long")}.`;
      },
    },
    {
      text:
        "Links may be faster than the ports, through which nodes send and receive: k is the capacity of a link over " +
        "that of a port. With k = 2 two messages share a link without loss.",
      cases: [1, 2].map((k) => [`k = ${k}`, reduce("line:16", { ...HALVING, ...faster(k) }), { at: String(AT) }]),
      async tell(compute) {
        const [one, two] = await Promise.all([1, 2].map((k) => compute(both("line:16", faster(k)))));
        return (
          `\`halving\` on the line, 64 KiB: ${time(one, AT, "halving")} with k = 1, ${time(two, AT, "halving")} with k = 2. ` +
          "Turn k yourself under Machine."
        );
      },
    },
  ],
  ask: {
    text:
      "On line:16, which is the smallest of these k at which `halving` for 64 KiB is as fast as on the complete " +
      "network (within 1 %)?",
    options: EXCESS.map((k) => [String(k), `k = ${k}`]),
    hint: "How many messages cross the link in the middle at once? All of them must fit onto it.",
    repeat: 2,
    async check(given, compute) {
      const of = (machine, keys) => compute(reduce(machine, { bytes: "64K", ...HALVING, ...keys }));
      const [free, ...lines] = await Promise.all([of("complete:16", {}), ...EXCESS.map((k) => of("line:16", faster(k)))]);
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
