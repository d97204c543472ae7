// Requests to the server. Closing the connection of a request cancels its computation.

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

export const isCancelled = (error) => error.name === "AbortError";

async function answered(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (isCancelled(error)) throw error;
    throw new ApiError("No answer from the server: check that `multicomputer serve` still runs.", 0);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new ApiError(body.error ?? `The server answers with status ${response.status}.`, response.status);
}

const post = (path, question, signal) =>
  answered(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal });

export const facts = async () => (await answered("/api/facts", {})).json();
export const machine = async (question, signal) => (await post("/api/machine", question, signal)).json();
export const tell = async (question, signal) => (await post("/api/tell", question, signal)).json();
export const csv = async (question) => (await post("/api/csv", question)).text();
export const chart = async (question) => (await post("/api/chart", question)).text();

/** Strings, and numbers outside of strings. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Reads a row. Its property `exact` has the values with numbers as the text that the server wrote. */
export function readRow(line) {
  const row = JSON.parse(line);
  row.exact = JSON.parse(line.replace(TOKENS, (token) => (token.startsWith('"') ? token : `"${token}"`)));
  return row;
}

/** Calls `each` with a list of rows whenever rows arrive. */
export async function rows(question, signal, each) {
  const response = await post("/api/study", question, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let isDone = false; !isDone;) {
    const piece = await reader.read();
    isDone = piece.done;
    const lines = (rest + (piece.value ?? "")).split("\n");
    rest = isDone ? "" : lines.pop();
    const found = lines.filter((line) => line.trim() !== "").map(readRow);
    const failed = found.find((row) => "error" in row);
    const good = found.filter((row) => !("error" in row));
    if (good.length > 0) each(good);
    if (failed) throw new ApiError(failed.error, 200);
  }
}

/** One request at a time: a new one cancels the previous one. */
export class Latest {
  constructor() {
    this.controller = null;
  }

  cancel() {
    this.controller?.abort();
    this.controller = null;
  }

  /** Calls `work` with a signal; returns its result, or `undefined` if it was cancelled. */
  async run(work) {
    this.cancel();
    const controller = new AbortController();
    this.controller = controller;
    try {
      const result = await work(controller.signal);
      return controller.signal.aborted ? undefined : result;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      if (this.controller === controller) this.controller = null;
    }
  }
}
