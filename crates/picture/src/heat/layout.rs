//! Layout of nodes and switches, derived from the links, so that custom topologies are also drawn by their structure.
//!
//! Positions are in units of the neighbour distance. Sines are rounded before use, because their last digits may differ between hosts.

use std::collections::{BTreeMap, BTreeSet};

use multicomputer::topology::{Link, Topology, Vertex, distances};

mod stress;

/// A position: x to the right, y down.
pub(crate) type Point = (f64, f64);

/// Maximum number of vertices for stress majorization; larger networks without a known structure are drawn as circles.
const MAX_STRESS_VERTICES: usize = 120;

/// The positions of all vertices.
#[derive(Debug)]
pub(crate) struct Layout {
    /// A description of the shape in which the network is drawn.
    pub(crate) shape: &'static str,
    places: Vec<Point>,
    nodes: usize,
    switches: BTreeMap<usize, usize>,
    /// For a lattice: for each dimension, the last one first, the number of nodes and the direction to the next neighbour.
    axes: Vec<(usize, Point)>,
    is_closed: bool,
    /// Whether the nodes are on a circle around the origin.
    is_round: bool,
}

impl Layout {
    pub(crate) fn of(topology: &dyn Topology) -> Layout {
        let (nodes, links) = (topology.nodes(), topology.links());
        let mut switches = BTreeSet::new();
        for link in 0..links {
            let Link { from, to } = topology.link(link);
            switches.extend([from, to].into_iter().filter_map(|vertex| match vertex {
                Vertex::Switch(number) => Some(number),
                Vertex::Node(_) => None,
            }));
        }
        let switches: BTreeMap<usize, usize> =
            switches.into_iter().enumerate().map(|(nth, number)| (number, nodes + nth)).collect();
        let mut layout = Layout {
            shape: "",
            places: Vec::new(),
            nodes,
            switches,
            axes: Vec::new(),
            is_closed: false,
            is_round: false,
        };
        let vertices = nodes + layout.switches.len();
        if layout.switches.is_empty() && (layout.as_lattice(topology) || layout.as_hypercube(topology)) {
            return layout;
        }
        if vertices > MAX_STRESS_VERTICES && links >= 2 * vertices {
            layout.as_circles();
            return layout;
        }
        let neighbours = layout.neighbours(topology);
        if layout.as_tree(&neighbours) {
            return layout;
        }
        if vertices > MAX_STRESS_VERTICES || neighbours.iter().all(|all| all.len() + 1 == vertices) {
            layout.as_circles();
            return layout;
        }
        layout.places = stress::places(&neighbours, circle(vertices, vertices as f64 / 6.0));
        layout.shape = "a free network";
        layout
    }

    pub(crate) fn place(&self, vertex: Vertex) -> Point {
        self.places[self.index(vertex)]
    }

    /// Returns the positions of nodes, by rank.
    pub(crate) fn of_nodes(&self) -> &[Point] {
        &self.places[..self.nodes]
    }

    /// Returns the numbers and positions of switches.
    pub(crate) fn of_switches(&self) -> impl Iterator<Item = (usize, Point)> {
        self.switches.iter().map(|(&number, &index)| (number, self.places[index]))
    }

    /// Returns the direction of a wraparound link, which is drawn in two halves; `None` for other links.
    pub(crate) fn closes(&self, link: Link) -> Option<Point> {
        let (Vertex::Node(from), Vertex::Node(to)) = (link.from, link.to) else { return None };
        let (direction, is_wrap) = step(&self.axes, from, to)?;
        is_wrap.then_some(direction)
    }

    /// Returns whether the layout may have wraparound links.
    pub(crate) fn has_closed_lines(&self) -> bool {
        self.is_closed
    }

    /// Returns the numbers of columns and rows of a lattice of one or two dimensions, whose ranks can be labelled at its edges; `None` for
    /// other layouts.
    pub(crate) fn plane(&self) -> Option<(usize, usize)> {
        match self.axes[..] {
            [(columns, _)] => Some((columns, 1)),
            [(columns, _), (rows, _)] => Some((columns, rows)),
            _ => None,
        }
    }

    /// Returns the direction with space for the label of a node: outwards on a circle, otherwise down.
    pub(crate) fn outside(&self, rank: usize) -> Point {
        let (x, y) = self.places[rank];
        let radius = x.hypot(y);
        if self.is_round && radius > 0.0 { (x / radius, y / radius) } else { (0.0, 1.0) }
    }

