//! The sheet of a diagram: where rows and instants are on it.

use std::collections::BTreeMap;

use crate::{rank::Rank, time::Time};

/// The shortest bar that is drawn, in pixels.
pub(super) const SHORTEST: f64 = 0.05;

/// The places of rows and instants on the sheet.
pub(super) struct Plot {
    pub(super) left: f64,
    /// The pixels of the whole time.
    pub(super) width: f64,
    /// The upper edge of the first row.
    pub(super) top: f64,
    /// The distance between rows, and the height of bars.
    pub(super) pitch: f64,
    pub(super) bar: f64,
    /// The height of the steps under the bars; 0 where there is no room.
    pub(super) steps: f64,
    pub(super) last: Time,
    pub(super) rows: BTreeMap<Rank, usize>,
}

impl Plot {
    pub(super) fn x(&self, at: Time) -> f64 {
        // Rounded once: an instant has the same place in every element.
        self.left + self.width * at.as_picos() as f64 / self.last.as_picos().max(1) as f64
    }

    pub(super) fn top_of(&self, row: usize) -> f64 {
        self.top + row as f64 * self.pitch
    }

    /// Whether a bar from one instant to another is long enough to be drawn.
    pub(super) fn is_seen(&self, start: Time, end: Time) -> bool {
        self.x(end) - self.x(start) >= SHORTEST
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top_of(self.rows.len())
    }
}
