// Faults and noise as text in study syntax: `dead:3-4@0s+slow:0-1:0.5@0s`, `interval=1ms+length=50us`.

/** Reads faults: `{ kind, place, factor, at }`; parts that are none of the three kinds are kept as `{ kind: "other", text }`. */
export function readFaults(text) {
  return String(text ?? "")
    .split("+")
    .filter((part) => part && part !== "none")
    .map((part) => {
      const found = /^(dead|slow|node):([^:@]+)(?::([^@]+))?@(.+)$/.exec(part);
      return found ? { kind: found[1], place: found[2], factor: found[3], at: found[4] } : { kind: "other", text: part };
    });
}

const faultText = ({ kind, place, factor, at, text }) =>
  kind === "other" ? text : `${kind}:${place}${kind === "slow" ? `:${factor}` : ""}@${at}`;

/** The text of faults; `undefined` without faults. */
export const writeFaults = (faults) => faults.map(faultText).join("+") || undefined;

const reversed = (place) => (place.includes("->") ? place : place.split("-").reverse().join("-"));
const isSame = (one, other) => one === other || reversed(one) === other;

/** The fault of a node or of a link; `undefined` if it has none. A place of one direction is found under its link. */
export function faultOf(faults, kinds, place) {
  const either = (given) => given.replace("->", "-");
  return faults.find((fault) => kinds.includes(fault.kind) && isSame(either(fault.place), either(place)));
}

/** The faults with one more; or with one less, if the place has a fault of this kind. */
export function toggled(faults, fault) {
  const kinds = fault.kind === "node" ? ["node"] : ["dead", "slow"];
  const old = faultOf(faults, kinds, fault.place);
  const others = faults.filter((other) => other !== old);
  return old?.kind === fault.kind ? others : [...others, fault];
}

/** Reads noise as an object of its parts; `null` without noise. */
export function readNoise(text) {
  if (!text || text === "none") return null;
  return Object.fromEntries(
    String(text)
      .split(/[+,]/)
      .map((part) => part.split("=")),
  );
}

export const writeNoise = (parts) =>
  Object.entries(parts)
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `${key}=${value}`)
    .join("+");
