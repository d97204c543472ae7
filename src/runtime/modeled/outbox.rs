//! The calls of a node that the kernel has not fetched yet.

use std::collections::VecDeque;

use super::{compute_meter::ComputeMeter, pacing::Pacing};
use crate::kernel::{Call, Op};

/// The calls made by a node and not yet fetched by the kernel.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) calls: VecDeque<Call>,
    /// The number of bytes of real data in the messages of these calls.
    pub(super) bytes: u64,
    /// Real time: the meter of the running program, until its next call.
    pub(super) meter: Option<ComputeMeter>,
}

impl Outbox {
    /// Charges the computing time of the running program so far; returns whether it is above zero.
    pub(super) fn charge_progress(&mut self, pacing: &Pacing) -> bool {
        let span = self.meter.as_mut().map(|meter| meter.charge_progress(pacing)).unwrap_or_default();
        if span.is_zero() {
            return false;
        }
        self.calls.push_back(without_reply(Op::Compute { span }));
        true
    }
}

/// Wraps an operation in a call without a reply.
pub(super) fn without_reply(op: Op) -> Call {
    Call { op, reply: false }
}
