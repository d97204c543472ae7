//! The lateness of answers to programs, in real time.

use std::time::Duration;

use serde::Serialize;

use crate::{rank::Rank, time::Time};

/// An answer that came later than it was due, because the host was late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Slip {
    /// The time from the instant at which the answer was due to its arrival, on the wall clock.
    pub by: Duration,
    /// The node.
    pub rank: Rank,
    /// The modeled end of the call that was answered.
    pub at: Time,
}

/// The lateness of the answers of a run, or of one node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slips {
    /// The number of answers given to programs.
    pub(crate) answers: u64,
    /// The number of answers that came late by more than was allowed.
    pub(crate) late: u64,
    /// The slip of the latest answer; of equally late ones that of the lower rank.
    pub(crate) largest: Slip,
}

impl Slips {
    /// Adds an answer with its slip; a slip of more than `allowed` counts as late.
    pub(super) fn add(&mut self, slip: Slip, allowed: Duration) {
        self.answers += 1;
        self.late += u64::from(slip.by > allowed);
        if slip.by > self.largest.by {
            self.largest = slip;
        }
    }

    /// Combines these slips with those of higher ranks.
    pub(super) fn and(self, others: Slips) -> Slips {
        Slips {
            answers: self.answers + others.answers,
            late: self.late + others.late,
            largest: if others.largest.by > self.largest.by { others.largest } else { self.largest },
        }
    }
}
