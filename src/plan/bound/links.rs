//! Lower bounds from the links at the border of a region of the machine and the bytes that must cross them.

use std::{
    collections::BTreeMap,
    iter, mem,
    sync::{Arc, OnceLock},
};

use crate::{
    model::MachineSpec,
    rank::Rank,
    time::Span,
    topology::{self, Grid, Link, LinkId, Vertex},
};

/// The longest side of a submesh that is examined.
const LONGEST_SIDE: usize = 8;

/// Maximum number of parts into which a topology that is no grid is cut.
const MAX_CUTS: usize = 64;

/// Bytes that must cross the border of a region, in each direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Crossing {
    /// The bytes from inside to outside.
    pub(crate) out: f64,
    /// The bytes from outside to inside.
    pub(crate) into: f64,
}

/// The links of a machine, indexed by both ends.
pub(crate) struct Links {
    /// The grid of the nodes; one row if the topology is no grid.
    grid: Grid,
    is_grid: bool,
    /// For each vertex, nodes first and then switches: the other end and the capacity of each link from it (`from`) and to it (`to`).
    from: Vec<Vec<(usize, f64)>>,
    to: Vec<Vec<(usize, f64)>>,
    /// For each switch, the total capacity of its links in both directions.
    around: Vec<f64>,
    /// The capacity of each link if every node has one to every other and all have the same capacity; they are not listed then.
    complete: Option<f64>,
    /// The capacities of the borders of [`cuts`](Links::cuts) and [`submeshes`](Links::submeshes), which do not depend on what crosses
    /// them.
    cuts: OnceLock<Vec<Capacity>>,
    submeshes: OnceLock<Vec<Capacity>>,
}

impl Links {
    /// Returns the links of a machine, indexed once for all bounds.
    pub(crate) fn of(machine: &MachineSpec) -> Arc<Links> {
        machine.remembered(Links::indexed)
    }

    fn indexed(machine: &MachineSpec) -> Links {
        let (topology, nodes) = (machine.topology(), machine.nodes());
        let mut links = Links {
            grid: topology.grid().unwrap_or(Grid { rows: 1, columns: nodes }),
            is_grid: topology.grid().is_some(),
            from: vec![Vec::new(); nodes],
            to: vec![Vec::new(); nodes],
            around: Vec::new(),
            complete: complete(machine),
            cuts: OnceLock::new(),
            submeshes: OnceLock::new(),
        };
        if links.complete.is_some() {
            return links;
        }
        // Switches are renumbered in the order in which links name them, because a topology may number them arbitrarily.
        let mut switches: BTreeMap<usize, usize> = BTreeMap::new();
        for id in 0..topology.links() {
            let link = topology.link(id);
            let [from, to] = [link.from, link.to].map(|vertex| match vertex {
                Vertex::Node(rank) => rank,
                Vertex::Switch(number) => {
                    let next = nodes + switches.len();
                    *switches.entry(number).or_insert(next)
                }
            });
            let vertices = nodes + switches.len();
            links.from.resize(vertices, Vec::new());
            links.to.resize(vertices, Vec::new());
            links.around.resize(switches.len(), 0.0);
            let capacity = machine.link_capacity(id);
            links.from[from].push((to, capacity));
            links.to[to].push((from, capacity));
            for switch in [from, to].into_iter().filter_map(|vertex| vertex.checked_sub(nodes)) {
                links.around[switch] += capacity;
            }
        }
        links
    }

    /// Returns the number of links on the shortest path from a node to each vertex, nodes first; with `backwards`, from
    /// each vertex to the node. `None` for unreachable vertices.
    pub(super) fn distances(&self, node: Rank, backwards: bool) -> Vec<Option<u32>> {
        let beside = if backwards { &self.to } else { &self.from };
        if self.complete.is_some() {
            return (0..beside.len()).map(|other| Some(u32::from(other != node))).collect();
        }
        topology::distances(beside.len(), node, |vertex| beside[vertex].iter().map(|&(other, _)| other))
    }

