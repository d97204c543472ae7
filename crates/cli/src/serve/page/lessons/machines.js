import { lengthWords, listed } from "../units.js";
import { ends, exactTime, micros, order, times } from "./check.js";

const NAMES = ["tree", "short", "long", "pipeline", "edst", "blocks"];
const [HOCKNEY, PARAGON, ETHERNET] = ["hockney:8x8", "paragon:8x8", "ethernet:64"];
const MACHINES = [HOCKNEY, PARAGON, ETHERNET];
const AT = 262144;
const broadcast = (machine) => ({ operation: "broadcast", machine, bytes: "1K..1M", algorithm: NAMES });
const at = (machine) => ({ ...broadcast(machine), bytes: "256K" });
const page = { at: String(AT), left: "pipeline", right: "edst" };

/** The algorithms in order, and the lower bound. */
const told = (results) => `${order(results, AT)}. Lower bound: ${micros(results.bound(AT).bound_us)}.`;

/** The variant of `pipeline` that a machine gets, without the number of its chunks. */
const form = (results) => results.at(AT, "pipeline").chosen.split(",")[0];

export const lesson = {
  title: "One machine's best is another's worst",
  about:
    "Six ways to broadcast, 64 nodes, 256 KiB (256 times 1024 bytes), three machines. No algorithm is the best " +
    "everywhere: a library has to know its machine.",
  steps: [
    {
      text:
        "hockney is a textbook machine: a mesh with equal links and simple costs. `tree` and `short` send the whole message " +
        "in each round; `long` cuts it into one piece a node and spreads the pieces; `pipeline` cuts it into many chunks, " +
        "which follow each other from node to node; `edst` sends chunks along several trees at once; `blocks` " +
        "sends chunks to another partner in each round.",
      cases: [["Show this step", broadcast(HOCKNEY), page]],
      tell: async (compute) => told(await compute(at(HOCKNEY))),
    },
    {
      text:
        "The Paragon of 1993 is a mesh as well, but its links are five times faster than the ports, through which nodes " +
        "send and receive. The trees of `edst` share links; here that costs little.",
      cases: [
        ["hockney", broadcast(HOCKNEY), page],
        ["Paragon", broadcast(PARAGON), page],
      ],
      async tell(compute) {
        const [hockney, paragon] = await Promise.all([HOCKNEY, PARAGON].map((machine) => compute(at(machine))));
        const ratio = (results) => times(results.time(AT, "edst"), results.bound(AT).bound_us);
        return `Paragon: ${told(paragon)} \`edst\` takes ${ratio(paragon)} the lower bound, on hockney ${ratio(hockney)}.`;
      },
    },
    {
      text:
        "A cluster on 100 Gb/s Ethernet: each message crosses switches, and nodes with successive numbers are hardly nearer " +
        "to each other than others. Look where `pipeline` is now.",
      cases: [
        ["Paragon", broadcast(PARAGON), page],
        ["Ethernet", broadcast(ETHERNET), page],
      ],
      async tell(compute) {
        const [paragon, ethernet] = await Promise.all([PARAGON, ETHERNET].map((machine) => compute(at(machine))));
        return [`Paragon: ${told(paragon)}`, `Ethernet: ${told(ethernet)}`];
      },
    },
    {
      text:
        "Why? Without rows and columns `pipeline` is a chain through all nodes: 63 steps until the first chunk is " +
        "everywhere, each with a start-up (alpha, the fixed cost of a message). On a mesh chunks go down one row or column, " +
        "the spine, and from there along all others at once: fewer steps. And start-ups count more on Ethernet.",
      cases: [
        ["Paragon", broadcast(PARAGON), { ...page, at: "65536" }],
        ["Ethernet", broadcast(ETHERNET), { ...page, at: "65536" }],
      ],
      async tell(compute) {
        const all = await Promise.all(MACHINES.map((machine) => compute(at(machine))));
        const [, paragon, ethernet] = all.map((results) => results.at(AT, "pipeline"));
        const forms = MACHINES.map((machine, nth) => `${machine}: ${form(all[nth])}`);
        return [
          `Forms of \`pipeline\`: ${forms.join(", ")}.`,
          `Paragon and Ethernet: alpha ${micros(paragon.alpha_us)} and ${micros(ethernet.alpha_us)}, ` +
            `${times(paragon.alpha_us, ethernet.alpha_us)} less; beta, the time per byte, ${paragon.beta_ns_per_byte} ns and ` +
            `${ethernet.beta_ns_per_byte} ns, ${times(paragon.beta_ns_per_byte, ethernet.beta_ns_per_byte)} less.`,
        ];
      },
    },
  ],
  ask: {
    text: `Which of the six is the slowest for ${lengthWords(AT)} on one of the three machines, and the fastest on another one?`,
    options: [...NAMES.map((name) => [name, name]), ["none", "none of them"]],
    hint: "Compare the last name in the order of one machine with the first name of another.",
    repeat: 3,
    async check(given, compute) {
      const all = await Promise.all(MACHINES.map((machine) => compute(at(machine))));
      const [best, worst] = ["fastest", "slowest"].map((end) => all.map((results) => ends(results, AT)[end]));
      const both = NAMES.filter((name) => best.some((names) => names.includes(name)) && worst.some((names) => names.includes(name)));
      const named = (names, nth) => `${listed(names)} (${exactTime(all[nth], AT, names[0])})`;
      const found = MACHINES.map(
        (machine, nth) => `${machine}: fastest ${named(best[nth], nth)}, slowest ${named(worst[nth], nth)}`,
      );
      return {
        isRight: both.length > 0 ? both.includes(given) : given === "none",
        text: `${found.join("; ")}. That is ${listed(both) || "none of them"}.`,
      };
    },
  },
};
