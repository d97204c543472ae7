//! A line of the printed table of a study.

use multicomputer_study::{Row, Summary};

/// A line of the table: one case and one algorithm, with all of its seeds.
pub(super) struct Line<'a> {
    /// The first row.
    pub(super) row: &'a Row,
    /// The number of the case among cases that differ in more than the seed.
    pub(super) case: u64,
    pub(super) summary: Option<Summary>,
}

impl Line<'_> {
    /// The mean time divided by the lower bound; `None` for wall-clock times, for which no bound holds.
    pub(super) fn ratio(&self) -> Option<f64> {
        let bound = self.row.bound_us.filter(|&bound| bound > 0.0 && self.row.ratio.is_some())?;
        Some(self.summary?.mean / bound)
    }
}
