//! The bandwidth shares of messages in the network, over modeled time.

use std::fmt;

use serde::Serialize;

use crate::{
    rank::Rank,
    time::Time,
    topology::{LinkId, Topology},
};

/// A share of the network's bandwidth that a message had: from `start` to `end` its bytes moved at one rate, set by one bottleneck. A
/// new share begins when the rate or the bottleneck changes. The shares of a message cover the time from its [entry into the sender's
/// out-port](super::Transfer::entered) until it has left. A message that takes no time has no shares.
///
/// A message is identified as in [events](super::EventKind): by its sender and the number of messages that the sender had
/// sent before.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Share {
    /// The sender, as a rank of the world.
    pub from: Rank,
    /// The receiver, as a rank of the world.
    pub to: Rank,
    /// The number of messages that the sender had sent before.
    pub seq: u64,
    /// The time at which the message began to move at this rate.
    pub start: Time,
    /// The time at which the rate or the bottleneck changed, or the message had left; for a message that never left,
    /// the end of the record.
    pub end: Time,
    /// The rate, in bytes per second of modeled time.
    pub rate: f64,
    /// The resource that limits the rate; `None` if that is the sender's out-port, which the message does not share.
    pub bottleneck: Option<Bottleneck>,
}

/// A resource of the network that messages share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Bottleneck {
    /// A directed link, by its number in the topology.
    Link(LinkId),
    /// The in-port of a node, which is given as a rank of the world.
    InPort(Rank),
    /// Both ports of a node, which is given as a rank of the world, if the node is less than full duplex.
    Ports(Rank),
}

impl Bottleneck {
    /// Returns the name of the resource on a network: `node 0 -> node 1`, `in-port of node 3`, `ports of node 3`.
    pub fn name(&self, topology: &dyn Topology) -> String {
        match *self {
            Bottleneck::Link(link) if link < topology.links() => topology.link(link).to_string(),
            place => place.to_string(),
        }
    }
}

/// Writes the resource without the topology's names of vertices: `link 7`, `in-port of node 3`.
impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bottleneck::Link(link) => write!(f, "link {link}"),
            Bottleneck::InPort(rank) => write!(f, "in-port of node {rank}"),
            Bottleneck::Ports(rank) => write!(f, "ports of node {rank}"),
        }
    }
}
