//! Detours around dead links: shortest paths over the remaining links, by one rule for every topology.
//!
//! Of several shortest paths, a detour takes at each vertex the link with the lowest number. A detour may lead through the
//! routers of nodes, as the routes of a mesh do.

use std::collections::BTreeMap;

use super::{LinkId, Topology, Vertex, distances};
use crate::rank::Rank;

/// The largest number of destinations whose distances are cached.
const MAX_CACHED: usize = 256;

/// The graph of the working links of a network, and cached distances to destinations of messages.
#[derive(Debug)]
pub(crate) struct Detours {
    /// A dense numbering of the vertices.
    numbers: BTreeMap<Vertex, usize>,
    /// For each vertex, the links that leave it, in the order of their numbers, each with its end.
    leaving: Vec<Vec<(LinkId, usize)>>,
    /// For each vertex, the vertices with a link to it.
    entering: Vec<Vec<usize>>,
    /// For each cached destination, the number of links from each vertex.
    distances: BTreeMap<Rank, Vec<Option<u32>>>,
}

impl Detours {
    /// Creates the graph of the links for which `alive` holds.
    pub(crate) fn new(topology: &dyn Topology, alive: impl Fn(LinkId) -> bool) -> Detours {
        let mut numbers: BTreeMap<Vertex, usize> =
            (0..topology.nodes()).map(|rank| (Vertex::Node(rank), rank)).collect();
        let mut ends = Vec::new();
        for link in (0..topology.links()).filter(|&link| alive(link)) {
            let of = topology.link(link);
            let [from, to] = [of.from, of.to].map(|vertex| {
                let next = numbers.len();
                *numbers.entry(vertex).or_insert(next)
            });
            ends.push((link, from, to));
        }
        let mut leaving = vec![Vec::new(); numbers.len()];
        let mut entering = vec![Vec::new(); numbers.len()];
        for (link, from, to) in ends {
            leaving[from].push((link, to));
            entering[to].push(from);
        }
        Detours { numbers, leaving, entering, distances: BTreeMap::new() }
    }

    /// Returns the detour between two nodes, or `None` if no path remains.
    pub(crate) fn route(&mut self, from: Rank, to: Rank) -> Option<Vec<LinkId>> {
        if self.distances.len() >= MAX_CACHED && !self.distances.contains_key(&to) {
            self.distances.clear();
        }
        let Detours { numbers, leaving, entering, distances: left } = self;
        let (mut at, target) = (*numbers.get(&Vertex::Node(from))?, *numbers.get(&Vertex::Node(to))?);
        let vertices = entering.len();
        let before = |vertex: usize| entering[vertex].iter().copied();
        let left = left.entry(to).or_insert_with(|| distances(vertices, target, before));
        let mut route = Vec::new();
        while at != target {
            let here = left[at]?;
            let nearer = |&&(_, next): &&(LinkId, usize)| left[next].is_some_and(|links| links < here);
            let &(link, next) = leaving[at].iter().find(nearer)?;
            route.push(link);
            at = next;
        }
        Some(route)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::parse;

    fn detour_names(topology: &str, dead: &[&str], from: Rank, to: Rank) -> Option<Vec<String>> {
        let topology = parse(topology).unwrap();
        let name = |link| topology.link(link).to_string();
        let mut detours = Detours::new(&*topology, |link| !dead.contains(&&*name(link)));
        detours.route(from, to).map(|route| route.into_iter().map(name).collect())
    }

    #[test]
    fn detours_are_shortest_and_take_the_lowest_links() {
        // The links of a mesh are numbered eastward, westward, southward, northward.
        assert_eq!(
            detour_names("mesh:3x3", &["node 3 -> node 4"], 3, 5).unwrap(),
            ["node 3 -> node 6", "node 6 -> node 7", "node 7 -> node 8", "node 8 -> node 5"]
        );
        assert_eq!(detour_names("ring:5", &["node 0 -> node 1"], 0, 1).unwrap().len(), 4);
        assert_eq!(detour_names("line:3", &["node 0 -> node 1"], 0, 1), None);
        assert_eq!(detour_names("line:3", &["node 0 -> node 1"], 2, 0).unwrap().len(), 2);
        assert_eq!(detour_names("line:2", &["node 0 -> node 1", "node 1 -> node 0"], 0, 1), None);
    }
}
