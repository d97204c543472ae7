//! Sends in ready mode: the receive has to be posted before the send begins, under any timing (MPI 5.0, section 3.4).

use std::num::NonZeroU32;

use multicomputer::Rank;

use super::{Check, Finding, Kind, Site};

/// A message of a sender, by its note.
pub type SentMessage = (Rank, NonZeroU32);

/// A message in ready mode that was received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub(super) message: SentMessage,
    pub(super) sent: Site,
    pub(super) received: (Rank, Site),
}

impl Check {
    /// Adds a finding for each message in ready mode of which the receive need not be posted before; `were_awaited` tells for messages whether it must
    /// be, if that is known.
    pub fn judge_ready(&self, were_awaited: impl FnOnce(&[SentMessage]) -> Vec<Option<bool>>) {
        let ready = std::mem::take(&mut *self.ready.lock());
        let messages: Vec<SentMessage> = ready.iter().map(|ready| ready.message).collect();
        for (Ready { message, sent, received }, was_awaited) in ready.iter().zip(were_awaited(&messages)) {
            if was_awaited != Some(false) {
                continue;
            }
            let text = format!(
                "{} needs a receive that is posted before, and {} of rank {} may be called later",
                sent.function, received.1.function, received.0
            );
            let finding = Finding::new(Kind::CallOrder, text, self.line(message.0, *sent));
            let help = "post the receive, and then let the sender know, or use MPI_Send";
            self.add(finding.with(vec![self.line(received.0, received.1)]).help(help));
        }
    }
}
