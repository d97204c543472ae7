//! The network model of packing: the instants at which messages have left their senders.
//!
//! A message starts only if its sender and its receiver are free and all links on its path have capacity. If the two directions of a
//! node's ports are independent, messages never share a resource. Every message then moves at the speed of its port or of the slowest
//! link on its path, and its end is known at its start. If the ports of a node share bandwidth between the directions, the speed of a
//! message depends on other messages at its ends, and the fabric model of the simulator computes it.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::super::super::{
    Instance,
    rounds::{Part, paths::Paths},
};
use crate::{
    fabric::{Fabric, Port},
    rank::Rank,
    time::{Span, Time},
};

pub(super) enum Network<'a> {
    Known(Known<'a>),
    Shared(Shared<'a>),
}

/// State of the model if messages share no resource.
pub(super) struct Known<'a> {
    paths: &'a Paths,
    port: f64,
    /// Whether some link may be slower than a port.
    is_narrow: bool,
    ends: BinaryHeap<Reverse<(Time, u32)>>,
}

/// State of the model if messages may share the ports of nodes.
pub(super) struct Shared<'a> {
    instance: &'a Instance,
    fabric: Box<Fabric>,
    /// The rank of each node.
    ranks: Vec<Rank>,
}

impl<'a> Network<'a> {
    /// Creates the network model of an instance, without messages.
    pub(super) fn of(instance: &'a Instance, paths: &'a Paths) -> Network<'a> {
        let parameters = instance.parameters();
        let port = parameters.port_capacity();
        if parameters.duplex() < 2.0 || !port.is_finite() {
            return Network::shared(instance);
        }
        let is_narrow = paths.capacity.iter().any(|&capacity| capacity < port);
        Network::Known(Known { paths, port, is_narrow, ends: BinaryHeap::new() })
    }

    /// Creates the model for messages that share ports.
    pub(super) fn shared(instance: &'a Instance) -> Network<'a> {
        let topology = &**instance.machine().topology();
        let fabric = Box::new(Fabric::new(topology, instance.parameters(), false).without_loads());
        let mut ranks = vec![0; instance.machine().nodes()];
        instance.members().iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        Network::Shared(Shared { instance, fabric, ranks })
    }

    /// Starts the messages `parts` at `now`.
    pub(super) fn start(&mut self, now: Time, parts: &[Part]) {
        match self {
            Network::Known(Known { paths, port, is_narrow, ends }) => {
                for part in parts {
                    let narrowest = |rate: f64, &link: &u32| rate.min(paths.capacity[link as usize]);
                    let rate =
                        if *is_narrow { paths.path(part).iter().fold(*port, narrowest) } else { *port };
                    let end = now + Span::from_secs_f64(part.bytes as f64 / rate);
                    ends.push(Reverse((end, part.from as u32)));
                }
            }
            Network::Shared(Shared { instance, fabric, .. }) => {
                let (topology, members) = (&**instance.machine().topology(), instance.members());
                for &Part { from, to, bytes } in parts {
                    // Packing sends one message at a time, even if nodes have several ports.
                    let port = Port { node: members[from], number: 0 };
                    fabric.start(now, port, members[to], 0, bytes, topology);
                }
                fabric.settle(now);
            }
        }
    }

    /// Returns the next instant at which a message will have left its sender.
    pub(super) fn next_end(&self) -> Option<Time> {
        match self {
            Network::Known(known) => known.ends.peek().map(|&Reverse((end, _))| end),
            Network::Shared(shared) => shared.fabric.next_end(),
        }
    }

    /// Returns the sender of a message that has left by `now`. Each message is returned once.
    pub(super) fn pop_end(&mut self, now: Time) -> Option<Rank> {
        match self {
            Network::Known(Known { ends, .. }) => {
                ends.peek().filter(|&&Reverse((end, _))| end <= now)?;
                ends.pop().map(|Reverse((_, from))| from as Rank)
            }
            Network::Shared(Shared { fabric, ranks, .. }) => {
                fabric.pop_end(now).map(|(_, port, _)| ranks[port.node])
            }
        }
    }
}
