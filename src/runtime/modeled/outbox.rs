//! The calls of a node on their way to the kernel.

use std::collections::VecDeque;

use super::{away::Away, pacing::Pacing};
use crate::kernel::{Call, Op};

/// The calls that a node has made and the kernel has not fetched.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) calls: VecDeque<Call>,
    /// The number of bytes of real data in the messages among them.
    pub(super) bytes: u64,
    /// Real time: the program runs, and may compute, before its next call.
    pub(super) away: Option<Away>,
}

impl Outbox {
    /// Adds the computing time that the program, which is still running, has certainly used; returns whether there
    /// was any.
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
