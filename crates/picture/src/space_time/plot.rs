//! Geometry of the diagram: the positions of rows and instants.

use std::collections::BTreeMap;

use multicomputer::{Rank, Time};

/// Minimum length of a drawn bar in pixels.
pub(super) const MIN_BAR_LENGTH: f64 = 0.05;

/// The positions of rows and instants on the canvas.
pub(super) struct Plot {
    pub(super) left: f64,
    /// The width of the whole time in pixels.
    pub(super) width: f64,
    /// The upper edge of the first row.
    pub(super) top: f64,
    /// The vertical distance between rows; `bar` is the height of bars.
    pub(super) pitch: f64,
    pub(super) bar: f64,
    /// The height of the steps under the bars; 0 if there is no space for them.
    pub(super) steps: f64,
    /// The time of the left edge, and of the right edge.
    pub(super) first: Time,
    pub(super) last: Time,
    /// Whether only a part of the run is shown.
    pub(super) is_cut: bool,
    pub(super) rows: BTreeMap<Rank, usize>,
}

impl Plot {
    pub(super) fn x(&self, at: Time) -> f64 {
        // Rounded only in the output, so an instant has the same position in every element.
        let (at, whole) = (self.cut(at).since(self.first), self.last.since(self.first));
        self.left + self.width * at.as_picos() as f64 / whole.as_picos().max(1) as f64
    }

    /// The instant, or the edge that is next to it if only a part of the run is shown.
    pub(super) fn cut(&self, at: Time) -> Time {
        if self.is_cut { at.clamp(self.first, self.last) } else { at }
    }

    /// Returns the visible part of a line between two instants and vertical positions.
    pub(super) fn line(&self, (start, y): (Time, f64), (end, below): (Time, f64)) -> [(f64, f64); 2] {
        let whole = end.since(start).as_picos().max(1) as f64;
        let point = |at: Time, y_there: f64| {
            let cut = self.cut(at);
            let there = cut.since(start).as_picos() as f64 / whole;
            (self.x(at), if cut == at { y_there } else { y + (below - y) * there })
        };
        [point(start, y), point(end, below)]
    }

    pub(super) fn top_of(&self, row: usize) -> f64 {
        self.top + row as f64 * self.pitch
    }

    /// Returns the middle of a rank's row. A rank without a row has a position between the rows of its neighbours,
    /// interpolated by rank, so that a line to the rank leads in the right direction.
    pub(super) fn middle(&self, rank: Rank) -> f64 {
        let middle = |(&rank, &row): (&Rank, &usize)| (rank as f64, self.top_of(row) + self.pitch / 2.0);
        let (below, above) = (self.rows.range(..=rank).next_back(), self.rows.range(rank..).next());
        match (below.map(middle), above.map(middle)) {
            (Some((low, y)), Some((high, _))) if low == high => y,
            (Some((low, y)), Some((high, to))) => y + (to - y) * (rank as f64 - low) / (high - low),
            (Some((_, y)), None) => y + self.pitch / 2.0,
            (None, Some((_, y))) => y - self.pitch / 2.0,
            (None, None) => self.top,
        }
    }

    pub(super) fn has_row(&self, rank: Rank) -> bool {
        self.rows.contains_key(&rank)
    }

    /// Returns whether a bar between two instants is long enough to be drawn.
    pub(super) fn is_seen(&self, start: Time, end: Time) -> bool {
        self.x(end) - self.x(start) >= MIN_BAR_LENGTH
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top_of(self.rows.len())
    }
}
