//! Tests of properties that hold in every topology: links are consistent, routes are fixed and shortest.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
};

use proptest::{prelude::*, sample::Index};

use super::{
    tests::{checked_route, samples},
    *,
};

/// Returns the distances in links from a node to all reachable vertices.
pub(super) fn distances(topology: &dyn Topology, from: Rank) -> BTreeMap<Vertex, usize> {
    let mut neighbours: BTreeMap<Vertex, Vec<Vertex>> = BTreeMap::new();
    for number in 0..topology.links() {
        let Link { from, to } = topology.link(number);
        neighbours.entry(from).or_default().push(to);
    }
    let mut distances = BTreeMap::from([(Vertex::Node(from), 0)]);
    let mut reached = VecDeque::from([Vertex::Node(from)]);
    while let Some(vertex) = reached.pop_front() {
        let beyond = distances[&vertex] + 1;
        for &neighbour in neighbours.get(&vertex).into_iter().flatten() {
            distances.entry(neighbour).or_insert_with(|| {
                reached.push_back(neighbour);
                beyond
            });
        }
    }
    distances
}

/// Checks that every route is fixed, valid and shortest, that `longest_route` is exact, and that routes use all links.
pub(super) fn check_routes(topology: &dyn Topology) {
    let name = topology.name();
    let mut used = vec![false; topology.links()];
    let mut longest = 0;
    for from in 0..topology.nodes() {
        let distances = distances(topology, from);
        for to in 0..topology.nodes() {
            let route = checked_route(topology, from, to);
            assert_eq!(route, checked_route(topology, from, to), "{name} from {from} to {to}: two routes");
            assert_eq!(route.len(), distances[&Vertex::Node(to)], "{name} from {from} to {to}: a detour");
            route.iter().for_each(|&link| used[link] = true);
            longest = longest.max(route.len());
        }
    }
    assert!(
        topology.longest_route().is_none_or(|said| said == longest),
        "{name}: {longest} links on a route"
    );
    assert!(used.iter().all(|&used| used), "{name} has links on no route");
}

/// Checks that numbers and links correspond one to one, that each link has an opposite link, and that a link between
/// two nodes is the route between them.
pub(super) fn check_links(topology: &dyn Topology) {
    let name = topology.name();
    let links: Vec<Link> = (0..topology.links()).map(|number| topology.link(number)).collect();
    let distinct: BTreeSet<Link> = links.iter().copied().collect();
    assert_eq!(distinct.len(), links.len(), "{name} has two links with the same ends");
    let switches: BTreeSet<usize> = links
        .iter()
        .filter_map(|link| match link.from {
            Vertex::Switch(number) => Some(number),
            Vertex::Node(_) => None,
        })
        .collect();
    assert!(switches.into_iter().eq(0..topology.switches()), "{name} numbers its switches otherwise");
    for (number, &Link { from, to }) in links.iter().enumerate() {
        assert_ne!(from, to, "{name}: link {number} leads nowhere");
        assert!(distinct.contains(&Link { from: to, to: from }), "{name}: {from} -> {to}, but not back");
        if let (Vertex::Node(from), Vertex::Node(to)) = (from, to) {
            assert_eq!(checked_route(topology, from, to), [number], "{name} from {from} to {to}");
        }
    }
}

/// Checks that ranks and links out of range panic.
fn check_limits(topology: &dyn Topology) {
    let (name, nodes, links) = (topology.name(), topology.nodes(), topology.links());
    let panics = |what: &dyn Fn()| catch_unwind(AssertUnwindSafe(what)).is_err();
    for link in [links, links + 1, usize::MAX] {
        assert!(panics(&|| _ = topology.link(link)), "{name} has a link {link}");
    }
    for rank in [nodes, nodes + 1, usize::MAX] {
        assert!(panics(&|| topology.route(rank, 0, &mut Vec::new())), "{name} has a node {rank}");
        assert!(panics(&|| topology.route(0, rank, &mut Vec::new())), "{name} has a node {rank}");
    }
}

/// Checks that the extents fit the nodes and the grid.
fn check_shape(topology: &dyn Topology) {
    let (name, extents) = (topology.name(), topology.extents());
    assert_eq!(extents.iter().product::<usize>(), topology.nodes(), "{name}");
    if let Some(grid) = topology.grid() {
        assert_eq!(grid.nodes(), topology.nodes(), "{name}");
    }
}

#[test]
fn every_topology_is_a_network_with_fixed_shortest_routes() {
    for topology in samples() {
        check_shape(&*topology);
        check_links(&*topology);
        check_routes(&*topology);
    }
}

#[test]
fn links_and_nodes_out_of_range_panic() {
    for topology in samples() {
        check_limits(&*topology);
    }
}

/// Generates names of topologies of any shape, with extents of up to `longest` or with up to `longest^3` nodes.
fn names(longest: usize) -> impl Strategy<Value = String> {
    let side = move || 1..=longest;
    let cube = longest.pow(3);
    prop_oneof![
        (prop::sample::select(vec!["complete", "fat-tree", "line", "ring", "tree"]), 1..=cube)
            .prop_map(|(name, nodes)| format!("{name}:{nodes}")),
        (1..=cube, 2..9_usize).prop_map(|(nodes, arity)| format!("fat-tree:{nodes}:{arity}:2,1")),
        (0..=cube.ilog2()).prop_map(|dimensions| format!("hypercube:{}", 1 << dimensions)),
        // At most one group more than routers of a group, so that each router has at most one global link.
        (side(), side(), any::<Index>()).prop_map(|(routers, nodes, groups)| {
            format!("dragonfly:{}x{routers}x{nodes}", 2 + groups.index(routers))
        }),
        (prop::sample::select(vec!["mesh", "torus"]), side(), side(), prop::option::of(side())).prop_map(
            |(name, rows, columns, planes)| match planes {
                Some(planes) => format!("{name}:{planes}x{rows}x{columns}"),
                None => format!("{name}:{rows}x{columns}"),
            }
        ),
    ]
}