    /// Returns the time of the slowest straight cut through the mesh. `crossing` gets the nodes of a region in rank
    /// order and returns the bytes that must cross its border.
    pub(crate) fn bisection(&self, crossing: impl FnMut(&[Rank]) -> Crossing) -> Span {
        slowest(&self.cuts(crossing), |crossing| *crossing)
    }

    /// Returns the time of the slowest border of a submesh of up to 8 x 8 nodes, with `crossing` as for
    /// [`bisection`](Links::bisection). On a topology that is no grid, also of an aligned block of consecutive ranks,
    /// which may be a subtree or a subcube.
    pub(crate) fn submesh(&self, crossing: impl FnMut(&[Rank]) -> Crossing) -> Span {
        slowest(&self.submeshes(crossing), |crossing| *crossing)
    }

    /// Returns the borders of [`bisection`](Links::bisection), with the result of `count` for the nodes in each region.
    pub(crate) fn cuts<T>(&self, count: impl FnMut(&[Rank]) -> T) -> Vec<Border<T>> {
        match self.is_grid {
            true => self.borders(&self.cuts, || cuts(self.grid), count),
            false => self.borders(&self.cuts, || row_cuts(self.grid.columns), count),
        }
    }

    /// Returns the borders of [`submesh`](Links::submesh), with the result of `count` for the nodes in each region.
    pub(crate) fn submeshes<T>(&self, count: impl FnMut(&[Rank]) -> T) -> Vec<Border<T>> {
        let nodes = if self.is_grid { 0 } else { self.grid.columns };
        self.borders(&self.submeshes, || submeshes(self.grid).chain(blocks(nodes)), count)
    }

    fn borders<T, R: Iterator<Item = Region>>(
        &self,
        capacities: &OnceLock<Vec<Capacity>>,
        regions: impl Fn() -> R,
        mut count: impl FnMut(&[Rank]) -> T,
    ) -> Vec<Border<T>> {
        let capacities = capacities.get_or_init(|| self.capacities(regions()));
        let mut inside = Vec::new();
        let border = |(region, &capacity): (Region, &Capacity)| {
            inside.clear();
            inside.extend(region.nodes(self.grid));
            Border { counted: count(&inside), capacity }
        };
        regions().zip(capacities).map(border).collect()
    }

    /// Returns the capacities of the borders of regions.
    fn capacities(&self, regions: impl Iterator<Item = Region>) -> Vec<Capacity> {
        let mut attached = Attached::new(self);
        let capacity = |region: Region| {
            if let Some(capacity) = self.complete {
                let (inside, nodes) = (region.size(), self.grid.nodes());
                let across = inside as f64 * (nodes - inside) as f64 * capacity;
                return Capacity { out: across, into: across };
            }
            let inside: Vec<Rank> = region.nodes(self.grid).collect();
            let switches = attached.find(&inside);
            let is_outside = |vertex: usize| match vertex.checked_sub(self.grid.nodes()) {
                None => !region.contains(self.grid.coordinates(vertex)),
                Some(switch) => !switches.contains(switch),
            };
            let sum = |ends: &[Vec<(usize, f64)>]| -> f64 {
                let vertices = inside.iter().chain(&switches.inside);
                let links = vertices.flat_map(|&vertex| ends[vertex].iter());
                links.filter(|&&(other, _)| is_outside(other)).map(|&(_, capacity)| capacity).sum()
            };
            Capacity { out: sum(&self.from), into: sum(&self.to) }
        };
        regions.map(capacity).collect()
    }
}

