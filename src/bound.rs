//! What bounds from below are made of, whatever is communicated: how fast something spreads from one node, and what
//! must cross the border of a part of the mesh.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    model::Description,
    rank::Rank,
    time::{Span, Time},
    topology::{Grid, Vertex},
};

/// The longest side of a submesh that is looked at.
const LONGEST_SIDE: usize = 8;

/// How many times the bound something takes that takes so long; `None` if the bound is 0.
pub(crate) fn ratio(modeled: Span, bound: Span) -> Option<f64> {
    (!bound.is_zero()).then(|| modeled.as_secs_f64() / bound.as_secs_f64())
}

/// When the last of so many nodes can know what one knew, if a sender is busy for `busy` and a receiver knows it
/// `informed` after the sender began: the number of nodes reached grows no faster than
/// `N(x) = N(x - busy) + N(x - informed)`.
///
/// Read backwards in time it is also how long one node takes at least to hear from all the others, if a receiver is
/// busy for `busy` and a sender must have begun `informed` before the receive ends.
///
/// Source: Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993.
pub(crate) fn start_up(nodes: usize, busy: Span, informed: Span) -> Span {
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

/// Bytes that must cross the border of a region.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Crossing {
    /// From inside to outside.
    pub(crate) out: f64,
    /// From outside to inside.
    pub(crate) into: f64,
}

/// The links between nodes, from both their ends.
pub(crate) struct Links {
    grid: Grid,
    /// For each node the other end of each link from it, and the capacity of the link.
    from: Vec<Vec<(Rank, f64)>>,
    to: Vec<Vec<(Rank, f64)>>,
}

impl Links {
    /// `None` if the network has switches that are no nodes: then nothing follows from the links here. What is no grid
    /// is taken as one row.
    pub(crate) fn of(machine: &Description) -> Option<Links> {
        let (topology, nodes) = (machine.topology(), machine.nodes());
        let mut links = Links {
            grid: topology.grid().unwrap_or(Grid { rows: 1, columns: nodes }),
            from: vec![Vec::new(); nodes],
            to: vec![Vec::new(); nodes],
        };
        for id in 0..topology.links() {
            let link = topology.link(id);
            let (Vertex::Node(from), Vertex::Node(to)) = (link.from, link.to) else { return None };
            let capacity = topology.capacity(id).unwrap_or_else(|| machine.parameters().link_capacity());
            links.from[from].push((to, capacity));
            links.to[to].push((from, capacity));
        }
        Some(links)
    }

    /// What the slowest straight cut through the mesh takes, if `crossing` tells what must cross the border of a region
    /// from the nodes in it, which are in rank order.
    pub(crate) fn bisection(&self, crossing: impl FnMut(&[Rank]) -> Crossing) -> Span {
        self.slowest(cuts(self.grid), crossing)
    }

    /// The same for the slowest border of a submesh of up to 8 x 8 nodes.
    pub(crate) fn submesh(&self, crossing: impl FnMut(&[Rank]) -> Crossing) -> Span {
        self.slowest(submeshes(self.grid), crossing)
    }

    fn slowest(
        &self,
        regions: impl Iterator<Item = Region>,
        mut crossing: impl FnMut(&[Rank]) -> Crossing,
    ) -> Span {
        let over = |bytes: f64, capacity: f64| if bytes > 0.0 { bytes / capacity } else { 0.0 };
        let mut inside = Vec::new();
        let times = regions.map(|region| {
            inside.clear();
            inside.extend(region.nodes(self.grid));
            let Crossing { out, into } = crossing(&inside);
            let capacity = |ends: &[Vec<(Rank, f64)>]| -> f64 {
                let outside = |&&(other, _): &&(Rank, f64)| !region.contains(self.grid.coordinates(other));
                inside
                    .iter()
                    .flat_map(|&node| ends[node].iter().filter(outside))
                    .map(|&(_, capacity)| capacity)
                    .sum()
            };
            over(out, capacity(&self.from)).max(over(into, capacity(&self.to)))
        });
        Span::from_secs_f64(times.fold(0.0, f64::max))
    }
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

    /// In rank order.
    fn nodes(&self, grid: Grid) -> impl Iterator<Item = Rank> {
        let (first, last) = self.columns;
        (self.rows.0..=self.rows.1)
            .flat_map(move |row| (first..=last).map(move |column| grid.rank(row, column)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Parameters;

    /// o_s = o_r and no latency: the numbers of nodes reached are Fibonacci's, and 512 nodes take 14 half start-ups.
    #[test]
    fn start_ups_grow_as_fibonacci_numbers() {
        let half = Parameters::hockney().send_overhead();
        for (nodes, halves) in [(1, 0), (2, 2), (3, 3), (5, 4), (8, 5), (9, 6), (377, 13), (512, 14)] {
            assert_eq!(start_up(nodes, half, half.times(2)), half.times(halves), "{nodes}");
        }
    }

    #[test]
    fn a_region_has_its_nodes_in_rank_order() {
        let region = Region { rows: (1, 2), columns: (0, 1) };
        assert!(region.nodes(Grid { rows: 3, columns: 4 }).eq([4, 5, 8, 9]));
        assert_eq!(cuts(Grid { rows: 3, columns: 4 }).count(), 5);
        assert_eq!(submeshes(Grid { rows: 2, columns: 2 }).count(), 8, "all rectangles but the whole");
    }
}
