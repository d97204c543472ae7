//! The network: the flows under way, their rates, and the time of the next end of a flow.
//!
//! Ordinary sequential code without threads or clocks; the present is an argument. An out-port carries one message at a
//! time, so a flow is named by its out-port: port `p` of node `i` is `i * P + p`, where a node has `P` of them.
//!
//! The state of a link is created when a message first crosses it: a network may have many more links than a run
//! uses, and a prediction of a few messages should not pay for all of them.
//!
//! Within one modeled instant any number of flows is [started](Fabric::start) and [ended](Fabric::pop_end); then
//! [`settle`](Fabric::settle) computes the shares once, for all of them together.

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
    /// The number of messages whose route led over the link.
    pub messages: u64,
    /// The total bytes of these messages.
    pub bytes: u64,
    /// The time during which at least one message was moving over the link.
    pub busy: Span,
    /// The largest number of messages that shared the link at one instant.
    pub most_flows: u32,
}

#[derive(Debug, Default)]
struct Transfer {
    /// The links of the route, each as its place among those that have been used.
    route: Vec<u32>,
    remaining: f64,
    /// The time at which `remaining` was last updated.
    updated: Time,
    started: Time,
    bytes: u64,
}

#[derive(Debug, Default)]
struct LinkState {
    load: LinkLoad,
    link: u32,
    flows: u32,
    busy_since: Time,
}

impl LinkState {
    /// Counts a message of `bytes` bytes that begins to move over the link.
    fn start(&mut self, now: Time, bytes: u64) {
        if self.flows == 0 {
            self.busy_since = now;
        }
        self.flows += 1;
        self.load.messages += 1;
        self.load.bytes += bytes;
        self.load.most_flows = self.load.most_flows.max(self.flows);
    }

    /// Notes that a message has left the link.
    fn end(&mut self, now: Time) {
        self.flows -= 1;
        if self.flows == 0 {
            self.load.busy += now.since(self.busy_since);
        }
    }
}

/// An out-port, by the rank of its node and its number among the ports of that; also the message in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Port {
    pub(crate) node: Rank,
    pub(crate) number: u32,
}

/// The flows under way and the loads of links and ports.
#[derive(Debug)]
pub(crate) struct Fabric {
    shares: Shares,
    ends: Ends,
    transfers: Vec<Transfer>,
    /// The links of the last route, kept only to reuse its memory.
    route: Vec<LinkId>,
    /// For each link of the network its place in the order of their first use plus 1, or 0 if it has not been used yet. The
    /// host allocates no memory for pages of zeros that have not been touched.
    places: Vec<u32>,
    /// The number of links that have been used.
    used: u32,
    /// The links that have been used, by their places, if their loads are counted.
    links: Option<Vec<LinkState>>,
    /// The resource of the first used link: the resources before it are those of the nodes.
    first: usize,
    link_capacity: f64,
    beta: f64,
    nodes: usize,
    /// The out-ports of a node.
    ports: u32,
    half_duplex: bool,
    lost_to_sharing: Span,
    /// The parts of their capacities that slow links have.
    slow: BTreeMap<LinkId, f64>,
    /// The routes of messages about to start that do not take that of the topology.
    detours: BTreeMap<Port, Vec<LinkId>>,
    /// The shares of flows over time, if a trace is asked for.
    recorder: Option<Recorder>,
}

