//! The folded Clos network, or fat tree of equal switches: leaf switches, spine switches above them, and further levels if spine
//! switches have too few ports. It is the network of most clusters with InfiniBand or Ethernet (Leiserson, "Fat-trees", 1985;
//! Al-Fares, Loukissas and Vahdat, "A Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008).
//!
//! ```text
//!   clos:12:6:2, switches of 6 ports, 4 down and 2 up       spines     s3        s4
//!                                                                    / | \     / | \
//!                                                           leaves  s0  s1   s2 ..  (each linked to both)
//!                                                                  0..3 4..7 8..11
//! ```
//!
//! All switches have r ports. A leaf switch has u = floor(r / (s + 1)) ports up and s u ports down to nodes, where s is the
//! oversubscription: with s = 1 all nodes of a leaf can simultaneously send to other leaves at full speed, with s = 3 at a third of it. On
//! higher levels half of the ports lead down and half lead up; on the top level all lead down. There are as few levels as hold all nodes,
//! and switches without a node below are omitted. In the terms of Ohring, Ibel, Das and Kumar ("On Generalized Fat Trees", IPPS 1995) it is
//! an extended generalized fat tree, in which a vertex has one link to each of its parents.
//!
//! In the [fat tree](super::FatTree), all links up from a switch are one link of their total bandwidth. Here every link is
//! modeled separately: messages on the same link share its bandwidth even if other links are idle.
//!
//! **Routes** go up to the lowest switches above both nodes, and down. The links up depend only on the receiver d (d-mod-k
//! routing): of the w links up from a switch a message takes link floor(d / W) mod w, where W is the number of switches of that
//! level above the same nodes. Messages from one leaf to one node thus share all links after the leaf, and shifts of all nodes by
//! any distance are contention-free if the tree is full and s = 1 (Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for
//! Shift Permutations on Real Life Fat Trees", 2010). InfiniBand routes fat trees in this way. Ethernet chooses links by a hash of
//! the flow (ECMP), with random collisions, which are not modeled.
//!
//! The longest route has two links per level. Switches are numbered level by level, and within a level by the nodes below them
//! and then by the links that lead to them. The directed links are numbered by level, from the nodes up, by their lower end, and
//! by the index of the link among those up from this end; the link up comes first, then its opposite.

use std::sync::Arc;

use super::{
    Link, LinkId, Topology, TopologyError, TopologyKind, Vertex, check_extents, check_links, read_extent,
    validation::{Seal, Validation},
};
use crate::rank::Rank;

/// The registry entry of the Clos network, spelled `clos:128:16`, or with an oversubscription `clos:128:16:3`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "clos",
    shape: "NODES:RADIX[:OVERSUBSCRIPTION]",
    read: |shape, _| Ok(Arc::new(read(shape)?)),
};

/// The fewest ports of a switch. With three ports, half of them (rounded down) is one, and more levels would not hold more nodes.
const MIN_RADIX: usize = 4;

/// A folded Clos network of equal switches, with nodes below the leaf switches.
///
/// ```
/// use multicomputer::topology::{Clos, Topology};
///
/// // Switches of 8 ports: 4 leaves with 4 nodes each, and 4 spines.
/// let clos = Clos::new(16, 8, 1)?;
/// assert_eq!((clos.nodes(), clos.switches(), clos.links()), (16, 8, 2 * (16 + 16)));
/// // Six nodes and two spines for each leaf, which all its nodes share.
/// assert_eq!(Clos::new(24, 8, 3)?.switches(), 4 + 2);
///
/// let mut route = Vec::new();
/// clos.route(1, 14, &mut route);
/// let hops: Vec<String> = route.iter().map(|&link| clos.link(link).to_string()).collect();
/// assert_eq!(
///     hops,
///     ["node 1 -> switch 0", "switch 0 -> switch 6", "switch 6 -> switch 3", "switch 3 -> node 14"],
///     "spine 14 mod 4"
/// );
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clos {
    nodes: usize,
    radix: usize,
    oversubscription: usize,
    /// The levels of switches, the leaves first.
    levels: Vec<SwitchLevel>,
}

