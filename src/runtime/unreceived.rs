//! Messages that no program has received, for reports.

use crate::{
    endpoint::Envelope,
    wire::{Label, MessageId},
};

/// A message that no program has received: its identity, its label and its length.
pub(super) type Unreceived = (MessageId, Label, u64);

/// Describes a message that no program has received.
pub(super) fn unreceived(envelope: &Envelope) -> Unreceived {
    (envelope.id, envelope.label, envelope.payload.len())
}
