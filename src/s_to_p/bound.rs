//! Lower bounds on the modeled time of an s-to-p broadcast, valid for every algorithm.
//!
//! Each bound follows from the timing model and from data movement that every algorithm needs; [`Reason`] names the bounds.

use super::{Instance, LowerBound};
use crate::{
    plan::{
        Reason,
        bound::{Crossing, Far, Links, gossip, start_up},
        forest::forest_lower_bound,
    },
    rank::Rank,
    time::Span,
};

impl Instance {
    /// Returns the lower bound for this instance. Takes host time proportional to the number of nodes of the machine, about 10 us per node,
    /// plus up to 20 ms for long messages on networks that are not grids.
    ///
    /// Only rounding can make a run faster: the end of each message is rounded to the nearest picosecond. Where an algorithm attains the
    /// bound exactly, a run may therefore end earlier by up to one picosecond per message.
    ///
    /// ```
    /// use multicomputer::{plan::Reason, s_to_p::Instance};
    /// // One node, with 1000 bytes, and alpha = 130 us, beta = 50 ns/byte.
    /// let instance = Instance::new(&"hockney:1x2".parse()?, &[0], &[1000])?;
    /// let bound = instance.lower_bound();
    /// assert_eq!(bound.of(Reason::StartUp).to_string(), "130 us");
    /// assert_eq!(bound.of(Reason::Intake).to_string(), "180 us");
    /// assert_eq!(bound.decisive(), Some(Reason::Intake));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lower_bound(&self) -> LowerBound {
        let trees = forest_lower_bound(self.machine(), self.members(), &self.holders(), false);
        self.bounds_with_trees(trees).after_call(self.parameters())
    }

    /// Returns the bound, given the lower bound `trees` on the time of spanning trees.
    pub(super) fn bounds_with_trees(&self, trees: Span) -> LowerBound {
        let (parameters, nodes) = (self.parameters(), self.size());
        let zero = |reason| (reason, Span::ZERO);
        if nodes == 1 {
            use Reason::{Bisection, BothWays, Gossip, Intake, StartUp, StartUpAndBytes, Submesh, Trees};
            return LowerBound::new(
                [StartUp, Gossip, Intake, StartUpAndBytes, BothWays, Bisection, Submesh, Trees].map(zero),
            );
        }
        let around = parameters.alpha() + parameters.hop();
        // The bytes that each node of the machine holds at the start; `None` if the node is not a member.
        let mut own: Vec<Option<u64>> = vec![None; self.machine().nodes()];
        self.members().iter().for_each(|&node| own[node] = Some(0));
        for (&rank, &length) in self.sources().iter().zip(self.lengths()) {
            own[self.members()[rank]] = Some(length);
        }
        let total = self.bytes();
        let shortest = own.iter().flatten().copied().min().unwrap_or(0);
        let mean = (nodes as f64 - 1.0) * total as f64 / nodes as f64;
        let both_ways = 2.0 * mean * parameters.node_beta() / parameters.duplex();
        let crossing = |inside: &[Rank]| {
            let members = || inside.iter().filter_map(|&node| own[node]);
            let count = members().count();
            if count == 0 || count == nodes {
                return Crossing::default();
            }
            let bytes = members().sum::<u64>();
            Crossing { out: bytes as f64, into: (total - bytes) as f64 }
        };
        let bytes = |bytes: f64| around + Span::from_secs_f64(bytes);
        let links = Links::of(self.machine());
        let filled = self.lengths().iter().filter(|&&length| length > 0).count();
        let longest = self.lengths().iter().copied().max().unwrap_or(0);
        let long = self.holders().into_iter().filter(|&(_, bytes)| bytes == longest);
        let long: Vec<Rank> = long.map(|(rank, _)| self.members()[rank]).collect();
        let far = Far { links: &links, parameters };
        let (send, alpha) = (parameters.send_overhead(), parameters.alpha());
        let spread =
            start_up(nodes, send, around).max(far.start_up(&long, self.members(), false, send, alpha));
        let gossip = if filled > 1 {
            gossip(filled as f64 * nodes as f64, parameters, Span::ZERO)
        } else {
            Span::ZERO
        };
        let after = |trees: Span| if trees.is_zero() { trees } else { around + trees };
        LowerBound::new([
            (Reason::StartUp, spread),
            (Reason::Gossip, gossip),
            (Reason::Intake, bytes((total - shortest) as f64 * parameters.node_beta())),
            (Reason::StartUpAndBytes, spread + parameters.node_transfer(longest)),
            (Reason::BothWays, bytes(both_ways)),
            (Reason::Bisection, around + links.bisection(crossing)),
            (Reason::Submesh, around + links.submesh(crossing)),
            (Reason::Trees, after(trees)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MachineSpec, Parameters};

    fn bound(machine: &str, sources: &[Rank], lengths: &[u64]) -> LowerBound {
        let machine: MachineSpec = machine.parse().unwrap();
        Instance::new(&machine, sources, lengths).unwrap().lower_bound()
    }

    #[test]
    fn ports_limit_on_a_paragon() {
        let all: Vec<Rank> = (0..100).collect();
        let bound = bound("paragon:10x10", &all, &[10_000; 100]);
        // Each node receives 99 messages and sends 99, at 1.35 / beta for both directions together.
        let expected = 2.0 * 99e4 * 30.6e-9 / 1.35 + 184.04e-6;
        let both_ways = bound.of(Reason::BothWays);
        assert!((both_ways.as_secs_f64() - expected).abs() < 1e-9);
        assert_eq!(bound.time(), both_ways);
        let intake = bound.of(Reason::Intake);
        assert!(intake < both_ways && bound.of(Reason::Bisection) < intake);
    }

    #[test]
    fn slow_links_limit_if_there_are_any() {
        let slow = Parameters::hockney().to_builder().link_excess(0.1).build().unwrap();
        let machine: MachineSpec = "mesh:4x4".parse().unwrap();
        let machine = MachineSpec::new("slow", machine.topology().clone(), slow);
        // The corner has two links of 2 MB/s in each direction, a bisection has four.
        let bound = Instance::new(&machine, &[0], &[8000]).unwrap().lower_bound();
        assert_eq!(bound.of(Reason::Submesh).to_string(), "2.13 ms");
        assert_eq!(bound.of(Reason::Bisection).to_string(), "1.13 ms");
        assert_eq!(bound.decisive(), Some(Reason::Submesh));
    }

    #[test]
    fn one_node_has_a_zero_bound() {
        assert_eq!(bound("paragon:1x1", &[0], &[1000]).time(), Span::ZERO);
    }
}
