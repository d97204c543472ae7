//! Lower bounds on modeled time for any algorithm, each with its limiting resource, and the components from which all
//! libraries compute them.

mod gossip;
mod links;
mod start_up;

use std::fmt;

pub(crate) use self::{
    gossip::gossip,
    links::{Border, Crossing, Links, slowest},
    start_up::{Far, start_up},
};
use crate::{model::Parameters, time::Span};

/// The fraction of a lower bound on the time of bytes that is used for pruning. It covers all rounding in the kernel: rates are multiples of
/// a unit, and departures are whole picoseconds.
pub(crate) const MARGIN: f64 = 0.999;

/// The largest relative error of a lower bound that is a sum of many `f64`.
pub(crate) const RELATIVE_ERROR: f64 = 1e-9;

/// Returns the number of bytes, all in one direction, that take a node as long as sending and receiving these numbers of bytes at the same
/// time. Times [`node_beta`](Parameters::node_beta) it is a lower bound on the node's time.
pub(crate) fn port_load(parameters: &Parameters, sent: u64, received: u64) -> f64 {
    let both = (sent as f64 + received as f64) / parameters.duplex();
    both.max(sent.max(received) as f64)
}

/// The reason for a lower bound: the resource that limits the time of a problem.
///
/// A relevant message begins with a send of `o_s` and ends with its latency in the network and a receive,
/// `L + hop + o_r`. Its bytes do not move during these times, so `alpha + hop` adds to the time of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Start-ups, one to many or many to one. A node sends one message at a time, so the number of nodes reached by a datum of one node
    /// grows no faster than `N(x) = N(x - o_s) + N(x - alpha - hop)`. By the same argument backwards in time, the number of nodes heard
    /// by one node grows no faster than with `o_r` for `o_s`. If received data, at least one element, must be combined, each receive
    /// takes `gamma` more. (Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993.) Nodes at
    /// least `d` links away are reached `d hop` later than the same number of nodes could be with messages that take only `alpha`.
    StartUp,
    /// Start-ups, many to many: with `m` contributors and `r` receivers, `log(m r)` to the base of the growth that
    /// sends and receives allow. Contributors are weighted if not every receiver needs every contributor. 0 if all data
    /// have one source or one destination.
    Gossip,
    /// Bytes that some node must receive through its ports: the data that it lacks, or the mean of all nodes.
    Intake,
    /// Bytes that some node must send through its ports: the data that others need from it, or the mean of all nodes.
    Output,
    /// Start-ups followed by bytes. The last node that hears from a source has received nothing before, and receives all its bytes
    /// after that. Backwards in time: the first node that has finished its contribution to a destination has sent all its bytes before.
    StartUpAndBytes,
    /// Bytes that some node must send or receive through its ports.
    Traffic,
    /// Bytes that some node must send and receive in total, at `P d / beta`. Every received byte is also sent, so for some node the
    /// total is at least twice the mean. It exceeds the other port bounds only if ports are not full duplex.
    BothWays,
    /// Combining operations: reducing `p` vectors to one takes `p - 1` operations per element, and so do the `p - 1` results of a scan.
    /// Some node does at least the mean number, and no node starts before a first message has arrived.
    Combining,
    /// Bytes that must cross a straight cut through the mesh in one direction. A topology that is no grid is cut
    /// between two consecutive ranks.
    Bisection,
    /// Bytes that must leave or enter a submesh of up to 8 x 8 nodes on its links. In a topology that is no grid: up to
    /// 8 consecutive nodes, or an aligned block of 2^i nodes, such as a subtree or a subcube.
    Submesh,
    /// Bytes that flow along trees. For every byte, the messages of a broadcast or an all-gather contain a spanning tree from its source;
    /// the messages of a reduce or a reduce-scatter contain a reversed one. Ports and links have prices (dual variables),
    /// and each tree costs at least as much as the cheapest tree. For long messages among up to 64 members on a topology that is no
    /// grid, or of nodes with several ports, without detours around dead links. (Edmonds, "Edge-disjoint branchings", 1973.)
    Trees,
    /// Bytes that flow along paths: from sender to receiver, directly or through other members. Ports and links have
    /// prices (dual variables), and each byte costs at least as much as its cheapest path. For exchanges among up to 64
    /// members, without detours around dead links. (Basu and others, arXiv 2309.13541, for links only.)
    Paths,
}

