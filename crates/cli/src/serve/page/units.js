// Lengths, times and values of axes as text.

const SIZES = {
  "": 1,
  B: 1,
  K: 2 ** 10,
  KiB: 2 ** 10,
  M: 2 ** 20,
  MiB: 2 ** 20,
  G: 2 ** 30,
  GiB: 2 ** 30,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
};

/** Reads a length such as `64K` in bytes; NaN if it is none. */
export function readLength(text) {
  const found = /^\s*(\d+)\s*([A-Za-z]*)\s*$/.exec(text);
  return found && found[2] in SIZES ? Number(found[1]) * SIZES[found[2]] : NaN;
}

/** Writes a length as studies read it, without loss: `64K`, `1M`, `3000`. */
export function lengthText(bytes) {
  for (const [unit, size] of [
    ["G", 2 ** 30],
    ["M", 2 ** 20],
    ["K", 2 ** 10],
  ]) {
    if (bytes > 0 && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return String(bytes);
}

/** The length in words: `64 KiB`, `8 bytes`. */
export function lengthWords(bytes) {
  const found = /^(\d+)([KMG])$/.exec(lengthText(bytes));
  return found ? `${found[1]} ${found[2]}iB` : `${bytes} byte${bytes === 1 ? "" : "s"}`;
}

/** The lengths of a text in study syntax: a list, a doubling range, a range in steps; null if it is none of these. */
export function readLengths(text) {
  const lengths = [];
  for (const part of String(text).split(",")) {
    const range = /^(.*)\.\.(.*?)(?:\+(.*))?$/.exec(part);
    if (!range) {
      lengths.push(readLength(part));
      continue;
    }
    const [from, to] = [readLength(range[1]), readLength(range[2])];
    const step = range[3] === undefined ? null : readLength(range[3]);
    if (!(from <= to) || step === 0 || (step === null && from === 0)) return null;
    for (let at = from; at < to && lengths.length < 10000; at = step === null ? at * 2 : at + step) lengths.push(at);
    lengths.push(to);
  }
  if (lengths.some(Number.isNaN)) return null;
  return [...new Set(lengths)].sort((one, other) => one - other);
}

/** At most `most` of ascending values, both ends and `wanted` among them. */
export function thinned(values, most, wanted) {
  if (values.length <= most) return values;
  const chosen = new Set(values.includes(wanted) ? [wanted] : []);
  for (let nth = 0; nth < most; nth++) chosen.add(values[Math.round((nth * (values.length - 1)) / (most - 1))]);
  return [...chosen].sort((one, other) => one - other);
}

const TIMES = [
  ["s", 1e6],
  ["ms", 1e3],
  ["us", 1],
  ["ns", 1e-3],
];

/** A time with a number of significant digits and a unit, from microseconds. */
export function timeText(micros, digits = 4) {
  if (micros === 0) return "0 s";
  const [unit, size] = TIMES.find((one) => micros >= one[1]) ?? ["ps", 1e-6];
  return `${Number((micros / size).toPrecision(digits))} ${unit}`;
}

/** A number without exponent, as studies read it. */
export function plain(value) {
  const text = String(value);
  return text.includes("e") ? value.toFixed(15).replace(/\.?0+$/, "") || "0" : text;
}

const PER_MICRO = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3, ps: 1e-6 };
const PER_NANO_BYTE = { "s/B": 1e9, "ms/B": 1e6, "us/B": 1e3, "ns/B": 1, "ps/B": 1e-3 };

/** Reads the value of an axis such as `10us` in a unit (`us`, `ns/B` or none); NaN if it is not one value. */
export function readValue(text, unit) {
  const found = /^\s*(\d+(?:\.\d+)?(?:e-?\d+)?)\s*([a-z]*(?:\/[A-Za-z]+)?)\s*$/.exec(String(text));
  if (!found) return NaN;
  const units = unit === "us" ? PER_MICRO : unit === "ns/B" ? PER_NANO_BYTE : { "": 1 };
  const size = units[found[2].replace("/byte", "/B")];
  return size === undefined ? NaN : size === 1 ? Number(found[1]) : Number(found[1]) * size;
}

/** Texts as a list: `a`, `a and b`, `a, b and c`. */
export const listed = (texts) =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts[texts.length - 1]}`;

export const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