/// Returns the capacity of each link of a network in which every node has one link to every other, all of the same capacity. Their
/// number is the square of that of the nodes, so they are not listed.
fn complete(machine: &MachineSpec) -> Option<f64> {
    let (topology, nodes) = (machine.topology(), machine.nodes());
    if topology.links() == 0 || topology.links() != nodes * (nodes - 1) {
        return None;
    }
    let capacity = machine.link_capacity(0);
    let mut is_linked = vec![false; nodes * nodes];
    let is_new = |id: LinkId| match topology.link(id) {
        Link { from: Vertex::Node(from), to: Vertex::Node(to) } if from != to => {
            machine.link_capacity(id) == capacity && !mem::replace(&mut is_linked[from * nodes + to], true)
        }
        _ => false,
    };
    (0..topology.links()).all(is_new).then_some(capacity)
}

/// The border of a region.
pub(crate) struct Border<T> {
    /// The result of `count` for the region.
    counted: T,
    capacity: Capacity,
}

/// Total capacities of the outgoing and the incoming links of a region.
#[derive(Clone, Copy, Debug)]
struct Capacity {
    out: f64,
    into: f64,
}

/// Returns the time of the slowest border. `crossing` converts the result of `count` to the bytes that must cross.
pub(crate) fn slowest<T>(borders: &[Border<T>], crossing: impl Fn(&T) -> Crossing) -> Span {
    let over = |bytes: f64, capacity: f64| if bytes > 0.0 { bytes / capacity } else { 0.0 };
    let times = borders.iter().map(|border| {
        let Crossing { out, into } = crossing(&border.counted);
        over(out, border.capacity.out).max(over(into, border.capacity.into))
    });
    Span::from_secs_f64(times.fold(0.0, f64::max))
}

/// The switches that are assigned to a region. All bytes that leave the nodes of the region cross its border whatever
/// switches it includes, so any assignment gives a valid bound; a good one has a border of little capacity. A switch is
/// included if at least half of the capacity of its links leads into the region, and then its neighbours are examined
/// likewise. In a subtree these are all switches up to and including its root.
struct Attached<'a> {
    links: &'a Links,
    /// The vertices of the switches that are part of the region.
    inside: Vec<usize>,
    /// For each switch, the capacity of its links with the region, in both directions.
    pull: Vec<f64>,
    is_inside: Vec<bool>,
    /// The switches with links to the region.
    touched: Vec<usize>,
}

