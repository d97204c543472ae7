use std::fmt::Write;

use proptest::{prelude::*, sample::Index};

use super::*;
use crate::topology::{FatTree, Mesh, parse, tests::checked_route};

fn network(text: &str) -> Network {
    Network::from_toml("test", text).unwrap()
}

fn refusal(text: &str) -> String {
    Network::from_toml("test", text).unwrap_err().to_string()
}

/// Writes a topology as a network file, with its links in the order of `order`.
fn written_out(topology: &dyn Topology, order: impl Iterator<Item = LinkId>) -> String {
    let place = |vertex| match vertex {
        Vertex::Node(rank) => rank.to_string(),
        Vertex::Switch(number) => format!("'s{number}'"),
    };
    let mut text = format!("nodes = {}\nswitches = {}\n", topology.nodes(), topology.switches());
    for link in order {
        let Link { from, to } = topology.link(link);
        write!(text, "[[links]]\nfrom = {}\nto = {}\n", place(from), place(to)).unwrap();
        if let Some(capacity) = topology.capacity(link) {
            writeln!(text, "capacity = {capacity}").unwrap();
        }
    }
    text
}

/// A random network: a tree that connects all vertices, and additional random links.
#[derive(Clone, Debug)]
struct RandomNetwork {
    nodes: usize,
    switches: usize,
    /// The directed links as pairs of vertices, in the order of the file, without duplicates.
    links: Vec<(usize, usize)>,
}

impl RandomNetwork {
    fn text(&self) -> String {
        let place = |vertex: usize| match vertex.checked_sub(self.nodes) {
            None => vertex.to_string(),
            Some(switch) => format!("\"s{switch}\""),
        };
        let links =
            self.links.iter().map(|&(from, to)| format!("{{ from = {}, to = {} }}", place(from), place(to)));
        let links = links.collect::<Vec<_>>().join(",\n");
        format!("nodes = {}\nswitches = {}\nlinks = [\n{links}\n]\n", self.nodes, self.switches)
    }

    fn vertex(&self, vertex: Vertex) -> usize {
        match vertex {
            Vertex::Node(rank) => rank,
            Vertex::Switch(number) => self.nodes + number,
        }
    }

    /// The distances between all pairs of vertices in links, by the algorithm of Floyd and Warshall.
    fn distances(&self) -> Vec<Vec<usize>> {
        let vertices = self.nodes + self.switches;
        let far = 1_000_000;
        let mut distances = vec![vec![far; vertices]; vertices];
        for (vertex, row) in distances.iter_mut().enumerate() {
            row[vertex] = 0;
        }
        for &(from, to) in &self.links {
            distances[from][to] = 1;
        }
        for by in 0..vertices {
            for from in 0..vertices {
                for to in 0..vertices {
                    let around = distances[from][by] + distances[by][to];
                    distances[from][to] = distances[from][to].min(around);
                }
            }
        }
        distances
    }
}

fn networks() -> impl Strategy<Value = RandomNetwork> {
    (1..12_usize, 0..6_usize)
        .prop_flat_map(|(nodes, switches)| {
            // A switch connected to one node only is useless, but allowed.
            let vertices = nodes + switches;
            let parents = prop::collection::vec(any::<Index>(), vertices);
            let more = prop::collection::vec((0..vertices, 0..vertices), 0..3 * vertices);
            (Just((nodes, switches)), parents, more)
        })
        .prop_flat_map(|((nodes, switches), parents, more)| {
            let mut links: Vec<(usize, usize)> = Vec::new();
            for (vertex, parent) in parents.iter().enumerate().skip(1) {
                let parent = parent.index(vertex);
                links.extend([(vertex, parent), (parent, vertex)]);
            }
            links.extend(more.into_iter().filter(|(from, to)| from != to));
            links.sort_unstable();
            links.dedup();
            (Just((nodes, switches)), Just(links).prop_shuffle())
        })
        .prop_map(|((nodes, switches), links)| RandomNetwork { nodes, switches, links })
}

