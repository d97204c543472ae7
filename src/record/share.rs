//! The shares of messages in the network, with their places in modeled time.

use std::fmt;

use serde::Serialize;

use crate::{
    rank::Rank,
    time::Time,
    topology::{LinkId, Topology},
};

/// A share that a message had of the network: from `start` to `end` its bytes moved at one rate, which one place of its
/// way determined. Another share begins when the rate or that place changes, and together they are as long as the time
/// from when the message [took its sender's out-port](super::Transfer::entered) until it had left. A message that takes no
/// time in the network has none.
///
/// A message is identified as in [events](super::EventKind): by its sender and the number of messages that the sender had
/// sent before.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Share {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The number of messages that the sender had sent before.
    pub seq: u64,
    /// The time at which the message began to move at this rate.
    pub start: Time,
    /// The time at which it went on at another rate, or had left; the end of the record for a message that had not.
    pub end: Time,
    /// The rate, in bytes per second of modeled time.
    pub rate: f64,
    /// The place that kept the message from being faster; `None` if that was its sender's out-port, which it has for
    /// itself.
    pub bottleneck: Option<Bottleneck>,
}

/// A place in the network that messages share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Bottleneck {
    /// A directed link, by its number in the topology.
    Link(LinkId),
    /// The in-port of a node.
    InPort(Rank),
    /// The two ports of a node together, where it is less than full duplex.
    Ports(Rank),
}

impl Bottleneck {
    /// The name of the place on a network: `node 0 -> node 1`, `in-port of node 3`, `ports of node 3`.
    pub fn name(&self, topology: &dyn Topology) -> String {
        match *self {
            Bottleneck::Link(link) if link < topology.links() => topology.link(link).to_string(),
            place => place.to_string(),
        }
    }
}

/// Writes the place without the help of a topology: `link 7`, `in-port of node 3`.
impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bottleneck::Link(link) => write!(f, "link {link}"),
            Bottleneck::InPort(rank) => write!(f, "in-port of node {rank}"),
            Bottleneck::Ports(rank) => write!(f, "ports of node {rank}"),
        }
    }
}