    /// Returns the shortest distance between two neighbours, or between two nodes of a row; at most 1.
    pub(crate) fn nearest(&self, topology: &dyn Topology) -> f64 {
        let distance = |link: Link| {
            let ((x, y), (to_x, to_y)) = (self.place(link.from), self.place(link.to));
            ((x - to_x) * (x - to_x) + (y - to_y) * (y - to_y)).sqrt()
        };
        let distances = (0..topology.links()).map(|link| distance(topology.link(link)));
        distances.filter(|&distance| distance > 0.0).fold(1.0, f64::min).max(0.05)
    }

    fn index(&self, vertex: Vertex) -> usize {
        match vertex {
            Vertex::Node(rank) => rank,
            Vertex::Switch(number) => self.switches[&number],
        }
    }

    /// Tries a lattice: every link must lead to a neighbour along one dimension. A single closed line becomes a circle.
    fn as_lattice(&mut self, topology: &dyn Topology) -> bool {
        let extents = topology.extents();
        if extents.len() > 3 || extents.iter().product::<usize>() != self.nodes {
            return false;
        }
        // Planes of a third dimension are offset so little that all of them fit within one neighbour distance.
        let depth = extents.first().map_or(1.0, |&planes| planes as f64);
        let ways = [(1.0, 0.0), (0.0, 1.0), (0.82 / depth, -0.62 / depth)];
        let axes: Vec<(usize, Point)> = extents.iter().rev().copied().zip(ways).collect();
        let mut is_closed = false;
        for link in 0..topology.links() {
            let Link { from: Vertex::Node(from), to: Vertex::Node(to) } = topology.link(link) else {
                return false;
            };
            match step(&axes, from, to) {
                Some((_, wraps)) => is_closed |= wraps,
                None => return false,
            }
        }
        if let ([(nodes, _)], true) = (&axes[..], is_closed) {
            self.places = circle(*nodes, (*nodes as f64 / 6.0).max(0.6));
            (self.shape, self.is_round) = ("a ring", true);
            return true;
        }
        let place = |mut rank: usize| {
            let (mut x, mut y) = (0.0, 0.0);
            for &(extent, direction) in &axes {
                let along = (rank % extent) as f64;
                (x, y) = (x + along * direction.0, y + along * direction.1);
                rank /= extent;
            }
            (x, y)
        };
        self.places = (0..self.nodes).map(place).collect();
        self.shape = match (axes.len(), is_closed) {
            (1, _) => "a line",
            (2, false) => "a mesh",
            (2, true) => "a torus",
            (_, false) => "a mesh of planes behind each other",
            (_, true) => "a torus of planes behind each other",
        };
        (self.axes, self.is_closed) = (axes, is_closed);
        true
    }

    /// Tries a hypercube: every link must lead to a rank that differs in one bit, and all these links must exist.
    fn as_hypercube(&mut self, topology: &dyn Topology) -> bool {
        let dimensions = self.nodes.trailing_zeros() as usize;
        if !self.nodes.is_power_of_two() || topology.links() != dimensions * self.nodes {
            return false;
        }
        let differs = |link| match topology.link(link) {
            Link { from: Vertex::Node(from), to: Vertex::Node(to) } => (from ^ to).is_power_of_two(),
            _ => false,
        };
        if !(0..topology.links()).all(differs) {
            return false;
        }
        // The three directions of a cube. At higher levels the directions are slanted, so that links miss the nodes
        // between, and the third direction is longer, so that no node hides another.
        let direction = |bit: usize| {
            let size = [1.0, 3.4, 11.0, 36.0, 118.0][(bit / 3).min(4)];
            let slant = if bit < 3 { 0.0 } else { 0.25 };
            match bit % 3 {
                0 => (size, size * slant),
                1 => (-size * slant, size),
                _ if bit < 3 => (0.46, -0.34),
                _ => (size * 0.64, -size * 0.32),
            }
        };
        let place = |rank: usize| {
            let bits = (0..dimensions).filter(|bit| rank >> bit & 1 == 1).map(direction);
            bits.fold((0.0, 0.0), |(x, y), direction| (x + direction.0, y + direction.1))
        };
        self.places = (0..self.nodes).map(place).collect();
        self.shape = "a hypercube";
        true
    }

