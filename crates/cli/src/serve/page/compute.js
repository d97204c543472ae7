// Computing a question: coarse rows at once, all rows after; what is stale is cancelled.

import * as api from "./api.js";
import { Results } from "./results.js";
import { lengthText, readLengths, thinned } from "./units.js";

/** Number of lengths of a coarse result. */
const COARSE = 5;
/** A coarse request that has run for this time, in milliseconds, is cancelled by a newer one; before that the newer one waits for it. */
const PATIENCE = 150;

/** The question with few lengths and the least effort; null if its lengths are in another form. */
export function coarse(question, at) {
  const lengths = readLengths(question.bytes ?? "2K");
  if (!lengths) return null;
  return { ...question, bytes: thinned(lengths, COARSE, at).map(lengthText).join(","), effort: "estimate" };
}

export class Computation {
  /** `onRows` is called with results and whether they are coarse, `onEnd` with the error or null. */
  constructor(onRows, onEnd) {
    Object.assign(this, { onRows, onEnd, isBusy: false, hasAll: true, results: new Results() });
    this.rough = new Results();
    this.request = new api.Latest();
    this.began = 0;
    this.next = null;
    this.timer = 0;
  }

  /** Computes a question; while a slider is `moving` only coarsely. */
  async start(question, at, moving) {
    const isRunning = this.isBusy && this.isMoving && performance.now() - this.began < PATIENCE;
    if (moving && isRunning) {
      this.next = [question, at, moving];
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.continue(), PATIENCE - (performance.now() - this.began));
      return;
    }
    clearTimeout(this.timer);
    Object.assign(this, { next: null, isBusy: true, hasAll: false, isMoving: moving, began: performance.now() });
    let error = null;
    const isDone = await this.request
      .run((signal) => this.compute(question, at, moving, signal))
      .catch((failure) => {
        error = failure;
        // What has come before the error is shown, but not compared.
        this.results.settled = [];
        return true;
      });
    // A newer question has taken over.
    if (isDone === undefined) return;
    Object.assign(this, { isBusy: false, hasAll: !moving });
    this.onEnd(error, moving);
    this.continue();
  }

  /** Ends the computation without a result. */
  cancel() {
    clearTimeout(this.timer);
    this.request.cancel();
    Object.assign(this, { isBusy: false, hasAll: false, next: null, results: new Results() });
  }

  continue() {
    if (!this.next) return;
    const next = this.next;
    this.next = null;
    this.began = -PATIENCE;
    this.start(...next);
  }

  async compute(question, at, moving, signal) {
    Object.assign(this, { results: new Results(), rough: new Results() });
    const few = coarse(question, at);
    if (few) {
      const rough = new Results();
      // Coarse times are drawn, but nothing is concluded from them.
      rough.settled = [];
      const reading = api.rows(few, signal, (rows) => rough.add(rows));
      // Before all rows come, what is wrong with the question is said by them.
      await (moving ? reading : reading.catch(() => {}));
      if (signal.aborted) return true;
      this.rough = rough;
      if (rough.rows.length > 0) this.onRows(rough, true);
    }
    if (moving) return true;
    const results = new Results();
    await api.rows(question, signal, (rows) => {
      if (signal.aborted) return;
      results.add(rows).settle();
      this.results = results;
      this.onRows(results.over(this.rough), false);
    });
    results.settled = null;
    return true;
  }
}
