//! Overheads that depend on the length of a message: regimes, for libraries that use different protocols for short and
//! long messages.

use serde::Serialize;

use super::Parameters;
use crate::time::Span;

/// The overheads of messages from a length on. As in the P-LogP model (Kielmann, Bal and Verstoep 2000) the overheads depend on
/// the length. The latency does not, so messages of a pair of nodes arrive in the order in which they left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Regime {
    /// The length of the shortest messages that have these overheads, in bytes.
    pub from_bytes: u64,
    /// `o_s` of these messages.
    pub send_overhead: Span,
    /// `o_r` of these messages.
    pub receive_overhead: Span,
}

impl Regime {
    /// Returns the regime of a message of `bytes` bytes; `None` for the shortest messages.
    pub(crate) fn of(regimes: &[Regime], bytes: u64) -> Option<&Regime> {
        regimes.iter().rev().find(|regime| regime.from_bytes <= bytes)
    }
}

impl Parameters {
    /// The regimes of longer messages, by increasing length; empty if all messages have the same overheads.
    pub fn regimes(&self) -> &[Regime] {
        &self.regimes
    }

    /// `o_s` and `o_r` of a message of `bytes` bytes.
    pub fn overheads(&self, bytes: u64) -> (Span, Span) {
        Regime::of(&self.regimes, bytes).map_or((self.send_overhead, self.receive_overhead), |one| {
            (one.send_overhead, one.receive_overhead)
        })
    }

    /// The start-up time `o_s + L + o_r` of a message of `bytes` bytes.
    pub fn start_up(&self, bytes: u64) -> Span {
        let (send, receive) = self.overheads(bytes);
        send + self.latency + receive
    }
}
