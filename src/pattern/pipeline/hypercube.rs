//! Edge-disjoint spanning trees of a hypercube.

use super::{Hop, Tree};
use crate::rank::Rank;

/// An edge of a tree, and the step, relative to the start of the packet, in which a packet crosses it.
struct Edge {
    step: usize,
    from: Rank,
    to: Rank,
}

/// Returns the edges of tree `number` of a `dimensions`-cube with root 0, ordered by step.
///
/// In step 0 the root sends across dimension `number`. In steps 1 to `d - 1` all nodes that have the packet, except the root, send across
/// the next dimensions: a binomial tree of this half of the cube. In step `d` all nodes of this half send across dimension `number` again,
/// to the other half.
fn edges(dimensions: usize, number: usize) -> Vec<Edge> {
    let bit = |step: usize| 1 << ((number + step) % dimensions);
    let mut edges = vec![Edge { step: 0, from: 0, to: bit(0) }];
    let mut reached = vec![bit(0)];
    for step in 1..dimensions {
        let next: Vec<Rank> = reached.iter().map(|&from| from | bit(step)).collect();
        edges.extend(reached.iter().zip(&next).map(|(&from, &to)| Edge { step, from, to }));
        reached.extend(next);
    }
    let back = reached.iter().map(|&from| Edge { step: dimensions, from, to: from & !bit(0) });
    edges.extend(back.filter(|edge| edge.to != 0));
    edges
}

/// Returns `d` edge-disjoint spanning trees of a `d`-cube: no two have an edge in common in the same direction. Of the `d 2^d` directed
/// edges only the edges into the root are in no tree.
///
/// Tree `j` consists of an edge from the root, a binomial tree of the half of the cube that differs from the root in bit `j`, and an edge
/// from each node of this half, except the first, to its neighbour in the other half. The trees are rotations of each other. A single node
/// has no trees.
///
/// ```
/// use multicomputer::pattern::pipeline::edge_disjoint;
///
/// let trees = edge_disjoint(2, 0);
/// assert_eq!((trees[0].children(0), trees[0].children(1), trees[0].children(3)), (&[1][..], &[3][..], &[2][..]));
/// assert_eq!((trees[1].children(0), trees[1].children(2), trees[1].children(3)), (&[2][..], &[3][..], &[1][..]));
/// ```
///
/// **Source.** S. L. Johnsson, C.-T. Ho, "Optimum broadcasting and personalized communication in hypercubes", IEEE
/// Transactions on Computers 38(9), 1989: `n` edge-disjoint spanning binomial trees.
///
/// # Panics
///
/// If the root is not in the cube.
pub fn edge_disjoint(dimensions: u32, root: Rank) -> Vec<Tree> {
    let nodes = 1 << dimensions;
    assert!(root < nodes, "root {root} is one of {nodes} nodes");
    let tree = |number| {
        let mut children = vec![Vec::new(); nodes];
        for edge in edges(dimensions as usize, number) {
            children[edge.from ^ root].push(edge.to ^ root);
        }
        Tree::spanning(root, children)
    };
    (0..dimensions as usize).map(tree).collect()
}

