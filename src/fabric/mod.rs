//! The network: the current flows, their rates, and the time at which the next flow ends.
//!
//! This module is sequential code without threads or clocks; the current time is an argument. An out-port carries one message at a time, so
//! a flow is identified by its out-port: port `p` of node `i` is `i * P + p` on a machine with `P` ports per node.
//!
//! The state of a link is created when a message first crosses the link: a network may have many more links than a run uses, and the
//! prediction of a few messages should not take time for all links.
//!
//! Within one modeled instant any number of flows is [started](Fabric::start) and [ended](Fabric::pop_end); then [`settle`](Fabric::settle)
//! computes the shares once for all of these changes.

mod ends;
mod faults;
mod recorder;
mod shares;

pub use shares::Work;
pub(crate) use shares::near_whole;

use std::collections::BTreeMap;

use ends::Ends;
use recorder::Recorder;
use serde::Serialize;
use shares::Shares;

use crate::{
    model::Parameters,
    rank::Rank,
    record::{Bottleneck, Share},
    time::{Span, Time},
    topology::{LinkId, Topology},
};

/// The load of one directed link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LinkLoad {
    /// The number of messages routed over the link.
    pub messages: u64,
    /// The total bytes of these messages.
    pub bytes: u64,
    /// The time during which at least one message was moving over the link.
    pub busy: Span,
    /// The maximum number of messages that shared the link at one instant.
    pub most_flows: u32,
}

#[derive(Debug, Default)]
struct Transfer {
    /// The links of the route, each as its index in the order of first use.
    route: Vec<u32>,
    remaining: f64,
    /// The time at which `remaining` was last updated.
    updated: Time,
    started: Time,
    bytes: u64,
    /// The sum of the links' own latencies.
    latency: Span,
}

/// The way of a message that has left its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// The number of links.
    pub(crate) links: usize,
    /// The sum of the links' own latencies.
    pub(crate) latency: Span,
}

/// Returns the sum of the own latencies of a route's links.
pub(crate) fn latency_of(route: &[LinkId], topology: &dyn Topology) -> Span {
    let latencies = topology.latencies();
    if latencies.is_empty() {
        return Span::ZERO;
    }
    route
        .iter()
        .filter_map(|&link| latencies.get(link).copied())
        .fold(Span::ZERO, |sum, latency| sum + latency)
}

#[derive(Debug, Default)]
struct LinkState {
    load: LinkLoad,
    link: u32,
    flows: u32,
    busy_since: Time,
}

impl LinkState {
    /// Counts a message of `bytes` bytes that starts to move over the link.
    fn start(&mut self, now: Time, bytes: u64) {
        if self.flows == 0 {
            self.busy_since = now;
        }
        self.flows += 1;
        self.load.messages += 1;
        self.load.bytes += bytes;
        self.load.most_flows = self.load.most_flows.max(self.flows);
    }

    /// Records that a message has left the link.
    fn end(&mut self, now: Time) {
        self.flows -= 1;
        if self.flows == 0 {
            self.load.busy += now.since(self.busy_since);
        }
    }
}

/// An out-port, given by the rank of its node and its index among the ports of the node. Also identifies the message in the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Port {
    pub(crate) node: Rank,
    pub(crate) number: u32,
}

/// The current flows, and the loads of links and ports.
#[derive(Debug)]
pub(crate) struct Fabric {
    shares: Shares,
    ends: Ends,
    transfers: Vec<Transfer>,
    /// The links of the last route, stored only to reuse the memory.
    route: Vec<LinkId>,
    /// For each link of the network its index in the order of first use plus 1, or 0 if the link is unused. The host allocates no memory
    /// for untouched pages of zeros.
    places: Vec<u32>,
    /// The number of links that have been used.
    used: u32,
    /// The used links in the order of first use, if link loads are counted.
    links: Option<Vec<LinkState>>,
    /// The resource of the first used link; the resources before it belong to nodes.
    first: usize,
    link_capacity: f64,
    beta: f64,
    nodes: usize,
    /// The number of out-ports per node.
    ports: u32,
    half_duplex: bool,
    lost_to_sharing: Span,
    /// The fraction of its capacity that each slow link has.
    slow: BTreeMap<LinkId, f64>,
    /// The routes of messages about to start that differ from the route of the topology.
    detours: BTreeMap<Port, Vec<LinkId>>,
    /// The shares of flows over time, if a trace is recorded.
    recorder: Option<Recorder>,
}

