//! The pause between two polls of a waiting rank.

use std::{
    thread::{sleep, yield_now},
    time::Duration,
};

/// The number of unsuccessful polls after which a rank sleeps between polls, where ranks share cores.
const POLLS: u32 = 400;

/// The number of polls from one yield of the core to the next. An MPI library that has detected shared cores yields at each poll, so a
/// second yield at every poll would be too much.
const POLLS_PER_YIELD: u32 = 4;

/// The length of one sleep of an idle process.
const SLEEP_TIME: Duration = Duration::from_micros(20);

/// The number of unsuccessful polls of a rank.
#[derive(Debug)]
pub(super) struct Idle {
    is_oversubscribed: bool,
    pub(super) polls: u32,
}

impl Idle {
    pub(super) fn new(is_oversubscribed: bool) -> Idle {
        Idle { is_oversubscribed, polls: 0 }
    }

    /// Pauses until the next poll: yields the core where ranks share cores.
    pub(super) fn pause(&mut self) {
        self.polls = self.polls.wrapping_add(1);
        // Where every rank has a core, the rank polls again without a pause: a poll takes long enough.
        if self.is_oversubscribed && self.polls >= POLLS {
            sleep(SLEEP_TIME);
        } else if self.is_oversubscribed && self.polls.is_multiple_of(POLLS_PER_YIELD) {
            yield_now();
        }
    }
}
