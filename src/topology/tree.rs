//! The balanced binary tree with nodes at the leaves and switches inside, a "dynamic" tree network in textbooks.
//!
//! Ranks increase from left to right. A tree of n nodes is the smallest complete binary tree with at least n leaves,
//! cut off right of the last leaf: the parent of vertex i of a level is vertex floor(i / 2) of the next level. The
//! leaves are on level 0, and the root is on level ceil(log2 n). Every switch has a leaf below it, so switches on the
//! right edge may have one child. A tree of one node has no switches.
//!
//! ```text
//! level 3                  s5
//!                  +--------+--------+
//! level 2          s3                s4
//!              +---+---+             |
//! level 1      s0      s1            s2
//!             +-+-+   +-+-+         +-+-+
//! level 0     0   1   2   3         4   5
//! ```
//!
//! Each edge is one physical link, and all links are alike. A message goes up to the lowest switch above both nodes
//! and down from there, which is the only route in a tree. The longest route has 2 ceil(log2 n) links. Only one link
//! (or two in series, at the root) connects two halves: the bisection width is 1.
//!
//! The vertices are numbered level by level, from left to right: first the leaves, by rank, then the switches. The
//! link up from a vertex has the number of the vertex; the links down follow all links up, in the same order. The
//! ends of a link and the route of a pair are therefore computed without a table.

use std::{iter, sync::Arc};

use super::{
    Link, LinkId, MAX_NODES, Topology, TopologyError, TopologyKind, Vertex, check_extents, read_nodes,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry of the tree, spelled `tree:8`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "tree",
    shape: "NODES",
    read: |shape, _| Ok(Arc::new(Tree::new(read_nodes(shape)?)?)),
};

/// The largest number of levels above the leaves: that of a binary tree of [`MAX_NODES`] nodes.
const MAX_LEVELS: usize = MAX_NODES.ilog2() as usize + 1;

/// A balanced binary tree with nodes at the leaves and switches inside.
///
/// ```
/// use multicomputer::topology::{Topology, Tree};
///
/// let tree = Tree::new(8)?;
/// assert_eq!((tree.nodes(), tree.switches(), tree.links()), (8, 7, 28));
/// let mut route = Vec::new();
/// tree.route(2, 1, &mut route);
/// let hops: Vec<String> = route.iter().map(|&link| tree.link(link).to_string()).collect();
/// assert_eq!(
///     hops,
///     ["node 2 -> switch 1", "switch 1 -> switch 4", "switch 4 -> switch 0", "switch 0 -> node 1"],
/// );
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    shape: BalancedTree,
}

impl Tree {
    /// Creates a tree with `nodes` nodes at its leaves: at least 1, at most [`MAX_NODES`].
    ///
    /// # Errors
    /// [`TopologyError::Empty`] without a node, [`TopologyError::TooLarge`] with too many.
    pub fn new(nodes: usize) -> Result<Tree, TopologyError> {
        Ok(Tree { shape: BalancedTree::new(nodes, 2)? })
    }
}

impl Topology for Tree {
    fn name(&self) -> String {
        format!("{}:{}", KIND.name, self.nodes())
    }

    fn nodes(&self) -> usize {
        self.shape.leaves()
    }

    fn switches(&self) -> usize {
        self.shape.switches()
    }

    fn links(&self) -> usize {
        self.shape.links()
    }

    fn link(&self, link: LinkId) -> Link {
        self.shape.link(link, || self.name())
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        self.shape.route(from, to, route, || self.name());
    }

    fn longest_route(&self) -> Option<usize> {
        Some(2 * self.shape.levels())
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

/// The geometry of balanced trees of any arity: a vertex has up to `arity` children, and all leaves are on level 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BalancedTree {
    leaves: usize,
    arity: usize,
    /// The binary logarithm of the arity if it is a power of two: a shift is several times faster than a division.
    log_arity: Option<u32>,
    /// The number of physical links, one above each vertex except the root, and also the number of the root.
    edges: usize,
}

impl BalancedTree {
    /// Creates the tree of `arity` >= 2 with `leaves` leaves: at least 1, at most [`MAX_NODES`].
    pub(super) fn new(leaves: usize, arity: usize) -> Result<BalancedTree, TopologyError> {
        check_extents(&leaves, &[leaves])?;
        let vertices: usize = widths(leaves, arity).sum();
        let log_arity = arity.is_power_of_two().then(|| arity.ilog2());
        Ok(BalancedTree { leaves, arity, log_arity, edges: vertices - 1 })
    }

    pub(super) fn leaves(&self) -> usize {
        self.leaves
    }

    pub(super) fn arity(&self) -> usize {
        self.arity
    }

    /// The number of vertices that are not leaves.
    pub(super) fn switches(&self) -> usize {
        self.edges + 1 - self.leaves
    }

    /// The number of directed links, twice the edges. It is within [`MAX_LINKS`](super::MAX_LINKS), because a tree has
    /// at most two edges per leaf, apart from a few on the right edge.
    pub(super) fn links(&self) -> usize {
        2 * self.edges
    }

