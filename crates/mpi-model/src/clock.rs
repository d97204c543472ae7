//! The clock of a rank whose program may poll: the clock goes on where nothing else passes the time.

use std::cell::Cell;

use multicomputer::{Span, Time, comm::transport::Transport, error::CommError};

/// The number of queries of one time after which the program is taken to wait for a later one.
const QUERIES: u32 = 16;

/// The number of calls between two polls of a program that only polls.
const CALLS_BETWEEN_POLLS: u64 = 4;

/// The clock of a rank. The library that the rank calls counts its calls here.
#[derive(Debug)]
pub struct Clock<'n> {
    node: Transport<'n>,
    /// The modeled time of an unsuccessful test.
    poll: Span,
    /// The number of calls so far.
    calls: Cell<u64>,
    /// The last query of the time: the number of its call, the time, and the number of queries that have returned this time.
    queried: Cell<Option<(u64, Time, u32)>>,
    /// The number of the last call that polled without success, and the time that the program has waited by polling since it began to.
    polling: Cell<(u64, Span)>,
}

impl<'n> Clock<'n> {
    /// The clock of a node, on which an unsuccessful test takes `poll`.
    pub fn new(node: Transport<'n>, poll: Span) -> Clock<'n> {
        Clock { node, poll, calls: Cell::new(0), queried: Cell::new(None), polling: Cell::default() }
    }

    /// Counts a call of the program.
    pub fn called(&self) {
        self.calls.set(self.calls.get() + 1);
    }

    /// Advances the clock after an unsuccessful test or probe, so that a program that polls sees its time go by.
    ///
    /// # Errors
    /// [`CommError`] once the run is over.
    pub fn polled(&self) -> Result<(), CommError> {
        // A program that polls for long polls less often: each time it waits by a thousandth of what it has waited since it began to poll.
        let (last, waited) = self.polling.get();
        let call = self.calls.get();
        let waited = if call <= last + CALLS_BETWEEN_POLLS { waited } else { Span::ZERO };
        let span = self.poll.max(Span::from_picos(waited.as_picos() / 1024));
        if !span.is_zero() {
            self.node.compute(span)?;
        }
        self.polling.set((call, waited + span));
        Ok(())
    }

    /// The time on the node's clock. A program that asks for the time again, without another call in between or again and again between calls
    /// that take no time, is waiting for it: its clock is advanced first, by the time of an unsuccessful test.
    ///
    /// # Errors
    /// [`CommError`] once the run is over.
    pub fn time(&self) -> Result<Time, CommError> {
        let call = self.calls.get();
        let mut time = self.node.now()?;
        let same = self.queried.get().filter(|&(_, at, _)| at == time);
        let mut queries = same.map_or(0, |(_, _, queries)| queries);
        if same.is_some_and(|(last, _, _)| last + 1 == call) || queries >= QUERIES {
            self.polled()?;
            time = self.node.now()?;
            queries = 0;
        }
        self.queried.set(Some((call, time, queries + 1)));
        Ok(time)
    }
}
