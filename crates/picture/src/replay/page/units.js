// Texts for times and numbers. All times are in picoseconds.

const UNITS = [["s", 1e12], ["ms", 1e9], ["us", 1e6], ["ns", 1e3]];

/** A time with all of its digits and a unit, such as `1.234567 ms`. */
function exact(picos) {
  const [name, size] = UNITS.find((unit) => picos >= unit[1]) ?? ["ps", 1];
  const whole = Math.floor(picos / size);
  const rest = Math.round(picos - whole * size);
  if (rest === 0) return `${whole} ${name}`;
  const digits = String(rest).padStart(String(size).length - 1, "0").replace(/0+$/, "");
  return `${whole}.${digits} ${name}`;
}

/** A time with four significant digits and a unit. */
function rounded(picos) {
  const [name, size] = UNITS.find((unit) => picos >= unit[1]) ?? ["ps", 1];
  return `${Number((picos / size).toPrecision(4))} ${name}`;
}

const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;


/** The first names of a list, and the number of the others. */
function listed(names, most = 6) {
  const first = names.slice(0, most).join(", ");
  return names.length > most ? `${first}, and ${names.length - most} more` : first;
}
