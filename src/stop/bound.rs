//! What no algorithm can beat: lower limits of the modeled time of an s-to-p broadcast.
//!
//! Each follows from the timing model and from what must happen in any case. A message that ends a broadcast has begun
//! with a send of `o_s` and ends with a way through the network and a receive, `L + hop + o_r`, during none of which
//! its bytes move; so these come on top of the time of the bytes.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::Instance;
use crate::{
    rank::Rank,
    time::{Span, Time},
    topology::{Grid, Topology, Vertex},
};

/// The longest side of a submesh that is looked at.
const LONGEST_SIDE: usize = 8;

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
    /// The bytes that must cross the links of a straight cut through the mesh one way.
    pub bisection: Span,
    /// The bytes that must leave or enter a submesh of up to 8 x 8 nodes on its links.
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
        let bound = self.time();
        (!bound.is_zero()).then(|| modeled.as_secs_f64() / bound.as_secs_f64())
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
        let links = Links::of(self);
        let over = |(bytes, capacity): (u64, f64)| if bytes == 0 { 0.0 } else { bytes as f64 / capacity };
        let slowest = |regions: &mut dyn Iterator<Item = Region>| {
            let times = regions.flat_map(|region| links.around(&region, &own, total)).map(over);
            Span::from_secs_f64(times.fold(0.0, f64::max))
        };
        LowerBound {
            start_up: start_up(nodes, parameters.send_overhead(), around),
            intake: around + Span::from_secs_f64((total - least) as f64 * parameters.beta()),
            both_ways: around + Span::from_secs_f64(both_ways),
            bisection: around + slowest(&mut cuts(self.grid())),
            submesh: around + slowest(&mut submeshes(self.grid())),
        }
    }
}

/// When the last of so many nodes can know what one knew, if a sender is busy for `busy` and a receiver knows it
/// `informed` after the sender began.
fn start_up(nodes: usize, busy: Span, informed: Span) -> Span {
    let mut free = BinaryHeap::from([Reverse(Time::ZERO)]);
    let mut last = Time::ZERO;
    for _ in 1..nodes {
        let Some(Reverse(begin)) = free.pop() else { break };
        last = last.max(begin + informed);
        free.push(Reverse(begin + busy));
        free.push(Reverse(begin + informed));
    }
    last.since_start()
}

/// The nodes from one corner to the other, both included.
struct Region {
    rows: (usize, usize),
    columns: (usize, usize),
}

/// Everything above each line between two rows, and left of each between two columns.
fn cuts(grid: Grid) -> impl Iterator<Item = Region> {
    let (bottom, right) = (grid.rows - 1, grid.columns - 1);
    let above = (0..bottom).map(move |last| Region { rows: (0, last), columns: (0, right) });
    let left = (0..right).map(move |last| Region { rows: (0, bottom), columns: (0, last) });
    above.chain(left)
}

/// All submeshes of small sides.
fn submeshes(grid: Grid) -> impl Iterator<Item = Region> {
    let spans = |length: usize| {
        (0..length)
            .flat_map(move |first| (first..length.min(first + LONGEST_SIDE)).map(move |last| (first, last)))
    };
    spans(grid.rows)
        .flat_map(move |rows| spans(grid.columns).map(move |columns| Region { rows, columns }))
        .filter(move |region| region.size() < grid.nodes())
}

impl Region {
    fn size(&self) -> usize {
        (self.rows.1 - self.rows.0 + 1) * (self.columns.1 - self.columns.0 + 1)
    }

    fn contains(&self, (row, column): (usize, usize)) -> bool {
        (self.rows.0..=self.rows.1).contains(&row) && (self.columns.0..=self.columns.1).contains(&column)
    }
}

/// The links between nodes, from both their ends.
struct Links {
    grid: Grid,
    /// For each node the other end of each link from it, and the capacity of the link.
    from: Vec<Vec<(Rank, f64)>>,
    to: Vec<Vec<(Rank, f64)>>,
}

impl Links {
    /// No links at all if the network has switches that are no nodes: then nothing follows from them here.
    fn of(instance: &Instance) -> Links {
        let topology: &dyn Topology = &**instance.machine().topology();
        let mut links = Links {
            grid: instance.grid(),
            from: vec![Vec::new(); instance.nodes()],
            to: vec![Vec::new(); instance.nodes()],
        };
        for id in 0..topology.links() {
            let link = topology.link(id);
            let (Vertex::Node(from), Vertex::Node(to)) = (link.from, link.to) else {
                return Links { grid: instance.grid(), from: Vec::new(), to: Vec::new() };
            };
            let capacity = topology.capacity(id).unwrap_or_else(|| instance.parameters().link_capacity());
            links.from[from].push((to, capacity));
            links.to[to].push((from, capacity));
        }
        links
    }

    /// The bytes that must leave a region and the capacity of the links out of it; the same for what must enter.
    fn around(&self, region: &Region, own: &[u64], total: u64) -> [(u64, f64); 2] {
        if self.from.is_empty() {
            return [(0, 1.0); 2];
        }
        let (mut inside, mut out, mut into) = (0, 0.0, 0.0);
        for row in region.rows.0..=region.rows.1 {
            for column in region.columns.0..=region.columns.1 {
                let rank = self.grid.rank(row, column);
                let crossing = |links: &[(Rank, f64)]| {
                    let outside =
                        |&&(other, _): &&(Rank, f64)| !region.contains(self.grid.coordinates(other));
                    links.iter().filter(outside).map(|&(_, capacity)| capacity).sum::<f64>()
                };
                inside += own[rank];
                out += crossing(&self.from[rank]);
                into += crossing(&self.to[rank]);
            }
        }
        [(inside, out), (total - inside, into)]
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

    /// o_s = o_r and no latency: the numbers of nodes reached are Fibonacci's, and 512 nodes take 14 half start-ups.
    #[test]
    fn start_ups_grow_as_fibonacci_numbers() {
        let half = Parameters::hockney().send_overhead();
        for (nodes, halves) in [(2, 2), (3, 3), (5, 4), (8, 5), (9, 6), (377, 13), (512, 14)] {
            assert_eq!(start_up(nodes, half, half.times(2)), half.times(halves), "{nodes}");
        }
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