/// A level of switches. Switches above the same nodes are equivalent and differ only in their index.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SwitchLevel {
    /// The largest number of nodes below a switch.
    below: usize,
    /// The number of switches above the same nodes.
    equal: usize,
    /// The number of links up from each switch; 0 at the top.
    up: usize,
    /// The number of the level's first switch; `first_link` is the number of the first link up from it.
    first: usize,
    first_link: LinkId,
}

impl Clos {
    /// Creates a Clos network of `nodes` nodes, at least 1, at most [`MAX_NODES`](super::MAX_NODES), with switches of `radix`
    /// ports, at least 4. Leaf switches have `oversubscription` times as many ports down as up, at least 1 and less than
    /// `radix`.
    ///
    /// # Errors
    /// [`TopologyError::Empty`], [`TopologyError::TooLarge`], [`TopologyError::TooManyLinks`] and
    /// [`TopologyError::OutOfRange`] for values outside these limits.
    pub fn new(nodes: usize, radix: usize, oversubscription: usize) -> Result<Clos, TopologyError> {
        check_extents(&nodes, &[nodes])?;
        if radix < MIN_RADIX {
            let allowed = format!("whole numbers from {MIN_RADIX} on");
            return Err(TopologyError::OutOfRange { what: "radix of a switch", given: radix, allowed });
        }
        if oversubscription == 0 || oversubscription >= radix {
            let (what, given) = ("oversubscription", oversubscription);
            let allowed = format!("whole numbers from 1 to {}, for switches of {radix} ports", radix - 1);
            return Err(TopologyError::OutOfRange { what, given, allowed });
        }
        // Nodes below a switch of the previous level, links up from a switch, and switches above the same nodes.
        let (mut below, mut up, mut equal) = (1_usize, radix / (oversubscription + 1), 1_usize);
        let mut down = oversubscription * up;
        let mut levels = Vec::new();
        let (mut first, mut first_link) = (0, 2 * nodes);
        while below.saturating_mul(radix) < nodes {
            below *= down;
            let switches = nodes.div_ceil(below) * equal;
            levels.push(SwitchLevel { below, equal, up, first, first_link });
            first += switches;
            first_link += 2 * switches * up;
            check_links(&nodes, Some(first_link))?;
            equal *= up;
            (up, down) = (radix / 2, radix / 2);
        }
        levels.push(SwitchLevel { below: below.saturating_mul(radix), equal, up: 0, first, first_link });
        Ok(Clos { nodes, radix, oversubscription, levels })
    }
}

