//! The transfers of messages, with their places in modeled time.

use crate::{rank::Rank, time::Time};

/// A message on its way from one node to another. It is identified as in [events](super::EventKind): by its sender
/// and the number of messages that the sender had sent before.
///
/// From `entered` to `left` it occupies an out-port of the sender, and its bytes move over all links of its route at
/// once. A message of a node to itself and an active message need no port and no link: they leave when they enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transfer {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The number of messages that the sender had sent before.
    pub seq: u64,
    /// The length of the message.
    pub bytes: u64,
    /// The out-port of the sender that it took, counted from 0; 0 as well if it needed none.
    pub port: u32,
    /// The time at which it took that port.
    pub entered: Time,
    /// The time at which all of it had left the sender, so that the port was free again.
    pub left: Time,
    /// The time at which it arrived at the receiver.
    pub arrived: Time,
}
