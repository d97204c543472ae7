//! Real time: what of the time that a program really takes counts as its node's.

use std::time::Duration;

use super::NodeThread;
use crate::{
    kernel::{AnyOf, Op},
    runtime::{moment::cpu_time, shared::Pace},
    time::Span,
};

impl NodeThread<'_> {
    /// Whether a call does not wait: it only looks how things are at the node's clock. A deadline that has passed makes
    /// a wait such a call; in real time, where it matters, the clock is always known.
    pub(super) fn looks(&self, op: &Op) -> bool {
        match op {
            Op::Test { .. } | Op::Probe { blocking: false, .. } => true,
            Op::RecvUntil { deadline, .. } | Op::WaitAny(AnyOf { deadline, .. }) => {
                *deadline <= self.clock.get()
            }
            _ => false,
        }
    }

    /// Real time: hands a call in. Modeled time starts when all programs have made their first.
    pub(super) fn call_in_real_time(&self, op: Op, computed: Option<Span>) {
        self.shared.call_in_real_time(self.id, op, computed);
        if !self.called.replace(true) {
            self.shared.first_call();
        }
    }

    /// Real time: what the node has really computed since its last call returned, if that counts. Less than the send
    /// overhead is within what a node may catch up with. The time that the host has let the thread wait for a core is
    /// not the node's; but a program that looks whether something is there yet waits for it by the wall clock.
    pub(super) fn computed(&self, looks: bool) -> Option<Span> {
        let Pace::Real(dilation) = self.shared.pace else { return None };
        self.shared.epoch.get()?;
        let least = self.shared.machine.parameters().send_overhead();
        let modeled = |real: Duration| Span::from_secs_f64(real.as_secs_f64() / dilation);
        let resumed = self.resumed.get();
        // No thread has had a core for longer than the wall clock says, which is cheaper to ask.
        let passed = Some(modeled(resumed.wall.elapsed())).filter(|&span| span > least)?;
        match looks {
            true => Some(passed),
            false => Some(modeled(cpu_time().saturating_sub(resumed.cpu))).filter(|&span| span > least),
        }
    }
}
