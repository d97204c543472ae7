// All rows as a table. Numbers are the text that the server wrote, so all of their digits are those of the command line.

import { make } from "./dom.js";

const COLUMNS = [
  ["bytes", "bytes", "Length"],
  ["algorithm", "algorithm", ""],
  ["time_us", "time (us)", "Time of the run if the case was run, otherwise the prediction"],
  ["predicted_us", "predicted (us)", "Prediction for the machine without noise and faults"],
  ["bound_us", "lower bound (us)", "No algorithm is faster on the machine without noise and faults"],
  ["ratio", "time / lower bound", ""],
  ["decided_by", "bound decided by", "What the lower bound counts"],
  ["chosen", "variant", "The variant that the algorithm chose"],
  ["complete", "complete", "Whether all variants that could be the fastest were compared"],
];
/** Columns that are shown only if their values differ. */
const VARYING = [
  "operation",
  "machine",
  "nodes",
  "ports",
  "placement",
  "alpha_us",
  "beta_ns_per_byte",
  "send_overhead_us",
  "receive_overhead_us",
  "exchange_overhead_us",
  "latency_us",
  "hop_us",
  "link_excess",
  "gamma_us",
  "rendezvous",
  "noise",
  "faults",
  "root",
  "distribution",
  "sources",
  "fan_out",
  "skew",
  "effort",
  "seed",
];

/** The text of a value as the server wrote it; empty if it does not apply. */
export const cellText = (row, column) =>
  row.exact[column] === null || row.exact[column] === undefined ? "" : String(row.exact[column]);

/** Shows rows in a table; the row of the length `at` are marked. */
export function showTable(host, rows, at) {
  const varying = VARYING.filter((column) => new Set(rows.map((row) => cellText(row, column))).size > 1);
  const columns = [...varying.map((column) => [column, column.replaceAll("_", " "), ""]), ...COLUMNS];
  const table = make("table");
  make("caption", { className: "unseen", textContent: "All rows, with all digits" }, table);
  const head = make("tr", {}, make("thead", {}, table));
  for (const [, name, title] of columns) make("th", { scope: "col", textContent: name, title }, head);
  const body = make("tbody", {}, table);
  for (const row of rows) {
    const line = make("tr", { className: row.bytes === at ? "at" : "" }, body);
    for (const [column] of columns) {
      const isNumber = typeof row[column] === "number";
      make("td", { textContent: cellText(row, column), className: isNumber ? "number" : "", data: { column } }, line);
    }
  }
  host.replaceChildren(table);
}