proptest! {
    #[test]
    fn routes_are_shortest_and_take_the_first_link_of_the_file(random in networks()) {
        let network = network(&random.text());
        let distances = random.distances();
        for (from, distances_from) in distances.iter().enumerate().take(random.nodes) {
            for (to, &links) in distances_from.iter().enumerate().take(random.nodes) {
                let route = checked_route(&network, from, to);
                prop_assert_eq!(route.len(), links);
                for link in route {
                    let here = random.vertex(network.link(link).from);
                    let first = random
                        .links
                        .iter()
                        .position(|&(one, other)| one == here && distances[other][to] + 1 == distances[here][to]);
                    prop_assert_eq!(Some(link), first);
                }
            }
        }
    }

    #[test]
    fn every_link_of_the_file_has_its_number(random in networks()) {
        let network = network(&random.text());
        prop_assert_eq!(network.links(), random.links.len());
        for (number, ends) in random.links.iter().enumerate() {
            let Link { from, to } = network.link(number);
            prop_assert_eq!((random.vertex(from), random.vertex(to)), *ends);
        }
    }

    #[test]
    fn a_path_that_is_given_is_the_route_and_no_other_route_changes(
        random in networks(), seed in prop::collection::vec(any::<Index>(), 20)
    ) {
        prop_assume!(random.nodes > 1);
        // A self-avoiding walk, cut off after its last node.
        let from = seed[0].index(random.nodes);
        let mut path = vec![from];
        for choice in &seed[1..] {
            let next = |&&(here, there): &&(usize, usize)| here == path[path.len() - 1] && !path.contains(&there);
            let ways: Vec<_> = random.links.iter().filter(next).collect();
            if ways.is_empty() {
                break;
            }
            path.push(ways[choice.index(ways.len())].1);
        }
        while *path.last().unwrap() >= random.nodes {
            path.pop();
        }
        prop_assume!(path.len() > 1);
        let to = *path.last().unwrap();

        let place = |&vertex: &usize| match vertex.checked_sub(random.nodes) {
            None => vertex.to_string(),
            Some(switch) => format!("\"s{switch}\""),
        };
        let places: Vec<String> = path.iter().map(place).collect();
        let plain = network(&random.text());
        let with = network(&format!("{}[[routes]]\npath = [{}]\n", random.text(), places.join(", ")));
        for one in 0..random.nodes {
            for other in 0..random.nodes {
                let route = checked_route(&with, one, other);
                if (one, other) == (from, to) {
                    let visited: Vec<usize> =
                        route.iter().map(|&link| random.vertex(with.link(link).to)).collect();
                    prop_assert_eq!(&visited[..], &path[1..]);
                } else {
                    prop_assert_eq!(route, checked_route(&plain, one, other));
                }
            }
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text: String) {
        let _ = Network::from_toml("test", &text);
    }
}

#[test]
fn a_mesh_with_its_rows_first_is_routed_along_the_row_first() {
    // A mesh numbers its links along the rows before those along the columns.
    let mesh = Mesh::new(5, 7).unwrap();
    let network = network(&written_out(&mesh, 0..mesh.links()));
    for from in 0..mesh.nodes() {
        for to in 0..mesh.nodes() {
            assert_eq!(checked_route(&network, from, to), checked_route(&mesh, from, to));
        }
    }
    let columns_first = Network::from_toml("test", &written_out(&mesh, (0..mesh.links()).rev())).unwrap();
    assert_eq!(columns_first.link(checked_route(&columns_first, 0, 34)[0]).to, Vertex::Node(7));
}

#[test]
fn a_fat_tree_written_out_has_its_routes_and_capacities() {
    let tree = FatTree::new(21).unwrap();
    let network = network(&written_out(&tree, 0..tree.links()));
    assert_eq!((network.nodes(), network.switches()), (21, tree.switches()));
    for link in 0..tree.links() {
        assert_eq!((network.link(link), network.capacity(link)), (tree.link(link), tree.capacity(link)));
    }
    for from in 0..21 {
        for to in 0..21 {
            assert_eq!(checked_route(&network, from, to), checked_route(&tree, from, to));
        }
    }
}

#[test]
fn routes_are_computed_only_for_used_destinations() {
    let mesh = Mesh::new(4, 4).unwrap();
    let network = network(&written_out(&mesh, 0..mesh.links()));
    let known = || (0..16).filter(|&to| network.next[to].get().is_some()).collect::<Vec<Rank>>();
    assert!(known().is_empty());
    checked_route(&network, 3, 3);
    assert!(known().is_empty());
    for (from, to) in [(0, 5), (1, 5), (2, 9)] {
        checked_route(&network, from, to);
    }
    assert_eq!(known(), [5, 9]);
}

#[test]
fn links_are_numbered_in_file_order_with_both_directions_adjacent() {
    let network = network(
        "
        nodes = 2
        switches = 1
        [[links]]
        between = ['s0', 1]
        capacity = '3 kB/s'
        [[links]]
        from = 1
        to = 0
        [[links]]
        between = [0, 's0']
        capacity = 7
    ",
    );
    let links: Vec<String> = (0..5).map(|link| network.link(link).to_string()).collect();
    assert_eq!(
        links,
        [
            "switch 0 -> node 1",
            "node 1 -> switch 0",
            "node 1 -> node 0",
            "node 0 -> switch 0",
            "switch 0 -> node 0",
        ]
    );
    let capacities: Vec<Option<f64>> = (0..5).map(|link| network.capacity(link)).collect();
    assert_eq!(capacities, [Some(3e3), Some(3e3), None, Some(7.0), Some(7.0)]);
    assert_eq!(network.name(), "test");
}

#[test]
fn the_smallest_networks() {
    for text in ["nodes = 1", "nodes = 1\nswitches = 1\nlinks = [{ from = 0, to = 's0' }]"] {
        let network = network(text);
        assert!(checked_route(&network, 0, 0).is_empty());
    }
    assert_eq!(checked_route(&network("nodes = 2\nlinks = [{ between = [1, 0] }]"), 0, 1), [1]);
}

#[test]
fn refusals_name_the_table_what_was_given_and_what_is_allowed() {
    let links = |tables: &str| refusal(&format!("nodes = 3\nswitches = 2\nlinks = [{tables}]"));
    let both = "it must have either two vertices in `between` or both `from` and `to`";
    for (tables, problem) in [
        ("{ from = 0 }", format!("links, table 1: {both}")),
        ("{ between = [0, 1] }, {}", format!("links, table 2: {both}")),
        ("{ between = [0, 1, 2] }", format!("links, table 1: {both}")),
        ("{ between = [0, 1], to = 2 }", format!("links, table 1: {both}")),
        (
            "{ between = [0, 1] }, { from = 3, to = 0 }",
            "links, table 2: node 3 does not exist; allowed are nodes 0 to 2 and switches s0 to s1".into(),
        ),
        (
            "{ from = 0, to = 's2' }",
            "links, table 1: switch 2 does not exist; allowed are nodes 0 to 2 and switches s0 to s1".into(),
        ),
        (
            "{ between = ['s1', 's1'] }",
            "links, table 1: it connects switch 1 with itself; allowed are links between two vertices".into(),
        ),
        (
            "{ between = [0, 's1'] }, { from = 's1', to = 0 }",
            "links, table 2: link switch 1 -> node 0 is given twice; give one link with the total capacity"
                .into(),
        ),
        (
            "{ between = [0, 's1'], capacity = '3 MB' }",
            "links, table 1, capacity: `3 MB` is not a bandwidth such as `175 MB/s` or `100 Gb/s` (units \
             B/s, kB/s, MB/s, GB/s, TB/s, powers of 1000; KiB/s to TiB/s, powers of 1024; the same with b for bits)"
                .into(),
        ),
        (
            "{ between = [0, 's1'], capacity = 0 }",
            "links, table 1, capacity: invalid bandwidth `0`; allowed is a finite number above 0".into(),
        ),
        (
            "{ between = [0, 's1'], capacity = -1.5 }",
            "links, table 1, capacity: invalid bandwidth `-1.5`; allowed is a finite number above 0".into(),
        ),
        (
            "{ between = [0, 's1'], capacity = inf }",
            "links, table 1, capacity: invalid bandwidth `inf`; allowed is a finite number above 0".into(),
        ),
        (
            "{ between = [0, 's1'], capacity = '-1 MB/s' }",
            "links, table 1, capacity: `-1 MB/s` is negative; allowed is 0 or more".into(),
        ),
        (
            "{ between = [0, 's1'] }, { between = [1, 's1'] }, { between = [2, 's1'] }",
            "switches: switch 0 has no links; allowed are switches with at least one".into(),
        ),
    ] {
        assert_eq!(links(tables), format!("`test` is not a network: {problem}"));
    }
}

#[test]
fn nodes_that_cannot_reach_each_other_are_refused() {
    for (text, from, to) in [
        ("nodes = 2", 0, 1),
        ("nodes = 1000000000000000000", 0, 0),
        ("nodes = 500000000\nswitches = 500000000", 0, 1),
        ("nodes = 3\nlinks = [{ between = [0, 1] }]", 2, 0),
        ("nodes = 3\nlinks = [{ between = [0, 1] }, { from = 2, to = 0 }]", 0, 2),
        ("nodes = 4\nlinks = [{ between = [0, 1] }, { between = [2, 3] }]", 0, 2),
        ("nodes = 4\nlinks = [{ between = [0, 1] }, { between = [2, 3] }, { from = 1, to = 3 }]", 2, 0),
        (
            "nodes = 2\nswitches = 2\nlinks = [{ between = [0, 's0'] }, { between = [1, 's1'] }, \
             { from = 's0', to = 's1' }]",
            1,
            0,
        ),
    ] {
        let problem = match to {
            0 if from == 0 => {
                "nodes: 1000000000000000000 is out of range; it must be from 1 to 536870911".to_owned()
            }
            _ => format!(
                "links: no path leads from node {from} to node {to}; every node must reach every other"
            ),
        };
        assert_eq!(refusal(text), format!("`test` is not a network: {problem}"), "{text}");
    }
    assert!(refusal("nodes = 0").contains("nodes: 0 is out of range; it must be from 1 to 536870911"));
    assert!(
        refusal("nodes = 1\nswitches = 536870912")
            .contains("switches: 536870912 is out of range; it must be from 0 to 536870911")
    );
}

#[test]
fn invalid_paths_are_refused() {
    let ring = "nodes = 4\nswitches = 1\nlinks = [{ between = [0, 1] }, { between = [1, 2] }, \
                { between = [2, 3] }, { between = [3, 's0'] }, { from = 's0', to = 0 }]\n";
    let with = |routes: &str| Network::from_toml("test", &format!("{ring}{routes}"));
    let route = |path: &str| with(&format!("routes = [{{ path = [1, 2] }}, {{ path = {path} }}]"));
    for (path, problem) in [
        ("[]", "the path must begin with a node and end with another"),
        ("[0]", "the path must begin with a node and end with another"),
        ("[0, 1, 2, 3, 's0']", "the path must begin with a node and end with another"),
        ("['s0', 0]", "the path must begin with a node and end with another"),
        ("[0, 0]", "the path visits node 0 twice; a path may visit each vertex once"),
        ("[3, 's0', 0, 1, 2, 3]", "the path visits node 3 twice; a path may visit each vertex once"),
        ("[0, 2]", "link node 0 -> node 2 does not exist; a path must follow links"),
        ("[0, 's0', 3]", "link node 0 -> switch 0 does not exist; a path must follow links"),
        ("[1, 2]", "the path from node 1 to node 2 is given twice; give one"),
        ("[0, 4]", "node 4 does not exist; allowed are nodes 0 to 3 and switches s0 to s0"),
        ("[0, 's1', 1]", "switch 1 does not exist; allowed are nodes 0 to 3 and switches s0 to s0"),
    ] {
        let refused = route(path).unwrap_err().to_string();
        assert_eq!(refused, format!("`test` is not a network: routes, table 2: {problem}"));
    }
    let long_way = route("[2, 3, 's0', 0, 1]").unwrap();
    assert_eq!(checked_route(&long_way, 2, 1).len(), 4);
    assert_eq!(checked_route(&long_way, 1, 2).len(), 1, "in one direction alone");
}

#[test]
fn malformed_files_are_refused_with_the_line() {
    for (text, line, says) in [
        ("nodes = 2\nedges = 3", 2, "unknown field `edges`"),
        ("switches = 2", 0, "missing field `nodes`"),
        ("nodes = '2'", 1, "invalid type"),
        ("nodes = -2", 1, "invalid value"),
        ("nodes = 2\n[[links]]\nbetween = [0, 1]\nspeed = 3", 4, "unknown field `speed`"),
        ("nodes = 2\n[[links]]\nbetween = 0", 3, "invalid type"),
        ("nodes = 2\n[[links]]\nbetween = [0, -1]", 3, "a node such as 3 or a switch such as \"s3\""),
        ("nodes = 2\n[[links]]\nbetween = [0, 'x1']", 3, "a node such as 3 or a switch such as \"s3\""),
        ("nodes = 2\n[[links]]\nbetween = [0, 's']", 3, "a node such as 3 or a switch such as \"s3\""),
        ("nodes = 2\n[[links]]\nbetween = [0, 's+1']", 3, "a node such as 3 or a switch such as \"s3\""),
        ("nodes = 2\n[[links]]\nbetween = [0, 1.5]", 3, "a node such as 3 or a switch such as \"s3\""),
        ("nodes = 2\n[[links]]\nfrom = 0\nto = 1\ncapacity = true", 5, "a number in SI units or a text"),
        ("nodes = 2\n[[routes]]\nvia = [0, 1]", 3, "unknown field `via`"),
        ("nodes", 1, ""),
    ] {
        let message = refusal(text);
        assert!(message.contains(says), "{message}");
        assert!(line == 0 || message.contains(&format!("line {line}")), "{message}");
    }
}

#[test]
fn a_file_is_read_from_its_path() {
    let error = parse("file:no/such/network.toml").unwrap_err();
    assert!(
        error.to_string().starts_with("`file:no/such/network.toml` is not a network: cannot be read: "),
        "{error}"
    );
    let network = parse("file:examples/network.toml").unwrap();
    assert_eq!(network.name(), "file:examples/network.toml");
}

#[test]
#[should_panic(expected = "link 2 of test, which has 2 links")]
fn a_link_out_of_range_panics() {
    network("nodes = 2\nlinks = [{ between = [0, 1] }]").link(2);
}

#[test]
#[should_panic(expected = "a route from 0 to 2 on test")]
fn a_rank_out_of_range_panics() {
    network("nodes = 2\nlinks = [{ between = [0, 1] }]").route(0, 2, &mut Vec::new());
}
