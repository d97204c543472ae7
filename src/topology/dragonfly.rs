//! The dragonfly: groups of routers, where all routers of a group are linked to each other and all groups are linked to each
//! other (Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008). It is the network
//! of the Cray XC and of machines with Slingshot.
//!
//! ```text
//!   node --- router ===== router --- node        g groups of a routers with p nodes each
//!              |    local    |
//!              | global      | global            all routers of a group are linked, all groups are linked
//!           group 1       group 2
//! ```
//!
//! Ranks are consecutive on each router, and routers in each group. The link from group i to group j is attached to router
//! floor(x / h) of group i, where j is the x-th of the other groups and h = ceil((g - 1) / a): each router has the links to h
//! consecutive groups. This arrangement is called consecutive, or absolute (Hastings, Rincon-Cruz, Spehlmann, Meyers, Xu, Bunde
//! and Leung, "Comparing Global Link Arrangements for Dragonfly Networks", CLUSTER 2015).
//!
//! **Minimal routes** cross at most one global link. They lead to the router of the group that has the link to the receiver's
//! group, over this link, and to the receiver's router: at most 5 links. A minimal route is the only shortest one among routes
//! with at most one global link. (If h > 1, a route over two global links and no local link can have fewer links. Machines do
//! not use such routes, because global links are long and scarce.)
//!
//! **Valiant's routes** (option `valiant`) lead from group to group through a third group, by minimal routes to and from it: at
//! most 7 links. They spread traffic that would share one global link, at the price of crossing two. The third group is a
//! pseudo-random number of the pair of nodes, so routes are fixed. Messages within a group take minimal routes.
//!
//! # Differences from machines
//!
//! Routers of real machines choose between the two kinds of routes for each packet, by queue lengths (adaptive routing); here one
//! option applies to all messages. Several parallel links between two groups or two routers are modeled as one link with their
//! total bandwidth.
//!
//! The directed links are numbered in this order: links of nodes by node, first to the router and then back; local links by group,
//! by the router that they leave and by the router that they reach; global links by the group that they leave and the group that
//! they reach. There are 2 g a p + g a (a - 1) + g (g - 1). Routers are numbered group by group.

use std::sync::Arc;

use super::{
    Link, LinkId, Topology, TopologyError, TopologyKind, Vertex,
    bandwidth::{check_bandwidth, megabytes, read_megabytes},
    check_extents, check_links, read_extent,
    validation::{Seal, Validation},
};
use crate::{random::RandomNumbers, rank::Rank};

/// The registry entry of the dragonfly, spelled `dragonfly:9x4x2`, or in full `dragonfly:9x4x2:25000,100000:valiant`.
pub(super) const KIND: TopologyKind = TopologyKind {
    name: "dragonfly",
    shape: "GROUPSxROUTERSxNODES[:MB/S,MB/S][:valiant]",
    read: |shape, _| Ok(Arc::new(read(shape)?)),
};

/// The spelling of the option for Valiant's routes.
const VALIANT: &str = "valiant";

/// A dragonfly: groups of fully connected routers, and a link between every two groups.
///
/// ```
/// use multicomputer::topology::{Dragonfly, Topology};
///
/// // Nine groups of four routers with two nodes each: every router has links to two other groups.
/// let dragonfly = Dragonfly::new(9, 4, 2)?;
/// assert_eq!((dragonfly.nodes(), dragonfly.switches(), dragonfly.links()), (72, 36, 144 + 108 + 72));
/// let mut route = Vec::new();
/// dragonfly.route(0, 71, &mut route);
/// let hops: Vec<String> = route.iter().map(|&link| dragonfly.link(link).to_string()).collect();
/// assert_eq!(
///     hops,
///     [
///         "node 0 -> switch 0",
///         "switch 0 -> switch 3",   // within group 0, to the router with the link to group 8
///         "switch 3 -> switch 32",
///         "switch 32 -> switch 35", // within group 8
///         "switch 35 -> node 71",
///     ]
/// );
/// # Ok::<(), multicomputer::topology::TopologyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dragonfly {
    groups: usize,
    /// The number of routers of a group.
    routers: usize,
    /// The number of nodes that are attached to a router.
    hosts: usize,
    /// The capacities of a local and of a global link in bytes/s; `None` for the machine's common capacity.
    capacities: Option<(f64, f64)>,
    is_valiant: bool,
}