    /// The level of the root; the leaves are on level 0.
    pub(super) fn levels(&self) -> usize {
        widths(self.leaves, self.arity).count() - 1
    }

    /// The upper of the two levels that a link connects: 1 to `levels()`.
    pub(super) fn level(&self, link: LinkId) -> usize {
        let (level, ..) = self.below(link);
        level + 1
    }

    /// Returns the lower vertex of a link: its level, its number within the level, and the number of the first vertex
    /// of the level.
    fn below(&self, link: LinkId) -> (usize, usize, usize) {
        let vertex = link % self.edges;
        let (mut level, mut first) = (0, 0);
        for width in widths(self.leaves, self.arity) {
            if vertex < first + width {
                break;
            }
            (level, first) = (level + 1, first + width);
        }
        (level, vertex - first, first)
    }

    /// The two ends of a link; `name` is the name of the topology, for the panic message.
    pub(super) fn link(&self, link: LinkId, name: impl FnOnce() -> String) -> Link {
        let links = self.links();
        assert!(link < links, "link {link} of {}, which has {links} links", name());
        let (level, place, first) = self.below(link);
        let width = widths(self.leaves, self.arity).nth(level).unwrap_or(0);
        let [child, parent] = [first + place, first + width + place / self.arity].map(|vertex| {
            if vertex < self.leaves { Vertex::Node(vertex) } else { Vertex::Switch(vertex - self.leaves) }
        });
        if link < self.edges { Link { from: child, to: parent } } else { Link { from: parent, to: child } }
    }

    /// Appends the route between two leaves; `name` is the name of the topology, for the panic message.
    pub(super) fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>, name: impl FnOnce() -> String) {
        let leaves = self.leaves;
        assert!(from < leaves && to < leaves, "a route from {from} to {to} on {}", name());
        match self.log_arity {
            Some(log) => self.climb(from, to, route, |place| place >> log),
            None => self.climb(from, to, route, |place| place / self.arity),
        }
    }

    /// Appends the route between two leaves; `above` maps the index of a vertex in its level to the index of its parent.
    fn climb(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>, above: impl Fn(usize) -> usize) {
        // The links down are found in reverse order, from the receiver up.
        let mut down = [0; MAX_LEVELS];
        let mut level = 0;
        let (mut below_from, mut below_to) = (from, to);
        // The last index of the current level, and the number of the level's first vertex.
        let (mut last, mut first) = (self.leaves - 1, 0);
        while below_from != below_to {
            route.push(first + below_from);
            down[level] = self.edges + first + below_to;
            level += 1;
            first += last + 1;
            (below_from, below_to, last) = (above(below_from), above(below_to), above(last));
        }
        route.extend(down[..level].iter().rev());
    }
}