impl Reason {
    /// Returns the name in one to three words, such as `both ways`.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::StartUp => "start-up",
            Reason::Gossip => "gossip",
            Reason::Intake => "intake",
            Reason::Output => "output",
            Reason::StartUpAndBytes => "start-up and bytes",
            Reason::Traffic => "traffic",
            Reason::BothWays => "both ways",
            Reason::Combining => "combining",
            Reason::Bisection => "bisection",
            Reason::Submesh => "submesh",
            Reason::Trees => "trees",
            Reason::Paths => "paths",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Lower bounds on the modeled time of a problem, one per reason; empty, or all 0, if no message is needed.
///
/// The bounds hold for exact times. A run rounds the end of each message to the nearest picosecond, so it may end
/// earlier than a bound by up to half a picosecond per message that follows another one on the same port or link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerBound {
    reasons: Vec<(Reason, Span)>,
}

impl LowerBound {
    /// Creates a bound from these reasons: start-ups before bytes, and ports before links.
    pub fn new(reasons: impl IntoIterator<Item = (Reason, Span)>) -> LowerBound {
        LowerBound { reasons: reasons.into_iter().collect() }
    }

    /// Adds the call overhead of a machine, which every member takes before its first message, to all bounds above 0.
    pub(crate) fn after_call(mut self, parameters: &Parameters) -> LowerBound {
        for (_, limit) in self.reasons.iter_mut().filter(|(_, limit)| !limit.is_zero()) {
            *limit += parameters.call_overhead();
        }
        self
    }

    /// Returns the largest bound.
    pub fn time(&self) -> Span {
        self.reasons.iter().map(|&(_, limit)| limit).fold(Span::ZERO, Span::max)
    }

    /// Returns all bounds with their reasons.
    pub fn reasons(&self) -> &[(Reason, Span)] {
        &self.reasons
    }

    /// Returns the bound for one reason; 0 if the reason does not apply.
    pub fn of(&self, reason: Reason) -> Span {
        self.reasons.iter().find(|&&(of, _)| of == reason).map_or(Span::ZERO, |&(_, limit)| limit)
    }

    /// Returns the reason of the largest bound, the first one on a tie; `None` if the bound is 0.
    pub fn decisive(&self) -> Option<Reason> {
        let time = self.time();
        let decisive = self.reasons.iter().find(|&&(_, limit)| limit == time && !time.is_zero());
        decisive.map(|&(reason, _)| reason)
    }

    /// Returns the ratio of a modeled time to the bound; `None` if the bound is 0.
    pub fn ratio(&self, modeled: Span) -> Option<f64> {
        ratio(modeled, self.time())
    }
}

/// Returns the ratio of a modeled time to a lower bound; `None` if the bound is 0.
pub(crate) fn ratio(modeled: Span, bound: Span) -> Option<f64> {
    (!bound.is_zero()).then(|| modeled.as_secs_f64() / bound.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_bounds_is_decisive() {
        let limit = Span::from_micros;
        let bound = LowerBound::new([
            (Reason::StartUp, limit(1)),
            (Reason::Intake, limit(3)),
            (Reason::Output, limit(3)),
        ]);
        assert_eq!((bound.time(), bound.decisive()), (limit(3), Some(Reason::Intake)));
        assert_eq!((bound.of(Reason::StartUp), bound.of(Reason::Submesh)), (limit(1), Span::ZERO));
        assert_eq!(bound.ratio(limit(6)), Some(2.0));
        assert_eq!((LowerBound::default().decisive(), LowerBound::default().ratio(limit(1))), (None, None));
    }
}
