//! The transfers of messages, with their modeled times.

use crate::{rank::Rank, time::Time};

/// A transfer of a message from one node to another. The message is identified as in [events](super::EventKind): by its
/// sender and the number of messages that the sender had sent before.
///
/// From `entered` to `left`, the message occupies an out-port of the sender, and its bytes move over all links of its route at the same
/// time. A message from a node to itself and an active message need no port and no link: they leave when they enter.
///
/// A remote memory access is a message from its origin to its target. What it returns is a transfer of its own, which no call of a program
/// sends: these transfers of a node are numbered down from `u64::MAX`. An acknowledgement has no bytes and needs no port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transfer {
    /// The sender, as a rank of the world.
    pub from: Rank,
    /// The receiver, as a rank of the world.
    pub to: Rank,
    /// The number of messages that the sender had sent before.
    pub seq: u64,
    /// The length of the message, in bytes.
    pub bytes: u64,
    /// The out-port of the sender, counted from 0; also 0 if the message needed none.
    pub port: u32,
    /// If this is what a remote memory access returned: the number of messages that the origin, which is `to`, had sent before the access.
    pub access: Option<u64>,
    /// The time at which the message took the port.
    pub entered: Time,
    /// The time at which the whole message had left the sender and the port was free again.
    pub left: Time,
    /// The time at which the message arrived at the receiver.
    pub arrived: Time,
}
