//! What no algorithm can beat: lower limits of the modeled time of an s-to-p broadcast.
//!
//! Each follows from the timing model and from what must happen in any case. A message that ends a broadcast has begun
//! with a send of `o_s` and ends with a way through the network and a receive, `L + hop + o_r`, during none of which
//! its bytes move; so these come on top of the time of the bytes.

use super::Instance;
use crate::{
    bound::{Crossing, Links, ratio, start_up},
    rank::Rank,
    time::Span,
};

/// Lower limits of the modeled time of a broadcast, each for a reason of its own; 0 on a single node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerBound {
    /// Start-ups: the number of nodes that something known to one can have reached grows no faster than
    /// `N(x) = N(x - o_s) + N(x - alpha - hop)`, since a node sends one message at a time. (Karp, Sahay, Santos,
    /// Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993.)
    pub start_up: Span,
    /// The bytes that some node must take in through its port: those of all messages but its own.
    pub intake: Span,
    /// What all nodes take in somebody has sent, so some node moves at least twice the mean of these bytes both ways,
    /// at `d / beta`. Decides where ports are not full duplex.
    pub both_ways: Span,
    /// The bytes that must cross the links of a straight cut through the mesh one way. What is no grid is cut between
    /// two ranks.
    pub bisection: Span,
    /// The bytes that must leave or enter a submesh of up to 8 x 8 nodes on its links. In what is no grid, up to 8
    /// neighbouring ranks, or a block of 2^i that begins with a multiple of 2^i, such as a subtree or a subcube.
    pub submesh: Span,
}

impl LowerBound {
    /// The largest of them.
    pub fn time(&self) -> Span {
        let LowerBound { start_up, intake, both_ways, bisection, submesh } = *self;
        start_up.max(intake).max(both_ways).max(bisection).max(submesh)
    }

    /// How many times the bound a broadcast takes that takes so long; `None` on a single node, where the bound is 0.
    pub fn ratio(&self, modeled: Span) -> Option<f64> {
        ratio(modeled, self.time())
    }
}

impl Instance {
    /// What no algorithm can beat on this instance. Takes time proportional to the nodes, some 10 us each.
    ///
    /// Only rounding can: in a run the end of each message is rounded to the nearest picosecond, so where the limit is
    /// met exactly a run may be earlier by up to a picosecond a message.
    ///
    /// ```
    /// use multicomputer::stop::Instance;
    /// // One node, with 1000 bytes, and alpha = 130 us, beta = 50 ns/byte.
    /// let instance = Instance::new(&"hockney:1x2".parse()?, &[0], &[1000])?;
    /// let bound = instance.lower_bound();
    /// assert_eq!(bound.start_up.to_string(), "130 us");
    /// assert_eq!(bound.intake.to_string(), "180 us");
    /// assert_eq!(bound.time(), bound.intake);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lower_bound(&self) -> LowerBound {
        let (parameters, nodes) = (self.parameters(), self.nodes());
        if nodes == 1 {
            let zero = Span::ZERO;
            return LowerBound {
                start_up: zero,
                intake: zero,
                both_ways: zero,
                bisection: zero,
                submesh: zero,
            };
        }
        let around = parameters.alpha() + parameters.hop();
        let mut own = vec![0; nodes];
        for (&rank, &length) in self.sources().iter().zip(self.lengths()) {
            own[rank] = length;
        }
        let total = self.bytes();
        let least = own.iter().copied().min().unwrap_or(0);
        let mean = (nodes as f64 - 1.0) * total as f64 / nodes as f64;
        let both_ways = 2.0 * mean * parameters.beta() / parameters.duplex();
        let crossing = |inside: &[Rank]| {
            let bytes = inside.iter().map(|&rank| own[rank]).sum::<u64>();
            Crossing { out: bytes as f64, into: (total - bytes) as f64 }
        };
        let links = Links::of(self.machine());
        LowerBound {
            start_up: start_up(nodes, parameters.send_overhead(), around),
            intake: around + Span::from_secs_f64((total - least) as f64 * parameters.beta()),
            both_ways: around + Span::from_secs_f64(both_ways),
            bisection: around + links.bisection(crossing),
            submesh: around + links.submesh(crossing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Description, Parameters};

    fn bound(machine: &str, sources: &[Rank], lengths: &[u64]) -> LowerBound {
        let machine: Description = machine.parse().unwrap();
        Instance::new(&machine, sources, lengths).unwrap().lower_bound()
    }

    #[test]
    fn ports_decide_on_a_paragon() {
        let all: Vec<Rank> = (0..100).collect();
        let bound = bound("paragon:10x10", &all, &[10_000; 100]);
        // 99 messages in and 99 out, at 1.35 / beta for both.
        let expected = 2.0 * 99e4 * 30.6e-9 / 1.35 + 184.04e-6;
        assert!((bound.both_ways.as_secs_f64() - expected).abs() < 1e-9);
        assert_eq!(bound.time(), bound.both_ways);
        assert!(bound.intake < bound.both_ways && bound.bisection < bound.intake);
    }

    #[test]
    fn slow_links_decide_where_there_are_any() {
        let slow = Parameters::hockney().to_builder().link_excess(0.1).build().unwrap();
        let machine: Description = "mesh:4x4".parse().unwrap();
        let machine = Description::new("slow", machine.topology().clone(), slow);
        // The corner has two links of 2 MB/s each way, a cut has four.
        let bound = Instance::new(&machine, &[0], &[8000]).unwrap().lower_bound();
        assert_eq!(bound.submesh.to_string(), "2.13 ms");
        assert_eq!(bound.bisection.to_string(), "1.13 ms");
        assert_eq!(bound.time(), bound.submesh);
    }

    #[test]
    fn nothing_is_needed_on_one_node() {
        assert_eq!(bound("paragon:1x1", &[0], &[1000]).time(), Span::ZERO);
    }
}
