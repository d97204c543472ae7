//! The fat tree: a balanced tree whose links are faster on higher levels; the network of the Connection Machine CM-5.
//!
//! Its shape, numbering and routes are those of the [binary tree](super::Tree), with up to a children per switch
//! instead of two; the root is on level ceil(log_a n). Each node has a guaranteed bandwidth b_l in every group of a^l
//! nodes, independent of other traffic. The link between levels l - 1 and l has the capacity that all leaves of a full
//! subtree below it need together: b_l a^(l-1). Subtrees on the right edge have links of this capacity although they
//! may have fewer leaves.
//!
//! | levels of the link | nodes below | CM-5 (a = 4): bandwidth per node | capacity of a link, per direction |
//! | --- | --- | --- | --- |
//! | 0 to 1 | 1 | 20 MB/s | 20 MB/s |
//! | 1 to 2 | 4 | 10 MB/s | 40 MB/s |
//! | 2 to 3 | 16 | 5 MB/s | 80 MB/s |
//! | l - 1 to l | 4^(l-1) | 5 MB/s | 5 * 4^(l-1) MB/s |
//!
//! The certainty of these figures, in the terms of the [presets](crate::model::presets):
//!
//! * Printed: the bandwidths of 20 MB/s in a group of 4, 10 MB/s in a group of 16 and 5 MB/s beyond (Ranka, Shankar and
//!   Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", Syracuse University, 1995; netlib, TOP500
//!   report 1994). They are peak rates from node to node.
//! * Printed there: the network is 4-ary on its lowest two levels, in groups of 4 and 16.
//! * Inferred: the rate beyond 16 nodes stays at 5 MB/s on all levels, from "5 MB/s node to node" on machines of
//!   1024 nodes.
//!
//! # Differences from the machine
//!
//! On the CM-5 several links lead from a switch to several parents, and each message takes one of them at random; the
//! route down is unique. Here these links are one link with their total bandwidth, as if the load were perfectly
//! balanced: random collisions of the real machine do not occur.
//!
//! The longest route has 2 ceil(log_a n) links. For n = a^l nodes and an even arity, a bisection cuts half of the
//! links below the root, which carry b_l n / 2 per direction: 5 MB/s times half of the nodes on a CM-5 of 64 nodes.

use std::sync::Arc;

use super::{
    Link, LinkId, Topology, TopologyError, TopologyKind,
    bandwidth::{check_bandwidth, megabytes, read_megabytes},
    read_extent,
    tree::BalancedTree,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry of the fat tree, spelled `fat-tree:32`, or in full `fat-tree:32:4:20,10,5`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "fat-tree",
    shape: "NODES[:ARITY:MB/S,..]",
    read: |shape, _| Ok(Arc::new(read(shape)?)),
};

/// The arity of the CM-5.
const ARITY: usize = 4;

/// The guaranteed bandwidths of a node of a CM-5 in bytes/s, in groups of 4, of 16, and beyond.
const BANDWIDTHS: [f64; 3] = [20e6, 10e6, 5e6];

/// A balanced tree with nodes at the leaves, switches inside, and links that are faster on higher levels.
///
/// ```
/// use multicomputer::topology::{FatTree, Topology};
///
/// // Seven links up on level 0, two on level 1, and as many down.
/// let tree = FatTree::new(7)?;
/// assert_eq!((tree.nodes(), tree.switches(), tree.links()), (7, 3, 18));
/// assert_eq!((tree.capacity(0), tree.capacity(7)), (Some(20e6), Some(40e6)));
/// assert_eq!(tree.name(), "fat-tree:7");
///
/// // A binary one, of 1 MB/s a node everywhere.
/// let tree = FatTree::with(16, 2, &[1e6])?;
/// assert_eq!(tree.name(), "fat-tree:16:2:1");
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FatTree {
    shape: BalancedTree,
    /// The bandwidth of each node in bytes/s, by level from 1. The last value holds for all higher levels, and differs
    /// from the value before it.
    bandwidths: Vec<f64>,
}

impl FatTree {
    /// Creates the fat tree of a CM-5 with `nodes` nodes, at least 1, at most [`MAX_NODES`](super::MAX_NODES): arity 4,
    /// and 20, 10 and 5 MB/s per node.
    ///
    /// # Errors
    /// [`TopologyError::Empty`] without a node, [`TopologyError::TooLarge`] with too many.
    pub fn new(nodes: usize) -> Result<FatTree, TopologyError> {
        FatTree::with(nodes, ARITY, &BANDWIDTHS)
    }