impl Fabric {
    pub(crate) fn new(topology: &dyn Topology, parameters: &Parameters, traced: bool) -> Fabric {
        let (nodes, links) = (topology.nodes(), topology.links());
        let (port, ports) = (parameters.port_capacity(), parameters.ports());
        let flows = nodes * ports as usize;
        let half_duplex = parameters.duplex() < 2.0;
        // All in-ports of a node are one resource.
        let all = f64::from(ports) * port;
        let mut capacities = vec![all; nodes];
        if half_duplex {
            capacities.extend(std::iter::repeat_n(parameters.duplex() * all, nodes));
        }
        // The resource of a link has the number of the link. The resources of nodes follow, from number `links` on.
        let mut shares = Shares::new(port, widest(topology, parameters), flows);
        for (number, &capacity) in (links as u32..).zip(&capacities) {
            shares.add(number, capacity);
        }
        Fabric {
            shares,
            ends: Ends::new(flows),
            transfers: (0..flows).map(|_| Transfer::default()).collect(),
            route: Vec::new(),
            places: vec![0; links],
            used: 0,
            links: Some(Vec::new()),
            first: capacities.len(),
            link_capacity: parameters.link_capacity(),
            beta: parameters.beta(),
            nodes,
            ports,
            half_duplex,
            lost_to_sharing: Span::ZERO,
            slow: BTreeMap::new(),
            detours: BTreeMap::new(),
            recorder: traced.then(|| Recorder::new(flows)),
        }
    }

    /// Returns the same network without link loads, for callers that need only times. With many links, the loads take more memory than
    /// everything else.
    pub(crate) fn without_loads(self) -> Fabric {
        Fabric { links: None, ..self }
    }

    /// Returns the number of the flow in a port.
    fn flow(&self, port: Port) -> u32 {
        port.node as u32 * self.ports + port.number
    }

    /// Returns the port of a flow.
    fn port(&self, flow: u32) -> Port {
        Port { node: (flow / self.ports) as Rank, number: flow % self.ports }
    }

    /// Starts a message of `bytes` bytes in an out-port at `now`; `seq` is the number of messages that its node has sent before. The
    /// message follows the route of the topology, unless it has a [detour](Fabric::detour).
    pub(crate) fn start(
        &mut self,
        now: Time,
        port: Port,
        target: Rank,
        seq: u64,
        bytes: u64,
        topology: &dyn Topology,
    ) {
        let (flow, source) = (self.flow(port), port.node);
        let Fabric { shares, transfers, route, places, used, links, link_capacity, slow, detours, .. } = self;
        let transfer = &mut transfers[flow as usize];
        route.clear();
        match detours.remove(&port) {
            Some(detour) => route.extend(detour),
            None => topology.route(source, target, route),
        }
        (transfer.remaining, transfer.updated) = (bytes as f64, now);
        (transfer.started, transfer.bytes) = (now, bytes);
        transfer.latency = latency_of(route, topology);
        transfer.route.clear();
        transfer.route.extend(route.iter().map(|&link| {
            if places[link] == 0 {
                shares.add(link as u32, capacity(topology, link, *link_capacity, slow));
                if let Some(links) = links {
                    links.push(LinkState { link: link as u32, ..LinkState::default() });
                }
                *used += 1;
                places[link] = *used;
            }
            places[link] - 1
        }));
        if let Some(links) = links {
            transfer.route.iter().for_each(|&place| links[place as usize].start(now, bytes));
        }
        let (first, nodes, half_duplex) = (self.first, self.nodes, self.half_duplex);
        let limited = bytes > 0
            && shares.start(flow, |path| {
                let links = transfer.route.iter().map(|&place| first as u32 + place);
                path.extend(links.chain([target as u32]));
                if half_duplex {
                    path.push((nodes + source) as u32);
                    path.push((nodes + target) as u32);
                }
            });
        if !limited {
            self.ends.set(flow, now);
        }
        if let Some(recorder) = self.recorder.as_mut().filter(|_| limited) {
            recorder.start(now, flow, (source, target), seq);
        }
    }

