//! Lower limits of modeled time that no algorithm can beat, each with its reason; and what they are made of, whatever is
//! communicated.

mod gossip;
mod links;
mod start_up;

use std::fmt;

pub(crate) use self::{
    gossip::gossip,
    links::{Border, Crossing, Links, slowest},
    start_up::{Far, start_up},
};
use crate::time::Span;

/// A reason why a problem cannot be solved in less time.
///
/// A message that matters has begun with a send of `o_s` and ends with a way through the network and a receive,
/// `L + hop + o_r`, during none of which its bytes move. So `alpha + hop` comes on top of the time of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Start-ups, one to many or many to one: the number of nodes that something known to one can have reached grows no
    /// faster than `N(x) = N(x - o_s) + N(x - alpha - hop)`, since a node sends one message at a time; that of nodes
    /// that one can have heard from, by the same argument backwards in time, no faster than with `o_r` for `o_s`. Where
    /// what comes must be combined, at least one element, each receive takes `gamma` more. (Karp, Sahay, Santos,
    /// Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993.) And the nodes at least `d` links away are reached no
    /// sooner than `d hop` after as many could be with messages that take `alpha` alone.
    StartUp,
    /// Start-ups, many to many: with `m` contributors and `r` receivers, `log(m r)` over the growth that sends and
    /// receives allow; with weights where not everybody must hear from everybody. 0 where all comes from one or goes to
    /// one.
    Gossip,
    /// Bytes that some node must take in through its ports: what it lacks, or the mean of all nodes.
    Intake,
    /// Bytes that some node must send through its ports: what others need of it, or the mean of all nodes.
    Output,
    /// Start-ups and then bytes. Who comes to know something last of all that one node sends to everybody has taken in nothing
    /// before, and takes in all its bytes after that. In the same way backwards: whoever is the first to have given all that it
    /// gives to a node has sent all its bytes before.
    StartUpAndBytes,
    /// Bytes that some node must send, or receive, through its ports.
    Traffic,
    /// Bytes that some node must move both ways, at `P d / beta`: what all nodes take in somebody has sent, so for some node
    /// that is at least twice the mean. Decides where ports are not full duplex.
    BothWays,
    /// Combinations: to make one vector out of `p` takes `p - 1` of them an element, and so do the `p - 1` results of a
    /// scan. Some node does at least the mean, and none before a first message has come.
    Combining,
    /// Bytes that must cross the links of a straight cut through the mesh one way. What is no grid is cut between two
    /// nodes.
    Bisection,
    /// Bytes that must leave or enter a submesh of up to 8 x 8 nodes on its links. In what is no grid, up to 8
    /// neighbouring nodes, or a block of 2^i that begins with a multiple of 2^i, such as a subtree or a subcube.
    Submesh,
    /// Bytes that go down trees: the messages of a broadcast or a collect contain, for every byte, a tree from its source to all;
    /// backwards those of a combine-to-one or a distributed combine do. Ports and links have prices, and each tree costs at least
    /// what the cheapest one does. For long messages among up to 64 members of a network that is no grid, or of nodes
    /// with several ports, and where no message goes around dead links. (Edmonds, "Edge-disjoint branchings", 1973.)
    Trees,
    /// Bytes that go along paths: from its sender to its receiver a byte goes straight or by way of other members. Ports and links have
    /// prices, and each byte costs at least what its cheapest path does. For exchanges among up to 64 members, where no message goes
    /// around dead links. (Basu and others, arXiv 2309.13541, for links alone.)
    Paths,
}

impl Reason {
    /// The reason in a word or two: `both ways`.
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

/// Lower limits of the modeled time of a problem, each for a reason of its own; none, or all 0, if nothing has to be sent.
///
/// They are limits of exact times. A run rounds the end of each message to the nearest picosecond, so it may end earlier than a limit by up to
/// half a picosecond for each message that follows another one on the same port or link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerBound {
    reasons: Vec<(Reason, Span)>,
}

impl LowerBound {
    /// The bound for these reasons: start-ups before bytes, and ports before links.
    pub fn new(reasons: impl IntoIterator<Item = (Reason, Span)>) -> LowerBound {
        LowerBound { reasons: reasons.into_iter().collect() }
    }

    /// The largest limit.
    pub fn time(&self) -> Span {
        self.reasons.iter().map(|&(_, limit)| limit).fold(Span::ZERO, Span::max)
    }

    /// All limits with their reasons.
    pub fn reasons(&self) -> &[(Reason, Span)] {
        &self.reasons
    }

    /// The limit for one reason; 0 if it does not apply.
    pub fn of(&self, reason: Reason) -> Span {
        self.reasons.iter().find(|&&(of, _)| of == reason).map_or(Span::ZERO, |&(_, limit)| limit)
    }

    /// The reason of the largest limit, of equal ones the first; `None` if the bound is 0.
    pub fn decisive(&self) -> Option<Reason> {
        let time = self.time();
        let decisive = self.reasons.iter().find(|&&(_, limit)| limit == time && !time.is_zero());
        decisive.map(|&(reason, _)| reason)
    }

    /// Ratio of a modeled time to the bound; `None` if that is 0.
    pub fn ratio(&self, modeled: Span) -> Option<f64> {
        ratio(modeled, self.time())
    }
}

/// Ratio of a modeled time to a lower bound; `None` if that is 0.
pub(crate) fn ratio(modeled: Span, bound: Span) -> Option<f64> {
    (!bound.is_zero()).then(|| modeled.as_secs_f64() / bound.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_largest_limits_decides() {
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