proptest! {
    #[test]
    fn small_networks_of_any_shape(name in names(3)) {
        let topology = parse(&name).unwrap();
        check_links(&*topology);
        check_routes(&*topology);
    }

    #[test]
    fn routes_of_large_networks_are_shortest(name in names(8), from in any::<Index>(), to in any::<Index>()) {
        let topology = parse(&name).unwrap();
        let (from, to) = (from.index(topology.nodes()), to.index(topology.nodes()));
        let route = checked_route(&*topology, from, to);
        prop_assert_eq!(route.len(), distances(&*topology, from)[&Vertex::Node(to)]);
    }

    #[test]
    fn a_way_back_is_as_long_as_the_way_there(name in names(30), from in any::<Index>(), to in any::<Index>()) {
        let topology = parse(&name).unwrap();
        let (from, to) = (from.index(topology.nodes()), to.index(topology.nodes()));
        prop_assert_eq!(checked_route(&*topology, from, to).len(), checked_route(&*topology, to, from).len());
    }
}

/// Checks the length of the longest route in small networks and in the largest networks that are allowed.
#[test]
fn diameters() {
    let small = [
        ("complete:1", 0),
        ("complete:9", 1),
        ("hypercube:32", 5),
        ("line:8", 7),
        ("mesh:3x4", 5),
        ("mesh:2x3x4", 6),
        ("ring:8", 4),
        ("ring:9", 4),
        ("torus:4x5", 4),
        ("torus:2x3x4", 4),
        ("tree:8", 6),
        ("tree:9", 8),
        ("fat-tree:16", 4),
        ("fat-tree:17", 6),
    ];
    for (name, diameter) in small {
        let topology = parse(name).unwrap();
        let pairs = (0..topology.nodes()).flat_map(|from| (0..topology.nodes()).map(move |to| (from, to)));
        let longest = pairs.map(|(from, to)| checked_route(&*topology, from, to).len()).max();
        assert_eq!((longest, topology.longest_route()), (Some(diameter), Some(diameter)), "{name}");
    }
    for (name, opposite, diameter) in [
        ("complete:46341", 46_340, 1),
        ("hypercube:67108864", 67_108_863, 26),
        ("mesh:1x23170x23170", 23_170 * 23_170 - 1, 2 * 23_169),
        ("torus:23170x23170", 11_585 * 23_171, 2 * 11_585),
        ("tree:536870911", 536_870_910, 58),
        ("fat-tree:536870911", 536_870_910, 30),
        ("torus:16x4096x5461", 8 * 4096 * 5461 + 2048 * 5461 + 2730, 8 + 2048 + 2730),
    ] {
        let topology = parse(name).unwrap();
        assert_eq!(checked_route(&*topology, 0, opposite).len(), diameter, "{name}");
        assert_eq!(checked_route(&*topology, opposite, 0).len(), diameter, "{name}");
        assert_eq!(topology.longest_route(), Some(diameter), "{name}");
    }
}

/// Returns the bisection width: the smallest number of physical links between two halves of the nodes, over all
/// bisections.
fn bisection_width(topology: &dyn Topology) -> usize {
    let nodes = topology.nodes();
    let ends = |number| match topology.link(number) {
        Link { from: Vertex::Node(from), to: Vertex::Node(to) } => (from, to),
        link => panic!("{}: {link} does not join two nodes", topology.name()),
    };
    let physical: Vec<(Rank, Rank)> =
        (0..topology.links()).map(ends).filter(|(from, to)| from < to).collect();
    // Each bit is a node of one half; the last node is in the other half.
    (0..1_u32 << (nodes - 1))
        .filter(|half| half.count_ones() as usize == nodes / 2)
        .map(|half| physical.iter().filter(|(from, to)| (half >> from ^ half >> to) & 1 == 1).count())
        .min()
        .expect("there is a way to halve them")
}

#[test]
fn bisection_widths_match_the_formulas() {
    for (name, width) in [
        // Lines: one link.
        ("line:2", 1),
        ("line:9", 1),
        ("line:12", 1),
        // Rings: two links, with more than two nodes.
        ("ring:2", 1),
        ("ring:3", 2),
        ("ring:12", 2),
        // Meshes: the shorter side, if the longer side is even.
        ("mesh:2x2", 2),
        ("mesh:4x3", 3),
        ("mesh:2x6", 2),
        ("mesh:4x4", 4),
        // Three-dimensional meshes: the smallest face, if the longest edge is even.
        ("mesh:2x2x2", 4),
        ("mesh:4x2x2", 4),
        ("mesh:1x4x3", 3),
        // Tori: twice the width of the mesh, if the longest line is a ring.
        ("torus:3x4", 6),
        ("torus:6x2", 4),
        ("torus:4x4", 8),
        ("torus:2x2x4", 8),
        // Hypercubes: n / 2.
        ("hypercube:2", 1),
        ("hypercube:4", 2),
        ("hypercube:8", 4),
        ("hypercube:16", 8),
        // Complete graphs: n^2 / 4.
        ("complete:2", 1),
        ("complete:6", 9),
        ("complete:12", 36),
        ("complete:16", 64),
    ] {
        assert_eq!(bisection_width(&*parse(name).unwrap()), width, "{name}");
    }
}
