//! What a run tells a programming model that is built on the library, and what it asks it.

use std::{fmt, panic::Location};

use crate::{rank::Rank, time::Time};

/// A programming model that follows a run, for [`Machine::run_observed`](crate::Machine::run_observed).
pub trait Observer: fmt::Debug + Send + Sync {
    /// Returns the place in the program of the present call of a node, as a number that [`name`](Observer::name) explains; `None` if the
    /// place in the Rust code is meant. Is called on any thread.
    fn place(&self, rank: Rank) -> Option<usize>;

    /// Returns the name of a place, for reports.
    fn name(&self, place: usize) -> Option<String>;

    /// Is called some fifty times per second of wall-clock time: from now on no program makes a call before the instant `at` of its node's
    /// clock, and none at this instant on a node of a lower rank.
    fn reached(&self, at: Time, rank: Rank);
}

/// The place of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In Rust code.
    Rust(&'static Location<'static>),
    /// The number that an [`Observer`] has given.
    Observed(usize),
}