impl Dragonfly {
    /// Creates a dragonfly of `groups` groups of `routers` routers with `hosts` nodes each, with minimal routes and links of
    /// the machine's common capacity. Each number is at least 1, within [`MAX_NODES`](super::MAX_NODES) and
    /// [`MAX_LINKS`](super::MAX_LINKS).
    ///
    /// # Errors
    /// [`TopologyError::Empty`], [`TopologyError::TooLarge`] and [`TopologyError::TooManyLinks`] for sizes outside these
    /// limits.
    pub fn new(groups: usize, routers: usize, hosts: usize) -> Result<Dragonfly, TopologyError> {
        let given = format!("{groups}x{routers}x{hosts}");
        check_extents(&given, &[groups, routers, hosts])?;
        let square = |of: usize| of.checked_mul(of - 1);
        let local = square(routers).and_then(|links| links.checked_mul(groups));
        let all = local.zip(square(groups)).and_then(|(local, global)| local.checked_add(global));
        check_links(&given, all.and_then(|links| links.checked_add(2 * groups * routers * hosts)))?;
        Ok(Dragonfly { groups, routers, hosts, capacities: None, is_valiant: false })
    }

    /// Sets the capacities in bytes/s of each link within a group (`local`) and between groups (`global`), each above 0 and
    /// finite. The default is the machine's common capacity, which links of nodes always have.
    ///
    /// # Errors
    /// [`TopologyError::Bandwidth`] for other values.
    pub fn with_capacities(self, local: f64, global: f64) -> Result<Dragonfly, TopologyError> {
        Ok(Dragonfly { capacities: Some((check_bandwidth(local)?, check_bandwidth(global)?)), ..self })
    }

    /// Uses Valiant's routes: messages between groups go through a third group, if there are at least three groups.
    #[must_use]
    pub fn with_valiant_routes(self) -> Dragonfly {
        Dragonfly { is_valiant: true, ..self }
    }

    /// The number of the first link within a group.
    fn first_local(&self) -> LinkId {
        2 * self.nodes()
    }

    /// The number of the first link between groups.
    fn first_global(&self) -> LinkId {
        self.first_local() + self.groups * self.routers * (self.routers - 1)
    }

    /// Returns the router of `group`, numbered within the group, that has the link to group `other`.
    fn gateway(&self, group: usize, other: usize) -> usize {
        index_without(group, other) / (self.groups - 1).div_ceil(self.routers)
    }

    /// Appends the link from one router of a group to another, both numbered within the group; nothing if they are the same.
    fn route_within_group(&self, group: usize, from: usize, to: usize, route: &mut Vec<LinkId>) {
        if from != to {
            let pair = from * (self.routers - 1) + index_without(from, to);
            route.push(self.first_local() + group * self.routers * (self.routers - 1) + pair);
        }
    }

    /// Appends the minimal route from a router of `group` to group `other`, and returns the router of `other` that it reaches.
    fn route_between_groups(
        &self,
        group: usize,
        from: usize,
        other: usize,
        route: &mut Vec<LinkId>,
    ) -> usize {
        self.route_within_group(group, from, self.gateway(group, other), route);
        route.push(self.first_global() + group * (self.groups - 1) + index_without(group, other));
        self.gateway(other, group)
    }

    /// Returns the third group of Valiant's route between the groups `ends`, or `None` for a minimal route.
    fn detour(&self, from: Rank, to: Rank, ends: [usize; 2]) -> Option<usize> {
        if !self.is_valiant || self.groups < 3 {
            return None;
        }
        let nth = RandomNumbers::of(from as u64, to as u64).below(self.groups - 2);
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        // Skips both groups of `ends`.
        let beyond_low = nth + usize::from(nth >= low);
        Some(beyond_low + usize::from(beyond_low >= high))
    }
}

/// Returns the index of `other` among all elements except `this`.
fn index_without(this: usize, other: usize) -> usize {
    if other < this { other } else { other - 1 }
}

/// Returns the element with the index `nth` among all elements except `this`.
fn element_without(this: usize, nth: usize) -> usize {
    if nth < this { nth } else { nth + 1 }
}