    /// Creates a fat tree with `nodes` nodes, at least 1, at most [`MAX_NODES`](super::MAX_NODES), and up to `arity`
    /// children per switch, at least 2. `bandwidths` has the bandwidth of a node in bytes/s for each level, from the lowest
    /// links up: at least one value, each above 0 and finite. The last value holds for all higher levels.
    ///
    /// # Errors
    /// [`TopologyError::Empty`], [`TopologyError::TooLarge`], [`TopologyError::Arity`],
    /// [`TopologyError::NoBandwidth`] and [`TopologyError::Bandwidth`] for values outside these limits.
    pub fn with(nodes: usize, arity: usize, bandwidths: &[f64]) -> Result<FatTree, TopologyError> {
        if arity < 2 {
            return Err(TopologyError::Arity { given: arity });
        }
        let mut bandwidths: Vec<f64> =
            bandwidths.iter().map(|&given| check_bandwidth(given)).collect::<Result<_, _>>()?;
        while let [.., before, last] = bandwidths[..]
            && before == last
        {
            bandwidths.pop();
        }
        if bandwidths.is_empty() {
            return Err(TopologyError::NoBandwidth);
        }
        Ok(FatTree { shape: BalancedTree::new(nodes, arity)?, bandwidths })
    }
}

impl Topology for FatTree {
    fn name(&self) -> String {
        let (nodes, arity) = (self.nodes(), self.shape.arity());
        if arity == ARITY && self.bandwidths == BANDWIDTHS {
            return format!("{}:{nodes}", KIND.name);
        }
        let bandwidths: Vec<String> = self.bandwidths.iter().map(|&bandwidth| megabytes(bandwidth)).collect();
        format!("{}:{nodes}:{arity}:{}", KIND.name, bandwidths.join(","))
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

    fn capacity(&self, link: LinkId) -> Option<f64> {
        let level = self.shape.level(link);
        let each = self.bandwidths[level.min(self.bandwidths.len()) - 1];
        let leaves = self.shape.arity().pow(level as u32 - 1);
        Some(each * leaves as f64)
    }

    fn longest_route(&self) -> Option<usize> {
        Some(2 * self.shape.levels())
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

/// Reads `NODES` or `NODES:ARITY:MB/S,MB/S,..`.
fn read(shape: &str) -> Result<FatTree, TopologyError> {
    let unreadable = || TopologyError::Shape {
        given: shape.to_owned(),
        allowed: "NODES or NODES:ARITY:MB/S,MB/S,.., such as 32 or 32:4:20,10,5",
    };
    let mut parts = shape.split(':');
    let nodes = parts.next().and_then(read_extent).ok_or_else(unreadable)?;
    let Some(arity) = parts.next() else { return FatTree::new(nodes) };
    let arity = read_extent(arity).ok_or_else(unreadable)?;
    let bandwidths = parts.next().ok_or_else(unreadable)?;
    if parts.next().is_some() {
        return Err(unreadable());
    }
    let bandwidths: Vec<f64> = bandwidths.split(',').map(read_megabytes).collect::<Result<_, _>>()?;
    FatTree::with(nodes, arity, &bandwidths)
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::Index};

    use super::*;
    use crate::topology::{
        MAX_NODES, Tree,
        network_tests::check_routes,
        parse,
        tests::checked_route,
        tree::tests::{bisection, check_geometry},
    };

    /// Generates fat trees of any shape.
    fn fat_trees() -> impl Strategy<Value = FatTree> {
        let bandwidths = prop::collection::vec(prop_oneof![1e-300..1e300_f64, 1.0..1e9_f64], 1..5);
        prop_oneof![
            (1..200_usize).prop_map(|nodes| FatTree::new(nodes).unwrap()),
            (1..200_usize, 2..9_usize, bandwidths).prop_map(|(nodes, arity, bandwidths)| FatTree::with(
                nodes,
                arity,
                &bandwidths
            )
            .unwrap()),
        ]
    }

    proptest! {
        #[test]
        fn routes_go_up_to_the_lowest_common_group(
            tree in fat_trees(), from in any::<Index>(), to in any::<Index>()
        ) {
            let (from, to) = (from.index(tree.nodes()), to.index(tree.nodes()));
            let route = checked_route(&tree, from, to);
            let group = |level: u32| tree.shape.arity().pow(level);
            let up = (0..).find(|&level| from / group(level) == to / group(level)).unwrap();
            prop_assert_eq!(route.len(), 2 * up as usize);
        }

        #[test]
        fn links_are_numbered_level_by_level(tree in fat_trees()) {
            check_geometry(&tree, &tree.shape);
        }

        #[test]
        fn names_are_read_back_as_the_same_topology(tree in fat_trees()) {
            let name = tree.name();
            let shape = name.strip_prefix("fat-tree:").unwrap();
            prop_assert_eq!(read(shape).unwrap(), tree);
        }
    }

    #[test]
    fn routes_are_minimal() {
        for (nodes, arity) in [(1, 2), (16, 4), (17, 4), (30, 3), (7, 9), (33, 2)] {
            check_routes(&FatTree::with(nodes, arity, &[1.0]).unwrap());
        }
    }

    #[test]
    fn capacities_are_those_of_the_cm5_on_every_level() {
        let tree = FatTree::new(1024).unwrap();
        assert_eq!(tree.shape.levels(), 5);
        let mut links = [0; 5];
        for link in 0..tree.links() {
            let level = tree.shape.level(link);
            links[level - 1] += 1;
            assert_eq!(tree.capacity(link), Some([20e6, 40e6, 80e6, 320e6, 1280e6][level - 1]));
        }
        assert_eq!(links, [2048, 512, 128, 32, 8]);
    }

    #[test]
    fn an_incomplete_group_has_a_link_of_full_capacity() {
        let tree = FatTree::new(17).unwrap();
        // Node 16 is the only node of its groups of 4 and 16: its route has three links up.
        let capacities: Vec<_> =
            checked_route(&tree, 16, 0).into_iter().map(|link| tree.capacity(link)).collect();
        assert_eq!(capacities, [20e6, 40e6, 80e6, 80e6, 40e6, 20e6].map(Some));
    }

    #[test]
    fn bisection_cuts_half_of_the_links_below_the_root() {
        for (nodes, arity, bandwidths, expected) in [
            (4, 4, &BANDWIDTHS[..], 40e6),
            (16, 4, &BANDWIDTHS, 80e6),
            (64, 4, &BANDWIDTHS, 160e6),
            (32, 4, &BANDWIDTHS, 80e6),
            (8, 2, &[1.0], 4.0),
            (64, 8, &[3.0, 1.0], 32.0),
        ] {
            let tree = FatTree::with(nodes, arity, bandwidths).unwrap();
            let of_level = |level| {
                let link = (0..tree.links()).find(|&link| tree.shape.level(link) == level).unwrap();
                tree.capacity(link).unwrap()
            };
            assert_eq!(bisection(nodes, arity, of_level), expected, "{}", tree.name());
        }
    }

    #[test]
    fn a_binary_fat_tree_is_a_tree_with_other_links() {
        let (fat, thin) = (FatTree::with(13, 2, &[1e6]).unwrap(), Tree::new(13).unwrap());
        for from in 0..13 {
            for to in 0..13 {
                assert_eq!(checked_route(&fat, from, to), checked_route(&thin, from, to));
            }
        }
        assert!((0..fat.links()).all(|link| fat.link(link) == thin.link(link)));
    }

    #[test]
    fn the_name_has_arity_and_capacities_if_not_those_of_the_cm5() {
        let name = |shape: &str| read(shape).unwrap().name();
        assert_eq!(name("32"), "fat-tree:32");
        assert_eq!(name("32:4:20,10,5"), "fat-tree:32");
        assert_eq!(name("32:4:20,10,5,5,5"), "fat-tree:32", "the last figure holds for all levels beyond");
        assert_eq!(name("32:4:20,10,5,2.5"), "fat-tree:32:4:20,10,5,2.5");
        assert_eq!(name("32:2:20,10,5"), "fat-tree:32:2:20,10,5");
        assert_eq!(name("9:3:0.5"), "fat-tree:9:3:0.5");
        assert_eq!(name("9:3:7,7,8"), "fat-tree:9:3:7,7,8");
    }

    #[test]
    fn refusals_say_what_was_given_and_what_is_allowed() {
        let refusal = |shape: &str| parse(&format!("fat-tree:{shape}")).unwrap_err().to_string();
        for shape in ["x", "8:4", "8:4:1:1", "8:x:1", "8:-2:1", ":4:1"] {
            assert_eq!(
                refusal(shape),
                format!(
                    "invalid shape `{shape}`; allowed is NODES or NODES:ARITY:MB/S,MB/S,.., such as 32 or \
                     32:4:20,10,5"
                )
            );
        }
        assert_eq!(refusal(""), "`fat-tree` needs a number of nodes: write `fat-tree:32`");
        assert_eq!(refusal("8:1:5"), "a tree cannot have arity 1; allowed are 2 or more children per switch");
        for (given, shown) in [
            ("", ""),
            ("5,", ""),
            ("-5", "-5"),
            ("nan", "nan"),
            ("1e400", "1e400"),
            ("5 kB/s", "5 kB/s"),
            ("5,0", "0"),
        ] {
            assert_eq!(
                refusal(&format!("8:4:{given}")),
                format!("invalid bandwidth `{shown} MB/s`; allowed is a finite number above 0")
            );
        }
        for given in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(matches!(FatTree::with(8, 4, &[1.0, given]), Err(TopologyError::Bandwidth { .. })));
        }
        assert_eq!(FatTree::with(8, 4, &[]), Err(TopologyError::NoBandwidth));
        assert_eq!(FatTree::with(8, 0, &[1.0]), Err(TopologyError::Arity { given: 0 }));
        assert_eq!(refusal("0"), "`0` has no nodes; every extent must be at least 1");
        assert!(matches!(FatTree::new(MAX_NODES + 1), Err(TopologyError::TooLarge { .. })));
    }

    #[test]
    fn a_switch_may_have_more_children_than_there_are_nodes() {
        let tree = FatTree::with(5, usize::MAX, &[1e6]).unwrap();
        assert_eq!((tree.switches(), tree.links(), tree.longest_route()), (1, 10, Some(2)));
        assert_eq!(read("5:18446744073709551615:1").unwrap(), tree);
    }

    #[test]
    #[should_panic(expected = "link 12 of fat-tree:4, which has 8 links")]
    fn a_link_out_of_range_panics() {
        FatTree::new(4).unwrap().link(12);
    }
}