    /// Computes the shares if flows have started or ended since the last call. Must be called once per instant, before
    /// [`next_end`](Fabric::next_end).
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
        if let Some(recorder) = &mut self.recorder {
            let links = self.places.len();
            for (flow, rate, bottleneck) in shares.shared_out() {
                let bottleneck = bottleneck.map(|number| place(number as usize, links, self.nodes));
                recorder.set(now, flow, rate, bottleneck);
            }
        }
    }

    /// Returns the time at which the next flow will have left its sender.
    pub(crate) fn next_end(&self) -> Option<Time> {
        self.ends.first()
    }

    /// Ends the next flow that is complete by `until`; returns the time, the out-port and the way of the message.
    pub(crate) fn pop_end(&mut self, until: Time) -> Option<(Time, Port, Way)> {
        let (now, flow) = self.ends.pop(until)?;
        self.leave_links(now, flow);
        let transfer = &self.transfers[flow as usize];
        let alone = Span::from_secs_f64(transfer.bytes as f64 * self.beta);
        self.lost_to_sharing += now.since(transfer.started) - alone;
        let way = Way { links: transfer.route.len(), latency: transfer.latency };
        Some((now, self.port(flow), way))
    }

    /// Removes an ended flow from the links and ports of its route.
    fn leave_links(&mut self, now: Time, flow: u32) {
        if !self.shares.path(flow).is_empty() {
            self.shares.end(flow);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.end(now, flow);
        }
        if let Some(links) = &mut self.links {
            let route = &self.transfers[flow as usize].route;
            route.iter().for_each(|&place| links[place as usize].end(now));
        }
    }

    /// Returns the time at which the current or last message in an out-port started.
    pub(crate) fn last_start(&self, port: Port) -> Time {
        self.transfers[self.flow(port) as usize].started
    }

    /// Returns the bytes that each used link has carried or started to carry, in the order of first use; empty if loads are not counted.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (LinkId, u64)> {
        self.links.iter().flatten().map(|state| (state.link as LinkId, state.load.bytes))
    }

    /// Returns the load of each used link, ordered by link number.
    pub(crate) fn link_loads(&self) -> Vec<(LinkId, LinkLoad)> {
        let mut loads: Vec<_> =
            self.links.iter().flatten().map(|state| (state.link as LinkId, state.load)).collect();
        loads.sort_unstable_by_key(|&(link, _)| link);
        loads
    }

    /// Returns the contention delay: the sum over messages of their time in the network beyond n * beta.
    pub(crate) fn lost_to_sharing(&self) -> Span {
        self.lost_to_sharing
    }

    /// Returns the shares of messages up to `now`, if they are recorded; to be called once, at the end.
    pub(crate) fn take_shares(&mut self, now: Time) -> Vec<Share> {
        self.recorder.take().map(|recorder| recorder.finish(now)).unwrap_or_default()
    }

    /// Returns the work done so far to update the shares.
    pub(crate) fn work(&self) -> Work {
        self.shares.work()
    }
}

/// Returns the present capacity of a link in bytes/s. `common` is the capacity of links without their own; slow links have a fraction.
fn capacity(topology: &dyn Topology, link: LinkId, common: f64, slow: &BTreeMap<LinkId, f64>) -> f64 {
    topology.capacity(link).unwrap_or(common) * slow.get(&link).unwrap_or(&1.0)
}

/// Returns the port capacity, or, if it is infinite, the largest finite link capacity.
fn widest(topology: &dyn Topology, parameters: &Parameters) -> f64 {
    if parameters.port_capacity().is_finite() {
        return parameters.port_capacity();
    }
    let links = (0..topology.links()).filter_map(|link| topology.capacity(link));
    links.chain([parameters.link_capacity()]).filter(|capacity| capacity.is_finite()).fold(1.0, f64::max)
}

/// Returns the location in the network of a resource number: links come first, then the in-ports of nodes, then the combined ports of
/// nodes that are less than full duplex.
fn place(number: usize, links: usize, nodes: usize) -> Bottleneck {
    match number.checked_sub(links) {
        None => Bottleneck::Link(number),
        Some(node) if node < nodes => Bottleneck::InPort(node),
        Some(node) => Bottleneck::Ports(node - nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology;

    /// Tests that three messages on a network of 3540 links create only the state of the links that they cross.
    #[test]
    fn links_have_a_place_from_their_first_use_and_are_listed_by_number() {
        let topology = topology::parse("complete:60").unwrap();
        let mut fabric = Fabric::new(&*topology, &Parameters::hockney(), false);
        for (source, target, bytes) in [(58, 59, 100), (0, 1, 10), (7, 7, 1)] {
            fabric.start(Time::ZERO, Port { node: source, number: 0 }, target, 0, bytes, &*topology);
        }
        fabric.settle(Time::ZERO);
        let ends = std::iter::from_fn(|| fabric.pop_end(Time::MAX).map(|(now, ..)| now));
        let last = ends.last().expect("three messages end");
        fabric.start(last, Port { node: 58, number: 0 }, 59, 1, 1000, &*topology);
        assert_eq!(fabric.used, 2);
        let loads = fabric.link_loads().into_iter();
        let carried: Vec<_> =
            loads.map(|(link, load)| (topology.link(link).to_string(), load.bytes)).collect();
        assert_eq!(carried, [("node 0 -> node 1".to_owned(), 10), ("node 58 -> node 59".to_owned(), 1100)]);
    }
}
