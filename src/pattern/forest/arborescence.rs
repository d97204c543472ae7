//! The minimum-cost arborescence of a complete digraph: a spanning tree in which every node is reached from the root.
//!
//! **Method.** Every node except the root selects its cheapest incoming edge. A cycle of selected edges is contracted to one node; the cost
//! of an edge into the cycle is reduced by the cost of the cycle edge that it would replace. At the end each cycle is expanded: the
//! selected edge into the cycle replaces the cycle edge into the same node.
//!
//! **Cost.** `O(p^2)` for `p` nodes: a walk follows incoming edges from an arbitrary node until it reaches a node connected to the root,
//! and contracting a cycle of `k` nodes takes `O(k p)`.
//!
//! **Source.** J. Edmonds, "Optimum branchings", J. Research of the National Bureau of Standards 71B, 1967; H. N. Gabow,
//! Z. Galil, T. Spencer, R. E. Tarjan, "Efficient algorithms for finding minimum spanning trees in undirected and directed
//! graphs", Combinatorica 6, 1986, for the order in which cycles are contracted.

use crate::rank::Rank;

/// An edge of the contracted graph.
#[derive(Clone, Copy)]
struct Edge {
    cost: f64,
    /// The ends of the edge in the original graph.
    from: u32,
    to: u32,
}

/// Marks the absence of a node.
const NONE: usize = usize::MAX;

/// Returns the parent of each node in the minimum-cost arborescence; the root is its own parent. `costs[p * from + to]` is the nonnegative
/// cost of an edge between two of `p` nodes. Among equally cheap edges into a node, the edge from the lowest place is selected.
pub(super) fn cheapest(nodes: usize, root: Rank, costs: &[f64]) -> Vec<Rank> {
    // A place is a row and a column of this matrix: the edge from place `u` to place `v` is at `u * nodes + v`. A contracted cycle uses the
    // place of one of its nodes.
    let edge =
        |index: usize| Edge { cost: costs[index], from: (index / nodes) as u32, to: (index % nodes) as u32 };
    let mut edges: Vec<Edge> = (0..nodes * nodes).map(edge).collect();
    // The content of each used place: a node, or a cycle, which is numbered after the nodes.
    let mut at: Vec<usize> = (0..nodes).collect();
    let mut places: Vec<usize> = (0..nodes).collect();
    let mut above = vec![NONE; nodes];
    let mut entry: Vec<Option<Edge>> = vec![None; nodes];
    let mut is_done = vec![false; nodes];
    let mut on_path = vec![false; nodes];
    is_done[root] = true;
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..nodes {
        // The node may be part of a contracted cycle that is already done.
        let mut here = start;
        if is_done[here] || !places.contains(&here) {
            continue;
        }
        loop {
            on_path[here] = true;
            let candidates = places.iter().copied().filter(|&other| other != here);
            let Some(from) = candidates.min_by(|&one, &other| {
                edges[one * nodes + here].cost.total_cmp(&edges[other * nodes + here].cost)
            }) else {
                break;
            };
            entry[at[here]] = Some(edges[from * nodes + here]);
            path.push((here, from));
            if is_done[from] {
                break;
            }
            if !on_path[from] {
                here = from;
                continue;
            }
            // The path has returned to `from`: the nodes from `from` on form a cycle, which is contracted.
            let first = path.iter().position(|&(place, _)| place == from).unwrap_or(0);
            let cycle: Vec<(usize, usize)> = path.drain(first..).collect();
            let number = above.len();
            above.push(NONE);
            entry.push(None);
            let paid: Vec<f64> =
                cycle.iter().map(|&(place, before)| edges[before * nodes + place].cost).collect();
            cycle.iter().for_each(|&(place, _)| above[at[place]] = number);
            let kept = cycle[0].0;
            places.retain(|&place| place == kept || !cycle.iter().any(|&(member, _)| member == place));
            for &other in places.iter().filter(|&&other| other != kept) {
                let mut out = edges[kept * nodes + other];
                let mut into = Edge { cost: f64::INFINITY, ..edges[other * nodes + kept] };
                for (&(place, _), paid) in cycle.iter().zip(&paid) {
                    let (leaving, arriving) = (edges[place * nodes + other], edges[other * nodes + place]);
                    if leaving.cost < out.cost {
                        out = leaving;
                    }
                    if arriving.cost - paid < into.cost {
                        into = Edge { cost: arriving.cost - paid, ..arriving };
                    }
                }
                edges[kept * nodes + other] = out;
                edges[other * nodes + kept] = into;
            }
            cycle.iter().for_each(|&(place, _)| on_path[place] = false);
            at[kept] = number;
            here = kept;
        }
        for (place, _) in path.drain(..) {
            (on_path[place], is_done[place]) = (false, true);
        }
    }
    opened(nodes, root, &above, entry)
}

/// Returns the parents, given the edge into each cycle: the cycles are expanded in reverse order of contraction.
fn opened(nodes: usize, root: Rank, above: &[usize], mut entry: Vec<Option<Edge>>) -> Vec<Rank> {
    for cycle in (nodes..above.len()).rev() {
        let Some(into) = entry[cycle] else { continue };
        // The cycle member that the edge enters replaces its own edge by it.
        let mut member = into.to as usize;
        while above[member] != cycle && above[member] != NONE {
            member = above[member];
        }
        entry[member] = Some(into);
    }
    (0..nodes)
        .map(|node| entry[node].filter(|_| node != root).map_or(node, |edge| edge.from as Rank))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cost(costs: &[f64], parents: &[Rank]) -> f64 {
        let nodes = parents.len();
        let edges = parents.iter().enumerate().filter(|&(node, &parent)| node != parent);
        edges.map(|(node, &parent)| costs[parent * nodes + node]).sum()
    }

    fn is_tree(root: Rank, parents: &[Rank]) -> bool {
        (0..parents.len()).all(|node| {
            let mut here = node;
            for _ in 0..parents.len() {
                here = parents[here];
            }
            here == root && (parents[node] != node || node == root)
        })
    }

    /// Returns the minimum cost over all choices of parents that form a tree.
    fn least(nodes: usize, root: Rank, costs: &[f64]) -> f64 {
        let choices = (0..nodes).fold(1, |choices, _| choices * nodes);
        let parents = |choice: usize| {
            let mut left = choice;
            let mut next = || (left % nodes, left /= nodes).0;
            (0..nodes).map(|_| next()).collect::<Vec<Rank>>()
        };
        let trees = (0..choices).map(parents).filter(|parents| is_tree(root, parents));
        trees.map(|parents| cost(costs, &parents)).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_tree_is_cheaper(nodes in 1..6_usize, root in 0..6_usize, costs in prop::collection::vec(0..12_u8, 36)) {
            let root = root % nodes;
            let costs: Vec<f64> = costs[..nodes * nodes].iter().map(|&cost| f64::from(cost)).collect();
            let parents = cheapest(nodes, root, &costs);
            prop_assert!(is_tree(root, &parents), "{parents:?}");
            prop_assert_eq!(cost(&costs, &parents), least(nodes, root, &costs));
        }

        #[test]
        fn the_result_is_a_spanning_tree(nodes in 1..40_usize, costs in prop::collection::vec(0..50_u8, 1600)) {
            let costs: Vec<f64> = costs[..nodes * nodes].iter().map(|&cost| f64::from(cost)).collect();
            prop_assert!(is_tree(nodes / 2, &cheapest(nodes, nodes / 2, &costs)));
        }
    }
}