impl<'a> Attached<'a> {
    fn new(links: &'a Links) -> Attached<'a> {
        let switches = links.around.len();
        Attached {
            links,
            inside: Vec::new(),
            pull: vec![0.0; switches],
            is_inside: vec![false; switches],
            touched: Vec::new(),
        }
    }

    /// Returns whether a switch is part of the region.
    fn contains(&self, switch: usize) -> bool {
        self.is_inside[switch]
    }

    /// Extends a region of these nodes by switches that reach the threshold, repeatedly until no further switch reaches it.
    fn find(&mut self, nodes: &[Rank]) -> &Self {
        for switch in self.touched.drain(..) {
            (self.pull[switch], self.is_inside[switch]) = (0.0, false);
        }
        self.inside.clear();
        if self.links.around.is_empty() {
            return self;
        }
        nodes.iter().for_each(|&node| self.draw(node));
        let mut next = 0;
        while let Some(&switch) = self.inside.get(next) {
            self.draw(switch);
            next += 1;
        }
        self
    }

    /// Adds the links of a region's vertex to the pull of its neighbouring switches, and includes switches that reach the threshold.
    fn draw(&mut self, vertex: usize) {
        let links = self.links;
        let first = links.from.len() - links.around.len();
        for &(other, capacity) in links.from[vertex].iter().chain(&links.to[vertex]) {
            let Some(switch) = other.checked_sub(first) else { continue };
            if self.pull[switch] == 0.0 {
                self.touched.push(switch);
            }
            self.pull[switch] += capacity;
            if !self.is_inside[switch] && 2.0 * self.pull[switch] >= links.around[switch] {
                self.is_inside[switch] = true;
                self.inside.push(other);
            }
        }
    }
}

/// A rectangle of nodes, given by its first and last row and column, both included.
struct Region {
    rows: (usize, usize),
    columns: (usize, usize),
}

/// Returns the regions above each line between two rows, and left of each line between two columns.
fn cuts(grid: Grid) -> impl Iterator<Item = Region> {
    let (bottom, right) = (grid.rows - 1, grid.columns - 1);
    let above = (0..bottom).map(move |last| Region { rows: (0, last), columns: (0, right) });
    let left = (0..right).map(move |last| Region { rows: (0, bottom), columns: (0, last) });
    above.chain(left)
}

/// Returns prefixes of a row of nodes: all, or about [`MAX_CUTS`] evenly spaced ones including the middle. Their
/// number is limited because the border of a prefix may have links with all nodes on either side.
fn row_cuts(nodes: usize) -> impl Iterator<Item = Region> {
    let lengths = (1..MAX_CUTS).map(move |part| part * nodes / MAX_CUTS).filter(|&length| length > 0);
    let mut last = 0;
    let lengths = lengths.filter(move |&length| std::mem::replace(&mut last, length) != length);
    lengths.map(|length| Region { rows: (0, 0), columns: (0, length - 1) })
}

/// Returns all submeshes with sides up to [`LONGEST_SIDE`], except the whole grid.
fn submeshes(grid: Grid) -> impl Iterator<Item = Region> {
    let spans = |length: usize| {
        (0..length)
            .flat_map(move |first| (first..length.min(first + LONGEST_SIDE)).map(move |last| (first, last)))
    };
    spans(grid.rows)
        .flat_map(move |rows| spans(grid.columns).map(move |columns| Region { rows, columns }))
        .filter(move |region| region.size() < grid.nodes())
}

/// Returns all aligned blocks of 2^i consecutive ranks that are larger than the examined submeshes: the subtrees of a
/// tree whose arity is a power of two, the subcubes of a hypercube. The last block of a size may be shorter.
fn blocks(nodes: usize) -> impl Iterator<Item = Region> {
    let sizes = iter::successors(Some(2 * LONGEST_SIDE), |size| Some(2 * size));
    sizes.take_while(move |&size| size < nodes).flat_map(move |size| {
        (0..nodes).step_by(size).map(move |first| {
            let last = nodes.min(first + size) - 1;
            Region { rows: (0, 0), columns: (first, last) }
        })
    })
}

impl Region {
    fn size(&self) -> usize {
        (self.rows.1 - self.rows.0 + 1) * (self.columns.1 - self.columns.0 + 1)
    }

    fn contains(&self, (row, column): (usize, usize)) -> bool {
        (self.rows.0..=self.rows.1).contains(&row) && (self.columns.0..=self.columns.1).contains(&column)
    }