    /// Returns the sorted neighbours of every vertex, over links in either direction.
    fn neighbours(&self, topology: &dyn Topology) -> Vec<Vec<usize>> {
        let mut neighbours = vec![BTreeSet::new(); self.nodes + self.switches.len()];
        for link in 0..topology.links() {
            let link = topology.link(link);
            let (from, to) = (self.index(link.from), self.index(link.to));
            neighbours[from].insert(to);
            neighbours[to].insert(from);
        }
        neighbours.into_iter().map(|all| all.into_iter().collect()).collect()
    }

    /// Tries a tree: without cycles, and with a root switch below which all nodes have the same depth.
    fn as_tree(&mut self, neighbours: &[Vec<usize>]) -> bool {
        let edges: usize = neighbours.iter().map(Vec::len).sum::<usize>() / 2;
        let vertices = neighbours.len();
        if self.switches.is_empty() || edges + 1 != vertices {
            return false;
        }
        let root = (self.nodes..vertices).rev().find_map(|root| {
            let depths = depths(neighbours, root)?;
            let level = depths[0];
            depths[..self.nodes].iter().all(|&depth| depth == level).then_some((root, depths, level))
        });
        let Some((root, depths, levels)) = root else { return false };
        // The parent of a vertex is its only neighbour that is closer to the root.
        let parent = |vertex: usize| {
            let is_closer = |&&other: &&usize| depths[other] < depths[vertex];
            neighbours[vertex].iter().find(is_closer).copied().unwrap_or(root)
        };
        // Leaves are in rank order; a switch is centred above its subtree.
        let mut spans = vec![(f64::MAX, f64::MIN); vertices];
        for node in 0..self.nodes {
            let (x, mut vertex) = (node as f64, node);
            loop {
                spans[vertex] = (spans[vertex].0.min(x), spans[vertex].1.max(x));
                if vertex == root {
                    break;
                }
                vertex = parent(vertex);
            }
        }
        // The height is a quarter of the width, but at least one unit per level, so that the upper links are visible.
        let rise = (self.nodes as f64 / (4.0 * f64::from(levels.max(1)))).max(1.0);
        let place =
            |vertex: usize| ((spans[vertex].0 + spans[vertex].1) / 2.0, f64::from(depths[vertex]) * rise);
        self.places = (0..vertices).map(place).collect();
        self.shape = "a tree";
        true
    }

    fn as_circles(&mut self) {
        self.places = circle(self.nodes, (self.nodes as f64 / 6.0).max(0.6));
        self.places.extend(circle(self.switches.len(), (self.nodes as f64 / 12.0).max(0.3)));
        (self.shape, self.is_round) = ("a circle", true);
    }
}

/// Returns the distance of every vertex from a root; `None` if a vertex is unreachable.
fn depths(neighbours: &[Vec<usize>], root: usize) -> Option<Vec<u32>> {
    let beside = |vertex: usize| neighbours[vertex].iter().copied();
    distances(neighbours.len(), root, beside).into_iter().collect()
}

/// Returns the direction from a node to a lattice neighbour, and whether the link wraps around; `None` if not neighbours.
fn step(axes: &[(usize, Point)], from: usize, to: usize) -> Option<(Point, bool)> {
    let (mut from, mut to) = (from, to);
    let mut found = None;
    for &(extent, (x, y)) in axes {
        let (here, there) = (from % extent, to % extent);
        (from, to) = (from / extent, to / extent);
        if here == there {
            continue;
        }
        let step = match there.abs_diff(here) {
            1 => ((x, y), false),
            far if far + 1 == extent => ((-x, -y), true),
            _ => return None,
        };
        let ((x, y), wraps) = step;
        let step = if there > here { ((x, y), wraps) } else { ((-x, -y), wraps) };
        if found.replace(step).is_some() {
            return None;
        }
    }
    found
}

/// Returns positions on a circle, clockwise from the top.
fn circle(vertices: usize, radius: f64) -> Vec<Point> {
    let rounded = |value: f64| (value * 1e6).round() / 1e6;
    let place = |nth: usize| {
        let (sine, cosine) = (std::f64::consts::TAU * nth as f64 / vertices as f64).sin_cos();
        (radius * rounded(sine), -radius * rounded(cosine))
    };
    (0..vertices).map(place).collect()
}
