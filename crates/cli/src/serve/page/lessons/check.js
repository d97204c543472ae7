// What the steps and questions of several lessons need.

/** Whether a number is within a fraction of the right one. */
export const isNear = (given, right, tolerance) => Math.abs(given - right) <= tolerance * right;

/** The time of an algorithm at a length, with all digits. */
export const exactTime = (results, bytes, name) => `${results.at(bytes, name).exact.time_us} us`;

/** A time in the unit of the bars, with four digits, or all before the point. */
export const micros = (time) => `${time >= 1000 ? Math.round(time) : Number(time.toPrecision(4))} us`;

/** The time of an algorithm at a length, rounded. */
export const time = (results, bytes, name) => micros(results.time(bytes, name));

/** How many times as long as another time a time is. */
export const times = (one, other) => `${Number((one / other).toPrecision(3))} times`;

/** The candidates with the least and with the greatest figure. */
export function extremes(candidates, figure) {
  const sorted = [...candidates].sort((one, other) => figure(one) - figure(other));
  return { least: sorted[0], most: sorted[sorted.length - 1] };
}

/** The algorithms that are as fast as the fastest, and as slow as the slowest one. */
export function ends(results, bytes) {
  const names = results.ranked(bytes);
  const like = (name) => names.filter((other) => results.time(bytes, other) === results.time(bytes, name));
  return { fastest: like(names[0]), slowest: like(names[names.length - 1]) };
}

/** The algorithms from the fastest to the slowest, with their times. */
export const order = (results, bytes) =>
  results
    .ranked(bytes)
    .map((name) => `\`${name}\` ${time(results, bytes, name)}`)
    .join(", ");
