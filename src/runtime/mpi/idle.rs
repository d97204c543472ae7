//! The time between two looks of a rank that waits.

use std::{
    thread::{sleep, yield_now},
    time::Duration,
};

/// The looks in vain after which a rank sleeps for a moment where ranks share cores.
const LOOKS: u32 = 400;

/// The looks from one time to the next that a rank gives its core away: libraries do so at each look, if they know that ranks
/// share cores, and then twice is once too often.
const TURN: u32 = 4;

/// That moment.
const MOMENT: Duration = Duration::from_micros(20);

/// The looks of a rank in vain so far.
#[derive(Debug)]
pub(super) struct Idle {
    is_crowded: bool,
    pub(super) looks: u32,
}

impl Idle {
    pub(super) fn new(is_crowded: bool) -> Idle {
        Idle { is_crowded, looks: 0 }
    }

    /// Passes the time until the next look: gives the core to other ranks where they lack it.
    pub(super) fn turn(&mut self) {
        self.looks = self.looks.wrapping_add(1);
        // Where every rank has a core it looks again at once: a look takes long enough.
        if self.is_crowded && self.looks >= LOOKS {
            sleep(MOMENT);
        } else if self.is_crowded && self.looks.is_multiple_of(TURN) {
            yield_now();
        }
    }
}