/// Returns the number of vertices on each level, from the leaves to the root.
fn widths(leaves: usize, arity: usize) -> impl Iterator<Item = usize> {
    iter::successors(Some(leaves), move |&width| (width > 1).then(|| width.div_ceil(arity)))
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::{prelude::*, sample::Index};

    use super::*;
    use crate::topology::{MAX_LINKS, network_tests::check_routes, tests::checked_route};

    /// Returns the smallest total capacity of links that separate half of the leaves of a tree from the others, where
    /// a link of a level has the capacity `capacity(level)`. Dynamic programming over the vertices, from the leaves
    /// up: the minimum cost for each side of the vertex and for each number of leaves below it on the inside.
    pub(in crate::topology) fn bisection(
        leaves: usize,
        arity: usize,
        capacity: impl Fn(usize) -> f64,
    ) -> f64 {
        let infinite = f64::INFINITY;
        // For each vertex of the level: the cost by side (outside, inside) and by leaves inside.
        let mut costs: Vec<[Vec<f64>; 2]> = vec![[vec![0.0, infinite], vec![infinite, 0.0]]; leaves];
        let mut level = 1;
        while costs.len() > 1 {
            let cut = capacity(level);
            let join = |children: &[[Vec<f64>; 2]]| {
                [0, 1].map(|side| {
                    children.iter().fold(vec![0.0], |sum, child| {
                        let least = |inside: usize| child[side][inside].min(child[1 - side][inside] + cut);
                        let mut joined = vec![infinite; sum.len() + child[0].len() - 1];
                        for (i, cost) in sum.iter().enumerate() {
                            for inside in 0..child[0].len() {
                                joined[i + inside] = joined[i + inside].min(cost + least(inside));
                            }
                        }
                        joined
                    })
                })
            };
            costs = costs.chunks(arity).map(join).collect();
            level += 1;
        }
        costs[0].iter().map(|cost| cost[leaves / 2]).fold(infinite, f64::min)
    }

    /// Checks the number, the ends and the level of every link against the definition.
    pub(in crate::topology) fn check_geometry(topology: &dyn Topology, shape: &BalancedTree) {
        let BalancedTree { leaves, arity, .. } = *shape;
        let widths: Vec<usize> = widths(leaves, arity).collect();
        assert_eq!(topology.switches(), widths[1..].iter().sum::<usize>());
        assert_eq!(topology.links(), 2 * (widths.iter().sum::<usize>() - 1));
        let vertex = |level: usize, place: usize| match level {
            0 => Vertex::Node(place),
            _ => Vertex::Switch(widths[1..level].iter().sum::<usize>() + place),
        };
        let mut number = 0;
        for (level, &width) in widths.iter().enumerate().take(shape.levels()) {
            for place in 0..width {
                let (child, parent) = (vertex(level, place), vertex(level + 1, place / arity));
                let back = topology.links() / 2 + number;
                assert_eq!(topology.link(number), Link { from: child, to: parent });
                assert_eq!(topology.link(back), Link { from: parent, to: child });
                assert_eq!([shape.level(number), shape.level(back)], [level + 1; 2]);
                number += 1;
            }
        }
        assert_eq!(2 * number, topology.links(), "every number is a link");
    }

    proptest! {
        #[test]
        fn routes_are_the_only_way_between_two_leaves(
            leaves in 1..200_usize, from in any::<Index>(), to in any::<Index>()
        ) {
            let tree = Tree::new(leaves).unwrap();
            let (from, to) = (from.index(leaves), to.index(leaves));
            let route = checked_route(&tree, from, to);
            let apart = (from ^ to).checked_ilog2().map_or(0, |bit| bit as usize + 1);
            prop_assert_eq!(route.len(), 2 * apart, "up to the highest bit that differs, and down");
            for (step, &link) in route.iter().enumerate() {
                prop_assert_eq!(link < tree.links() / 2, step < apart, "up first, then down");
            }
        }

        #[test]
        fn links_are_numbered_level_by_level(leaves in 1..200_usize) {
            let tree = Tree::new(leaves).unwrap();
            check_geometry(&tree, &tree.shape);
        }
    }

    #[test]
    fn routes_are_minimal() {
        for leaves in 1..=33 {
            check_routes(&Tree::new(leaves).unwrap());
        }
    }

    #[test]
    fn the_links_of_the_tree_of_three() {
        let tree = Tree::new(3).unwrap();
        let links: Vec<String> = (0..tree.links()).map(|link| tree.link(link).to_string()).collect();
        assert_eq!(
            links,
            [
                "node 0 -> switch 0",
                "node 1 -> switch 0",
                "node 2 -> switch 1",
                "switch 0 -> switch 2",
                "switch 1 -> switch 2",
                "switch 0 -> node 0",
                "switch 0 -> node 1",
                "switch 1 -> node 2",
                "switch 2 -> switch 0",
                "switch 2 -> switch 1",
            ]
        );
        assert!((0..tree.links()).all(|link| tree.capacity(link).is_none()), "all of the ordinary capacity");
    }

    #[test]
    fn tree_height_is_the_logarithm_rounded_up() {
        for (leaves, level) in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (4096, 12)] {
            let tree = Tree::new(leaves).unwrap();
            assert_eq!(tree.shape.levels(), level, "{leaves}");
            assert_eq!(checked_route(&tree, 0, leaves - 1).len(), 2 * level, "{leaves}");
        }
        let one = Tree::new(1).unwrap();
        assert_eq!((one.switches(), one.links()), (0, 0));
    }

    #[test]
    fn the_bisection_width_is_1() {
        for leaves in [2, 4, 8, 16, 32, 64] {
            assert_eq!(bisection(leaves, 2, |_| 1.0), 1.0, "{leaves}");
        }
    }

    #[test]
    fn link_ids_of_the_largest_trees_fit() {
        for leaves in [MAX_NODES, MAX_NODES - 1, MAX_NODES / 2 + 2, MAX_NODES / 4 + 2] {
            let tree = Tree::new(leaves).unwrap();
            assert!(tree.links() <= MAX_LINKS);
            assert_eq!(checked_route(&tree, leaves - 1, 0).len(), 2 * tree.shape.levels());
            assert_eq!(checked_route(&tree, leaves - 2, leaves - 1).len() % 2, 0);
        }
    }

    #[test]
    fn invalid_shapes_are_refused() {
        assert_eq!(Tree::new(0), Err(TopologyError::Empty { given: "0".to_owned() }));
        assert!(matches!(Tree::new(MAX_NODES + 1), Err(TopologyError::TooLarge { .. })));
    }

    #[test]
    #[should_panic(expected = "link 2 of tree:1, which has 0 links")]
    fn a_link_out_of_range_panics() {
        Tree::new(1).unwrap().link(2);
    }

    #[test]
    #[should_panic(expected = "a route from 0 to 4 on tree:4")]
    fn a_rank_out_of_range_panics() {
        Tree::new(4).unwrap().route(0, 4, &mut Vec::new());
    }
}
