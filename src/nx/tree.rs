//! The minimum spanning tree of NX's broadcasts and combines: recursive halving of node numbers.
//!
//! The nodes `0..p` are cut into a first half of `ceil(p / 2)` and a second half. The root sends to the node at the same position in the
//! other half; if the other half is shorter and has no such node, to its last node. Both nodes are then the roots of their halves. The
//! pairs are those of [`Halving`](crate::pattern::Halving).
//!
//! Every subtree of node 0 is a range of consecutive nodes that begins with its own root. A combine up to node 0 that takes the nearest
//! children first therefore combines in the order of node numbers.

use crate::rank::Rank;

/// A node's parent and children in the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TreeNeighbors {
    /// The parent; `None` for the root.
    pub(super) parent: Option<Rank>,
    /// The children in the order of the sends: the child with the largest subtree first.
    pub(super) children: Vec<Rank>,
}

/// Returns the parent and children of node `me` in the tree over `nodes` nodes with root `root`.
pub(super) fn tree_neighbors(root: Rank, nodes: usize, me: Rank) -> TreeNeighbors {
    let mut neighbors = TreeNeighbors::default();
    let (mut start, mut end, mut root) = (0, nodes, root);
    while end - start > 1 {
        let half = (end - start).div_ceil(2);
        let middle = start + half;
        let partner = if root < middle { (root + half).min(end - 1) } else { root - half };
        if me == root {
            neighbors.children.push(partner);
        } else if me == partner {
            neighbors.parent = Some(root);
        }
        if (me < middle) != (root < middle) {
            root = partner;
        }
        (start, end) = if me < middle { (start, middle) } else { (middle, end) };
    }
    neighbors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tree_reaches_every_node_once_in_as_many_steps_as_the_logarithm_rounded_up() {
        for nodes in 1..=70_usize {
            for root in 0..nodes {
                let families: Vec<_> = (0..nodes).map(|me| tree_neighbors(root, nodes, me)).collect();
                // The step in which each node gets the message: each child one step after the preceding child of the same node.
                let mut steps = vec![None; nodes];
                steps[root] = Some(0);
                let mut reached = vec![root];
                while let Some(node) = reached.pop() {
                    for (nth, &child) in families[node].children.iter().enumerate() {
                        assert_eq!(families[child].parent, Some(node), "{nodes} nodes, root {root}");
                        assert_eq!(steps[child], None);
                        steps[child] = steps[node].map(|step: u32| step + nth as u32 + 1);
                        reached.push(child);
                    }
                }
                let last = steps.into_iter().map(Option::unwrap).max().unwrap();
                assert!(last <= nodes.next_power_of_two().ilog2(), "{nodes} nodes, root {root}: {last}");
                assert_eq!(families[root].parent, None);
            }
        }
    }

    #[test]
    fn the_subtrees_of_node_0_are_runs_of_nodes() {
        for nodes in 1..=70 {
            for me in 0..nodes {
                let children = tree_neighbors(0, nodes, me).children;
                assert!(children.is_sorted_by(|far, near| far > near) && children.iter().all(|&c| c > me));
            }
        }
    }
}