impl Topology for Dragonfly {
    fn name(&self) -> String {
        let Dragonfly { groups, routers, hosts, .. } = self;
        let capacities = self
            .capacities
            .map_or(String::new(), |(local, global)| format!(":{},{}", megabytes(local), megabytes(global)));
        let valiant = if self.is_valiant { format!(":{VALIANT}") } else { String::new() };
        format!("{}:{groups}x{routers}x{hosts}{capacities}{valiant}", KIND.name)
    }

    fn nodes(&self) -> usize {
        self.groups * self.routers * self.hosts
    }

    fn switches(&self) -> usize {
        self.groups * self.routers
    }

    fn links(&self) -> usize {
        self.first_global() + self.groups * (self.groups - 1)
    }

    fn link(&self, link: LinkId) -> Link {
        let links = self.links();
        assert!(link < links, "link {link} of {}, which has {links} links", self.name());
        let router = |group: usize, router: usize| Vertex::Switch(group * self.routers + router);
        if let Some(global) = link.checked_sub(self.first_global()) {
            let from = global / (self.groups - 1);
            let to = element_without(from, global % (self.groups - 1));
            return Link {
                from: router(from, self.gateway(from, to)),
                to: router(to, self.gateway(to, from)),
            };
        }
        if let Some(local) = link.checked_sub(self.first_local()) {
            let (from, nth) = (local / (self.routers - 1), local % (self.routers - 1));
            let (group, from) = (from / self.routers, from % self.routers);
            return Link { from: router(group, from), to: router(group, element_without(from, nth)) };
        }
        let (node, switch) = (Vertex::Node(link / 2), Vertex::Switch(link / 2 / self.hosts));
        match link % 2 {
            0 => Link { from: node, to: switch },
            _ => Link { from: switch, to: node },
        }
    }

    fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let nodes = self.nodes();
        assert!(from < nodes && to < nodes, "a route from {from} to {to} on {}", self.name());
        if from == to {
            return;
        }
        let place = |node: Rank| (node / self.hosts / self.routers, node / self.hosts % self.routers);
        let ((mut group, mut router), (last_group, last_router)) = (place(from), place(to));
        route.push(2 * from);
        if group != last_group {
            let ends = [group, last_group];
            for next in self.detour(from, to, ends).into_iter().chain([last_group]) {
                router = self.route_between_groups(group, router, next, route);
                group = next;
            }
        }
        self.route_within_group(group, router, last_router, route);
        route.push(2 * to + 1);
    }

    fn capacity(&self, link: LinkId) -> Option<f64> {
        let (local, global) = self.capacities?;
        (link >= self.first_local()).then_some(if link < self.first_global() { local } else { global })
    }

    fn longest_route(&self) -> Option<usize> {
        match (self.groups, self.routers, self.hosts) {
            (1, 1, 1) => Some(0),
            (1, 1, _) => Some(2),
            (1, ..) => Some(3),
            (2, 1, _) => Some(3),
            (_, 1, _) => Some(if self.is_valiant { 4 } else { 3 }),
            (3.., ..) if self.is_valiant => None,
            _ => Some(5),
        }
    }

    fn validation(&self, _: Seal) -> Validation {
        Validation::VALID
    }
}