/// Returns the messages of each round if packets go down these trees in turn, in `lag` interleaved streams: a packet is forwarded `lag`
/// rounds after its arrival. In round `t` all nodes exchange packets across dimension `t / lag mod d`: every node sends at most one packet
/// to a neighbour and receives at most one from the same neighbour. `N` packets take about `N + lag d` rounds. With one stream they take
/// exactly `N + d` rounds, or `N` rounds for two nodes.
///
/// # Panics
///
/// If the root is not in the cube, or `lag` is 0.
pub fn across_dimensions(dimensions: u32, root: Rank, packets: usize, lag: usize) -> Vec<Vec<Hop>> {
    assert!(root < 1 << dimensions, "root {root} is one of {} nodes", 1_usize << dimensions);
    assert!(lag > 0, "there is a stream of packets");
    let dimensions = dimensions as usize;
    let trees: Vec<Vec<Edge>> = (0..dimensions).map(|number| edges(dimensions, number)).collect();
    let mut rounds: Vec<Vec<Hop>> = Vec::new();
    if trees.is_empty() {
        return rounds;
    }
    for packet in 0..packets {
        let (nth, stream) = (packet / lag, packet % lag);
        for &Edge { step, from, to } in &trees[nth % dimensions] {
            let round = (nth + step) * lag + stream;
            if rounds.len() <= round {
                rounds.resize(round + 1, Vec::new());
            }
            rounds[round].push(Hop { from: from ^ root, to: to ^ root, chunk: packet as u32 });
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Tests that the trees share no edge and span all nodes: [`Tree::new`] rejects everything that is not a spanning tree.
    #[test]
    fn trees_span_the_cube_and_have_no_edge_in_common() {
        for dimensions in 0..=8_u32 {
            let nodes = 1_usize << dimensions;
            for root in [0, nodes / 3, nodes - 1] {
                let trees = edge_disjoint(dimensions, root);
                assert_eq!(trees.len(), dimensions as usize);
                let mut edges = BTreeSet::new();
                for tree in &trees {
                    let children: Vec<Vec<Rank>> =
                        (0..nodes).map(|node| tree.children(node).to_vec()).collect();
                    assert_eq!(Tree::new(root, children.clone()).as_ref(), Some(tree));
                    for (from, children) in children.iter().enumerate() {
                        for &to in children {
                            assert_eq!((from ^ to).count_ones(), 1, "{from} and {to} are neighbours");
                            assert!(edges.insert((from, to)), "{from} to {to} is in two trees");
                        }
                    }
                }
                assert_eq!(edges.len(), trees.len() * (nodes - 1), "all edges but those into the root");
            }
        }
    }

    /// Tests that the trees are rotations, and that the deepest node of a tree is `d + 1` edges from the root: across all dimensions, then
    /// back across the first dimension.
    #[test]
    fn every_tree_is_a_rotation_of_the_first() {
        let dimensions = 4;
        let trees = edge_disjoint(dimensions, 0);
        let rotate = |node: Rank, by: usize| (node << by | node >> (dimensions as usize - by)) & 15;
        for (number, tree) in trees.iter().enumerate() {
            for node in 0..16 {
                let rotated: Vec<Rank> =
                    trees[0].children(node).iter().map(|&child| rotate(child, number)).collect();
                assert_eq!(tree.children(rotate(node, number)), rotated);
            }
        }
        let levels = |node: Rank| -> usize {
            let parent = |child| (0..16).find(|&node| trees[0].children(node).contains(&child));
            std::iter::successors(parent(node), |&node| parent(node)).count()
        };
        assert_eq!((0..16).map(levels).max(), Some(dimensions as usize + 1));
    }

    #[test]
    fn rounds_exchange_across_one_dimension_after_the_other() {
        for (dimensions, lag) in (1..=6_u32).flat_map(|dimensions| [(dimensions, 1), (dimensions, 2)]) {
            let nodes = 1_usize << dimensions;
            let root = nodes / 3;
            for packets in [1, 2, 5, 6, 7, 20] {
                let rounds = across_dimensions(dimensions, root, packets, lag);
                if lag == 1 {
                    let expected = if dimensions == 1 { packets } else { packets + dimensions as usize };
                    assert_eq!(rounds.len(), expected);
                }
                // The round after which a node can forward a packet.
                let mut since = vec![std::collections::BTreeMap::new(); nodes];
                since[root].extend((0..packets as u32).map(|packet| (packet, 0)));
                for (round, hops) in rounds.iter().enumerate() {
                    let bit = 1 << (round / lag % dimensions as usize);
                    let (mut senders, mut receivers) = (BTreeSet::new(), BTreeSet::new());
                    for hop in hops {
                        assert_eq!(hop.from ^ hop.to, bit);
                        assert!(since[hop.from][&hop.chunk] <= round, "{hop:?} in round {round}");
                        assert!(senders.insert(hop.from) && receivers.insert(hop.to));
                        let before = since[hop.to].insert(hop.chunk, round + lag);
                        assert_eq!(before, None, "{hop:?} is there already");
                    }
                }
                assert!(since.iter().all(|since| since.len() == packets));
            }
        }
        assert!(across_dimensions(0, 0, 3, 1).is_empty());
    }

    #[test]
    #[should_panic(expected = "root 4 is one of 4 nodes")]
    fn a_root_outside_the_cube_is_refused() {
        edge_disjoint(2, 4);
    }
}
