//! The network: which messages are moving, how fast, and when the next of them will have left its sender.
//!
//! Ordinary sequential code without threads or clocks; the present is an argument. A node's out-port carries one
//! message at a time, so a flow is named by the rank of its sender.
//!
//! Within one modeled instant flows are [started](Fabric::start) and [ended](Fabric::pop_end) in any number; then
//! [`settle`](Fabric::settle) works out the shares once, for all of them together.

mod ends;
mod shares;

pub use shares::Work;

use ends::Ends;
use serde::Serialize;
use shares::Shares;

use crate::{
    model::Parameters,
    rank::Rank,
    time::{Span, Time},
    topology::{LinkId, Topology},
};

/// What one directed link has carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkLoad {
    /// Messages whose route led over the link.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How long at least one message was moving over it.
    pub busy: Span,
    /// The largest number of messages that shared it at one instant.
    pub most_flows: u32,
}

#[derive(Debug, Default)]
struct Transfer {
    route: Vec<LinkId>,
    remaining: f64,
    /// When `remaining` was right.
    updated: Time,
    started: Time,
    bytes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct LinkState {
    load: LinkLoad,
    flows: u32,
    busy_since: Time,
}

/// The flows under way and the loads of links and ports.
#[derive(Debug)]
pub(crate) struct Fabric {
    shares: Shares,
    ends: Ends,
    transfers: Vec<Transfer>,
    links: Vec<LinkState>,
    beta: f64,
    nodes: usize,
    half_duplex: bool,
    lost_to_sharing: Span,
}

impl Fabric {
    pub(crate) fn new(topology: &dyn Topology, parameters: &Parameters) -> Fabric {
        let (nodes, links) = (topology.nodes(), topology.links());
        let port = parameters.port_capacity();
        let mut capacities: Vec<f64> =
            (0..links).map(|link| topology.capacity(link).unwrap_or(parameters.link_capacity())).collect();
        capacities.extend(std::iter::repeat_n(port, nodes));
        let half_duplex = parameters.duplex() < 2.0;
        if half_duplex {
            capacities.extend(std::iter::repeat_n(parameters.duplex() * port, nodes));
        }
        Fabric {
            shares: Shares::new(port, capacities, nodes),
            ends: Ends::new(nodes),
            transfers: (0..nodes).map(|_| Transfer::default()).collect(),
            links: vec![LinkState::default(); links],
            beta: parameters.beta(),
            nodes,
            half_duplex,
            lost_to_sharing: Span::ZERO,
        }
    }

    /// A message of `bytes` takes the out-port of `source` at `now`.
    pub(crate) fn start(
        &mut self,
        now: Time,
        source: Rank,
        target: Rank,
        bytes: u64,
        topology: &dyn Topology,
    ) {
        let transfer = &mut self.transfers[source];
        transfer.route.clear();
        topology.route(source, target, &mut transfer.route);
        (transfer.remaining, transfer.updated) = (bytes as f64, now);
        (transfer.started, transfer.bytes) = (now, bytes);
        for &link in &transfer.route {
            let state = &mut self.links[link];
            if state.flows == 0 {
                state.busy_since = now;
            }
            state.flows += 1;
            state.load.messages += 1;
            state.load.bytes += bytes;
            state.load.most_flows = state.load.most_flows.max(state.flows);
        }
        let (links, nodes, half_duplex) = (self.links.len(), self.nodes, self.half_duplex);
        let limited = bytes > 0
            && self.shares.start(source as u32, |path| {
                path.extend(transfer.route.iter().map(|&link| link as u32));
                path.push((links + target) as u32);
                if half_duplex {
                    path.push((links + nodes + source) as u32);
                    path.push((links + nodes + target) as u32);
                }
            });
        if !limited {
            self.ends.set(source as u32, now);
        }
    }

    /// Works out the shares if flows have started or ended since the last call; to be called once an instant,
    /// before asking for the [next end](Fabric::next_end).
    pub(crate) fn settle(&mut self, now: Time) {
        if !self.shares.is_stale() {
            return;
        }
        let Fabric { shares, transfers, ends, .. } = self;
        shares.update(|flow, old, new| {
            let transfer = &mut transfers[flow as usize];
            let moved = old * now.since(transfer.updated).as_secs_f64();
            transfer.remaining = (transfer.remaining - moved).max(0.0);
            transfer.updated = now;
            ends.set(flow, now + Span::from_secs_f64(transfer.remaining / new));
        });
    }

    /// When the next flow will have left its sender.
    pub(crate) fn next_end(&self) -> Option<Time> {
        self.ends.first()
    }

    /// Ends the next flow that is through by `until`: when, whose, and how many links its route has.
    pub(crate) fn pop_end(&mut self, until: Time) -> Option<(Time, Rank, usize)> {
        let (now, flow) = self.ends.pop(until)?;
        if !self.shares.path(flow).is_empty() {
            self.shares.end(flow);
        }
        let transfer = &self.transfers[flow as usize];
        for &link in &transfer.route {
            let state = &mut self.links[link];
            state.flows -= 1;
            if state.flows == 0 {
                state.load.busy += now.since(state.busy_since);
            }
        }
        let alone = Span::from_secs_f64(transfer.bytes as f64 * self.beta);
        self.lost_to_sharing += now.since(transfer.started) - alone;
        Some((now, flow as Rank, transfer.route.len()))
    }

    /// What each link has carried so far.
    pub(crate) fn link_loads(&self) -> impl Iterator<Item = (LinkId, LinkLoad)> + '_ {
        self.links.iter().map(|state| state.load).enumerate()
    }

    /// By how much all messages together took longer than n * beta.
    pub(crate) fn lost_to_sharing(&self) -> Span {
        self.lost_to_sharing
    }

    /// How much work keeping the shares has been.
    pub(crate) fn work(&self) -> Work {
        self.shares.work()
    }
}