/// Reads `9x4x2`, `9x4x2:25000,100000`, `9x4x2:valiant` or `9x4x2:25000,100000:valiant`.
fn read(shape: &str) -> Result<Dragonfly, TopologyError> {
    let unreadable = || TopologyError::Shape {
        given: shape.to_owned(),
        allowed: "GROUPSxROUTERSxNODES[:MB/S,MB/S][:valiant], such as 9x4x2, or 9x4x2:25000,100000:valiant with the \
                  bandwidths of links within and between groups",
    };
    let mut parts = shape.split(':').peekable();
    let extents = parts.next().unwrap_or_default().split('x').map(read_extent);
    let extents: Vec<usize> = extents.collect::<Option<_>>().ok_or_else(unreadable)?;
    let &[groups, routers, hosts] = &extents[..] else { return Err(unreadable()) };
    let mut dragonfly = Dragonfly::new(groups, routers, hosts)?;
    if let Some(bandwidths) = parts.next_if(|&part| part != VALIANT) {
        let (local, global) = bandwidths.split_once(',').ok_or_else(unreadable)?;
        dragonfly = dragonfly.with_capacities(read_megabytes(local)?, read_megabytes(global)?)?;
    }
    match (parts.next(), parts.next()) {
        (None, _) => Ok(dragonfly),
        (Some(VALIANT), None) => Ok(dragonfly.with_valiant_routes()),
        _ => Err(unreadable()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::{prelude::*, sample::Index};

    use super::*;
    use crate::topology::{network_tests::check_links, parse, tests::checked_route};

    fn dragonflies() -> impl Strategy<Value = Dragonfly> {
        (1..12_usize, 1..6_usize, 1..4_usize, any::<bool>(), prop::option::of((1.0..1e12, 1e-3..1e9)))
            .prop_map(|(groups, routers, hosts, is_valiant, capacities)| {
                let dragonfly = Dragonfly::new(groups, routers, hosts).unwrap();
                let dragonfly = match capacities {
                    Some((local, global)) => dragonfly.with_capacities(local, global).unwrap(),
                    None => dragonfly,
                };
                if is_valiant { dragonfly.with_valiant_routes() } else { dragonfly }
            })
    }

    /// Returns the fewest links from a node to every vertex, over at most one global link: a breadth-first search over pairs
    /// of a vertex and whether a global link has been crossed.
    fn fewest(dragonfly: &Dragonfly, from: Rank) -> BTreeMap<Vertex, usize> {
        let first_global = dragonfly.first_global();
        let links: Vec<(Link, bool)> =
            (0..dragonfly.links()).map(|link| (dragonfly.link(link), link >= first_global)).collect();
        let mut reached = BTreeMap::from([((Vertex::Node(from), false), 0)]);
        let mut last = vec![(Vertex::Node(from), false)];
        for distance in 1.. {
            let mut next = Vec::new();
            for &(vertex, is_over) in &last {
                for &(Link { from, to }, is_global) in &links {
                    let place = (to, is_over || is_global);
                    if from == vertex && !(is_over && is_global) && !reached.contains_key(&place) {
                        reached.insert(place, distance);
                        next.push(place);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            last = next;
        }
        let mut fewest = BTreeMap::new();
        for ((vertex, _), distance) in reached {
            let least = fewest.entry(vertex).or_insert(distance);
            *least = distance.min(*least);
        }
        fewest
    }

    /// The groups that a route visits, in order.
    fn groups(dragonfly: &Dragonfly, route: &[LinkId]) -> Vec<usize> {
        let mut groups: Vec<usize> = route
            .iter()
            .filter_map(|&link| match dragonfly.link(link).to {
                Vertex::Switch(router) => Some(router / dragonfly.routers),
                Vertex::Node(_) => None,
            })
            .collect();
        groups.dedup();
        groups
    }

    proptest! {
        #[test]
        fn routes_join_both_ends_and_links_have_numbers_of_their_own(
            dragonfly in dragonflies(), from in any::<Index>(), to in any::<Index>()
        ) {
            check_links(&dragonfly);
            let Dragonfly { groups: g, routers: a, hosts: p, .. } = dragonfly;
            prop_assert_eq!(dragonfly.links(), 2 * g * a * p + g * a * (a - 1) + g * (g - 1));
            let (from, to) = (from.index(dragonfly.nodes()), to.index(dragonfly.nodes()));
            let route = checked_route(&dragonfly, from, to);
            prop_assert_eq!(&route, &checked_route(&dragonfly, from, to), "one route a pair");
            let crossed = route.iter().filter(|&&link| link >= dragonfly.first_global()).count();
            let is_far = from / (a * p) != to / (a * p);
            let expected = match is_far {
                true if dragonfly.is_valiant && g > 2 => 2,
                is_far => usize::from(is_far),
            };
            prop_assert_eq!(crossed, expected);
            prop_assert!(route.len() <= 3 + 2 * expected);
            if let Some(longest) = dragonfly.longest_route() {
                prop_assert!(route.len() <= longest);
            }
            prop_assert_eq!(parse(&dragonfly.name()).unwrap().name(), dragonfly.name());
        }
    }

    #[test]
    fn minimal_routes_are_the_shortest_over_one_global_link() {
        for shape in
            ["1x1x3", "1x4x2", "2x1x2", "5x1x1", "2x3x2", "3x2x2", "5x2x1", "9x4x2", "7x3x1", "4x6x1"]
        {
            let dragonfly = read(shape).unwrap();
            let mut longest = 0;
            for from in 0..dragonfly.nodes() {
                let fewest = fewest(&dragonfly, from);
                for to in 0..dragonfly.nodes() {
                    let route = checked_route(&dragonfly, from, to);
                    assert_eq!(route.len(), fewest[&Vertex::Node(to)], "{shape} from {from} to {to}");
                    longest = longest.max(route.len());
                }
            }
            assert_eq!(dragonfly.longest_route(), Some(longest), "{shape}");
        }
    }

    #[test]
    fn every_router_of_a_balanced_dragonfly_has_as_many_global_links() {
        let dragonfly = Dragonfly::new(9, 4, 2).unwrap();
        let mut of = BTreeMap::<Vertex, usize>::new();
        for link in dragonfly.first_global()..dragonfly.links() {
            *of.entry(dragonfly.link(link).from).or_default() += 1;
        }
        assert_eq!((of.len(), of.values().all(|&links| links == 2)), (36, true));
    }

    #[test]
    fn valiant_routes_use_every_intermediate_group() {
        let dragonfly = Dragonfly::new(9, 4, 2).unwrap().with_valiant_routes();
        let mut thirds = BTreeSet::new();
        // From all nodes of group 2 to all of group 5.
        for from in 16..24 {
            for to in 40..48 {
                let groups = groups(&dragonfly, &checked_route(&dragonfly, from, to));
                assert_eq!((groups.len(), groups[0], groups[2]), (3, 2, 5));
                thirds.insert(groups[1]);
            }
        }
        assert_eq!(thirds.into_iter().collect::<Vec<_>>(), [0, 1, 3, 4, 6, 7, 8]);
        assert_eq!(groups(&dragonfly, &checked_route(&dragonfly, 16, 23)), [2], "not within a group");
        let two = Dragonfly::new(2, 3, 2).unwrap();
        let route = |dragonfly: &Dragonfly| checked_route(dragonfly, 0, 11);
        assert_eq!(route(&two), route(&two.clone().with_valiant_routes()), "without a third group");
    }

    #[test]
    fn local_and_global_links_can_have_different_capacities() {
        let dragonfly = parse("dragonfly:3x2x2:25000,100000.5:valiant").unwrap();
        assert_eq!(dragonfly.name(), "dragonfly:3x2x2:25000,100000.5:valiant");
        let capacities: Vec<Option<f64>> =
            (0..dragonfly.links()).map(|link| dragonfly.capacity(link)).collect();
        assert_eq!(capacities[..24], [None; 24]);
        assert_eq!(capacities[24..30], [Some(25e9); 6]);
        assert_eq!(capacities[30..], [Some(100_000.5e6); 6]);
    }

    #[test]
    fn invalid_dragonflies_are_refused() {
        let refusal = |shape: &str| parse(&format!("dragonfly:{shape}")).unwrap_err().to_string();
        for shape in
            ["9", "9x4", "9x4x2x1", "9x4x2:fast", "9x4x2:valiant:valiant", "9x4x2:1,2:3,4", "9x4x2:1"]
        {
            let begin =
                format!("invalid shape `{shape}`; allowed is GROUPSxROUTERSxNODES[:MB/S,MB/S][:valiant]");
            assert!(refusal(shape).starts_with(&begin), "{}", refusal(shape));
        }
        assert_eq!(refusal(""), "`dragonfly` needs groups, routers and nodes: write `dragonfly:9x4x2`");
        assert_eq!(refusal("0x4x2"), "`0x4x2` has no nodes; every extent must be at least 1");
        assert!(refusal("9x4x2:1,0").starts_with("invalid bandwidth `0 MB/s`"));
        assert!(refusal("99999x99999x1").contains("too many nodes"));
        assert!(refusal("1x65536x1").contains("too many links"));
    }
}