impl Topology for Clos {
    fn name(&self) -> String {
        let Clos { nodes, radix, oversubscription, .. } = self;
        match oversubscription {
            1 => format!("{}:{nodes}:{radix}", KIND.name),
            _ => format!("{}:{nodes}:{radix}:{oversubscription}", KIND.name),
        }
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn switches(&self) -> usize {
        let top = &self.levels[self.levels.len() - 1];
        top.first + top.equal
    }

    fn links(&self) -> usize {
        self.levels[self.levels.len() - 1].first_link
    }

    fn link(&self, link: LinkId) -> Link {
        let links = self.links();
        assert!(link < links, "link {link} of {}, which has {links} links", self.name());
        // `level` is 0 for links of nodes. The top level has no links up: its `first_link` is the number of all links.
        let level = self.levels.partition_point(|level| level.first_link <= link);
        let [lower, upper] = match level.checked_sub(1) {
            None => {
                let node = link / 2;
                [Vertex::Node(node), Vertex::Switch(node / self.levels[0].below)]
            }
            Some(level) => {
                let (here, above) = (&self.levels[level], &self.levels[level + 1]);
                let nth = (link - here.first_link) / 2;
                let (switch, up) = (nth / here.up, nth % here.up);
                let (first_node, number) = (switch / here.equal * here.below, switch % here.equal);
                let upper = first_node / above.below * above.equal + number + here.equal * up;
                [Vertex::Switch(here.first + switch), Vertex::Switch(above.first + upper)]
            }
        };
        if link.is_multiple_of(2) { Link { from: lower, to: upper } } else { Link { from: upper, to: lower } }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let nodes = self.nodes;
        assert!(from < nodes && to < nodes, "a route from {from} to {to} on {}", self.name());
        if from == to {
            return;
        }
        // Returns the link up, on a route to `to`, from the switch of `level` above `node`; the link with the next number is its opposite.
        let link = |level: &SwitchLevel, node: Rank| {
            let switch = node / level.below * level.equal + to % level.equal;
            level.first_link + 2 * (switch * level.up + to / level.equal % level.up)
        };
        let apart = |level: &&SwitchLevel| from / level.below != to / level.below;
        let climbed = self.levels.iter().take_while(apart).count();
        route.push(2 * from);
        route.extend(self.levels[..climbed].iter().map(|level| link(level, from)));
        route.extend(self.levels[..climbed].iter().rev().map(|level| link(level, to) + 1));
        route.push(2 * to + 1);
    }

    fn longest_route(&self) -> Option<usize> {
        Some(if self.nodes == 1 { 0 } else { 2 * self.levels.len() })
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

/// Reads `128:16` or `128:16:3`.
fn read(shape: &str) -> Result<Clos, TopologyError> {
    let unreadable = || TopologyError::Shape {
        given: shape.to_owned(),
        allowed: "NODES:RADIX[:OVERSUBSCRIPTION], such as 128:16, or 128:16:3 with three times as many ports down as up",
    };
    let numbers: Vec<usize> =
        shape.split(':').map(read_extent).collect::<Option<_>>().ok_or_else(unreadable)?;
    match numbers[..] {
        [nodes, radix] => Clos::new(nodes, radix, 1),
        [nodes, radix, oversubscription] => Clos::new(nodes, radix, oversubscription),
        _ => Err(unreadable()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::{prelude::*, sample::Index};

    use super::*;
    use crate::topology::{
        MAX_NODES,
        network_tests::{check_links, distances},
        parse,
        tests::checked_route,
    };

    fn networks() -> impl Strategy<Value = Clos> {
        (1..150_usize, 4..20_usize, any::<Index>()).prop_map(|(nodes, radix, oversubscription)| {
            Clos::new(nodes, radix, 1 + oversubscription.index(radix - 1)).unwrap()
        })
    }

    proptest! {
        #[test]
        fn routes_are_shortest_and_no_switch_has_too_many_links(
            clos in networks(), from in any::<Index>(), to in any::<Index>()
        ) {
            check_links(&clos);
            let (from, to) = (from.index(clos.nodes), to.index(clos.nodes));
            let route = checked_route(&clos, from, to);
            prop_assert_eq!(route.len(), distances(&clos, from)[&Vertex::Node(to)]);
            prop_assert!(clos.longest_route().is_some_and(|longest| route.len() <= longest));
            let mut ports = BTreeMap::<Vertex, usize>::new();
            for link in 0..clos.links() {
                *ports.entry(clos.link(link).from).or_default() += 1;
            }
            for (vertex, ports) in ports {
                let most = if let Vertex::Node(_) = vertex { 1 } else { clos.radix };
                prop_assert!(ports <= most, "{}: {} has {}", clos.name(), vertex, ports);
            }
            prop_assert_eq!(parse(&clos.name()).unwrap().name(), clos.name());
        }
    }

    /// A full tree of h levels of switches with r ports has 2 (r/2)^h nodes and (2h - 1) (r/2)^(h-1) switches.
    #[test]
    fn full_trees_have_the_published_number_of_switches() {
        for (radix, levels) in [(4_usize, 1_u32), (4, 2), (4, 3), (4, 4), (8, 2), (8, 3), (16, 2)] {
            let half = radix / 2;
            let nodes = 2 * half.pow(levels);
            let clos = Clos::new(nodes, radix, 1).unwrap();
            assert_eq!(clos.switches(), (2 * levels as usize - 1) * half.pow(levels - 1), "{}", clos.name());
            assert_eq!(clos.links(), 2 * nodes * levels as usize, "as many links on each level as nodes");
            assert_eq!(clos.longest_route(), Some(2 * levels as usize));
            assert_eq!(
                Clos::new(nodes + 1, radix, 1).unwrap().longest_route(),
                Some(2 * levels as usize + 2)
            );
        }
    }

    #[test]
    fn cyclic_shifts_on_a_full_tree_are_contention_free() {
        for name in ["clos:8:4", "clos:16:4", "clos:32:8", "clos:128:8"] {
            let clos = parse(name).unwrap();
            for distance in 1..clos.nodes() {
                let mut carried = vec![0; clos.links()];
                for from in 0..clos.nodes() {
                    let to = (from + distance) % clos.nodes();
                    checked_route(&*clos, from, to).into_iter().for_each(|link| carried[link] += 1);
                }
                assert!(carried.iter().all(|&messages| messages <= 1), "{name} by {distance}");
            }
        }
    }

    #[test]
    fn an_oversubscribed_leaf_has_fewer_links_up_than_nodes() {
        // Of 16 ports, 12 lead down and 4 up.
        let clos = Clos::new(48, 16, 3).unwrap();
        assert_eq!((clos.switches(), clos.links()), (4 + 4, 2 * (48 + 16)));
        let up = |to| checked_route(&clos, 0, to)[1];
        assert_eq!(up(12), up(16), "one spine for receivers 4 apart");
        assert_eq!((12..16).map(up).collect::<std::collections::BTreeSet<_>>().len(), 4);
        // 64 ports are not divisible by 3: 42 lead down, 21 up, and one is unused.
        assert_eq!(Clos::new(84, 64, 2).unwrap().switches(), 2 + 21);
    }

    #[test]
    fn link_ids_of_the_largest_networks_fit() {
        for (radix, levels) in [(4, 28), (64, 6), (usize::MAX, 1)] {
            let clos = Clos::new(MAX_NODES, radix, 1);
            match clos {
                Ok(clos) => {
                    assert_eq!(clos.longest_route(), Some(2 * levels));
                    assert_eq!(checked_route(&clos, 0, MAX_NODES - 1).len(), 2 * levels);
                }
                Err(refused) => assert!(refused.to_string().contains("too many links"), "{refused}"),
            }
        }
    }

    #[test]
    fn invalid_shapes_are_refused() {
        let refusal = |shape: &str| parse(&format!("clos:{shape}")).unwrap_err().to_string();
        for shape in ["8", "8:x", "8:4:1:1", "8:4:1.5"] {
            assert!(refusal(shape).starts_with(&format!("invalid shape `{shape}`; allowed is NODES:RADIX")));
        }
        assert_eq!(
            refusal(""),
            "`clos` needs a number of nodes and the radix of a switch: write `clos:128:16`"
        );
        assert_eq!(refusal("8:3"), "invalid radix of a switch: 3; allowed are whole numbers from 4 on");
        for given in ["0", "8"] {
            let allowed = "allowed are whole numbers from 1 to 7, for switches of 8 ports";
            assert_eq!(
                refusal(&format!("8:8:{given}")),
                format!("invalid oversubscription: {given}; {allowed}")
            );
        }
        assert_eq!(refusal("0:8"), "`0:8` has no nodes; every extent must be at least 1");
        assert!(matches!(Clos::new(MAX_NODES + 1, 8, 1), Err(TopologyError::TooLarge { .. })));
    }

    #[test]
    #[should_panic(expected = "link 16 of clos:8:8, which has 16 links")]
    fn a_link_out_of_range_panics() {
        Clos::new(8, 8, 1).unwrap().link(16);
    }
}