    /// The nodes of the region, in rank order.
    fn nodes(&self, grid: Grid) -> impl Iterator<Item = Rank> {
        let (first, last) = self.columns;
        (self.rows.0..=self.rows.1)
            .flat_map(move |row| (first..=last).map(move |column| grid.rank(row, column)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{model::Parameters, topology::Topology};

    /// Returns the time of one byte over the border of some nodes, if no byte must cross any other border.
    fn over_border(links: &Links, nodes: &[Rank]) -> Span {
        let crossing = |inside: &[Rank]| {
            let out = if inside == nodes { 1.0 } else { 0.0 };
            Crossing { out, into: out }
        };
        links.submesh(crossing).max(links.bisection(crossing))
    }

    #[test]
    fn a_subtree_is_cut_off_by_the_link_above_it() {
        // A link of hockney carries 20 bytes per microsecond.
        let span = |capacity: f64| Span::from_secs_f64(1.0 / capacity);
        let tree = Links::of(&"tree:32".parse().unwrap());
        for size in [1, 2, 4, 8, 16] {
            for first in (0..32).step_by(size) {
                let block: Vec<Rank> = (first..first + size).collect();
                assert_eq!(over_border(&tree, &block), span(20e6), "{size} from {first} on");
            }
        }
        assert_eq!(over_border(&tree, &[1, 2]), span(40e6));
        assert_eq!(over_border(&tree, &[0, 1, 2]), span(40e6));
        let fat = Links::of(&"fat-tree:64".parse().unwrap());
        for (size, capacity) in [(1, 20e6), (4, 40e6), (16, 80e6), (32, 160e6)] {
            for first in (0..64).step_by(size) {
                let block: Vec<Rank> = (first..first + size).collect();
                assert_eq!(over_border(&fat, &block), span(capacity), "{size} from {first} on");
            }
        }
        // The last leaf is the only node below each of three switches.
        let thin = Links::of(&"tree:9".parse().unwrap());
        assert_eq!(over_border(&thin, &[8]), span(20e6));
        assert_eq!(over_border(&thin, &[6, 7, 8]), span(40e6));
    }

    /// Two nodes connected by a switch with an arbitrary number.
    #[derive(Debug)]
    struct Numbered;

    impl Topology for Numbered {
        fn name(&self) -> String {
            "numbered".to_owned()
        }
        fn nodes(&self) -> usize {
            2
        }
        fn links(&self) -> usize {
            4
        }
        fn link(&self, link: LinkId) -> Link {
            let (node, switch) = (Vertex::Node(link / 2), Vertex::Switch(usize::MAX));
            if link.is_multiple_of(2) {
                Link { from: node, to: switch }
            } else {
                Link { from: switch, to: node }
            }
        }
        fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
            if from != to {
                route.extend([2 * from, 2 * to + 1]);
            }
        }
    }

    #[test]
    fn switches_may_have_any_numbers() {
        let machine = MachineSpec::new("numbered", Arc::new(Numbered), Parameters::hockney());
        assert_eq!(over_border(&Links::of(&machine), &[0]), Span::from_secs_f64(1.0 / 20e6));
    }

    #[test]
    fn networks_without_a_grid_are_cut_in_the_middle_and_into_blocks() {
        let cube = Links::of(&"hypercube:64".parse().unwrap());
        let half: Vec<Rank> = (0..32).collect();
        assert_eq!(over_border(&cube, &half), Span::from_secs_f64(1.0 / (32.0 * 20e6)));
        let subcube: Vec<Rank> = (48..64).collect();
        assert_eq!(over_border(&cube, &subcube), Span::from_secs_f64(1.0 / (32.0 * 20e6)));
        assert_eq!(row_cuts(3).map(|region| region.size()).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(row_cuts(100).count(), 63);
        assert_eq!(row_cuts(1).count() + blocks(1).count() + blocks(16).count(), 0);
        assert_eq!(blocks(33).map(|region| region.size()).collect::<Vec<_>>(), [16, 16, 1, 32, 1]);
    }

    /// Tests that links that are not listed have the borders and distances of listed ones. A ring of three nodes is complete, a ring of
    /// four is not.
    #[test]
    fn a_complete_network_needs_no_list() {
        let machine: MachineSpec = "complete:6".parse().unwrap();
        let (links, from) = (Links::of(&machine), 1);
        assert!(links.complete.is_some() && links.from.iter().all(Vec::is_empty));
        assert!(Links::of(&"torus:1x3".parse().unwrap()).complete.is_some());
        assert!(Links::of(&"torus:1x4".parse().unwrap()).complete.is_none());
        assert_eq!(over_border(&links, &[0, 1]), Span::from_secs_f64(1.0 / (8.0 * 20e6)));
        assert_eq!(links.distances(from, true), [1, 0, 1, 1, 1, 1].map(Some));
    }

    #[test]
    fn a_region_has_its_nodes_in_rank_order() {
        let region = Region { rows: (1, 2), columns: (0, 1) };
        assert!(region.nodes(Grid { rows: 3, columns: 4 }).eq([4, 5, 8, 9]));
        assert_eq!(cuts(Grid { rows: 3, columns: 4 }).count(), 5);
        assert_eq!(submeshes(Grid { rows: 2, columns: 2 }).count(), 8, "all rectangles but the whole");
    }
}
