//! The lateness of replies to programs, in real time.

use std::time::Duration;

use serde::Serialize;

use crate::{rank::Rank, time::Time};

/// The lateness of a reply that was returned after its due time because of delays on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Lateness {
    /// The wall-clock time from the due instant of the reply to its arrival.
    pub by: Duration,
    /// The node.
    pub rank: Rank,
    /// The modeled end of the call that the reply ends.
    pub at: Time,
}

/// The lateness of the replies of a run, or of one node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LatenessStats {
    /// The number of replies given to programs.
    pub(crate) replies: u64,
    /// The number of replies that were late by more than the allowance.
    pub(crate) late: u64,
    /// The largest lateness; at equal lateness that of the lower rank.
    pub(crate) largest: Lateness,
}

impl LatenessStats {
    /// Adds a reply with its lateness; a lateness above `allowed` counts as late.
    pub(super) fn add(&mut self, lateness: Lateness, allowed: Duration) {
        self.replies += 1;
        self.late += u64::from(lateness.by > allowed);
        if lateness.by > self.largest.by {
            self.largest = lateness;
        }
    }

    /// Combines these statistics with those of higher ranks.
    pub(super) fn merge(self, others: LatenessStats) -> LatenessStats {
        LatenessStats {
            replies: self.replies + others.replies,
            late: self.late + others.late,
            largest: if others.largest.by > self.largest.by { others.largest } else { self.largest },
        }
    }
}
