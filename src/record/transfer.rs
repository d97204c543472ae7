//! One message on its way, with its place in modeled time.

use crate::{rank::Rank, time::Time};

/// A message on its way from one node to another. It is named as in [events](super::EventKind): by its sender and the
/// number of messages which that had sent before.
///
/// From `entered` to `left` it has the sender's out-port, and its bytes move over all links of its route at once. A
/// message to oneself and an active one need no port and no link: they leave when they enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// How many messages the sender had sent before.
    pub seq: u64,
    /// The length of the message.
    pub bytes: u64,
    /// When it took the sender's out-port.
    pub entered: Time,
    /// When all of it had left the sender, so that the port was free again.
    pub left: Time,
    /// When it was there for the receiver.
    pub arrived: Time,
}
