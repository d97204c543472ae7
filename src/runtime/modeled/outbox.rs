//! The calls of a node that the kernel has not fetched yet.

use std::collections::VecDeque;

use super::{away::Away, pacing::Pacing};
use crate::kernel::{Call, Op};

/// The calls made by a node and not yet fetched by the kernel.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) calls: VecDeque<Call>,
    /// The number of bytes of real data in the messages of these calls.
    pub(super) bytes: u64,
    /// Real time: the meter of the running program, until its next call.
    pub(super) away: Option<Away>,
}

impl Outbox {
    /// Adds a lower bound on the computing time of the running program; returns whether it is above zero.
    pub(super) fn follow(&mut self, pacing: &Pacing) -> bool {
        let span = self.away.as_mut().map(|away| away.progress(pacing)).unwrap_or_default();
        if span.is_zero() {
            return false;
        }
        self.calls.push_back(silent(Op::Compute { span }));
        true
    }
}

/// Wraps an operation in a call without an answer.
pub(super) fn silent(op: Op) -> Call {
    Call { op, reply: false }
}