impl Fabric {
    pub(crate) fn new(topology: &dyn Topology, parameters: &Parameters, traced: bool) -> Fabric {
        let (nodes, links) = (topology.nodes(), topology.links());
        let (port, ports) = (parameters.port_capacity(), parameters.ports());
        let flows = nodes * ports as usize;
        let half_duplex = parameters.duplex() < 2.0;
        // The in-ports of a node are pooled.
        let all = f64::from(ports) * port;
        let mut capacities = vec![all; nodes];
        if half_duplex {
            capacities.extend(std::iter::repeat_n(parameters.duplex() * all, nodes));
        }
        // Resources are numbered as if every link had its own: links first, then the resources of nodes.
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

    /// The same without the loads of links, for those who ask for times alone: where there are many links, the loads take more
    /// memory than all else.
    pub(crate) fn without_loads(self) -> Fabric {
        Fabric { links: None, ..self }
    }

    /// The number of the flow in a port.
    fn flow(&self, port: Port) -> u32 {
        port.node as u32 * self.ports + port.number
    }

    /// The port of a flow.
    fn port(&self, flow: u32) -> Port {
        Port { node: (flow / self.ports) as Rank, number: flow % self.ports }
    }

    /// Starts a message of `bytes` bytes in an out-port at `now`; its node had sent `seq` messages before it. It takes the
    /// route of the topology, unless it has been given a [detour](Fabric::detour).
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
        transfer.route.clear();
        transfer.route.extend(route.iter().map(|&link| {
            if places[link] == 0 {
                let capacity = topology.capacity(link).unwrap_or(*link_capacity);
                shares.add(link as u32, capacity * slow.get(&link).unwrap_or(&1.0));
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

    /// Computes the shares if flows have started or ended since the last call; to be called once per instant, before
    /// asking for the [next end](Fabric::next_end).
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

    /// The time at which the next flow will have left its sender.
    pub(crate) fn next_end(&self) -> Option<Time> {
        self.ends.first()
    }

    /// Ends the next flow that is complete by `until`; returns the time, the out-port and the number of links of the
    /// route.
    pub(crate) fn pop_end(&mut self, until: Time) -> Option<(Time, Port, usize)> {
        let (now, flow) = self.ends.pop(until)?;
        self.leave_links(now, flow);
        let transfer = &self.transfers[flow as usize];
        let alone = Span::from_secs_f64(transfer.bytes as f64 * self.beta);
        self.lost_to_sharing += now.since(transfer.started) - alone;
        Some((now, self.port(flow), transfer.route.len()))
    }

    /// Takes a flow, which has ended, from the links and ports on its way.
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

    /// The time at which the message that is in an out-port, or was in it last, took it.
    pub(crate) fn last_start(&self, port: Port) -> Time {
        self.transfers[self.flow(port) as usize].started
    }

    /// The bytes that each link used so far has carried or begun to carry, in the order of their first use; nothing where loads
    /// are not counted.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (LinkId, u64)> {
        self.links.iter().flatten().map(|state| (state.link as LinkId, state.load.bytes))
    }

    /// The load of each link that has been used so far, in the order of link numbers.
    pub(crate) fn link_loads(&self) -> Vec<(LinkId, LinkLoad)> {
        let mut loads: Vec<_> =
            self.links.iter().flatten().map(|state| (state.link as LinkId, state.load)).collect();
        loads.sort_unstable_by_key(|&(link, _)| link);
        loads
    }

    /// The time that all messages together took beyond n * beta.
    pub(crate) fn lost_to_sharing(&self) -> Span {
        self.lost_to_sharing
    }

    /// The shares of messages up to `now`, if they have been recorded; to be called once, at the end.
    pub(crate) fn take_shares(&mut self, now: Time) -> Vec<Share> {
        self.recorder.take().map(|recorder| recorder.finish(now)).unwrap_or_default()
    }

    /// The work done so far to keep the shares up to date.
    pub(crate) fn work(&self) -> Work {
        self.shares.work()
    }
}

/// The largest finite capacity of a port or link, for machines whose ports have none.
fn widest(topology: &dyn Topology, parameters: &Parameters) -> f64 {
    if parameters.port_capacity().is_finite() {
        return parameters.port_capacity();
    }
    let links = (0..topology.links()).filter_map(|link| topology.capacity(link));
    links.chain([parameters.link_capacity()]).filter(|capacity| capacity.is_finite()).fold(1.0, f64::max)
}

/// The place in the network of the resource with this number: links come first, then the in-ports of nodes, then nodes whose
/// ports both ways together are one.
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

    /// Tests that three messages on a network of 3540 links create the state of the links that they crossed only.
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
