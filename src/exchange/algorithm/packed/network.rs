//! The messages under way: when each of them has left its sender.
//!
//! A plan starts a message only where its sender and its receiver are free and all links on its way have room. So where
//! the ports of a node do not share anything, nobody ever shares, and every message moves as fast as its port and the
//! narrowest link on its way let it: its end is known when it is started. Where a node's ports both ways together are
//! slower than two, the speed of a message depends on what else its ends do, and the network itself has to say.

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

/// Messages that share nothing.
pub(super) struct Known<'a> {
    paths: &'a Paths,
    port: f64,
    /// Whether some link may be slower than a port.
    is_narrow: bool,
    ends: BinaryHeap<Reverse<(Time, u32)>>,
}

/// Messages that may share the ports of nodes.
pub(super) struct Shared<'a> {
    instance: &'a Instance,
    fabric: Box<Fabric>,
    /// The rank of each node.
    ranks: Vec<Rank>,
}

impl<'a> Network<'a> {
    /// Of an instance, with nothing under way.
    pub(super) fn of(instance: &'a Instance, paths: &'a Paths) -> Network<'a> {
        let parameters = instance.parameters();
        let port = parameters.port_capacity();
        if parameters.duplex() < 2.0 || !port.is_finite() {
            return Network::shared(instance);
        }
        let is_narrow = paths.capacity.iter().any(|&capacity| capacity < port);
        Network::Known(Known { paths, port, is_narrow, ends: BinaryHeap::new() })
    }

    /// The same, that works out what is shared.
    pub(super) fn shared(instance: &'a Instance) -> Network<'a> {
        let topology = &**instance.machine().topology();
        let fabric = Box::new(Fabric::new(topology, instance.parameters(), false).without_loads());
        let mut ranks = vec![0; instance.machine().nodes()];
        instance.members().iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        Network::Shared(Shared { instance, fabric, ranks })
    }

    /// Starts some messages.
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
                    // Messages are taken one at a time, also where nodes have several ports.
                    let port = Port { node: members[from], number: 0 };
                    fabric.start(now, port, members[to], 0, bytes, topology);
                }
                fabric.settle(now);
            }
        }
    }

    /// The next instant at which a message will have left its sender.
    pub(super) fn next_end(&self) -> Option<Time> {
        match self {
            Network::Known(known) => known.ends.peek().map(|&Reverse((end, _))| end),
            Network::Shared(shared) => shared.fabric.next_end(),
        }
    }

    /// The sender of a message that has left it by `now`; each is told once.
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
