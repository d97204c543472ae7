//! Messages that no program has received, for reports.

use crate::{
    endpoint::Envelope,
    wire::{Label, MessageId},
};

/// A message that no program has received: its identity, its label and its length.
pub(super) type Unreceived = (MessageId, Label, u64);

/// The maximum number of unreceived messages that one node announces for a deadlock report on the wall clock and over MPI.
pub(super) const MAX_UNRECEIVED: usize = 10;

/// Describes a message that no program has received.
pub(super) fn unreceived(envelope: &Envelope) -> Unreceived {
    (envelope.id, envelope.label, envelope.payload.len())
}
