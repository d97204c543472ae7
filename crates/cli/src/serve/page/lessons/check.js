// What the questions of several lessons need.

/** Whether a number is within a fraction of the right one. */
export const isNear = (given, right, tolerance) => Math.abs(given - right) <= tolerance * right;

/** The time of an algorithm at a length, with all digits. */
export const exactTime = (results, bytes, name) => `${results.at(bytes, name).exact.time_us} us`;

/** The candidates with the least and with the greatest figure. */
export function extremes(candidates, figure) {
  const sorted = [...candidates].sort((one, other) => figure(one) - figure(other));
  return { least: sorted[0], most: sorted[sorted.length - 1] };
}
