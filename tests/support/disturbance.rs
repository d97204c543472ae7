//! Delays of threads, for tests in which they must make no difference.

use std::{cell::RefCell, thread, time::Duration};

use multicomputer::Rank;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Delays one node's thread now and then, in each run in another way.
pub(crate) struct Disturbance(RefCell<ChaCha8Rng>);

impl Disturbance {
    pub(crate) fn new(run: u64, rank: Rank) -> Disturbance {
        Disturbance(RefCell::new(ChaCha8Rng::seed_from_u64(run << 32 | rank as u64)))
    }

    /// One time in five: gives the core away, sleeps, or is busy.
    pub(crate) fn strike(&self) {
        match self.0.borrow_mut().random_range(0..60) {
            0..10 => thread::yield_now(),
            10 => thread::sleep(Duration::from_micros(20)),
            11 => (0..2000).for_each(|_| std::hint::spin_loop()),
            _ => {}
        }
    }

    /// One time in two, for programs of a few calls: gives the core away or sleeps.
    pub(crate) fn strike_hard(&self) {
        match self.0.borrow_mut().random_range(0..8) {
            0 => thread::sleep(Duration::from_micros(50)),
            1..4 => thread::yield_now(),
            _ => {}
        }
    }
}
