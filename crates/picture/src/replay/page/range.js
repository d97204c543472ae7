// The range of time that the diagrams show; both runs share it. Its ends are whole picoseconds, as they are in the address.

/** The shortest range is this fraction of the whole. */
const DEEPEST = 1e-6;

const range = {
  from: 0,
  to: 1,
  end: 1,

  isWhole() {
    return this.from === 0 && this.to === this.end;
  },

  /** Shows a range; one that is too short or partly outside is widened or moved. */
  set(from, to) {
    const length = Math.round(Math.min(this.end, Math.max(1, this.end * DEEPEST, to - from)));
    this.from = Math.round(Math.max(0, Math.min(this.end - length, from)));
    this.to = this.from + length;
  },

  /** Sets a range whose limit is not known yet; one without a length is the whole. */
  begin(from, to) {
    Object.assign(this, from < to ? { from, to, end: Infinity } : { from: 0, to: this.end });
  },

  /** Changes the end of the whole; a range that was the whole remains the whole. */
  limit(end) {
    const whole = this.isWhole();
    this.end = end;
    this.set(whole ? 0 : this.from, whole ? end : this.to);
  },

  /** Scales the range by a factor; the instant `at` keeps its place. */
  zoom(factor, at) {
    const length = Math.min(this.end, (this.to - this.from) * factor);
    const from = at - (at - this.from) * (length / (this.to - this.from));
    this.set(from, from + length);
  },

  /** Moves the range by a fraction of its length. */
  pan(part) {
    const by = (this.to - this.from) * part;
    this.set(this.from + by, this.to + by);
  },

  /** Moves the range so that it contains an instant; returns whether it had to move. */
  cover(t) {
    if (t >= this.from && t <= this.to) return false;
    const length = this.to - this.from;
    this.set(t - length / 10, t + length * 0.9);
    return true;
  },
};

